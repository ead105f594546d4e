"""``extract-fixture bulk``: many flagged traces become cases, in one run that nothing in them can end."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click

from extractor import read, ruleset, settings
from extractor.bulk import choosing, dataset, journal, written
from extractor.bulk.flagged import listed
from extractor.bulk.journal import CASES
from extractor.bulk.one import Job
from extractor.bulk.reports import Report
from extractor.bulk.run import Listener, Order, Run, run
from extractor.bulk.units import span_of_time
from extractor.errors import ProofFailed, TraceNotFound, UsageError, WorkspaceKeyError
from extractor.making import occasion
from extractor.model.layout import QUARANTINE
from extractor.read import Progress
from extractor.redact.models import verified

from . import options
from .console import Console, interactive
from .counting import Counter
from .keyring import workspace_key

_SHOWN = 20
_FILE = re.compile(r"file (\d+)\b")
_NEW = frozenset({"written", "superseded"})
_LONGEST = 365 * 86_400.0  # seconds; timers of the system know no time much longer
_BY_SIGNAL = 128  # a shell adds this to the number of the signal that ended a process


@click.command(
    epilog=options.examples(
        'extract-fixture bulk exports --where "error,tool=refund.create" --limit 100',
        "extract-fixture bulk exports --where error --resume",
    )
)
@options.sources
@click.option("--out", type=options.FOLDER, help="Where cases are kept.  [default: fixtures]")
@click.option("--flagged", type=options.FILE, help="Traces of this list: an id a line, or JSON lines with a trace_id.")
@click.option(
    "--where",
    "rules_",
    metavar="RULE",
    multiple=True,
    help="Traces that a rule describes; may repeat, one of them is enough.",
)
@click.option("--all", "everything", is_flag=True, help="Every trace of the sources.")
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1),
    help="Convert no more than N traces, the earliest first; the rest is counted.",
)
@click.option(
    "--settle",
    metavar="TIME",
    callback=options.duration,
    help="Leave traces that ended less than this ago.  [default: 15m]",
)
@click.option(
    "--again",
    is_flag=True,
    help="Convert traces that are known already, too; a changed result supersedes the older one.",
)
@click.option(
    "--per-signature",
    metavar="N",
    type=click.IntRange(1),
    help="Keep N cases of each kind of failure, the earliest first.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    show_default=True,
    help="Convert on this machine, or on a Spark cluster.",
)
@click.option("--master", metavar="URL", help="With Spark: its master, where spark-submit does not say it.")
@click.option("--partitions", metavar="N", type=click.IntRange(1), help="With Spark: how many the traces are dealt to.")
@click.option(
    "--executor-key-file",
    type=options.FILE,
    help="With Spark: where executors find the key.  [default: where it is here]",
)
@click.option(
    "--workers", metavar="N", type=click.IntRange(1, 256), help="How many processes convert.  [default: one a core]"
)
@click.option(
    "--timeout", metavar="TIME", callback=options.duration, help="How long one trace may take.  [default: 10m]"
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with the last run if it was cut short and asked for the same: what failed in it is not tried again. Else begin one.",
)
@click.option(
    "--report",
    "folder",
    metavar="DIR",
    type=options.FOLDER,
    help="Where the report goes.  [default: OUT/.bulk/report]",
)
@click.option(
    "--dataset",
    "lake",
    metavar="DIR",
    type=options.FOLDER,
    help="Write the run's cases as a Parquet data set as well, without what leads back to their traces.",
)
@click.option("--profile", is_flag=True, help="Say where the time went.")
@options.container
@options.key_file
@options.scope
@options.model
@options.overlays
@options.as_json
@options.quiet
@click.pass_context
def command(  # noqa: PLR0913  # one parameter an option
    ctx: click.Context,
    *,
    sources: tuple[str, ...],
    out: Path | None,
    flagged: Path | None,
    rules_: tuple[str, ...],
    everything: bool,
    limit: int | None,
    settle: float | None,
    again: bool,
    per_signature: int | None,
    engine: str,
    master: str | None,
    partitions: int | None,
    executor_key_file: Path | None,
    workers: int | None,
    timeout: float | None,
    resume: bool,
    folder: Path | None,
    lake: Path | None,
    profile: bool,
    container: str | None,
    key_file: Path | None,
    scope: str | None,
    model: str | None,
    overlays: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Turn many traces into proved cases, in quarantine.

    SOURCE is a file, a folder, a glob, or - for standard input. Each case is, byte for byte, what a run for its trace alone
    writes. A trace that fails costs no other one: it is listed with stage, code and place. Traces that the store ever knew are
    passed over, the rejected and purged among them.

    Terms of a rule: error, error=TYPE, tool=NAME, side_effect, grade (a grader says that it failed), attr:KEY=VALUE, since=TIME,
    until=TIME, sample=1%. All terms of one --where must hold, of several --where one.

    Exit status: 0, all that was chosen became cases; 5, a proof failed or redaction refused a trace; 1, another trace failed, or
    records could not be read; 3, flagged traces are not in the sources; 2, 6 and 7 as everywhere.
    """
    console = Console(json=as_json, quiet=quiet)
    project = settings.find(Path.cwd())
    given = project.bulk
    where = tuple(map(choosing.rule, rules_ or given.where))
    if not (where or flagged or everything):
        raise UsageError(
            "which traces? give --flagged FILE, --where RULE or --all",
            hint='extract-fixture bulk SOURCE --where "error side_effect"',
        )
    if engine == "local" and (master or partitions or executor_key_file):
        raise UsageError("--master, --partitions and --executor-key-file are for --engine spark")
    if everything and (where or flagged):
        raise UsageError("--all leaves nothing to choose: take it away, or --flagged and --where")
    if lake is not None and not resume:
        dataset.require_free(lake)
    for place in filter(None, (folder, lake)):
        _require_writable(place)
    key = workspace_key(key_file, project.key_file, console)
    config = replace(project.config, scope=scope or project.config.scope, nlp=project.config.nlp.using(model))
    verified(config.nlp)  # before a worker is started that could not load it
    rules = ruleset.load((*project.rules, *overlays))
    now = datetime.now(UTC).replace(microsecond=0)
    order = Order(
        sources=read.expand(sources, sys.stdin.buffer, read.Limits()),
        named=sources,
        out=out or project.out,
        job=Job(config=config, rules=rules, key=key),
        occasion=occasion(),
        choice=choosing.Choice(rules, key, where=where, flagged=listed(flagged) if flagged else None),
        now=now,
        settle_ns=int((options.seconds(given.settle, "bulk.settle") if settle is None else settle) * 1e9),
        container=container,
        workers=workers or os.cpu_count() or 1,
        timeout=_bound(options.seconds(given.timeout, "bulk.timeout") if timeout is None else timeout),
        limit=limit,
        per_signature=per_signature,
        again=again,
        resume=resume,
    )
    with _ended_in_order(), _listening(console) as listener:
        if engine == "spark":
            here = key_file or project.key_file
            there = executor_key_file or (here and here.absolute())
            done = _on_spark(console, order, listener, there, master, partitions)
        else:
            done = run(order, listener)
    status = _status(done)
    place = folder or order.folder / "report"
    report = Report.of(done, exit_status=status)
    written.write(report, place)
    if lake is not None:
        cases = [(each.case_id, each.trace_ref) for each in done.entries if each.case_id and each.outcome in CASES]
        dataset.write(dataset.standing(cases, order.out / QUARANTINE, capture=False), lake)
    journal.end(order.folder, done.number)
    if as_json:
        console.data(report.members())
    _tell(console, report, place, order, profile=profile)
    ctx.exit(status)


