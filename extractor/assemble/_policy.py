"""The tables of rules/decisive.toml that assembly reads, as types."""

from __future__ import annotations

from collections.abc import Mapping
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
    row_writes: frozenset[str]
    definition_keys: tuple[str, ...]
    denials: frozenset[str]
    budget_keys: tuple[str, ...]
    deadline_keys: tuple[str, ...]
    own_wait_keys: frozenset[str]
    budget_headers: Mapping[str, str]
    deadline_headers: tuple[str, ...]
    together_ns: int
    rounding_ns: int
    errors: Mapping[str, tuple[str, ...]]
    codes: Mapping[str, frozenset[str]]
    phrases: Mapping[str, tuple[str, ...]]
    owner: tuple[str, ...]
    clock_keys: tuple[str, ...]
    holder: tuple[str, ...]
    token_claims: tuple[str, ...]
    token_tenant: tuple[str, ...]
    token_roles: tuple[str, ...]

    def changes(self, tool: str) -> bool | None:
        """Return whether the tool's name says that it has side effects, None when it does not say."""
        return side_effecting(tool, write=self.write, read=self.read)

    def denies(self, result: JsonValue) -> bool:
        """Return whether a result tells of a failure although the call did not fail."""
        if isinstance(result, dict):
            return any(name.lower() in self.denials and bool(told) for name, told in result.items())
        return isinstance(result, str) and not self.denials.isdisjoint(words(result[:80])[:1])

    def error_class(self, error_type: str | None, message: str | None = None) -> str | None:
        """Return refused, lost, timeout, cancelled or local for an error that says so, None for any other.

        The class speaks before the message: a text may quote anything.
        """
        said = (error_type or "").lower()
        for name, parts in self.errors.items():
            if said in self.codes.get(name, ()) or any(part in said for part in parts):
                return name
        return next((name for name in ("refused", "lost", "timeout", "cancelled") if self.says(name, message)), None)

    def waited_for_answer(self, error_type: str | None, message: str | None) -> bool:
        """Return whether a timeout is one that a transport raises while it waits for the other side.

        A timeout without a class of its own counts when its text says so; a plain TimeoutError may be any deadline's.
        """
        said = (error_type or "").lower()
        if any(part in said for part in self.phrases["transport"]):
            return True
        return error_type is None and self.says("timeout", message)

    def says(self, name: str, message: str | None) -> bool:
        """Return whether an error message holds one of the phrases of that name."""
        said = (message or "").lower()
        return any(phrase in said for phrase in self.phrases[name])


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
            row_writes=frozenset(effects["row_writes"]),
            definition_keys=tuple(effects["definition_keys"]),
            denials=frozenset(effects["denials"]),
            budget_keys=tuple(timing["budget_ms_keys"]),
            deadline_keys=tuple(timing["deadline_keys"]),
            own_wait_keys=frozenset(timing["own_wait_keys"]),
            budget_headers=dict(timing["budget_headers"]),
            deadline_headers=tuple(timing["deadline_headers"]),
            together_ns=timing["together_ms"] * 1_000_000,
            rounding_ns=timing["rounding_ms"] * 1_000_000,
            errors={name: tuple(parts) for name, parts in timing["errors"].items()},
            codes={name: frozenset(codes) for name, codes in timing["codes"].items()},
            phrases={name: tuple(phrases) for name, phrases in timing["words"].items()},
            owner=tuple(document["identity"]["owner"]),
            clock_keys=tuple(document["keep"]["clock_keys"]),
            holder=tuple(document["identity"]["holder"]),
            token_claims=tuple(document["identity"]["token_claims"]),
            token_tenant=tuple(document["identity"]["token_tenant"]),
            token_roles=tuple(document["identity"]["token_roles"]),
        )
    except KeyError as missing:
        raise RulesError([f"decisive: no member {missing}"]) from None
