"""What the workers of a run have changed so far, and whether a recorded read is still true after that."""

from __future__ import annotations

from collections.abc import Sequence

from ..events import Arguments, ToolEvent
from .concurrency import Section, related


class SharedState:
    """The accepted side effects of one run, each with the recorded call that it is; asked within a concurrent section alone."""

    def __init__(self, events: Sequence[ToolEvent], section: Section) -> None:
        self._events = events
        self._section = section
        self._accepted: list[tuple[int | None, Arguments]] = []

    def accept(self, event: ToolEvent, place: int | None, arguments: Arguments) -> None:
        """Note what a call changed; ``place`` is the position of the recorded call, None for one that was not recorded."""
        if event.side_effect == "accepted":
            self._accepted.append((place, arguments))

    def outdated(self, place: int, arguments: Arguments) -> bool:
        """Say whether a recorded read knew of other effects on its resource than this run has brought about."""
        if place not in self._section.places or self._events[place].side_effect != "none":
            return False
        # Of a recorded effect that overlapped with the read, the order in which both began is taken for that of the service.
        later = any(related(changed, arguments) for other, changed in self._accepted if other is None or other > place)
        come = {other for other, _ in self._accepted}
        lacking = any(
            other not in come and related(self._events[other].arguments, arguments)
            for other in self._section.before[place]
            if self._events[other].side_effect == "accepted" and self._events[other].role == "evidence"
        )
        return later or lacking

    def untouched(self, arguments: Arguments) -> bool:
        """Say whether nothing was accepted yet on the resource of a call."""
        return not any(related(changed, arguments) for _, changed in self._accepted)
