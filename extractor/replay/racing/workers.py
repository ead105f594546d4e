"""Which threads a run has started, in the order in which it started them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread


@dataclass(slots=True)
class Started:
    """The threads of one run; those that run nothing of the agent any more have ended, though they may still live a moment."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _threads: dict[Thread, bool] = field(default_factory=dict)
    """Each thread, and whether it has begun."""
    _ended: set[Thread] = field(default_factory=set)

    def enter(self, thread: Thread, *, begun: bool = False) -> None:
        """Know a thread; it has begun when it stands at its first line."""
        with self._lock:
            self._threads[thread] = begun

    def leave(self, thread: Thread) -> None:
        """The thread has run to its end."""
        with self._lock:
            self._ended.add(thread)
            self._threads.pop(thread, None)

    def ended(self, thread: Thread) -> bool:
        """Say whether a thread has run to its end."""
        with self._lock:
            return thread in self._ended

    def beginning(self) -> bool:
        """Say whether a thread was started and has not begun."""
        with self._lock:
            return not all(self._threads.values())

    def living(self) -> list[Thread]:
        """Return the threads that have not ended."""
        with self._lock:
            return list(self._threads)


@contextmanager
def numbered(
    started: Started, number: Callable[[Thread], object], begin: Callable[[Thread], None], first: Thread
) -> Iterator[None]:
    """Know ``first`` and every thread that starts within the block.

    Whoever starts a thread calls ``number`` with it, and the thread calls ``begin`` before anything else.
    """
    original = Thread.start
    started.enter(first, begun=True)

    def start(self: Thread) -> None:
        work = self.run
        if self is not first:
            number(self)

        def run() -> None:
            try:
                started.enter(self, begun=True)
                if self is not first:
                    begin(self)
                work()
            finally:
                started.leave(self)

        self.run = run  # type: ignore[method-assign]
        started.enter(self, begun=self is first)
        try:
            original(self)
        except BaseException:
            started.leave(self)
            raise

    Thread.start = start  # type: ignore[method-assign]
    try:
        yield
    finally:
        Thread.start = original  # type: ignore[method-assign]
