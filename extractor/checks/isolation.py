"""Nothing outside while checks judge: no connection, no program, no clock but the case's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from extractor.replay.faults import ReplayFault
from extractor.replay.guard import Guard


class Isolation:
    """The guard that is on, and what the check that is running did outside."""

    def __init__(self) -> None:
        self._faults: list[ReplayFault] = []
        self.guard = Guard(self._faults.append, clock="off")

    def of_one(self, *, clock: bool) -> AbstractContextManager[object]:
        """Begin with another check; watch its clocks, or not: that makes it some times slower."""
        self._faults.clear()
        return self.guard.clocks() if clock else nullcontext()

    @property
    def fault(self) -> ReplayFault | None:
        """The first thing that the check did outside, whatever it swallowed; None for nothing."""
        return self._faults[0] if self._faults else None


_open: list[Isolation] = []
_one_thread = threading.RLock()  # a guard does not know whose call it blocks: threads judge one after another


@contextmanager
def isolated() -> Iterator[Isolation]:
    """Keep this process within itself for the block; within another such block, do no more.

    Raises `HarnessDefect` where the guard does not bite: then no check may judge.
    """
    with _one_thread:
        if _open:
            yield _open[-1]
            return
        isolation = Isolation()
        with isolation.guard:
            _open.append(isolation)
            try:
                yield isolation
            finally:
                _open.clear()
