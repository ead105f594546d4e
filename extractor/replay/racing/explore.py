"""Run one interleaving of an agent's concurrent calls, or all of them up to a limit, each in a session of its own."""

from __future__ import annotations

import concurrent.futures.thread
import contextvars
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from extractor.errors import UsageError

from ..faults import ReplayFault
from ..results.labels import first_of
from ..session import Session
from .choices import Point
from .schedule import Schedule

Run: TypeAlias = Callable[[Schedule], Session]
"""Runs the agent in a fresh ``Session(…, schedule=schedule)`` and returns that session, finished; what it raises fails the try."""

DEFAULT_LIMIT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Interleaving:
    """What came of one interleaving: ``calls`` in their order (``2:refund.find``), and why it failed, None when it did not.

    ``choices`` replay it: ``drive(run, Schedule(choices))``.
    """

    choices: tuple[int, ...]
    calls: tuple[str, ...]
    labels: frozenset[str]
    boundary_passed: bool | None
    failure: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """The interleavings that were tried, the recorded order first; ``exhausted`` when there are no others."""

    interleavings: tuple[Interleaving, ...]
    exhausted: bool

    @property
    def tried(self) -> int:
        """How many were tried."""
        return len(self.interleavings)

    @property
    def failed(self) -> int:
        """How many of them failed."""
        return sum(each.failure is not None for each in self.interleavings)

    @property
    def boundary_passed(self) -> bool | None:
        """Whether the boundary held in every one: False when it broke in any, None when any could not tell."""
        found = {each.boundary_passed for each in self.interleavings}
        return False if False in found else (None if None in found else True)

    @property
    def label(self) -> str | None:
        """The label that is told first; a race of which a part was tried is ``not_expressible``, never green."""
        found = {label for each in self.interleavings for label in each.labels}
        return first_of(found | (set() if self.exhausted else {"not_expressible"}))

    def manifest(self) -> Mapping[str, int]:
        """Return the member ``interleavings`` of the manifest."""
        return {"tried": self.tried, "failed": self.failed}


def drive(run: Run, schedule: Schedule) -> Session:
    """Run one interleaving in a thread of its own and return its session; raises what the run raised.

    Raises `HarnessDefect` when the run does not end: for a deadlock as soon as it is certain. Threads that never came back
    are left behind as daemons, which keep no process alive.
    """
    returned: list[Session] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            returned.append(run(schedule))
        except BaseException as error:  # noqa: BLE001  # raised again in the thread that asked
            raised.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    with schedule.driving(thread):
        thread.start()
        ended = schedule.watch(thread)
    schedule.settle()
    if not ended:
        _abandon(schedule)
    if schedule.fault is not None:
        raise schedule.fault
    if raised:
        raise raised[0]
    return returned[0]


def explore(run: Run, *, limit: int = DEFAULT_LIMIT) -> Exploration:
    """Try the interleavings of a run, depth first and the recorded order first, until all or ``limit`` were tried.

    The order is the same on every machine. A run that cannot be trusted (a deadlock, calls that depend on more than their
    order) ends the exploration. Raises `UsageError` for a limit below 1.
    """
    if limit < 1:
        raise UsageError("the number of interleavings must be at least 1")
    tried: list[Interleaving] = []
    choices: Sequence[int] | None = ()
    met: Sequence[Point] = ()
    while choices is not None and len(tried) < limit:
        schedule = Schedule(choices, explored=True, expected=met[: len(choices)])
        tried.append(_tried(run, schedule))
        if schedule.fault is not None:
            break
        met = schedule.points
        choices = _next(met)
    return Exploration(interleavings=tuple(tried), exhausted=choices is None)


def _next(points: Sequence[Point]) -> tuple[int, ...] | None:
    """Return the choices after those of ``points``, None when they were the last: the deepest one that has another way."""
    for place in reversed(range(len(points))):
        if points[place].chosen + 1 < len(points[place].ready):
            return (*(each.chosen for each in points[:place]), points[place].chosen + 1)
    return None


def _tried(run: Run, schedule: Schedule) -> Interleaving:
    labels: set[str] = set()
    passed: bool | None = None
    failure: str | None = None
    try:
        session = drive(run, schedule)
    except KeyboardInterrupt:
        raise
    except ReplayFault as fault:
        labels.add(fault.label)
        failure = f"{fault.label}: {fault.message}"
    except BaseException as error:  # noqa: BLE001  # an assertion of the test, an error of the agent
        failure = type(error).__name__
    else:
        labels |= session.labels()
        passed = session.verdict.passed if session.verdict is not None else None
        if labels:
            failure = first_of(labels)
        elif passed is False and session.verdict is not None:
            failure = session.verdict.reason
    return Interleaving(
        choices=tuple(point.chosen for point in schedule.points),
        calls=tuple(schedule.calls),
        labels=frozenset(labels),
        boundary_passed=passed,
        failure=failure,
    )


def _abandon(schedule: Schedule) -> None:
    schedule.leave()
    # The interpreter joins the threads of pools at its end, and these never end.
    waiting = getattr(concurrent.futures.thread, "_threads_queues", {})
    for thread in schedule.unfinished():
        waiting.pop(thread, None)
