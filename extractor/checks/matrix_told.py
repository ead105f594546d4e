"""A matrix as a table for a terminal, as JSON, and as one HTML page without script, font, image or any other asset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from extractor.model.json import JsonValue
from extractor.model.markup import as_html

from .matrix import Cell, Line, Matrix

LEGEND: Final = "x rejected all that it judged   + rejected some   . accepted all   ! broke, which is no rejection   blank: nothing to judge"
_CLASSES: Final = {"x": "all", "+": "some", ".": "none", "!": "broke", " ": "blank"}
_WORDS: Final = {"x": "rejected", "+": "rejected some", ".": "accepted", "!": "broke", " ": "nothing to judge"}
_STYLE: Final = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: #1a1a1a; background: #fff }
.wide { overflow-x: auto }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { border: 1px solid #b5b5b5; padding: .2rem .45rem; text-align: center; white-space: nowrap }
tbody th { text-align: left; font-family: ui-monospace, monospace; font-weight: normal }
thead th { vertical-align: bottom }
thead span { writing-mode: vertical-rl; transform: rotate(180deg); font-family: ui-monospace, monospace; font-weight: normal }
.all { background: #cfe8cf } .some { background: #e6f1c8 } .none { background: #fff } .broke { background: #f6d3b8 } .blank { background: #eee }
.toothless th { background: #f3c9c9; font-weight: bold }
@media (prefers-color-scheme: dark) {
  body { color: #eee; background: #161616 } .all { background: #24512a } .some { background: #4a5418 } .none { background: #161616 }
  .broke { background: #6b3a14 } .blank { background: #2a2a2a } .toothless th { background: #6b2222 }
}
"""


def table(told: Matrix) -> str:
    """Return the matrix as lines of text: mutations are numbered, a line a check, then what it means."""
    width = max((len(each.check) for each in told.lines), default=0)
    numbers = [str(position) for position in range(1, len(told.mutations) + 1)]
    lines = [" " * width + "  " + "".join(number.rjust(3) for number in numbers)]
    lines += [
        each.check.ljust(width) + "  " + "".join(cell.mark.rjust(3) for cell in _cells(each, told))
        for each in told.lines
    ]
    lines += ["", LEGEND, ""]
    for number, mutation in zip(numbers, told.mutations, strict=True):
        lines.append(f"{number:>2} {mutation.name:<22} {mutation.said}{_absence(told, mutation.name)}")
    lines += ["", *(f"{each.check}: {text}" for each in told.lines for text in _remarks(each))]
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def members(told: Matrix) -> dict[str, JsonValue]:
    """Return the matrix as JSON: ``records``, ``mutations[]``, ``checks[]`` with counts a mutation, ``toothless[]``."""
    return {
        "records": told.records,
        "mutations": [
            {
                "name": each.name,
                "row": each.row or None,
                "corrupts": each.said,
                "variants": told.variants.get(each.name, 0),
                "left_out": told.left_out.get(each.name, 0),
                "absent": told.absent.get(each.name),
            }
            for each in told.mutations
        ],
        "checks": [
            {
                "check": each.check,
                "good_records": each.good,
                "rejected_as_they_stand": each.bad,
                "toothless": each.toothless,
                "vacuous": [*each.vacuous],
                "errors": [*each.broken],
                "mutations": {
                    mutation.name: {
                        "rejected": cell.rejected,
                        "accepted": cell.accepted,
                        "not_applicable": cell.not_applicable,
                        "broke": cell.broke,
                    }
                    for mutation, cell in zip(told.mutations, _cells(each, told), strict=True)
                },
            }
            for each in told.lines
        ],
        "toothless": [each.check for each in told.toothless],
    }


def page(told: Matrix, not_proved: Sequence[str] = ()) -> str:
    """Return the matrix as one HTML page. Whatever it shows is text: nothing in it runs or is fetched."""
    return "".join(_page(told, not_proved))


def _page(told: Matrix, not_proved: Sequence[str]) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    yield f"<title>Checks and mutations</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Checks and mutations</h1>\n"
    yield f"<p>{len(told.lines)} checks, {len(told.mutations)} mutations of {told.records} good runs.</p>\n"
    if told.toothless:
        yield "<h2>Checks that no mutation rejects</h2>\n<ul>\n"
        yield from (
            f"<li><code>{as_html(each.check)}</code>: {as_html(each.toothless or '')}</li>\n" for each in told.toothless
        )
        yield "</ul>\n"
    yield '<div class="wide" tabindex="0" role="region" aria-label="Matrix">\n<table>\n<thead>\n<tr><th scope="col">check</th>'
    yield from (
        f'<th scope="col" title="{as_html(each.said)}"><span>{as_html(each.name)}</span></th>'
        for each in told.mutations
    )
    yield "</tr>\n</thead>\n<tbody>\n"
    for each in told.lines:
        row = ' class="toothless"' if each.toothless else ""
        yield f'<tr{row}><th scope="row">{as_html(each.check)}</th>'
        yield from (_cell(cell) for cell in _cells(each, told))
        yield "</tr>\n"
    yield f"</tbody>\n</table>\n</div>\n<p>{as_html(LEGEND)}</p>\n"
    remarks = [(each.check, text) for each in told.lines if not each.toothless for text in _remarks(each)]
    yield from _list("Remarks", [f"<code>{as_html(check)}</code>: {as_html(text)}" for check, text in remarks])
    mutations = [
        f"<code>{as_html(each.name)}</code>: {as_html(each.said)}{as_html(_absence(told, each.name))}"
        for each in told.mutations
    ]
    yield from _list("Mutations", mutations)
    yield from _list("Not proved", [as_html(text) for text in not_proved])
    yield "</body>\n</html>\n"


def _list(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield f"<h2>{title}</h2>\n<ul>\n"
        yield from (f"<li>{item}</li>\n" for item in items)
        yield "</ul>\n"


def _cell(cell: Cell) -> str:
    counts = f"{cell.rejected}/{cell.rejected + cell.accepted + cell.broke}" if cell.mark != " " else ""
    return f'<td class="{_CLASSES[cell.mark]}" title="{_WORDS[cell.mark]}">{counts}</td>'


def _cells(line: Line, told: Matrix) -> list[Cell]:
    return [line.cells[each.name] for each in told.mutations]


def _remarks(line: Line) -> Iterator[str]:
    if line.toothless:
        yield f"NO MUTATION IS REJECTED: {line.toothless}"
    if line.vacuous:
        yield f"walks {', '.join(line.vacuous)} and accepts that there is nothing in it: say first how many there must be"
    if line.bad and line.good:
        yield f"rejects or breaks on {line.bad} of {line.bad + line.good} records as they stand"
    if line.broken and not line.toothless:
        yield f"broke on corrupted records: {', '.join(line.broken)}"


def _absence(told: Matrix, name: str) -> str:
    if name in told.absent:
        return f"  (applied to no record: {told.absent[name]})"
    return f"  ({told.left_out[name]} more variants left out)" if name in told.left_out else ""
