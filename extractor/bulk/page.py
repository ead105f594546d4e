"""The report of a run as one HTML page: nothing in it runs or is fetched."""

from __future__ import annotations

import html
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from .reports import LOST, PASSED, Report

_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:.5rem 0 1.5rem}th,td{padding:.25rem .75rem;text-align:left;border-bottom:1px solid #8886}"
    "td.n{text-align:right;font-variant-numeric:tabular-nums}.wide{overflow-x:auto}code{font-size:.9em}"
)
_MOST = 500
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def page(report: Report) -> str:
    """Return the page. It names traces by keyed digests and places by position, and holds no text of theirs."""
    return "".join(_page(report))


def _page(report: Report) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    yield '<meta name="viewport" content="width=device-width">\n<title>Bulk run</title>\n'
    yield f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Bulk run</h1>\n"
    made = report.made
    yield f"<p>{report.traces:,} traces in the sources, {made:,} cases, {len(report.dead):,} failures.</p>\n"
    outcomes = [(name.replace("_", " "), count) for name, count in report.outcomes.items()]
    yield from _counts("What became of the chosen traces", "outcome", outcomes)
    passed = [(told, count) for name, told in PASSED.items() if (count := report.passed[name])]
    yield from _counts("Passed over", "why", passed)
    failures = Counter(f"{each.stage}: {each.code}" for each in report.dead)
    yield from _counts("Failures", "stage and code", failures.most_common())
    rows = [(each.place or "", f"{each.stage}: {each.code}", each.trace_ref) for each in report.dead[:_MOST]]
    yield from _table("Where they are", ("place", "stage and code", "trace, as a keyed digest"), rows)
    if len(report.dead) > _MOST:
        yield f"<p>and {len(report.dead) - _MOST:,} more, in dead.jsonl.</p>\n"
    lost = [(f"{note.code} ({', '.join(note.places[:3])})", note.count) for note in report.notes if note.code in LOST]
    yield from _counts("Not read", "what the sources lost", lost)
    if made:
        yield f"<h2>For people</h2>\n<p>{report.replayable:,} of {made:,} cases can be replayed. "
        yield f"{report.residuals:,} tokens stand that no rule explains and that somebody should look at.</p>\n"
    yield from _counts(
        "Kinds of failure", "boundary / tool / error / ended by / side effect", report.signatures.items()
    )
    yield from _counts("Replaced, by class", "entity", report.classes.items())
    yield from _table("Time and memory", ("what", "how much"), _measures(report))
    yield "<p>A case in quarantine is pseudonymised, not anonymous; people approve it before anybody else sees it.</p>\n"
    yield "</main>\n</body>\n</html>\n"


def _measures(report: Report) -> Iterator[tuple[str, str]]:
    for name, seconds in report.seconds.items():
        yield name, f"{seconds:,.1f} s"
    converting = report.seconds.get("converting")
    if converting and report.entries:
        yield "traces a second", f"{len(report.entries) / converting:,.2f}"
        yield "of their records, a second", size(report.source_bytes / converting)
    yield "spans", f"{report.spans:,}"
    yield "most memory of a worker", size(report.peak_bytes)


def size(number: float) -> str:
    """Return bytes in people's units: ``1.2 MB``."""
    for unit in _UNITS:
        if number < 1000 or unit == _UNITS[-1]:
            return f"{number:,.0f} {unit}" if unit == "bytes" else f"{number:,.1f} {unit}"
        number /= 1000
    raise AssertionError("the last unit takes any number")


def _counts(title: str, what: str, pairs: Iterable[tuple[str, int]]) -> Iterator[str]:
    yield from _table(title, (what, "count"), [(name, f"{count:,}") for name, count in pairs], numbers=True)


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> Iterator[str]:
    listed = list(rows)
    if not listed:
        return
    yield f'<h2>{_text(title)}</h2>\n<div class="wide" tabindex="0" role="region" aria-label="{_text(title)}">\n<table>\n<thead><tr>'
    yield from (f'<th scope="col">{_text(head)}</th>' for head in heads)
    yield "</tr></thead>\n<tbody>\n"
    for first, *rest in listed:
        yield f'<tr><th scope="row">{_text(first)}</th>'
        yield from (f"<td{' class=n' if numbers else ''}>{_text(each)}</td>" for each in rest)
        yield "</tr>\n"
    yield "</tbody>\n</table>\n</div>\n"


def _text(text: str) -> str:
    plain = "".join(char if unicodedata.category(char)[0] != "C" else "\N{REPLACEMENT CHARACTER}" for char in text)
    return html.escape(plain, quote=True)
