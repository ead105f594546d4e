"""``extract-fixture inspect``: which traces an export holds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from extractor import normalise, read, ruleset, settings
from extractor.bulk.units import counted, lasted
from extractor.errors import TraceNotFound, UsageError
from extractor.model.json import JsonValue
from extractor.model.reading import Note, TraceSummary
from extractor.model.span import Span
from extractor.read.search import search

from . import options
from .console import Console

SORTS: dict[str, Callable[[TraceSummary], tuple[str | int, ...]]] = {
    "start": lambda trace: (trace.start, trace.trace_id),
    "duration": lambda trace: (-trace.duration_ms, trace.trace_id),
    "spans": lambda trace: (-trace.spans, trace.trace_id),
    "errors": lambda trace: (-trace.errors, trace.trace_id),
    "id": lambda trace: (trace.trace_id,),
}
"""By name: the earliest first, the most first."""


@click.command(
    epilog=options.examples(
        "extract-fixture inspect export.jsonl --errors --sort duration",
        "extract-fixture inspect exports --tool refund.create --since 2026-07-18",
    )
)
@options.sources
@click.option("--trace-id", metavar="ID", multiple=True, help="Only this trace, or the traces that begin so.")
@click.option("--errors", is_flag=True, help="Only traces with a span that failed.")
@click.option("--tool", metavar="NAME", multiple=True, help="Only traces that call this tool.")
@click.option("--since", metavar="TIME", help="Only traces that begin at this time (RFC 3339, or a day) or later.")
@click.option("--sort", type=click.Choice(tuple(SORTS)), default="start", show_default=True, help="What comes first.")
@options.container
@click.option("--grep", metavar="-", help="Read a term from standard input and print the ids of traces that hold it.")
@options.as_json
@options.quiet
def command(  # noqa: PLR0913  # one parameter an option
    *,
    sources: tuple[str, ...],
    trace_id: tuple[str, ...],
    errors: bool,
    tool: tuple[str, ...],
    since: str | None,
    sort: str,
    container: str | None,
    grep: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Say which traces an export holds.

    SOURCE is a file, a folder, a glob, or - for standard input. With --json, standard output has one object a trace;
    what is true of the files, as of records that could not be read, is one object {"ledger": […]} on standard error.
    """
    console = Console(json=as_json, quiet=quiet)
    if grep is not None:
        _grep(sources, grep, console)
        return
    earliest = _instant(since) if since is not None else ""
    with console.progress("reading") as progress:
        speech = normalise.speech(ruleset.load(settings.find(Path.cwd()).rules))
        found = read.survey(
            sources, progress=progress, stdin=sys.stdin.buffer, tell=partial(told, speech), container=container
        )
    traces = [
        trace
        for trace in _wanted(found.traces, trace_id)
        if (trace.errors or not errors) and trace.start >= earliest and (not tool or set(tool) & set(trace.tools))
    ]
    for trace in sorted(traces, key=SORTS[sort]):
        if as_json:
            console.data(_members(trace))
        elif trace_id:
            console.rows(_rows(trace))
            console.say()
        else:
            console.say(_line(trace))
    if as_json and found.file_notes:
        console.beside({"ledger": [_entry(note) for note in found.file_notes]})
    for note in found.file_notes:
        console.say(f"{note.code} {note.count}" + (f": {', '.join(note.places)}" if note.places else ""))
    console.say(f"{len(traces):,} of {counted(len(found.traces), 'trace')}")


def told(speech: normalise.Speech, span: Span) -> tuple[str, str | None]:
    """Return the dialect of a span, empty for none, and the tool that it calls."""
    said = speech.said(span)
    return said.dialect, said.tool


def _instant(text: str) -> str:
    """Return a point in time as summaries spell it. Raises `UsageError`."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError("--since takes a time such as 2026-07-18T09:30:00Z, or a day") from None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1_000:03d}Z"


def _grep(sources: Sequence[str], grep: str, console: Console) -> None:
    # A term on the command line would stand in the process list and the shell's history.
    if grep != "-" or "-" in sources:
        raise UsageError("--grep takes - alone and reads its term from standard input; sources must be files then")
    term = sys.stdin.readline().rstrip("\r\n")
    if not term:
        raise UsageError("--grep found no term on standard input")
    with console.progress("searching") as progress:
        trace_ids = search(sources, term, progress=progress)
    for trace_id in trace_ids:
        if console.json:
            console.data({"trace_id": trace_id})
        else:
            console.result(trace_id)
    if not trace_ids:
        raise TraceNotFound("no trace holds the term")


def _wanted(traces: Sequence[TraceSummary], asked: Sequence[str]) -> tuple[TraceSummary, ...]:
    if not asked:
        return tuple(traces)
    prefixes = tuple(text.strip().lower() for text in asked)
    chosen = tuple(trace for trace in traces if trace.trace_id.startswith(prefixes))
    missing = sum(not any(trace.trace_id.startswith(prefix) for trace in chosen) for prefix in prefixes)
    if missing:
        raise TraceNotFound(f"{missing} of {len(prefixes)} ids not found among {counted(len(traces), 'trace')}")
    return chosen


def _members(trace: TraceSummary) -> JsonValue:
    return {
        "trace_id": trace.trace_id,
        "spans": trace.spans,
        "start": trace.start,
        "duration_ms": trace.duration_ms,
        "errors": trace.errors,
        "tools": list(trace.tools),
        "dialects": list(trace.dialects),
        "containers": list(trace.containers),
        "problems": list(trace.problems),
    }


def _entry(note: Note) -> JsonValue:
    return {"code": note.code, "count": note.count, "places": list(note.places)}


def _line(trace: TraceSummary) -> str:
    spans, errors = _column(trace.spans, "span"), _column(trace.errors, "error")
    head = f"{trace.trace_id}  {trace.start}  {lasted(trace.duration_ms):>11}  {spans}  {errors}"
    spoken = f"{','.join(trace.containers)} {','.join(trace.dialects)}".strip()
    return "  ".join((head, spoken, ", ".join((*trace.tools, *trace.problems)))).rstrip()


def _column(number: int, noun: str) -> str:
    """Return a count whose digits stand under each other, whether it is one or many."""
    return f"{number:>5,} {noun}{' ' if number == 1 else 's'}"


def _rows(trace: TraceSummary) -> tuple[tuple[str, str], ...]:
    lists = (
        ("tools", trace.tools),
        ("dialects", trace.dialects),
        ("containers", trace.containers),
        ("problems", trace.problems),
    )
    return (
        ("trace", trace.trace_id),
        ("start", f"{trace.start}, {lasted(trace.duration_ms)}"),
        ("spans", f"{trace.spans:,}, {counted(trace.errors, 'error')}"),
        *((label, ", ".join(items)) for label, items in lists if items),
    )
