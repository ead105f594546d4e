"""Worker processes that may die: each death costs one trace at most, and no run."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Final

from .one import Result
from .worker import Done, Ready, Setup, Task, environment, work

_RENEWED_AFTER: Final = 2_000  # traces
_RENEWED_ABOVE: Final = 1_300 << 20  # bytes: a worker that has grown so far is replaced, not the run
_PATIENCE: Final = 5.0  # seconds for a worker to end by itself
_LOADING: Final = 600.0  # seconds that a new worker may take until it is ready for its first trace
_LONGEST_WAIT: Final = 3_600.0  # seconds: the system counts a wait in milliseconds, of which it knows some weeks


@dataclass(slots=True)
class _Hand:
    """One worker as the parent knows it, with the trace that it has; ``since`` is when it could begin with that."""

    process: SpawnProcess
    pipe: Connection
    task: Task | None = None
    since: float = 0.0
    ready: bool = False
    done: int = 0
    peak: int = 0


@dataclass(slots=True)
class Pool:
    """``size`` workers. ``timeout`` is in seconds a trace; ``peak`` becomes the most memory that a worker used, in bytes."""

    setup: Setup = field(repr=False)
    size: int
    timeout: float
    peak: int = 0
    _hands: list[_Hand] = field(default_factory=list, repr=False)
    _again: deque[Task] = field(default_factory=deque, repr=False)
    _failed_once: set[str] = field(default_factory=set, repr=False)

    def results(self, tasks: Iterable[Task | None]) -> Iterator[tuple[Task, Result]]:
        """Yield what came of each task, in whatever order they end. No more tasks are taken than there are workers for; None is no task before another one has ended.

        A trace whose worker died is given to another one, once and alone; then it is dead (``worker_died``), as is one that took too
        long (``timed_out``).
        """
        waiting = iter(tasks)
        try:
            while True:
                self._deal(waiting)
                busy = [hand for hand in self._hands if hand.task is not None]
                if not busy:
                    return
                yield from self._heard(busy)
        finally:
            self.close()

    def close(self) -> None:
        """End all workers."""
        for hand in self._hands:
            _end(hand, kill=hand.task is not None)
        self._hands.clear()

    def _deal(self, waiting: Iterator[Task | None]) -> None:
        busy = [hand.task[0] for hand in self._hands if hand.task is not None]
        # What a worker died of runs alone: where memory ran out, whoever asked last is not whoever took it.
        if not self._failed_once.isdisjoint(busy) or (self._again and busy):
            return
        idle = [hand for hand in self._hands if hand.task is None]
        if self._again:
            self._give(idle.pop() if idle else self._hire(), self._again.popleft())
            return
        while idle or len(self._hands) < self.size:
            task = next(waiting, None)
            if task is None:
                return
            self._give(idle.pop() if idle else self._hire(), task)

    def _give(self, hand: _Hand, task: Task) -> None:
        hand.task, hand.since = task, time.monotonic()
        with suppress(BrokenPipeError, ConnectionResetError):  # its end is heard below
            hand.pipe.send(task)

    def _heard(self, busy: list[_Hand]) -> Iterator[tuple[Task, Result]]:
        ends = {hand.pipe: hand for hand in busy} | {hand.process.sentinel: hand for hand in busy}
        due = min(self._due(hand) for hand in busy) - time.monotonic()
        ready = connection.wait(list(ends), timeout=min(max(due, 0.01), _LONGEST_WAIT))
        for hand in _unique(ends[each] for each in ready):  # type: ignore[index]  # what was waited for
            yield from self._answered(hand)
        now = time.monotonic()
        for hand in busy:
            if hand.task is not None and now > self._due(hand):
                task = hand.task
                self._dismiss(hand, kill=True)
                yield task, self._dead(task, "timed_out")

    def _due(self, hand: _Hand) -> float:
        """Return when a worker's trace has taken too long. Loading the model takes seconds and is nothing that a trace does."""
        return hand.since + (self.timeout if hand.ready else max(self.timeout, _LOADING))

    def _answered(self, hand: _Hand) -> Iterator[tuple[Task, Result]]:
        task = hand.task
        if task is None:
            return
        try:
            done = hand.pipe.recv() if hand.pipe.poll() else None
        except (EOFError, OSError):
            done = None
        if isinstance(done, Ready):
            hand.ready, hand.since = True, time.monotonic()
            return
        if not isinstance(done, Done):
            self._dismiss(hand, kill=True)
            if task[0] not in self._failed_once:
                self._failed_once.add(task[0])
                self._again.append(task)
            else:
                yield task, self._dead(task, "worker_died")
            return
        hand.task, hand.done, hand.peak = None, hand.done + 1, done.peak
        self.peak = max(self.peak, done.peak)
        if hand.done >= _RENEWED_AFTER or hand.peak > _RENEWED_ABOVE:
            self._dismiss(hand, kill=False)
        yield task, done.result

    def _dead(self, task: Task, code: str) -> Result:
        trace_id, place, size = task
        ref = self.setup.job.trace_ref(trace_id)
        return Result(trace_ref=ref, state="dead", stage="worker", code=code, place=place, source_bytes=size)

    def _hire(self) -> _Hand:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=work, args=(theirs, self.setup), daemon=True)
        with _told(environment()):
            process.start()
        theirs.close()
        hand = _Hand(process, ours)
        self._hands.append(hand)
        return hand

    def _dismiss(self, hand: _Hand, *, kill: bool) -> None:
        self._hands.remove(hand)
        _end(hand, kill=kill)


def _end(hand: _Hand, *, kill: bool) -> None:
    if kill:
        hand.process.kill()
    else:
        with suppress(OSError):
            hand.pipe.send(None)
    hand.process.join(_PATIENCE)
    if hand.process.is_alive():
        hand.process.kill()
        hand.process.join()
    hand.pipe.close()


def _unique(hands: Iterable[_Hand]) -> list[_Hand]:
    return list({id(hand): hand for hand in hands}.values())


@contextmanager
def _told(names: Mapping[str, str]) -> Iterator[None]:
    """Set what is not set yet, for the processes that are started within the block."""
    added = [name for name in names if name not in os.environ]
    os.environ.update({name: names[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
