"""A trace made into a case in a process of its own, so that one that ends its process costs no other."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Final, TypeAlias

from extractor.bulk.one import Job, Result, reason
from extractor.pipeline import Occasion

from .gathered import Gathered

Make: TypeAlias = Callable[[Gathered, Job, Occasion], Result]
"""`gathered.made`, or what stands in for it."""
Fault: TypeAlias = tuple[str, str]
"""Stage and code of what ended a trace without a result."""
_DIED: Final[Fault] = ("worker", "worker_died")
_TIMED_OUT: Final[Fault] = ("worker", "timed_out")
_TRIES = 2  # a process may have been ended for what another one did to the machine's memory


@dataclass(slots=True, eq=False)
class Apart:
    """One child process, started when there is work for it and again when it ended; it ends with its parent."""

    make: Make
    job: Job = field(repr=False)
    occasion: Occasion
    most_seconds: float
    _process: SpawnProcess | None = field(default=None, init=False)
    _line: Connection | None = field(default=None, init=False)

    def made(self, gathered: Gathered) -> Result | Fault:
        """Return what became of a trace, or what it did to its process."""
        fault = _DIED
        for _ in range(_TRIES):
            line = self._started()
            try:
                line.send(gathered)
                if not line.poll(self.most_seconds):
                    fault = _TIMED_OUT
                    break
                answer: Result | Fault = line.recv()
            except (EOFError, OSError, pickle.UnpicklingError):
                self.end()
                continue
            return answer
        self.end()
        return fault

    def end(self) -> None:
        """End the child, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._line is not None:
            self._line.close()
        self._process = self._line = None

    def _started(self) -> Connection:
        if self._line is None:
            context = get_context("spawn")
            mine, its = context.Pipe()
            self._process = context.Process(target=_serve, args=(its, self.make, self.job, self.occasion), daemon=True)
            self._process.start()
            its.close()  # so that the end of the child is the end of the line
            self._line = mine
        return self._line


def _serve(line: Connection, make: Make, job: Job, occasion: Occasion) -> None:
    """Answer each trace with its result, until the parent is gone."""
    while True:
        try:
            gathered = line.recv()
        except EOFError:
            return
        try:
            answer: Result | Fault = make(gathered, job, occasion)
        except Exception as error:  # noqa: BLE001  # its words, which may quote the input, must not reach this machine's log
            answer = reason(error)
        line.send(answer)
