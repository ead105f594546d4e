"""The tables of rules/decisive.toml that selection reads, as types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..errors import RulesError
from ..model.calls import side_effecting, words
from ..model.span import Attributes
from ..ruleset import RuleSet


class Keys:
    """Attribute keys; a name fits one of them whole, or when it ends in it after a dot."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = frozenset(keys)

    def fit(self, name: str) -> bool:
        """Return whether an attribute's name fits."""
        rest = name
        while rest:
            if rest in self._keys:
                return True
            _, _, rest = rest.partition(".")
        return False

    def among(self, attributes: Attributes) -> bool:
        """Return whether one of the attributes fits."""
        return any(self.fit(name) for name, _ in attributes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Words, keys and thresholds; see the comments in rules/decisive.toml."""

    write: frozenset[str]
    read: frozenset[str]
    common: frozenset[str]
    minor_words: frozenset[str]
    everywhere_of: float
    everywhere_from: int
    min_digits: int
    min_text: int
    shingle_words: int
    max_leaf: int
    grader: Keys
    grader_prefixes: tuple[str, ...]
    grades: Keys
    failing_words: frozenset[str]
    failing_below: float
    refusing: tuple[str, ...]
    auxiliaries: frozenset[str]
    done: frozenset[str]
    denying: frozenset[str]
    authorization_words: frozenset[str]
    authorization_keys: Keys
    version_keys: Keys
    clock_words: frozenset[str]
    clock_keys: Keys
    budget_keys: Keys
    turn_kinds: frozenset[str]
    giving_up: tuple[str, ...]
    order: Mapping[str, int]

    def changes(self, tool: str) -> bool:
        """Return whether the tool's name says that it has side effects."""
        return side_effecting(tool, write=self.write, read=self.read) is True

    def authorizes(self, name: str, attributes: Attributes) -> bool:
        """Return whether a span carries an authorization claim or decision."""
        return bool(self.authorization_words & set(words(name))) or self.authorization_keys.among(attributes)

    def tells_time(self, name: str, attributes: Attributes) -> bool:
        """Return whether a tool or span is a clock that a decision may have read."""
        parts = words(name)
        return (bool(parts) and parts[-1] in self.clock_words) or self.clock_keys.among(attributes)


def policy(rules: RuleSet) -> Policy:
    """Return the selection's tables. Raises `RulesError` when the document or one of its members is missing."""
    try:
        document = rules.documents["decisive"]
        values, boundary, keep = document["values"], document["boundary"], document["keep"]
        timing = document["timing"]
        return Policy(
            write=frozenset(document["effects"]["write"]),
            read=frozenset(document["effects"]["read"]),
            common=frozenset(spelling for word in values["common"] for spelling in known_as(word)),
            minor_words=frozenset(values["minor_words"]),
            everywhere_of=values["everywhere_of"],
            everywhere_from=values["everywhere_from"],
            min_digits=values["min_digits"],
            min_text=values["min_text"],
            shingle_words=values["shingle_words"],
            max_leaf=values["max_leaf"],
            grader=Keys(boundary["grader"]),
            grader_prefixes=tuple(boundary["grader_prefixes"]),
            grades=Keys(boundary["grades"]),
            failing_words=frozenset(boundary["failing_words"]),
            failing_below=boundary["failing_below"],
            refusing=tuple(boundary["refusing"]),
            auxiliaries=frozenset(boundary["auxiliaries"]),
            done=frozenset(boundary["done"]),
            denying=frozenset(boundary["denying"]),
            authorization_words=frozenset(keep["authorization_words"]),
            authorization_keys=Keys(keep["authorization_keys"]),
            version_keys=Keys(keep["version_keys"]),
            clock_words=frozenset(keep["clock_words"]),
            clock_keys=Keys(keep["clock_keys"]),
            budget_keys=Keys([*timing["budget_ms_keys"], *timing["deadline_keys"]]),
            turn_kinds=frozenset(keep["turn_kinds"]),
            order={reason: rank for rank, reasons in enumerate(keep["order"]) for reason in reasons},
            giving_up=(*timing["errors"]["timeout"], *timing["errors"]["cancelled"]),
        )
    except KeyError as missing:
        raise RulesError([f"decisive: no member {missing}"]) from None


def known_as(name: str) -> tuple[str, str, str]:
    """Return the values as which a name comes up: itself, without separators, as a run of words."""
    name = name.casefold()
    return (name, _SEPARATORS.sub("", name), "words:" + " ".join(_WORD.findall(name)))


_SEPARATORS = re.compile(r"[-_./:]")
_WORD = re.compile(r"\w+")
