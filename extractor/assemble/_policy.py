"""The tables of rules/decisive.toml that assembly reads, as types."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import RulesError
from ..model.calls import side_effecting, words
from ..model.json import JsonValue
from ..ruleset import RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Words of effects, classes of errors, names of owners; see the comments in rules/decisive.toml."""

    write: frozenset[str]
    read: frozenset[str]
    methods: frozenset[str]
    safe_methods: frozenset[str]
    denials: frozenset[str]
    budget_keys: tuple[str, ...]
    together_ns: int
    timeout: tuple[str, ...]
    timeout_codes: frozenset[str]
    cancelled: tuple[str, ...]
    cancelled_codes: frozenset[str]
    connection: tuple[str, ...]
    owner: tuple[str, ...]
    clock_keys: tuple[str, ...]
    holder: tuple[str, ...]

    def changes(self, tool: str) -> bool | None:
        """Return whether the tool's name says that it has side effects, None when it does not say."""
        return side_effecting(tool, write=self.write, read=self.read)

    def denies(self, result: JsonValue) -> bool:
        """Return whether a result tells of a failure although the call did not fail."""
        if isinstance(result, dict):
            return any(name.lower() in self.denials and bool(told) for name, told in result.items())
        return isinstance(result, str) and not self.denials.isdisjoint(words(result[:80])[:1])

    def error_class(self, error_type: str | None) -> str | None:
        """Return connection, timeout or cancelled for an error class that says so, None for any other."""
        said = (error_type or "").lower()
        if any(word in said for word in self.connection):
            return "connection"
        if said in self.timeout_codes or any(word in said for word in self.timeout):
            return "timeout"
        if said in self.cancelled_codes or any(word in said for word in self.cancelled):
            return "cancelled"
        return None


def policy(rules: RuleSet) -> Policy:
    """Return the assembly's tables. Raises `RulesError` when the document or one of its members is missing."""
    try:
        document = rules.documents["decisive"]
        effects, timing = document["effects"], document["timing"]
        return Policy(
            write=frozenset(effects["write"]),
            read=frozenset(effects["read"]),
            methods=frozenset(effects["methods"]),
            safe_methods=frozenset(effects["safe_methods"]),
            denials=frozenset(effects["denials"]),
            budget_keys=tuple(timing["budget_ms_keys"]),
            together_ns=timing["together_ms"] * 1_000_000,
            timeout=tuple(timing["timeout"]),
            timeout_codes=frozenset(timing["timeout_codes"]),
            cancelled=tuple(timing["cancelled"]),
            cancelled_codes=frozenset(timing["cancelled_codes"]),
            connection=tuple(timing["connection"]),
            owner=tuple(document["identity"]["owner"]),
            clock_keys=tuple(document["keep"]["clock_keys"]),
            holder=tuple(document["identity"]["holder"]),
        )
    except KeyError as missing:
        raise RulesError([f"decisive: no member {missing}"]) from None
