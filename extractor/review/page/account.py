"""What the sidecar proves and tells of a case, in words: proofs, selection, what is missing, what to confirm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...write import graded
from . import words
from .lenient import Members, count, items, members, text, texts
from .runs import escaped


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCount:
    """One class of identifiers: how many values, how often they were replaced, and whether relations hold."""

    entity: str
    values: int
    occurrences: int
    preserved: int
    searched: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A span that was kept: why, and what of the case it became."""

    span: str
    reason: str
    becomes: str
    flows: int
    overridden: bool


def proofs(predicate: Members) -> Sequence[str]:
    """Return what was proved on the bytes, a sentence each; said to be unknown without a sidecar."""
    if not predicate:
        return ("There is no sidecar beside this case: nothing is known to have been proved of it.",)
    leaks, relations = members(predicate.get("leaks")), members(predicate.get("relations"))
    kept, all_ = count(relations.get("preserved")), count(relations.get("occurrences"))
    searched = count(leaks.get("known_values"))
    was = "was" if searched == 1 else "were"
    return (
        (
            f"{_plural(searched, 'known value')} of the source {was} searched for in every byte of the case, also encoded,"
            " split or joined: none is there."
        ),
        (
            f"Equal values stayed equal and different ones different in {kept} of {_plural(all_, 'replaced place')}: one"
            " customer is still one customer, one order one order."
        ),
        "Nothing but identifying text was changed: same fields, same order, same numbers.",
    )


def classes(predicate: Members) -> Sequence[ClassCount]:
    """Return a row for each class of identifiers that the source held or the case replaces."""
    relations, leaks = members(predicate.get("relations")), members(predicate.get("leaks"))
    replaced = {text(each.get("entity")): each for each in items(relations.get("entities"))}
    searched = {text(each.get("entity")): count(each.get("values")) for each in items(leaks.get("entities"))}
    nothing: Members = {}
    return [
        ClassCount(
            entity=entity,
            values=count(replaced.get(entity, nothing).get("values")),
            occurrences=count(replaced.get(entity, nothing).get("occurrences")),
            preserved=count(replaced.get(entity, nothing).get("preserved")),
            searched=searched.get(entity, 0),
        )
        for entity in sorted({*replaced, *searched})
    ]


def kept(predicate: Members) -> Sequence[Kept]:
    """Return the spans that were kept, in the sidecar's order."""
    return [
        Kept(
            span=text(each.get("span_id")),
            reason=words.KEPT.get(text(each.get("reason")), words.plain(text(each.get("reason")))),
            becomes=text(each.get("becomes")),
            flows=len(items(each.get("flows"))),
            overridden=each.get("overridden") is True,
        )
        for each in items(predicate.get("selection"))
        if each.get("decision") == "kept"
    ]


def dropped(predicate: Members) -> Sequence[tuple[int, str]]:
    """Return how many spans were dropped for which reason, the most frequent first."""
    reasons = Counter(
        text(each.get("reason")) for each in items(predicate.get("selection")) if each.get("decision") == "dropped"
    )
    ordered = sorted(reasons.items(), key=lambda one: (-one[1], one[0]))
    return [(number, words.DROPPED.get(reason, words.plain(reason))) for reason, number in ordered]


def boundary(predicate: Members) -> str:
    """Return in words how the place was found where the failure shows."""
    reason = text(members(predicate.get("boundary")).get("reason"))
    return words.BOUNDARY.get(reason, words.plain(reason))


def confirmations(predicate: Members) -> Sequence[tuple[str, str]]:
    """Return what privacy must confirm, as a name of ours and a sentence: rotation of secrets, each kind of flagged text."""
    return [*_secrets(predicate), *_flags(predicate)]


def grade(predicate: Members) -> str | None:
    """Return in words the grade that says that this failed, which the incident's owner confirms or overrules; None without one (S20)."""
    told = graded(predicate)
    return escaped(f"A grade says that this failed: {told}.") if told else None


def _secrets(predicate: Members) -> Iterator[tuple[str, str]]:
    found = Counter(
        (text(each.get("kind")), text(each.get("rule")))
        for each in items(members(predicate.get("redaction")).get("secrets"))
    )
    for (kind, rule), number in sorted(found.items()):
        many = f"{number} × " if number > 1 else ""
        yield (
            f"rotated:{rule}",
            f"A secret stood in the trace ({many}{kind}, rule {rule}). It has been rotated: a case is not containment.",
        )


def _flags(predicate: Members) -> Iterator[tuple[str, str]]:
    steps: dict[str, list[str]] = {}
    for each in items(predicate.get("flags")):
        steps.setdefault(text(each.get("category")), []).append(text(each.get("step")))
    for category, places in steps.items():
        where = ", ".join(dict.fromkeys(places))
        yield (
            f"accepted:{category}",
            f"{words.FLAGS.get(category, words.plain(category))} stands in {where}. It may stay in this case.",
        )


def ledger(predicate: Members) -> Sequence[tuple[str, int, str]]:
    """Return what is odd about the spans themselves: what, how often, where."""
    return [
        (words.plain(text(each.get("code"))), count(each.get("count")), ", ".join(texts(each.get("places"))))
        for each in items(predicate.get("ledger"))
    ]


def missing(document: Members) -> Sequence[Mapping[str, str]]:
    """Return what the trace does not hold and nobody has given."""
    return [
        {"field": text(each.get("field")), "code": text(each.get("code")), "reason": text(each.get("reason"))}
        for each in items(document.get("missing_evidence"))
    ]


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
