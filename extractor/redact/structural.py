"""The structural form of a case: every text of the source becomes a typed placeholder, its relations stay."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..errors import RulesError
from ..model.case import Document
from ..model.json import JsonValue, compact
from ..ruleset import RuleSet
from .document import is_payload, stays

MISSING: JsonValue = {
    "field": "messages",
    "code": "structural",
    "reason": "Every text was replaced by a placeholder: what was said can no longer be judged.",
}
_LABELS = frozenset(
    {
        ("incident_id",),
        ("workflow_version",),
        ("prompt_version",),
        ("time_zone",),
        ("locale",),
        ("templates", "*", "name"),
        ("templates", "*", "version"),
        ("facts", "*", "name"),
        ("input", "messages", "*", "parts", "*", "call_id"),
        ("messages", "*", "parts", "*", "call_id"),
        ("tool_events", "*", "call_id"),
        ("tool_events", "*", "attempt_id"),
        ("identity", "resources", "*", "type"),
    }
)
"""What is kept beside our own members and names of things. Whatever else is a text of the source: a member that somebody adds
to the format later is replaced until it is named here."""
_FIELD = re.compile(r"[^\W\d][\w.$:@/-]{0,63}")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?)?")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")
_LINK = re.compile(r"[a-z][a-z0-9+.-]*://\S+", re.IGNORECASE)


@dataclass(slots=True)
class _Placeholders:
    """Numbers texts by their first appearance: equal texts have equal placeholders, different ones different."""

    identifiers: frozenset[str] = field(repr=False)
    statuses: frozenset[str]
    numbers: dict[str, int] = field(default_factory=dict, repr=False)

    def pair(self, one: JsonValue, other: JsonValue) -> tuple[JsonValue, JsonValue]:
        """Return what stands for a payload before and after redaction; the two keep one shape."""
        if isinstance(one, dict) and isinstance(other, dict) and len(one) == len(other):
            return self.members(one, other, payload=True, path=())
        if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            pairs = [self.pair(*each) for each in zip(one, other, strict=True)]
            return [each for each, _ in pairs], [each for _, each in pairs]
        if isinstance(one, str) and isinstance(other, str):
            return self.text(one, other)
        if isinstance(one, dict | list | str) or isinstance(other, dict | list | str):
            made = self._placeholder(compact(one), "value")
            return made, made
        return one, other

    def members(
        self, one: Document, other: Document, *, payload: bool, path: tuple[str, ...]
    ) -> tuple[Document, Document]:
        """Return both objects with their members replaced; a JSON text beside its parsed value is written anew."""
        before: Document = {}
        after: Document = {}
        for (name, old), (named, new) in zip(one.items(), other.items(), strict=True):
            if payload:
                first, second = self.name(name, named)
                before[first], after[second] = self.pair(old, new)
            else:
                before[name], after[named] = self.node(old, new, (*path, name))
        for made in (before, after):
            if not payload and isinstance(made.get("value_text"), str) and "value" in made:
                value = made["value"]
                made["value_text"] = value if isinstance(value, str) else compact(value)
        return before, after

    def node(self, one: JsonValue, other: JsonValue, path: tuple[str, ...]) -> tuple[JsonValue, JsonValue]:
        """Return what stands for a member of ours: what is neither ours, nor a name or label, is replaced."""
        if is_payload(path):
            return self.pair(one, other)
        if path in _LABELS or stays(path):
            return one, other
        if isinstance(one, dict) and isinstance(other, dict) and len(one) == len(other):
            return self.members(one, other, payload=False, path=path)
        if isinstance(one, list) and isinstance(other, list):
            pairs = [self.node(*each, (*path, "*")) for each in zip(one, other, strict=False)]
            # Only lists of ours grow in redaction, and hold no text of the source.
            return [each for each, _ in pairs], [*(each for _, each in pairs), *other[len(pairs) :]]
        return self.pair(one, other)

    def name(self, one: str, other: str) -> tuple[str, str]:
        """Return what stands for a member's name: one that is no name of a field is a text of the source."""
        return (one, other) if one == other and _FIELD.fullmatch(one) else self.text(one, other)

    def text(self, one: str, other: str) -> tuple[str, str]:
        """Return what stands for a text: its pseudonym, a status, or a placeholder."""
        if one != other and one.strip().casefold() in self.identifiers:
            return one, other  # an identifier alone: its pseudonym carries the relation
        if one == other and one.casefold() in self.statuses:
            return one, other
        made = self._placeholder(one, _kind(one))
        return made, made

    def _placeholder(self, original: str, kind: str) -> str:
        number = self.numbers.setdefault(original, len(self.numbers) + 1)
        return f"[{kind} {number}, length {len(original)}]"


def structural(
    original: Document, redacted: Document, known: Iterable[str], rules: RuleSet
) -> tuple[Document, Document]:
    """Return both documents in structural form: tools, types, order, relations, timing and statuses stay (S67).

    A text that is a known identifier as a whole keeps its pseudonym, a status of ``rules/structural.toml`` stays; any other
    text of the source becomes ``[text 3, length 120]``. What people typed stays: it is the case's own. Raises `RulesError`.
    """
    try:
        statuses = frozenset(word.casefold() for word in rules.documents["structural"]["statuses"])
    except KeyError as missing:
        raise RulesError([f"structural: no member {missing}"]) from None
    made = _Placeholders(identifiers=frozenset(text.strip().casefold() for text in known), statuses=statuses)
    before: Document = {}
    after: Document = {}
    for name, old in original.items():
        if name == "expected":
            before[name], after[name] = old, redacted[name]
        else:
            before[name], after[name] = made.node(old, redacted[name], (name,))
    return before, after


def _kind(text: str) -> str:
    if _INSTANT.fullmatch(text):
        return "instant"
    if _NUMBER.fullmatch(text):
        return "number"
    return "link" if _LINK.fullmatch(text) else "text"
