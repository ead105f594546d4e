"""The report of a run as one HTML page: nothing in it runs or is fetched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from extractor.model.markup import as_html

from .reports import PASSED, Report
from .units import counted, size, span_of_time

_STYLE: Final = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:.5rem 0 1.5rem}"
    "th,td{padding:.25rem .75rem;text-align:left;vertical-align:top;border-bottom:1px solid #8886}tbody th{font-weight:normal;min-width:13rem}td:not(.n){min-width:11rem}"
    ".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.wide{overflow-x:auto}"
    ".alert{border-left:.4rem solid #c33;padding:.25rem 1rem}"
)
_MOST: Final = 200
_STATUS: Final[Mapping[int, str]] = {
    0: "all that was chosen became cases, or stands already",
    1: "a trace failed, or records could not be read",
    3: "flagged traces are not in the sources",
    5: "a proof failed, or redaction refused a trace; nothing of it was written",
}
_MEANINGS: Final[Mapping[str, str]] = {
    "leak_proof_failed": "a known value stood in the files: nothing was written; for whoever owns redaction",
    "relation_proof_failed": "two identifiers became one, or one became two: nothing was written; for whoever owns redaction",
    "structure_proof_failed": "something else than identifiers would have changed: nothing was written; for whoever owns redaction",
    "redaction_refused": "something could not be redacted with certainty: nothing was written",
    "no_span": "no span of the trace could be read",
    "unreadable": "the source could not be read again, or has changed",
    "worker_died": "two processes died of it, of memory perhaps: fewer workers, or a run for it alone",
    "timed_out": "it took longer than --timeout",
    "too_large": "its records are more than one process may hold",
    "case_exists": "another trace's case stands under its id",
    "not_written": "its folder could not be written: is the disk full?",
}


def page(report: Report) -> str:
    """Return the page. It names traces by keyed digests and places by position, and holds no text of theirs."""
    return "".join(_page(report))


def _page(report: Report) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    yield '<meta name="viewport" content="width=device-width">\n<title>Bulk run</title>\n'
    yield f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Bulk run</h1>\n"
    yield from _summary(report)
    yield from _failed(report)
    outcomes = [(name.replace("_", " "), f"{count:,}") for name, count in report.outcomes.items()]
    yield from _table("What became of the chosen traces", ("outcome", "traces"), outcomes)
    passed = [(told, f"{count:,}") for name, told in PASSED.items() if (count := report.passed[name])]
    yield from _table("Passed over", ("why", "traces"), passed)
    yield from _for_people(report)
    classes = [(each.entity, f"{each.occurrences:,}", f"{each.cases:,}") for each in report.classes]
    yield from _table("Replaced, by class", ("class", "times", "cases"), classes)
    yield from _table("Time and memory", ("what", "how much"), _measures(report))
    yield from _table(
        "The traces that took longest",
        ("trace, as a keyed digest", "place", "time", "spans", "records"),
        _slow(report),
        plain=2,
    )
    yield "<p>A case in quarantine is pseudonymised, not anonymous; people approve it before anybody else sees it.</p>\n"
    yield "</main>\n</body>\n</html>\n"


def _summary(report: Report) -> Iterator[str]:
    run = report.run
    yield f"<p>{counted(run.traces, 'trace')} in the sources, {counted(len(report.cases), 'case')} in quarantine, "
    yield f"{counted(len(report.dead), 'failure')}. Exit status {report.exit_status}"
    meaning = _STATUS.get(report.exit_status)
    yield f": {meaning}.</p>\n" if meaning else ".</p>\n"
    resumed = ", resumed" if run.resumed_after else ""
    yield f"<p>Run {run.number}{resumed}, of {as_html(run.began)}, {as_html(run.engine)}, {counted(run.workers, 'worker')}.</p>\n"
    if report.unaccounted:
        yield f'<p class="alert">{counted(report.unaccounted, "trace")} of the sources have neither an outcome nor a reason: '
        yield "this report is not to be trusted.</p>\n"


def _failed(report: Report) -> Iterator[str]:
    rows = [
        (
            f"{each.stage}: {each.code}",
            f"{each.traces:,}",
            _MEANINGS.get(each.code, ""),
            _some(each.places[:3], each.traces),
        )
        for each in report.failures
    ]
    yield from _table("Failures", ("stage and code", "traces", "what it means", "where"), rows, numbers=(1,))
    dead = report.dead[:_MOST]
    places = [(each.place or "", f"{each.stage}: {each.code}", each.trace_ref) for each in dead]
    title = "Each trace that failed"
    yield from _table(title, ("place", "stage and code", "trace, as a keyed digest"), places, numbers=())
    if len(report.dead) > _MOST:
        yield f"<p>And {len(report.dead) - _MOST:,} more, in dead.jsonl.</p>\n"
    lost = [
        (note.code.replace("_", " "), f"{note.count:,}", _some(note.places[:3], note.count)) for note in report.lost
    ]
    yield from _table("Not read", ("what the sources lost", "times", "where"), lost, numbers=(1,))


def _for_people(report: Report) -> Iterator[str]:
    if report.cases:
        yield f"<h2>For people</h2>\n<p>{report.replayable:,} of {counted(len(report.cases), 'case')} can be replayed. "
        yield f"{counted(report.residuals, 'token stands', 'tokens stand')} that no rule explains and that somebody should look at.</p>\n"
    read = [(each.case_id or "", f"{each.residuals:,}") for each in report.to_read]
    yield from _table("Read these first", ("case", "tokens that no rule explains"), read)
    heads = ("boundary / tool / error / ended by / side effect", "cases", "kept back", "decided on", "for example")
    rows = [
        (each.signature, f"{each.made:,}", f"{each.kept_back:,}", f"{each.standing:,}", next(iter(each.cases), ""))
        for each in report.kinds
    ]
    yield from _table("Kinds of failure", heads, rows[:_MOST], numbers=(1, 2, 3))
    if len(rows) > _MOST:
        yield f"<p>And {len(rows) - _MOST:,} more, in report.json.</p>\n"


def _measures(report: Report) -> Iterator[tuple[str, str]]:
    for name, seconds in report.seconds.items():
        yield name, span_of_time(seconds)
    if rates := report.per_second:
        yield "traces converted in a second", f"{rates[0]:,.2f}"
        yield "of their records, in a second", size(rates[1])
    yield "spans", f"{sum(each.spans for each in report.entries):,}"
    yield "most memory of a worker", size(report.run.peak)


def _slow(report: Report) -> Iterator[tuple[str, ...]]:
    for each in report.slowest:
        yield each.trace_ref, each.place or "", span_of_time(each.seconds), f"{each.spans:,}", size(each.source_bytes)


def _some(places: Sequence[str], of: int) -> str:
    more = of - len(places)
    return ", ".join(places) + (f" and {more:,} more" if places and more > 0 else "")


def _table(
    title: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    plain: int = 1,
    numbers: Sequence[int] | None = None,
) -> Iterator[str]:
    """Yield a table, nothing where it has no row. Columns from ``plain`` on are numbers, or those that ``numbers`` names."""
    listed = list(rows)
    if not listed:
        return
    right = frozenset(range(plain, len(heads)) if numbers is None else numbers)
    shape = [' class="n"' if column in right else "" for column in range(len(heads))]
    yield f'<h2>{as_html(title)}</h2>\n<div class="wide" tabindex="0" role="region" aria-label="{as_html(title)}">\n<table>\n<thead><tr>'
    yield from (f'<th scope="col"{css}>{as_html(head)}</th>' for head, css in zip(heads, shape, strict=True))
    yield "</tr></thead>\n<tbody>\n"
    for first, *rest in listed:
        yield f'<tr><th scope="row">{as_html(first)}</th>'
        yield from (f"<td{css}>{as_html(each)}</td>" for each, css in zip(rest, shape[1:], strict=True))
        yield "</tr>\n"
    yield "</tbody>\n</table>\n</div>\n"
