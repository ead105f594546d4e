"""What runs on Spark's executors: functions over Arrow batches. Nothing here knows Spark but by what it is handed."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, Protocol, TypeVar

from extractor.bulk.one import Job, Result, reason
from extractor.errors import ExtractFixtureError, InputUnreadable, WorkspaceKeyError
from extractor.model.config import RunConfig
from extractor.model.span import Span
from extractor.pipeline import Occasion
from extractor.read import Limits, Source
from extractor.redact.keys import load_key
from extractor.ruleset import RuleSet

from . import rows
from .apart import Apart, Make
from .export import trace_of
from .gathered import Gathered, made
from .parts import Part, count_newlines
from .scan import Needed, Reader, records, seen

if TYPE_CHECKING:
    import pyarrow as pa

_OURS = Path(__file__).parent.parent.parent
_Sent = TypeVar("_Sent", covariant=True)  # noqa: PLC0105  # the field's own name for a type variable


class Sent(Protocol[_Sent]):
    """A value that Spark has brought to every executor once, encrypted where it lies on a disk."""

    @property
    def value(self) -> _Sent: ...  # noqa: D102


class TaskFailed(Exception):  # as Spark says it
    """Something unforeseen in a task, told by its type and the line of our code: what it says may quote the input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What reading tasks need: the parts by task, how to read them, which properties of spans to mark.

    ``sought`` are the only traces to look for, if some are; ``needed`` those to hand on.
    """

    tasks: tuple[tuple[Part, ...], ...]
    reader: Reader
    marks: Callable[[Span], int]
    sought: frozenset[str] | None = field(default=None, repr=False)
    needed: Needed = field(default_factory=lambda: Needed(groups={}), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Order:
    """What every trace is made into a case with, but for the key: executors load that from a file, and prove its id.

    ``records`` says of each needed trace how many there were when the sources were read first; ``most_seconds`` bounds one trace.
    """

    key_file: str
    key_id: str
    config: RunConfig = field(repr=False)
    rules: RuleSet = field(repr=False)
    occasion: Occasion
    sources: tuple[Source, ...] = ()
    limits: Limits = field(default_factory=Limits)
    unreadable: tuple[int, ...] = ()
    records: Mapping[str, int] = field(default_factory=dict, repr=False)
    most_seconds: float = 600
    make: Make = made

    def job(self) -> Job:
        """Return the job with this machine's key. Raises `WorkspaceKeyError` without it, or for another one."""
        key = load_key(Path(self.key_file))
        if key.key_id != self.key_id:
            raise WorkspaceKeyError("an executor holds another workspace key than the driver")
        return Job(config=self.config, rules=self.rules, key=key)


def survey(sent: Sent[Reading], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the newlines of each range of lines, and the SHA-256 of each file."""
    import pyarrow as pa  # loaded already

    reading = sent.value
    with _discreet():
        for part in _parts(reading, batches):
            source = reading.reader.sources[part.source - 1]
            try:
                lines = count_newlines(source, part) if part.end is not None else 0
                digest = source.digest()() if part.begin == 0 else None
            except InputUnreadable:
                lines, digest = 0, None  # whoever reads it will say so
            yield pa.RecordBatch.from_pylist(
                [{"source": part.source, "begin": part.begin, "lines": lines, "digest": digest}],
                schema=pa.schema(
                    [("source", pa.int32()), ("begin", pa.int64()), ("lines", pa.int64()), ("digest", pa.string())]
                ),
            )


def scan(sent: Sent[Reading], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield what each part tells of traces, and of itself: rows of `rows.TOLD`."""
    reading = sent.value
    with _discreet():
        for part in _parts(reading, batches):
            yield rows.told(part.source, *seen(reading.reader, part, reading.marks, reading.sought))


def gather(sent: Sent[Reading], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the records of needed traces: rows of `rows.RECORDS`."""
    reading = sent.value
    with _discreet():
        for part in _parts(reading, batches):
            yield from rows.records(records(reading.reader, part, reading.needed))


def case(sent: Sent[Order], table: pa.Table) -> pa.Table:
    """Return what became of the one wanted trace of which these are the records, as a row of `rows.RESULTS`."""
    with _discreet():
        order = sent.value
        key, pieces, size = rows.pieces_of(table)
        gathered = Gathered(
            trace_id=trace_of(key),
            pieces=pieces,
            size=size,
            sources=order.sources,
            limits=order.limits,
            damaged=order.unreadable,
        )
        return rows.results([(key, _job(order).sealed(_made(order, gathered)))])


def _parts(reading: Reading, batches: Iterator[pa.RecordBatch]) -> Iterator[Part]:
    for batch in batches:
        for task in batch.column(0).to_pylist():
            yield from reading.tasks[task]


def _made(order: Order, gathered: Gathered) -> Result:
    """Return the result of one trace; where the task failed before, each trace has a process of its own."""
    if any(gathered.records(trace_id) != order.records.get(trace_id, 0) for trace_id in gathered.needed):
        return _dead(_job(order), gathered, "read", "file_changed")
    if _attempt() == 0:
        job, occasion = _job(order), order.occasion
        with _bounded(order.most_seconds):
            try:
                return order.make(gathered, job, occasion)
            except _TimedOutError:
                return _dead(job, gathered, "worker", "timed_out")
            except Exception as error:  # noqa: BLE001  # it costs this trace alone, and its words stay here
                return _dead(job, gathered, *reason(error))
    apart = _apart(order)
    found = apart.made(gathered)
    return found if isinstance(found, Result) else _dead(apart.job, gathered, *found)


def _dead(job: Job, gathered: Gathered, stage: str, code: str) -> Result:
    return Result(
        trace_ref=job.trace_ref(gathered.trace_id),
        state="dead",
        stage=stage,
        code=code,
        place=gathered.place,
        source_bytes=gathered.size,
    )


@lru_cache(maxsize=1)
def _job(order: Order) -> Job:
    return order.job()


@lru_cache(maxsize=1)
def _apart(order: Order) -> Apart:
    return Apart(order.make, _job(order), order.occasion, order.most_seconds)


def _attempt() -> int:
    """Return how often this task was begun before."""
    from pyspark import TaskContext  # loaded already

    context = TaskContext.get()
    return 0 if context is None else int(context.attemptNumber())


class _TimedOutError(BaseException):
    """A trace took too long. No `Exception`: what catches those must not go on."""


@contextmanager
def _bounded(seconds: float) -> Generator[None]:
    """Raise `_TimedOutError` inside when it takes longer; only the main thread hears of it."""
    if current_thread() is not main_thread():
        yield
        return

    def over(_signal: int, _frame: FrameType | None) -> None:
        raise _TimedOutError

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _discreet() -> Generator[None]:
    """Let nothing out that quotes the input: Spark logs a task's error, and shows it on its pages."""
    try:
        yield
    except ExtractFixtureError as error:  # holds no input
        raise TaskFailed(f"{type(error).__name__}: {error.message}") from None
    except Exception as error:  # noqa: BLE001  # told without its words
        raise TaskFailed(f"{type(error).__name__}{_line(error)}") from None


def _line(error: Exception) -> str:
    frames = [one for one in traceback.extract_tb(error.__traceback__) if Path(one.filename).is_relative_to(_OURS)]
    return f" ({Path(frames[-1].filename).relative_to(_OURS).as_posix()}:{frames[-1].lineno})" if frames else ""
