"""The tables of rules/decisive.toml that selection reads, as types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import RulesError
from ..model.calls import side_effecting, words
from ..model.span import Attributes
from ..ruleset import RuleSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Words, keys and thresholds; see the comments in rules/decisive.toml."""

    write: frozenset[str]
    read: frozenset[str]
    common: frozenset[str]
    min_digits: int
    min_text: int
    shingle_words: int
    max_leaf: int
    grader: tuple[str, ...]
    failing_words: frozenset[str]
    failing_below: float
    authorization_words: frozenset[str]
    authorization_keys: tuple[str, ...]
    version_keys: tuple[str, ...]
    clock_words: frozenset[str]
    clock_keys: tuple[str, ...]
    budget_keys: tuple[str, ...]
    giving_up: tuple[str, ...]

    def changes(self, tool: str) -> bool:
        """Return whether the tool's name says that it has side effects."""
        return side_effecting(tool, write=self.write, read=self.read) is True

    def authorizes(self, name: str, attributes: Attributes) -> bool:
        """Return whether a span carries an authorization claim or decision."""
        return bool(self.authorization_words & set(words(name))) or carries(attributes, self.authorization_keys)

    def tells_time(self, name: str, attributes: Attributes) -> bool:
        """Return whether a tool or span is a clock that a decision may have read."""
        parts = words(name)
        return (bool(parts) and parts[-1] in self.clock_words) or carries(attributes, self.clock_keys)


def policy(rules: RuleSet) -> Policy:
    """Return the selection's tables. Raises `RulesError` when the document or one of its members is missing."""
    try:
        document = rules.documents["decisive"]
        values, boundary, keep = document["values"], document["boundary"], document["keep"]
        timing = document["timing"]
        return Policy(
            write=frozenset(document["effects"]["write"]),
            read=frozenset(document["effects"]["read"]),
            common=frozenset(values["common"]),
            min_digits=values["min_digits"],
            min_text=values["min_text"],
            shingle_words=values["shingle_words"],
            max_leaf=values["max_leaf"],
            grader=tuple(boundary["grader"]),
            failing_words=frozenset(boundary["failing_words"]),
            failing_below=boundary["failing_below"],
            authorization_words=frozenset(keep["authorization_words"]),
            authorization_keys=tuple(keep["authorization_keys"]),
            version_keys=tuple(keep["version_keys"]),
            clock_words=frozenset(keep["clock_words"]),
            clock_keys=tuple(keep["clock_keys"]),
            budget_keys=tuple(timing["budget_ms_keys"]),
            giving_up=(*timing["errors"]["timeout"], *timing["errors"]["cancelled"]),
        )
    except KeyError as missing:
        raise RulesError([f"decisive: no member {missing}"]) from None


def carries(attributes: Attributes, keys: Iterable[str]) -> bool:
    """Return whether an attribute has one of the keys, whole or as the last part of its dotted key."""
    return any(fits(name, key) for name, _ in attributes for key in keys)


def fits(name: str, key: str) -> bool:
    """Return whether an attribute's key is the given one, or ends in it after a dot."""
    return name == key or name.endswith("." + key)
