"""The lines of a journal, grouped as people look at them: why traces failed, which failures are alike, what to read first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from .journal import CASES, Entry

PLACES: Final = 20
"""How many places of one failure, and cases to read, are named; the others are counted."""

_FIRST: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Traces that ended in one stage for one reason. ``places`` are those of the first of them, in the order of the sources."""

    stage: str
    code: str
    traces: int
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Traces whose failures have one signature: with a case in quarantine, kept back by ``--per-signature``, decided on already.

    ``cases`` are the first of them.
    """

    signature: str
    made: int
    kept_back: int
    standing: int
    cases: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """How often values of one class were replaced, and in how many cases."""

    entity: str
    occurrences: int
    cases: int


def failures(entries: Iterable[Entry]) -> tuple[Failure, ...]:
    """Return the failures, the most frequent first."""
    grouped: dict[tuple[str, str], list[Entry]] = {}
    for each in entries:
        if each.outcome == "dead":
            grouped.setdefault((each.stage or "", each.code or ""), []).append(each)
    found = [
        Failure(
            stage=stage,
            code=code,
            traces=len(group),
            places=tuple([each.place for each in group if each.place is not None][:PLACES]),
        )
        for (stage, code), group in grouped.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.traces, one.stage, one.code)))


def kinds(entries: Iterable[Entry]) -> tuple[Kind, ...]:
    """Return the failures that are alike, the most frequent first."""
    grouped: dict[str, list[Entry]] = {}
    for each in entries:
        if each.outcome != "dead":
            grouped.setdefault(each.signature or "", []).append(each)
    found = []
    for signature, group in grouped.items():
        cases = [each.case_id for each in group if each.outcome in CASES and each.case_id is not None]
        outcomes = Counter(each.outcome for each in group)
        found.append(
            Kind(
                signature=signature,
                made=len(cases),
                kept_back=outcomes["kept_back"],
                standing=outcomes["standing"],
                cases=tuple(cases[:_FIRST]),
            )
        )
    return tuple(sorted(found, key=lambda one: (-(one.made + one.kept_back + one.standing), one.signature)))


def replaced(cases: Iterable[Entry]) -> tuple[Replaced, ...]:
    """Return the classes of replaced values, the most frequent first."""
    occurrences, standing = Counter[str](), Counter[str]()
    for each in cases:
        occurrences.update(each.classes)
        standing.update(entity for entity, count in each.classes.items() if count)
    found = [
        Replaced(entity=entity, occurrences=count, cases=standing[entity]) for entity, count in occurrences.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.occurrences, one.entity)))


def to_read(cases: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the cases with most tokens that no rule explains, those with most first."""
    return tuple(sorted((each for each in cases if each.residuals), key=_unexplained)[:PLACES])


def slowest(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Return the traces that took longest."""
    timed = [each for each in entries if each.seconds > 0]
    return tuple(sorted(timed, key=lambda one: (-one.seconds, one.trace_ref))[:_FIRST])


def _unexplained(case: Entry) -> tuple[int, str]:
    return -case.residuals, case.case_id or ""
