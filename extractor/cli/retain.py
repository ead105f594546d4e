"""``extract-fixture retain``: keep the raw traces of possible incidents before the backend forgets them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path

import click

from extractor import normalise, read, ruleset, settings
from extractor.bulk.flagged import listed
from extractor.bulk.units import counted
from extractor.errors import TraceNotFound, UsageError
from extractor.model.calls import side_effecting
from extractor.model.config import Wanted
from extractor.model.reading import TraceSummary
from extractor.model.span import Span
from extractor.retain import odds, purge, retain
from extractor.ruleset import RuleSet

from . import completing, options
from .console import Console
from .inspect import told

_BATCH = 200
"""Traces read in one pass and held in memory together."""


@click.command(
    epilog=options.examples("extract-fixture retain exports --errors --ttl 30", "extract-fixture retain --purge")
)
@click.argument("sources", metavar="SOURCE…", nargs=-1, shell_complete=completing.files)
@click.option("--errors", is_flag=True, help="Traces with a span that failed.")
@click.option("--side-effects", is_flag=True, help="Traces that call a tool which changes something.")
@click.option("--flagged", type=options.FILE, help="Traces of this list: an id a line, or JSON lines with a trace_id.")
@click.option("--store", type=options.FOLDER, default=Path("retained"), show_default=True, help="Where they are kept.")
@click.option(
    "--ttl",
    "ttl_days",
    metavar="DAYS",
    type=click.IntRange(1, 3650),
    default=90,
    show_default=True,
    help="Days until they go.",
)
@click.option("--purge", "purging", is_flag=True, help="Remove the traces whose time is over.")
@click.option("--explain", is_flag=True, help="Say how likely sampling loses an incident, and change nothing.")
@click.option(
    "--rate", metavar="SHARE", type=float, default=0.01, show_default=True, help="The sampling rate to explain."
)
@click.option(
    "--occurrences", metavar="N", type=int, default=12, show_default=True, help="How often the incident occurred."
)
@options.as_json
@options.quiet
def command(  # noqa: PLR0913  # one parameter an option
    *,
    sources: tuple[str, ...],
    errors: bool,
    side_effects: bool,
    flagged: Path | None,
    store: Path,
    ttl_days: int,
    purging: bool,
    explain: bool,
    rate: float,
    occurrences: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Keep the raw traces of possible incidents before the backend forgets them.

    SOURCE is an export. The store holds originals: it is its owner's alone, ignored by git, and expires.
    """
    console = Console(json=as_json, quiet=quiet)
    now = datetime.now(UTC).replace(microsecond=0)
    if explain:
        _explain(console, rate, occurrences)
        return
    if purging:
        gone = purge(store, now=now)
        if as_json:
            console.data({"purged": len(gone)})
        console.say(f"{counted(len(gone), 'trace')} removed")
    if not sources:
        if not purging:
            raise UsageError("which export? give SOURCE…, or --purge, or --explain")
        return
    if not (errors or side_effects or flagged):
        raise UsageError(
            "which traces? give --errors, --side-effects or --flagged FILE",
            hint="extract-fixture retain SOURCE --errors --side-effects",
        )
    rules = ruleset.load(settings.find(Path.cwd()).rules)
    with console.progress("reading") as progress:
        speech = normalise.speech(rules)
        found = read.survey(sources, progress=progress, stdin=sys.stdin.buffer, tell=partial(told, speech))
    on_list = listed(flagged) if flagged is not None else frozenset()
    wanted = {
        trace.trace_id: why
        for trace in found.traces
        if (why := tuple(_reasons(trace, rules, on_list, errors=errors, side_effects=side_effects)))
    }
    absent = len(on_list - {trace.trace_id for trace in found.traces})
    kept = written = 0
    for spans, reasons in _spans(sources, wanted):
        kept += 1
        written += retain(spans, reasons, store, now=now, ttl_days=ttl_days).written
    if as_json:
        console.data({"traces": len(found.traces), "kept": kept, "written": written, "absent": absent})
    console.rows(
        (
            ("kept", f"{kept:,} of {counted(len(found.traces), 'trace')}, {written:,} of them new or grown"),
            ("store", f"{store}, until {counted(ttl_days, 'day')} from now"),
        )
    )
    if absent:
        raise TraceNotFound(f"{absent} of the flagged traces are not in the sources")


def _reasons(
    trace: TraceSummary, rules: RuleSet, listed: frozenset[str], *, errors: bool, side_effects: bool
) -> Iterator[str]:
    words = rules.documents["decisive"]["effects"]
    write, reading = frozenset(words["write"]), frozenset(words["read"])
    if errors and trace.errors:
        yield "errors"
    if side_effects and any(side_effecting(tool, write=write, read=reading) for tool in trace.tools):
        yield "side_effects"
    if trace.trace_id in listed:
        yield "flagged"


def _spans(sources: Sequence[str], wanted: Mapping[str, Sequence[str]]) -> Iterator[tuple[list[Span], Sequence[str]]]:
    """Yield the spans of each wanted trace, some hundred traces a pass; linked traces that nobody wanted are left out."""
    ids = sorted(wanted)
    for start in range(0, len(ids), _BATCH):
        batch = tuple(ids[start : start + _BATCH])
        reading = read.read(sources, Wanted(trace_ids=batch), stdin=sys.stdin.buffer)
        ordered = sorted(reading.spans, key=lambda span: (span.trace_id, span.order))
        for trace_id, spans in groupby(ordered, key=lambda span: span.trace_id):
            if trace_id in wanted:
                yield list(spans), wanted[trace_id]


def _explain(console: Console, rate: float, occurrences: int) -> None:
    lost = odds(rate, occurrences)
    if console.json:
        console.data({"rate": rate, "occurrences": occurrences, "nothing_kept": round(lost, 6)})
    console.say(
        f"An incident that occurred {occurrences} times, sampled at {rate:.2%}: nothing of it was kept with a probability"
        f" of {lost:.3f} ({1 - rate:.4g} to the power of {occurrences})."
    )
    console.say("Keep by rule, not by chance: docs/retention.md holds a collector configuration that does.")
