"""A run on a cluster: executors read, gather and convert; the driver chooses, writes the cases and keeps the journal."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from extractor import review
from extractor.bulk import journal
from extractor.bulk.own import own
from extractor.bulk.run import Chosen, Clock, Committing, Listener, Order, Run

from .engine import Sizes, Spark, Terms

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Where a run takes place: a session, and the path at which every executor finds the key that the driver has."""

    session: SparkSession
    key_file: Path
    sizes: Sizes | None = None


def run(order: Order, listener: Listener, cluster: Cluster) -> Run:
    """Convert what was chosen, as `bulk.run.run` does: the same cases, byte for byte, in the same order on record.

    Raises `UsageError` as that does, `InputUnreadable` where no source can be read, `EngineFailed` where the cluster gives the run up; what was written until then stands.
    """
    sizes = replace(cluster.sizes or Sizes(), most_seconds=order.timeout)
    with ExitStack() as stack:
        folder = stack.enter_context(own(order.folder))
        known = review.known_traces(order.out)
        kept = stack.enter_context(journal.opened(folder, resume=order.resume, asked=order.asked))
        clock = Clock()
        engine = Spark(cluster.session, order.sources, sizes=sizes, limits=order.limits, container=order.container)
        export = engine.scan(order.choice.marks, order.choice.flagged if order.choice.only_listed else None)
        clock.lap("reading")
        chosen = Chosen(order, known, kept)
        wanted = [each.trace_id for each in chosen.of(export.known)]
        committing = Committing(order, kept, known)
        before = len(kept.of_run())
        failed = 0
        listener.converting(0, len(wanted), 0)
        terms = Terms(job=order.job, key_file=cluster.key_file, occasion=order.occasion)
        for done, result in enumerate(map(order.job.opened, engine.convert(export, wanted, terms)), 1):
            failed += result.state == "dead"
            committing.take(result)
            listener.converting(done, len(wanted), failed)
        committing.finish()
        clock.lap("converting")
        return Run(
            number=kept.run,
            began=order.occasion.extracted_at,
            engine="spark",
            workers=engine.cores,
            rules_sha256=order.job.rules.digest,
            resumed_after=before,
            traces=chosen.seen + chosen.gone(),
            passed=chosen.passed(),
            entries=tuple(kept.of_run()),
            notes=export.notes,
            damaged=len(export.unreadable),
            seconds=clock.laps,
        )
