"""Which recorded calls may come next: a strict sequence, the order within each key, a partial order, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from .events import ToolEvent
from .racing.concurrency import Section, section_of

Ordering: TypeAlias = Literal["total", "per_key", "none"]


class Order:
    """The order that a case demands of its calls, and how far a run has come in it; positions count from 0.

    ``total`` follows ``after[]``, so that calls which overlapped in production may come either way round; events without
    ``after`` follow each other as listed. ``per_key`` keeps the order within a logical call alone. A recorded violation
    holds up nothing: whatever waits for it waits for what it waited for. From the first concurrent call on (``section``)
    calls wait for what came before the section alone: how its workers take turns is for a schedule to say.
    """

    def __init__(self, events: Sequence[ToolEvent], ordering: Ordering) -> None:
        self._events = events
        self._strict = ordering == "total"
        self.section = section_of(events)
        self._before = _before(events, ordering, self.section)
        self._open = dict.fromkeys(range(len(events)))

    def due(self) -> list[int]:
        """Return the positions of the calls that may come now, in the order of the recording."""
        return [position for position in self._open if self._free(position, set())]

    def take(self, position: int) -> None:
        """The call at this position came. In a strict order, violations that should have come earlier are passed by."""
        del self._open[position]
        if self._strict:
            for earlier in self._leading(position):
                if self._events[earlier].role == "violation":
                    self._open.pop(earlier, None)

    @property
    def in_section(self) -> bool:
        """Whether a run has come to the concurrent section of the recording."""
        if not self.section:
            return False
        first = self.section.places.start
        return not any(place < first and self._events[place].role == "evidence" for place in self._open)

    def left(self) -> list[int]:
        """Return the positions that did not come and that no run may leave out."""
        taken = self._open
        return [position for position in taken if self._events[position].role == "evidence"]

    def open(self) -> list[int]:
        """Return every position that did not come."""
        return list(self._open)

    def _free(self, position: int, seen: set[int]) -> bool:
        for earlier in self._before[position]:
            if earlier in seen:
                continue
            seen.add(earlier)
            passing = self._events[earlier].role == "violation" and self._free(earlier, seen)
            if earlier in self._open and not passing:
                return False
        return True

    def _leading(self, position: int) -> set[int]:
        found: set[int] = set()
        waiting = [position]
        while waiting:
            for earlier in self._before[waiting.pop()]:
                if earlier not in found:
                    found.add(earlier)
                    waiting.append(earlier)
        return found


def _before(events: Sequence[ToolEvent], ordering: Ordering, section: Section) -> Mapping[int, tuple[int, ...]]:
    if ordering == "none":
        return dict.fromkeys(range(len(events)), ())
    if ordering == "per_key":
        last: dict[object, int] = {}
        kept: dict[int, tuple[int, ...]] = {}
        for position, event in enumerate(events):
            call = event.tool if event.logical_call is None else event.logical_call
            kept[position] = (last[call],) if call in last else ()
            last[call] = position
        return kept
    places = {event.attempt: position for position, event in enumerate(events) if event.attempt is not None}
    return {
        position: section.outside(position)
        if position in section.places
        else ((position - 1,) if position else ())
        if event.after is None
        else tuple(places[attempt] for attempt in event.after if attempt in places)
        for position, event in enumerate(events)
    }
