"""A worker process: it loads the rules and the language model once, and converts one trace after another."""

from __future__ import annotations

import logging
import os
import resource
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final, TypeAlias

from extractor.model.reading import Reading
from extractor.pipeline import Occasion
from extractor.read import Limits, Piece, Records, Source, reading_again
from extractor.redact import load_model

from .one import Job, Result, convert
from .plan import Plan
from .spill import Key, Opened

_GRACE: Final = 60.0  # seconds that a parent has to notice first

Task: TypeAlias = tuple[str, str, int]
"""A trace by its id, where it begins, and how many bytes its records have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What a worker needs to know; it comes through a pipe and is never written. ``sources`` hold no content; ``timeout`` is in seconds a trace."""

    job: Job = field(repr=False)
    occasion: Occasion
    plan: Plan
    sources: tuple[Source, ...]
    limits: Limits
    container: str | None
    aside: Key = field(repr=False)
    timeout: float


@dataclass(frozen=True, slots=True)
class Done:
    """A result, and the most memory that the worker has used so far, in bytes."""

    result: Result
    peak: int


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has loaded what it needs: from now on the time is that of its traces."""


class Worker:
    """Converts traces by their ids."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._records = Records(setup.sources, setup.limits, setup.container)
        self._aside = Opened(Path(setup.plan.path).parent, setup.aside)

    def load(self) -> None:
        """Load the language model; what keeps it from loading is told by each trace."""
        with suppress(Exception):
            load_model(self._setup.job.config)

    def convert(self, task: Task) -> Result:
        """Return what comes of one trace."""
        trace_id, place, size = task

        def reading() -> Reading:
            setup = self._setup
            return reading_again(setup.sources, setup.limits, trace_id, self._pieces, damaged=setup.plan.damaged)

        return convert(trace_id, reading, self._setup.job, self._setup.occasion, place=place, source_bytes=size)

    def _pieces(self, trace_id: str) -> Iterator[Piece]:
        for place, kept in self._setup.plan.where(trace_id):
            if kept is not None:
                yield self._aside.piece(kept)
            else:
                yield from self._records.pieces(trace_id, place)


def work(tasks: Connection, setup: Setup) -> None:
    """Say `Ready`, then convert what comes through a pipe until it closes, or None comes; each result goes back."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the run
    _mute()
    try:
        worker = Worker(setup)
        worker.load()
        tasks.send(Ready())
        while (task := tasks.recv()) is not None:
            # The parent ends what takes too long; where the parent was killed, the kernel does, whatever code is running.
            signal.setitimer(signal.ITIMER_REAL, setup.timeout + _GRACE)
            result = worker.convert(task)
            signal.setitimer(signal.ITIMER_REAL, 0)
            tasks.send(Done(result, peak()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent is gone


def _mute() -> None:
    """Have nobody hear this process: what libraries log, warn of or print, and what Python tells of a fault, may quote a trace.

    Nor is its memory written down where it dies.
    """
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)


def peak() -> int:
    """Return the most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def environment() -> Mapping[str, str]:
    """Return what a worker's libraries are told before they load: one thread each, since workers are the threads."""
    return {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
