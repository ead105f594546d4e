"""A virtual budget: when the parent gave up, what had been dispatched, what came back too late. Nothing ever waits.

In cases whose timing is ``event``, attempts take no time. In those whose timing is ``schedule``, because the order of
cancellation decided, the clock moves to each attempt's recorded moments, and a budget that runs out ends the attempt as it
did then. All times are milliseconds from the start of the case.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from .case import ReplayCase
from .clock import FrozenClock
from .events import ToolEvent

Late = Callable[[ToolEvent], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """What became of one attempt: whether it left, whether the dependency saw it (None: no evidence), what ended it."""

    tool: str
    attempt: int | None
    dispatched: bool
    received: bool | None
    ended_by: str | None
    late: bool = False


class Deadline:
    """The parent's budget. A product under test asks `remaining_ms` and `expired` instead of a wall clock."""

    def __init__(self, clock: FrozenClock, *, budget_ms: float | None = None, schedule: bool = False) -> None:
        self._clock = clock
        self._budget_ms = budget_ms
        self._schedule = schedule
        self._listeners: list[Late] = []
        self._lock = threading.Lock()
        self.dispatches: list[Dispatch] = []
        self.late: list[ToolEvent] = []

    @property
    def budget_ms(self) -> float | None:
        """The moment at which the parent gives up, None without a budget."""
        return self._budget_ms

    def start(self, budget_ms: float) -> None:
        """Give this run a budget of its own from now on: a fix may be a longer or shorter one."""
        self._budget_ms = self.elapsed_ms() + budget_ms

    def elapsed_ms(self) -> float:
        """Return how much virtual time has passed."""
        return self._clock.monotonic() * 1000

    def remaining_ms(self) -> float | None:
        """Return what is left of the budget, at least 0; None without one."""
        return None if self._budget_ms is None else max(0.0, self._budget_ms - self.elapsed_ms())

    @property
    def expired(self) -> bool:
        """Whether the budget has run out."""
        return self.remaining_ms() == 0

    def on_late(self, listener: Late) -> None:
        """Hand results that come after the deadline to ``listener``, as production's client would have."""
        self._listeners.append(listener)

    def settle(self, event: ToolEvent) -> ToolEvent:
        """Return how an attempt ends under this run's budget, having let its time pass."""
        if not self._schedule:
            self._note(event, dispatched=event.ended_by != "local_deadline" or _at(event, "dispatch_ms") is not None)
            return event
        starts = max(self.elapsed_ms(), _at(event, "dispatch_ms") or 0.0)
        if self._budget_ms is not None and starts >= self._budget_ms:
            self._clock.advance_to(self._budget_ms / 1000)
            self._note(event, dispatched=False, ended_by="local_deadline")
            return _ended(event, "local_deadline", "the parent's budget ended before the call was dispatched")
        answered = _at(event, "response_ms")
        ends = answered if answered is not None and event.value is not None else _at(event, "end_ms")
        ends = starts if ends is None else max(starts, ends)
        if self._budget_ms is not None and ends > self._budget_ms:
            self._clock.advance_to(self._budget_ms / 1000)
            arrives = answered is not None and event.value is not None
            ended = "late_response" if arrives else (event.ended_by or "local_deadline")
            self._note(event, dispatched=True, ended_by=ended, late=arrives)
            if arrives:
                self._arrive(event)
            return _ended(event, ended, event.error or "the parent's budget ended before the answer")
        self._clock.advance_to(ends / 1000)
        self._note(event, dispatched=True)
        in_time = event.outcome_type == "error" and event.value is not None and event.ended_by == "late_response"
        return replace(event, outcome_type="result", error=None, ended_by="response") if in_time else event

    def _arrive(self, event: ToolEvent) -> None:
        self.late.append(event)
        for listener in self._listeners:
            listener(event)

    def _note(self, event: ToolEvent, *, dispatched: bool, ended_by: str | None = None, late: bool = False) -> None:
        seen = True if _at(event, "receipt_ms") is not None else None
        with self._lock:
            self.dispatches.append(
                Dispatch(
                    tool=event.tool,
                    attempt=event.attempt,
                    dispatched=dispatched,
                    received=seen if dispatched else False,
                    ended_by=ended_by or event.ended_by,
                    late=late,
                )
            )


def deadline_of(case: ReplayCase, clock: FrozenClock) -> Deadline:
    """Return the budget that a case records, in the fidelity that it demands."""
    given = (event.timing.get("deadline_ms") for event in case.tool_events)
    return Deadline(
        clock,
        budget_ms=next((at for at in given if at is not None), None),
        schedule=case.members("timing").get("fidelity") == "schedule",
    )


def _at(event: ToolEvent, moment: str) -> float | None:
    return event.timing.get(moment)


def _ended(event: ToolEvent, ended_by: str, error: str) -> ToolEvent:
    return replace(event, outcome_type="error", error=error, ended_by=ended_by)
