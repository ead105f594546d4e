"""The identifier rules as people look at them: what each is for, when it holds, and which claim a field or a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..ruleset import RuleSet, rule_entries
from .fold import fold
from .place import Place, normal_name
from .rulebook import example_text
from .rules import Identifiers

CardKind = Literal["field", "pattern", "cue", "keep"]
_SHOWN = 6  # characters of an example of a secret


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCard:
    """One rule. ``kind``: it goes by a member's name, by form, by form and the words before it, or it keeps.

    ``file`` is its document (``identifiers/people``), ``own`` tells that it comes from a project's overlay.
    """

    id: str
    entity: str | None
    kind: CardKind
    file: str
    why: str
    own: bool
    replaces: str | None
    secret: bool
    entry: Mapping[str, Any]

    def conditions(self) -> list[tuple[str, str]]:
        """Return what must hold for the rule to claim a value, as labels and texts."""
        return [
            (name, ", ".join(value) if isinstance(value, list) else str(value))
            for name in ("names", "exempt", "under", "unless", "beside", "shape", "pattern", "context", "check")
            if (value := self.entry.get(name)) is not None
        ]

    def examples(self, member: str) -> list[str]:
        """Return the examples of ``matches`` or ``non_matches``; the secrets among them cut off, so that no scanner stirs."""
        texts = [example_text(example) for example in self.entry.get(member, ())]
        return [
            f"{text[:_SHOWN]}…" if self.secret and member == "matches" and len(text) > _SHOWN else text
            for text in texts
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A rule that means a field: fully, or only ``if_under`` one of the members it names."""

    card: RuleCard
    if_under: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A rule that claims ``[start, end)`` of a value, whole leaves included."""

    rule: str
    entity: str | None
    start: int
    end: int


def catalogue(rules: RuleSet) -> tuple[RuleCard, ...]:
    """Return every rule in the order in which they are tried. The rules must have compiled."""
    documents = rules.family("identifiers")
    secret = {
        name
        for document in documents.values()
        for name, entity in document.get("entity", {}).items()
        if entity.get("secret")
    }
    return tuple(
        RuleCard(
            id=entry["id"],
            entity=entry.get("entity"),
            kind=_kind(entry),
            file=f"identifiers/{file}",
            why=entry["why"],
            own=f"identifiers/{file}" in rules.own,
            replaces=entry.get("replaces"),
            secret=entry.get("entity") in secret,
            entry=entry,
        )
        for file, document in documents.items()
        for entry in rule_entries(document)
    )


def examples(cards: Iterable[RuleCard]) -> int:
    """Return how many examples the rules carry: of what they match, and of what they do not."""
    return sum(len(card.entry.get(name, ())) for card in cards for name in ("matches", "non_matches"))


def _kind(entry: Mapping[str, Any]) -> CardKind:
    if entry.get("keep"):
        return "keep"
    if "names" in entry:
        return "field"
    return "cue" if "context" in entry else "pattern"


def readings(field: str) -> list[tuple[str, ...]]:
    """Return the member names, outermost first, that a path may mean: nested members, and one with dots in its name."""
    nested = tuple(normal_name(name) for name in field.replace("/", ".").split(".") if name.strip("[]0123456789"))
    dotted = (normal_name(field),)
    return [names for names in dict.fromkeys((nested, dotted)) if any(names)]


def claims(identifiers: Identifiers, cards: Sequence[RuleCard], names: Sequence[str]) -> list[Claim]:
    """Return the rules that would claim a leaf at a path, those that keep it first: no other is asked then but secrets'."""
    by_id = {card.id: card for card in cards}
    found = []
    for rule in (*identifiers.keeps, *identifiers.fields):
        if rule.names.fits(names[-1]) and not (rule.exempt and rule.exempt.fits(names[-1])):
            under = rule.under is None or rule.is_under(names)
            if not under and "" in (*rule.names.suffixes, *rule.names.prefixes):
                continue  # of any name: what stands around it is all that it goes by
            found.append(Claim(card=by_id[rule.id], if_under=not under))
    return found


def claimed(identifiers: Identifiers, place: Place, value: str) -> Iterator[Found]:
    """Yield the rules that claim a value at a place, keep rules included, as the engine asks them."""
    stripped = value.strip()
    start = value.index(stripped)
    for rule in (*identifiers.keeps, *identifiers.fields):
        if place.names and rule.fits(place, stripped):
            yield Found(rule=rule.id, entity=rule.entity, start=start, end=start + len(stripped))
    view = fold(value)
    for pattern in identifiers.patterns:
        for first, last in pattern.ranges(view.clean, view.text):
            begin, end = view.original(first, last)
            yield Found(rule=pattern.id, entity=pattern.entity, start=begin, end=end)
