"""The picture of the line: each stage, what it gives to the next, and what its package says of itself."""

from __future__ import annotations

import importlib
import inspect
import textwrap
from collections.abc import Iterator
from html import escape
from typing import Final

_STAGES: Final = (
    ("read", "read"),
    ("normalise", "normalise"),
    ("select", "select"),
    ("assemble", "assemble"),
    ("redact", "redact"),
    ("verify", "seal"),
    ("write", "store"),
)
"""Packages in their order, each with the function whose result goes on to the next."""

_ROW = 4  # stages
_BOX, _GAP, _HIGH, _BELOW, _LINE = 210, 30, 150, 54, 16  # pixels
_LETTERS = 25  # of a line in a box
_STYLE = """
text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #24292f }
.name { font-weight: 600; font-size: 16px }
.type { font-family: ui-monospace, monospace; font-size: 12px; fill: #0b6b61 }
.ground { fill: #ffffff } .box { fill: #f3f6f8; stroke: #8c98a4 } .proof { fill: #e3f3ec; stroke: #2f7d5b }
path { stroke: #59636e; fill: none; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .type { fill: #7fd6c8 } path { stroke: #9aa5b1 }
  .ground { fill: #14181d } .box { fill: #20262d; stroke: #59636e } .proof { fill: #17352a; stroke: #4fae86 }
}"""


def picture() -> str:
    """Return the picture as SVG. It has a ground of its own, and follows the reader's light or dark scheme."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    width = 40 + _ROW * (_BOX + _GAP) - _GAP
    height = 20 + -(-len(_STAGES) // _ROW) * (_HIGH + _BELOW)
    names = " → ".join(name for name, _ in _STAGES)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
    yield f"<title>The line: {names}</title>"
    yield f"<style>{_STYLE}\n</style>"
    yield f'<rect class="ground" width="{width}" height="{height}" rx="10"/>'
    for place, (name, function) in enumerate(_STAGES):
        yield from _stage(place, name, function)
    yield "</svg>\n"


def _stage(place: int, name: str, function: str) -> Iterator[str]:
    row, column = divmod(place, _ROW)
    left, top = 20 + column * (_BOX + _GAP), 20 + row * (_HIGH + _BELOW)
    last = place == len(_STAGES) - 1
    package = importlib.import_module(f"extractor.{name}")
    said = (inspect.getdoc(package) or "").partition("\n")[0]
    gives = "files in quarantine" if last else _result(getattr(package, function))
    style = "proof" if name == "verify" else "box"
    yield f'<rect class="{style}" x="{left}" y="{top}" width="{_BOX}" height="{_HIGH}" rx="8"/>'
    yield f'<text class="name" x="{left + 12}" y="{top + 26}">{name}</text>'
    for number, line in enumerate(textwrap.wrap(said, _LETTERS)):
        yield f'<text x="{left + 12}" y="{top + 50 + number * _LINE}">{escape(line)}</text>'
    yield f'<text class="type" x="{left + 12}" y="{top + _HIGH + 20}">→ {escape(gives)}</text>'
    if not last and column < _ROW - 1:
        end, middle = left + _BOX + _GAP, top + _HIGH // 2
        yield f'<path d="M{left + _BOX} {middle}H{end - 2}M{end - 8} {middle - 5}l6 5l-6 5"/>'
    elif not last:
        # Down, and back to the beginning of the next row.
        middle, between, down = left + _BOX // 2, top + _HIGH + _BELOW - 16, top + _HIGH + _BELOW - 2
        first = 20 + _BOX // 2
        yield f'<path d="M{middle} {top + _HIGH}V{between}H{first}V{down}M{first - 5} {down - 6}l5 6l5 -6"/>'


def _result(function: object) -> str:
    """Return the name of the type that a stage gives, as its annotation spells it."""
    return str(inspect.get_annotations(function)["return"])  # type: ignore[arg-type]  # a function
