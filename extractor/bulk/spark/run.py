"""A run on a cluster: executors read, gather and convert; the driver chooses, writes the cases and keeps the journal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from extractor import review
from extractor.bulk import dataset, journal
from extractor.bulk.one import Result
from extractor.bulk.plan import Known
from extractor.bulk.run import Chosen, Clock, Committing, Listener, Order, Run, own

from .engine import Sizes, Spark, Terms
from .export import Export
from .session import session


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Where a run takes place: ``master`` as Spark names it, None for what spark-submit says; ``key_file`` is on every executor."""

    key_file: Path
    master: str | None = None
    sizes: Sizes | None = None


def run(order: Order, listener: Listener, cluster: Cluster) -> Run:
    """Convert what was chosen, as `bulk.run.run` does: the same cases, byte for byte, in the same order on record.

    Raises `UsageError` without PySpark, `EngineFailed` where the cluster gives the run up; what was written until then stands.
    """
    running = session(cluster.master)
    sizes = replace(cluster.sizes or Sizes(), most_seconds=order.timeout)
    with ExitStack() as stack:
        folder = stack.enter_context(own(order.folder))
        kept = stack.enter_context(journal.opened(folder, resume=order.resume))
        clock = Clock()
        engine = Spark(running, order.sources, sizes=sizes, limits=order.limits, container=order.container)
        export = engine.scan(order.choice.marks)
        clock.lap("reading")
        known = review.known_traces(order.out)
        chosen = Chosen(order, known, kept)
        wanted = [each.trace_id for each in chosen.of(_traces(export))]
        committing = Committing(order, kept, known)
        failed = 0
        listener.converting(0, len(wanted), 0)
        terms = Terms(job=order.job, key_file=cluster.key_file.absolute(), occasion=order.occasion)
        for done, result in enumerate(engine.convert(export, wanted, terms), 1):
            failed += result.state == "dead"
            committing.take(_storable(result))
            listener.converting(done, len(wanted), failed)
        committing.finish()
        clock.lap("converting")
        return Run(
            traces=chosen.seen,
            passed=chosen.passed(),
            entries=tuple(kept.of_run()),
            notes=export.notes,
            damaged=len(export.unreadable),
            seconds=clock.laps,
        )


def _traces(export: Export) -> Iterator[Known]:
    """Yield the traces of an export as a plan on one machine has them."""
    for one in sorted(export.traces.values(), key=lambda each: (each.start_ns, each.trace_id)):
        yield Known(
            trace_id=one.trace_id,
            start_ns=one.start_ns,
            end_ns=one.end_ns,
            spans=one.records,
            errors=0,
            bits=one.marks,
            size=one.source_bytes,
        )


def _storable(result: Result) -> Result:
    """Return a result with the fixture that its files are: what proved it stayed on the executor."""
    if result.state != "made" or result.case_id is None:
        return result
    row = dataset.Row(case_id=result.case_id, trace_ref=result.trace_ref, files=result.files)
    return replace(result, fixture=dataset.fixture(row))