def _on_spark(
    console: Console,
    order: Order,
    listener: Listener,
    key_file: Path | None,
    master: str | None,
    partitions: int | None,
) -> Run:
    # PySpark is an extra, and starts a Java machine.
    from extractor.bulk.spark.engine import Sizes
    from extractor.bulk.spark.run import Cluster
    from extractor.bulk.spark.run import run as run_on_spark
    from extractor.bulk.spark.session import crosses_in_the_clear, session

    if key_file is None:
        raise WorkspaceKeyError("Spark needs a key file that every executor can read", hint="pass --key-file")
    running = session(master)
    if crosses_in_the_clear(running):
        console.note("Spark sends records, and the key of its spills, between machines in the clear: docs/spark.md")
    cluster = Cluster(session=running, key_file=key_file, sizes=Sizes(partitions=partitions))
    return run_on_spark(order, listener, cluster)


def _require_writable(folder: Path) -> None:
    """Raise `UsageError` where a folder cannot be made: better before a run than at its end."""
    there = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise UsageError("the folder of --report or --dataset cannot be written")


def _bound(seconds: float) -> float:
    if not seconds:
        raise UsageError("a trace must be given some time: --timeout, or bulk.timeout, is 0")
    return min(seconds, _LONGEST)


def _status(done: Run) -> int:
    """Return the status of a run: what concerns safety first, then what failed, then what was not found."""
    if any(each.stage in ("redact", "verify") for each in done.dead):
        return ProofFailed.exit_status
    if done.dead or done.damaged or any(note.code in read.LOST for note in done.notes):
        return 1
    return TraceNotFound.exit_status if done.passed.absent else 0


