"""A controlled scheduler for the concurrent workers of an agent, tasks of asyncio or threads.

Each tool call is a scheduling point. A call is parked until no worker can go on by itself, then exactly one call is let go:
between two scheduling points one worker runs alone, so the order of calls alone decides what a run does.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Final, TypeAlias

from ..events import Arguments
from ..faults import HarnessDefect, ReplayFault
from .choices import Choices, Point
from .quiet import State, Watch, frames
from .workers import Started, numbered

Rank: TypeAlias = Callable[[str, Arguments], int]
"""The position of the recorded call that a call would be answered by: what was recorded first goes first."""

_LOOK_S: Final = (0.0002, 0.005)
_DEADLOCK_LOOKS: Final = 5
_GRACE_S: Final = 0.5
_BLIND_ROUNDS: Final = 64
_CURE_STUCK: Final = (
    "let the agent's workers wait for nothing but each other, tools and the session's clock; a lock held across a tool call must "
    "be released when the call fails"
)


@dataclass(slots=True, eq=False)
class _Parked:
    worker: int
    tool: str
    arguments: Arguments
    go: Callable[[], None]
    start: bool = False


@dataclass(slots=True)
class _Bindings:
    rank: Rank = lambda _tool, _arguments: 0
    report: Callable[[ReplayFault], None] = lambda _fault: None
    leave: Callable[[], None] = lambda: None


class Schedule:
    """One interleaving, as a sequence of choices: at each point an index among the calls that could go.

    Without a choice the first goes: of the calls that are ready, the one that was recorded first. ``points`` and ``calls`` tell
    afterwards what there was to choose and in which order the calls went. ``explored`` says that every other interleaving is
    tried as well; ``expected`` are the points that an earlier run met under the same choices.
    A schedule serves one session, which runs within `explore.drive`.
    """

    def __init__(
        self,
        choices: Sequence[int] = (),
        *,
        explored: bool = False,
        expected: Sequence[Point] = (),
        patience_s: float = 2.0,
        limit_s: float = 60.0,
    ) -> None:
        self._choices = Choices(choices, expected)
        self.explored = explored
        self.calls: list[str] = []
        self.fault: ReplayFault | None = None
        self._patience_s = patience_s
        self._limit_s = limit_s
        self._bound = _Bindings()
        self._changed = threading.Condition()
        self._parked: list[_Parked] = []
        self._started = Started()
        self._numbers: dict[object, int] = {}
        self._loops: dict[asyncio.AbstractEventLoop, int] = {}
        self._known_loops: set[asyncio.AbstractEventLoop] = set()
        self._watch = Watch(gone=self._started.ended)
        self._moves = 0
        self._driven = False

    @property
    def points(self) -> Sequence[Point]:
        """Where there was a choice, and what was chosen."""
        return tuple(self._choices.points)

    @property
    def alternatives(self) -> bool:
        """Whether there was anything to choose: without it, this interleaving is the only one."""
        return bool(self.points)

    def attach(self, *, rank: Rank, report: Callable[[ReplayFault], None], leave: Callable[[], None]) -> None:
        """Serve a session: how it ranks calls, where its faults go, how it is left when its run is given up."""
        self._bound = _Bindings(rank=rank, report=report, leave=leave)

    def park(self, tool: str, arguments: Arguments) -> None:
        """Hold the calling thread until its call may go; raises `HarnessDefect` when the run is given up."""
        turn = threading.Event()
        with self._held(_Parked(self._number(threading.current_thread()), tool, arguments, turn.set)):
            turn.wait()
        self._go_on()

    async def apark(self, tool: str, arguments: Arguments) -> None:
        """Hold the calling task until its call may go; raises `HarnessDefect` when the run is given up."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()

        def go() -> None:
            if not turn.done():
                turn.set_result(None)

        entry = _Parked(self._number(asyncio.current_task()), tool, arguments, lambda: _in_loop(loop, go))
        with self._held(entry):
            self._probe_soon(loop)
            await turn
        self._go_on()

    @contextmanager
    def _held(self, entry: _Parked) -> Iterator[None]:
        if not self._driven:
            raise self._give_up(
                HarnessDefect(
                    "a call waits for its turn, and nobody gives turns",
                    code="not_driven",
                    cure="run a scheduled session within explore or drive, which keep it bounded",
                )
            )
        self._go_on()
        with self._changed:
            self._parked.append(entry)
            self._moved()
        try:
            yield
        finally:
            with self._changed:
                if entry in self._parked:  # cancelled meanwhile
                    self._parked.remove(entry)
                    self._moved()

    def _go_on(self) -> None:
        if self.fault is not None:
            raise self.fault

    def _number(self, worker: object) -> int:
        with self._changed:
            return self._numbers.setdefault(worker, len(self._numbers) + 1)

    def _moved(self) -> None:
        self._moves += 1
        self._changed.notify_all()

    # Choosing

    def _let_go(self) -> None:
        """Let one call go; the caller holds the lock and has seen that nobody else can go on."""
        starting = [each for each in self._parked if each.start]
        # A thread that begins is no choice: up to its first call it touches nothing that a tool knows of.
        chosen = min(starting, key=lambda each: each.worker) if starting else self._choose()
        if chosen is None:
            return
        self._parked.remove(chosen)
        self._moved()
        chosen.go()

    def _choose(self) -> _Parked | None:
        ready = sorted(self._parked, key=lambda each: (self._bound.rank(each.tool, each.arguments), each.worker))
        names = tuple(f"{each.worker}:{each.tool}" for each in ready)
        try:
            chosen = self._choices.choose(names)
        except HarnessDefect as defect:
            self._give_up(defect)
            return None
        self.calls.append(names[chosen])
        return ready[chosen]

    def _give_up(self, fault: ReplayFault) -> ReplayFault:
        self._bound.report(fault)
        with self._changed:
            self.fault = self.fault or fault
            for each in self._parked:
                each.go()
            self._parked.clear()
            self._moved()
        return fault

    # Event loops

    def _probe_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        self._known_loops.add(loop)
        if loop not in self._loops:
            self._loops[loop] = 0
            loop.call_soon(self._probe, loop)

    def _probe(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look, in the loop's own thread, whether another task could still run; if none can, let a call go."""
        rounds = self._loops.pop(loop, 0)
        others = _others_ready(loop)
        # Loops that do not tell are given some rounds to come to rest.
        busy = others if others is not None else rounds < _BLIND_ROUNDS
        with self._changed:
            if not busy and self._parked and self._state(threading.current_thread()) is not State.MOVING:
                self._let_go()
                rounds = -1
            if busy or (self._parked and rounds == -1):
                self._loops[loop] = rounds + 1
                loop.call_soon(self._probe, loop)

    # Watching, from the thread that drives the run

    @contextmanager
    def driving(self, thread: threading.Thread) -> Iterator[None]:
        """Own every thread that starts meanwhile; ``thread`` runs the agent."""
        with numbered(self._started, self._number, self._begin, thread):
            self._driven = True
            yield
        self._driven = False

    def _begin(self, thread: threading.Thread) -> None:
        """Hold a thread that has just begun, so that threads begin one after the other."""
        turn = threading.Event()
        with self._changed:
            if self.fault is not None:
                return
            self._parked.append(_Parked(self._number(thread), "", {}, turn.set, start=True))
            self._moved()
        turn.wait()

    def watch(self, thread: threading.Thread) -> bool:
        """Let calls go until the run in ``thread`` has ended; return whether it ended by itself.

        A run that nobody can move any more is given up as `HarnessDefect`: at once when all its workers wait for each other,
        after ``patience_s`` when one of them may be asleep, after ``limit_s`` in any case.
        """
        began = since = monotonic()
        moves, looks, pause = -1, 0, _LOOK_S[0]
        while thread.is_alive() and self.fault is None:
            with self._changed:
                state = self._state()
                if self._moves != moves or state is State.MOVING:
                    since, looks = monotonic(), 0
                pause = _LOOK_S[0] if self._moves != moves else min(2 * pause, _LOOK_S[1])
                moves = self._moves
                if state is not State.MOVING and self._parked:
                    self._let_go()
                    continue
                looks += 1
                self._changed.wait(pause)
            waited = monotonic() - since
            if (state is State.FOREVER and looks >= _DEADLOCK_LOOKS) or (
                state is State.HELD and waited > self._patience_s
            ):
                self._stuck("every worker waits for another one: the agent is in a deadlock", "deadlock", thread)
            elif monotonic() - began > self._limit_s:
                self._stuck("the run made no end within its time", "stuck", thread)
        thread.join(timeout=_GRACE_S if self.fault is not None else None)
        return not thread.is_alive()

    def _stuck(self, message: str, code: str, thread: threading.Thread) -> None:
        if not thread.is_alive():
            return
        self._give_up(HarnessDefect(f"{message}, after {len(self.calls)} calls", code=code, cure=_CURE_STUCK))
        for loop in list(self._known_loops):
            _in_loop(loop, lambda loop=loop: _cancel_all(loop))  # type: ignore[misc]  # bound at once

    def _state(self, own: threading.Thread | None = None) -> State:
        """Return how still the whole run is: as still as its liveliest thread. ``own`` is the one that asks, at rest."""
        if self._started.beginning():
            return State.MOVING
        seen, least = frames(), State.FOREVER
        parked = {each.worker for each in self._parked}
        for thread in self._started.living():
            if thread is own or self._numbers.get(thread) in parked:
                continue
            least = min(least, self._watch.state(thread, seen))
        return least

    def settle(self) -> None:
        """Hold an ended run to its choices: all of them were there to be made."""
        defect = self._choices.unmet()
        if defect is not None and self.fault is None:
            self._give_up(defect)

    def leave(self) -> None:
        """Leave the session of a run that was given up and never came back."""
        self._bound.leave()

    def unfinished(self) -> list[threading.Thread]:
        """Return the threads of the run that have not ended."""
        return self._started.living()


def _others_ready(loop: asyncio.AbstractEventLoop) -> bool | None:
    """Say whether a loop has more to run at once; None for a loop that does not tell. Asked in a callback of its own."""
    # Not public, but the only word on it.
    ready = getattr(loop, "_ready", None)
    return None if ready is None else bool(ready)


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


def _in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(call)
