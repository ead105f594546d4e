"""The Spark engine: sources read in parts on many machines, each chosen trace brought together and made into a case."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from extractor.bulk.one import Job, Result
from extractor.errors import EngineFailed, ExtractFixtureError, InputUnreadable, UsageError, WorkspaceKeyError
from extractor.model.span import Span
from extractor.pipeline import Occasion
from extractor.read import Limits, Source, named

from . import rows, tasks
from .apart import Make
from .export import Export, export_of, trace_of
from .gathered import made
from .parts import Part, numbered, parts
from .parts import tasks as dealt
from .scan import Reader
from .tasks import Order, Reading, Sent

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, Row, SparkSession

# What `tasks.TaskFailed` says, where Spark repeats it.
_TASK_FAILED = re.compile(r"TaskFailed: (\w+)(?:: ([^\n]*))?( \([\w/.]+:\d+\))?")
_SURVEY = "source int, begin long, lines long, digest string"
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How work is cut: bytes of the parts that tasks read, partitions of the traces, and what one trace may take.

    Without ``partitions`` there are twice as many as cores, and more where one would hold more than ``part_bytes``. A trace
    whose records, with those of the traces it links to, exceed ``most_bytes`` is a dead letter, since one process must hold
    them all; so is one that takes longer than ``most_seconds``.
    """

    part_bytes: int = 64 << 20
    partitions: int | None = None
    most_bytes: int = 256 << 20
    most_seconds: float = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What cases are made with. ``key_file`` is where every executor finds the key that the driver has."""

    job: Job = field(repr=False)
    key_file: Path
    occasion: Occasion
    make: Make = made


class Spark:
    """One run over some sources: `scan` tells what they hold, `convert` makes cases of what was chosen of it.

    ``container`` is how spans are wrapped, where that was asked for. Raises `UsageError` for sources that no executor can
    open.
    """

    def __init__(
        self,
        running: SparkSession,
        sources: Sequence[Source],
        *,
        sizes: Sizes | None = None,
        limits: Limits | None = None,
        container: str | None = None,
    ) -> None:
        if any(source.content is not None for source in sources):
            raise UsageError(
                "Spark reads neither standard input nor pipes", hint="name files that every executor can open, or URIs"
            )
        self._running = running
        self._sizes = sizes or Sizes()
        self._reader = Reader(sources=tuple(sources), limits=limits or Limits(), container=container)

    def scan(self, marks: Callable[[Span], int], listed: AbstractSet[str] | None = None) -> Export:
        """Read all sources and return what they hold; ``marks`` says as bits which properties a span has.

        Where a list alone chooses, ``listed``, its traces are sought by their ids, and those that they link to; what is returned
        then knows of no others. Where one is not found so, all are read. Raises `InputUnreadable` where no source can be read.
        """
        cut = parts(self._reader.sources, self._reader.limits, self._sizes.part_bytes)
        surveyed = self._rows(self._read(tasks.survey, _SURVEY, self._reading(cut, marks)))
        lines = {(row.source, row.begin): row.lines for row in surveyed}
        digests = {row.source: row.digest for row in surveyed if row.digest}
        sources = [named(source, digests.get(source.number, "")) for source in self._reader.sources]
        pass_over = partial(self._passed, numbered(cut, lambda part: lines[part.source, part.begin]), sources, marks)
        found = pass_over(frozenset(listed)) if listed else None
        if found is None or listed is None or listed - found.traces.keys():
            found = pass_over(None)
        elif found.unmet:
            found = found.and_also(pass_over(found.unmet))
        if len(found.unreadable) == len(sources):
            raise InputUnreadable("no source can be read", hint="executors open them by the names that are given here")
        return found

    def _passed(
        self,
        cut: Sequence[Part],
        sources: Sequence[Source],
        marks: Callable[[Span], int],
        sought: frozenset[str] | None,
    ) -> Export:
        told = self._rows(self._read(tasks.scan, rows.TOLD, self._reading(cut, marks, sought)))
        return export_of(
            cut,
            (rows.seen_of(row) for row in told if row.code is None),
            ((row.source, rows.note_of(row)) for row in told if row.code is not None),
            sources,
        )

    def convert(self, export: Export, wanted: Sequence[str], terms: Terms) -> Iterator[Result]:
        """Yield what became of each wanted trace (ids as `Export.traces` has them), each once and in order."""
        chosen = [trace_id for trace_id in dict.fromkeys(wanted) if trace_id in export.traces]
        small = [trace_id for trace_id in chosen if export.bytes_needed(trace_id) <= self._sizes.most_bytes]
        waiting = iter(chosen)
        for row in self._each(self.plan(export, small, terms), by="wanted") if small else ():
            made = trace_of(row.wanted)
            yield from self._dead(export, takewhile(lambda each, made=made: each != made, waiting), terms)  # type: ignore[misc]
            yield replace(rows.result_of(row.result, row.files), source_bytes=export.traces[made].size)
        yield from self._dead(export, waiting, terms)

    def _dead(self, export: Export, lost: Iterable[str], terms: Terms) -> Iterator[Result]:
        """Yield the dead letters of traces that were not brought together; where none is too large, their file was there no longer."""
        for trace_id in lost:
            large = export.bytes_needed(trace_id) > self._sizes.most_bytes
            yield export.dead(trace_id, terms.job, "too_large" if large else "file_changed")

    def plan(self, export: Export, wanted: Sequence[str], terms: Terms) -> DataFrame:
        """Return the results (`rows.RESULTS`) of wanted traces as a plan: nothing runs before they are asked for."""
        needed = export.needed(wanted)
        reading = Reading(tasks=self._dealt(export.readable), reader=self._reader, marks=_nothing, needed=needed)
        order = Order(
            key_file=str(terms.key_file),
            key_id=terms.job.key.key_id,
            config=terms.job.config,
            rules=terms.job.rules,
            occasion=terms.occasion,
            sources=export.sources,
            limits=self._reader.limits,
            unreadable=export.unreadable,
            records=export.records(needed),
            most_seconds=self._sizes.most_seconds,
            make=terms.make,
        )
        sent = self._sent(order)
        return (
            self._read(tasks.gather, rows.RECORDS, reading)
            .repartition(self._partitions(export, wanted), "wanted")
            .groupBy("wanted")
            # A lambda: by its type hints, which lie in a module that drivers need not load, Spark would misjudge a function.
            .applyInArrow(lambda table: tasks.case(sent, table), rows.RESULTS)
        )

    def _partitions(self, export: Export, wanted: Collection[str]) -> int:
        if self._sizes.partitions is not None:
            return self._sizes.partitions
        together = sum(map(export.bytes_needed, wanted))
        return max(2 * self.cores, together // self._sizes.part_bytes)

    def _reading(
        self, cut: Sequence[Part], marks: Callable[[Span], int], sought: frozenset[str] | None = None
    ) -> Reading:
        return Reading(tasks=self._dealt(cut), reader=self._reader, marks=marks, sought=sought)

    def _dealt(self, cut: Sequence[Part]) -> tuple[tuple[Part, ...], ...]:
        return tuple(map(tuple, dealt(cut, 2 * self.cores, self._sizes.part_bytes)))

    @property
    def cores(self) -> int:
        """How many tasks run at once."""
        return int(self._running.sparkContext.defaultParallelism)

    def _sent(self, value: _Value) -> Sent[_Value]:
        """Bring a value to the executors: what is broadcast stands in no plan and on no disk in the clear."""
        sent: Sent[_Value] = self._running.sparkContext.broadcast(value)
        return sent

    def _read(self, task: Callable[..., Iterator[pa.RecordBatch]], schema: str, reading: Reading) -> DataFrame:
        """Return the rows that a task yields of its parts; the plan holds but the numbers of the tasks."""
        number = max(1, len(reading.tasks))
        return self._running.range(0, len(reading.tasks), 1, number).mapInArrow(
            partial(task, self._sent(reading)), schema
        )

    def _rows(self, frame: DataFrame) -> list[Row]:
        return list(self._each(frame))

    def _each(self, frame: DataFrame, *, by: str | None = None) -> Iterator[Row]:
        """Compute all rows at once, on all executors, and yield them a partition at a time, in the order of a column if one is named."""
        # Loaded already.
        from py4j.protocol import Py4JError
        from pyspark import StorageLevel
        from pyspark.errors import PySparkException

        frame.persist(StorageLevel.DISK_ONLY)
        try:
            frame.count()
            yield from (frame if by is None else frame.orderBy(by)).toLocalIterator(prefetchPartitions=True)
        except (PySparkException, Py4JError) as error:
            raise _failed(str(error)) from None
        finally:
            frame.unpersist()


def _failed(told: str) -> ExtractFixtureError:
    """Return our error for a run that Spark gave up; of what it says only a task's own words hold no input for certain."""
    task = _TASK_FAILED.search(told)
    if task is None:
        return EngineFailed("Spark gave the run up", hint="the driver's log says why")
    if task[1] == WorkspaceKeyError.__name__:
        return WorkspaceKeyError(task[2])
    return EngineFailed(
        f"Spark gave the run up: a task failed with {task[1]}{': ' + task[2] if task[2] else ''}{task[3] or ''}"
    )


def _nothing(_span: Span) -> int:
    return 0