@dataclass(slots=True)
class _Listener:
    """Shows how far a run is, where somebody looks."""

    bar: Progress | None = None
    counter: Counter | None = None

    def reading(self) -> Progress | None:
        return self.bar

    def converting(self, done: int, total: int, failed: int) -> None:
        if self.counter is not None:
            self.counter.count(done, total, failed)


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Have a supervisor's signal end the run as Ctrl-C does, with workers, plan and pieces gone; what is ignored (nohup) stays so."""

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        signal.signal(number, signal.SIG_IGN)
        sys.exit(_BY_SIGNAL + number)

    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)}
    taken = [each for each, handler in before.items() if handler == signal.SIG_DFL]
    for each in taken:
        signal.signal(each, end)
    try:
        yield
    finally:
        for each in taken:
            signal.signal(each, before[each])


@contextmanager
def _listening(console: Console) -> Iterator[_Listener]:
    with console.progress("reading") as bar, console.counting() as show:
        yield _Listener(bar, Counter(show) if show else None)


def _tell(console: Console, report: Report, place: Path, order: Order, *, profile: bool) -> None:
    console.rows(report.lines())
    for each in report.dead[:_SHOWN]:
        console.say(f"failed  {each.stage}: {each.code}  {each.place}")
    if len(report.dead) > _SHOWN:
        console.say(f"and {len(report.dead) - _SHOWN} more: {place / written.DEAD}")
    if interactive():  # a file's name may be a value; whoever typed it may see it
        console.rows([*_files(report, order)])
    if profile:
        console.rows([(name, span_of_time(seconds)) for name, seconds in report.seconds.items()])
    console.say(f"report  {place / written.PAGE}")
    new = [each for each in report.entries if each.outcome in _NEW and each.case_id]
    for each in sorted(new, key=lambda one: not one.replayable)[:1]:
        console.say(f"next    extract-fixture review {order.out / QUARANTINE / str(each.case_id)}")


def _files(report: Report, order: Order) -> Iterator[tuple[str, str]]:
    """Yield the names of the files that the lines above number."""
    told = [
        *(each.place or "" for each in report.dead[:_SHOWN]),
        *(place for note in report.lost for place in note.places[:3]),
    ]
    numbers = {int(match[1]) for text in told if (match := _FILE.match(text))}
    yield from ((f"file {each.number}", each.name) for each in order.sources if each.number in numbers)
