"""Which recorded calls overlapped in production, so that another run of the same code may order them otherwise.

``after[]`` of a fixture holds, for each attempt, the attempts that had ended when it began. Two attempts are *concurrent* when
neither came after the other. That order is one of the clock, not of the program: that a worker's write began after another
worker's read had ended does not say that it must. So everything from the first concurrent attempt on is one *section*, whose
order is for a schedule to impose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from extractor.model.json import JsonValue

from ..events import Arguments, ToolEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The positions, from 0, that concurrent workers reach; empty when every order is known, or when nothing changed anything.

    ``before`` holds for each position every earlier attempt that had ended when it began.
    """

    places: range
    before: Mapping[int, frozenset[int]]

    def __bool__(self) -> bool:
        return bool(self.places)

    def outside(self, place: int) -> tuple[int, ...]:
        """Return what a member of the section still waits for: what came before the section began."""
        return tuple(sorted(earlier for earlier in self.before[place] if earlier not in self.places))


def section_of(events: Sequence[ToolEvent]) -> Section:
    """Return the concurrent section of a recording.

    Attempts without ``after`` follow each other. Reads alone make no section: they commute in any order.
    """
    before = _closure(events)
    changing = any(event.side_effect != "none" for event in events)
    loose = [
        one
        for one, other in combinations(range(len(events)), 2)
        if one not in before[other] and other not in before[one]
    ]
    places = range(min(loose), len(events)) if changing and loose else range(0)
    return Section(places=places, before=before)


def related(one: Arguments, other: Arguments) -> bool:
    """Say whether two calls touch one resource: whether they share a text, such as an order's id, among their arguments."""
    return not set(_texts(dict(one))).isdisjoint(_texts(dict(other)))


def _closure(events: Sequence[ToolEvent]) -> dict[int, frozenset[int]]:
    places = {event.attempt: place for place, event in enumerate(events) if event.attempt is not None}
    found: dict[int, frozenset[int]] = {}
    for place, event in enumerate(events):
        if event.after is None:
            direct = [place - 1] if place else []
        else:
            # Attempts are listed as they began: what came before one stands before it.
            direct = [places[each] for each in event.after if each in places and places[each] < place]
        found[place] = frozenset(direct).union(*(found[each] for each in direct))
    return found


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
