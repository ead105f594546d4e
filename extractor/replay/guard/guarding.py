"""The guard of a replay session: while it is on, nothing leaves the process, and it has proved that it bites.

It covers this thread, raw threads, pools, event loops and forked children. What it cannot see it says in
`GuardState.not_covered`. A block is reported before it is raised, so that no handler in between can hide it.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Literal, Self, TypeAlias

from ..faults import HarnessDefect, LiveCall, ReplayFault
from . import self_test
from .allow import Allow
from .children import Channel, ChildRead, Told
from .clock_watch import ClockWatch, watching
from .coverage import covers, not_covered
from .in_force import STATE, put_on, take_off
from .patches import Patches, blocking
from .sockets import appeared, open_sockets

__all__ = ["Allow", "Clock", "Guard", "GuardState", "Read"]

Clock: TypeAlias = Literal["fail", "note", "off"]
Report: TypeAlias = Callable[[ReplayFault], None]

_PATCHES: Final = Patches()
_MOST_BLOCKED: Final = 200
_NO_ALLOWANCE: Final = Allow()
_tried_in_full: int | None = None  # the process that has tried everything once


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """How often ``call`` read a clock, or drew at random, at ``place`` (``module:line``) of the code under test."""

    call: str
    place: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardState:
    """What a guard did and covers. ``blocked`` are calls as people read them, each once, in their order.

    ``self_test`` is True when every probe was blocked, False when those in ``failed_probes`` were not, None before.
    """

    on: bool
    self_test: bool | None
    failed_probes: tuple[str, ...]
    covers: tuple[str, ...]
    not_covered: tuple[str, ...]
    blocked: tuple[str, ...]
    clock_reads: tuple[Read, ...]
    random_reads: tuple[Read, ...]


class Guard:
    """Block whatever reaches outside while the context is open; ``report`` takes every fault, from any thread.

    ``clock`` says what a reading of the real clock is: ``fail`` reports one `HarnessDefect` (``real_clock``) and lets the
    code go on, ``note`` counts alone, ``off`` does not look. Guards nest, and judge the whole process: what one refuses
    is blocked, and reported to each that refuses it. Entering raises `HarnessDefect` (``guard_does_not_bite``) when the
    self-test fails. A guard may be used again after it was left, not entered twice at once.
    """

    def __init__(self, report: Report, *, allow: Allow = _NO_ALLOWANCE, clock: Clock = "fail") -> None:
        self._allow = allow
        self.owner = 0
        self._report = report
        self._clock = clock
        self._lock = threading.RLock()
        self._on = False
        self._begin()

    @property
    def allow(self) -> Allow:
        """What it lets through; nothing changes it."""
        return self._allow

    def _begin(self) -> None:
        self._failed_probes: tuple[str, ...] | None = None
        self._blocked: dict[str, None] = {}
        self._clock_reads: Counter[tuple[str, str]] = Counter()
        self._random_reads: Counter[tuple[str, str]] = Counter()
        self._told_clock = False
        self._gaps: list[str] = []
        self._watch = ClockWatch()
        self._channel: Channel | None = None
        self._sockets: frozenset[int] | None = None

    def __enter__(self) -> Self:
        if self._on:
            raise RuntimeError("this guard is on already")
        self._begin()
        self.owner = os.getpid()
        self._lock = threading.RLock()
        self._sockets = open_sockets()
        if self.allow.children == "forked":
            self._channel = Channel()
        with STATE.lock:
            self._on = True
            if put_on(self):
                _PATCHES.apply((*blocking(), *watching()))
        try:
            self._try_itself()
        except BaseException:
            self._leave()
            raise
        if self._clock != "off":
            self._start_watch()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._is_child() or not self._on:
            return  # the copy in a forked child stays on; a session that was given up was left then
        if self._watch.watching and not self._watch.stop():
            self._gaps.append("clocks: another profile function took the watch's place in this thread")
        try:
            self._look_for_sockets()
            self._hear_children()
        finally:
            self._leave()

    def state(self) -> GuardState:
        """Return what is known now: before, during or after the session."""
        if self._channel is not None and not self._is_child():
            for told in self._channel.drain():
                self._take(told)
        with self._lock:
            failed = self._failed_probes
            return GuardState(
                on=self._on,
                self_test=None if failed is None else not failed,
                failed_probes=failed or (),
                covers=covers(forked=self.allow.children == "forked", clock=self._clock != "off"),
                not_covered=(*not_covered(self.allow), *self._gaps),
                blocked=tuple(self._blocked),
                clock_reads=_reads(self._clock_reads),
                random_reads=_reads(self._random_reads),
            )

    @contextmanager
    def clocks(self) -> Iterator[None]:
        """Watch clocks for the block, in a guard that does not look at them; the first reading in it is a fault."""
        if self._clock != "off":
            raise RuntimeError("this guard watches clocks all the time")
        self._clock, self._told_clock = "fail", False
        self._watch.start()
        try:
            yield
        finally:
            self._watch.stop()
            self._clock = "off"

    def record(self, fault: ReplayFault) -> None:
        """Keep and report a fault; in a forked child, tell the parent's session, which reports it."""
        if self._is_child():
            self._tell(fault)
            return
        with self._lock:
            if fault.called is not None and len(self._blocked) < _MOST_BLOCKED:
                self._blocked[fault.called] = None
        self._report(fault)

    def forward(self, fault: ReplayFault) -> bool:
        """Send a fault to the parent's session when this is a forked child; return whether it is."""
        if not self._is_child():
            return False
        self._tell(fault)
        return True

    def clock_read(self, call: str, place: str, *, real: bool) -> None:
        """Count a reading of the clock; the first one that tells the time of day, or waits, is the session's fault."""
        if self._clock == "off":
            return
        if self._is_child():
            self._tell(ChildRead("wall" if real else "steady", call, place))
            return
        with self._lock:
            self._clock_reads[call, place] += 1
            tell = real and self._clock == "fail" and not self._told_clock
            self._told_clock = self._told_clock or tell
        if tell:
            self._report(_real_clock(call, place))

    def random_read(self, call: str, place: str) -> None:
        """Count a draw from a source that nobody seeded; it is a note, never a fault."""
        if self._clock == "off":
            return
        if self._is_child():
            self._tell(ChildRead("draw", call, place))
            return
        with self._lock:
            self._random_reads[call, place] += 1

    def _is_child(self) -> bool:
        return self._on and self.owner != os.getpid()

    def _tell(self, told: Told) -> None:
        if self._channel is not None:
            self._channel.send(told)

    def _take(self, told: Told) -> None:
        if isinstance(told, ReplayFault):
            self.record(told)
        elif told.kind == "draw":
            self.random_read(told.call, told.place)
        else:
            self.clock_read(told.call, told.place, real=told.kind == "wall")

    def _try_itself(self) -> None:
        global _tried_in_full  # noqa: PLW0603  # once a process, and a forked child is another one
        if _tried_in_full == self.owner:
            failed = self_test.in_short()
        else:
            failed = self_test.in_full()
            _tried_in_full = None if failed else self.owner
        self._failed_probes = failed
        if failed:
            fault = HarnessDefect(
                f"the guard does not bite: {', '.join(failed)} was not blocked",
                code="guard_does_not_bite",
                cure="see what replaces these functions in this process; no case may run until they are blocked",
            )
            self._report(fault)
            raise fault

    def _start_watch(self) -> None:
        if threading.active_count() > 1:
            self._gaps.append("clocks: threads older than the session")
        self._watch.start()
        if not self._watch.watching:
            self._gaps.append("clocks: a native profiler is on in this thread")

    def _look_for_sockets(self) -> None:
        if self._sockets is None:
            self._gaps.append("sockets of native code: this system does not list the descriptors of a process")
            return
        for called in appeared(self._sockets, self.allow):
            self.record(
                LiveCall(
                    f"a socket appeared during the replay that no call of Python opened: {called}",
                    code="socket_appeared",
                    called=called,
                    cure="find the native library that opened it, and put a stand-in at its own seam",
                )
            )

    def _hear_children(self) -> None:
        if self._channel is None:
            return
        told, outlived = self._channel.close()
        self._channel = None
        for one in told:
            self._take(one)
        if outlived:
            self._report(
                HarnessDefect(
                    "a forked child outlives the session, which cannot hear its faults any more",
                    code="child_outlives",
                    cure="join children, and shut pools down, before the session ends",
                )
            )

    def _leave(self) -> None:
        with STATE.lock:
            if take_off(self):
                _PATCHES.restore()
            self._on = False
        if self._channel is not None:
            self._channel.close()
            self._channel = None


def _reads(counted: Counter[tuple[str, str]]) -> tuple[Read, ...]:
    return tuple(Read(call=call, place=place, count=count) for (call, place), count in counted.items())


def _real_clock(call: str, place: str) -> HarnessDefect:
    waits = call == "time.sleep"
    return HarnessDefect(
        f"the code under test {'waited in real time' if waits else 'read the real clock'}: {call} at {place}",
        code="real_clock",
        called=call,
        cure="give the code the session's clock; Guard(clock='note') if no outcome depends on it",
    )
