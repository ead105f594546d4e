"""Comma-separated tables cut into records: each row as the JSON object of its cells, empty cells left out.

Cells are text, whatever they were; JSON in a cell is read by whoever knows the column.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator

from .frames import Broken, Cut, Finder, Frame, Framing
from .limits import Limits
from .tables import shaped

_BOM = "\ufeff"
_NAME = re.compile(r"[A-Za-z_][\w.\-/ ]{0,100}")
_IDS = frozenset({"trace_id", "traceid", "trace.trace_id", "context.trace_id", "root_span_id", "request_id"})
_OF_A_TRACE = frozenset({"id", "timestamp"})
_LEAST_COLUMNS = 3


def framing_of(head: bytes) -> Framing | None:
    """Return the framing of a table whose first line names columns of a trace export, None for anything else."""
    first, newline, _ = head.partition(b"\n")
    if not newline:
        return None
    try:
        line = first.decode("utf-8").removeprefix(_BOM).rstrip("\r")
    except UnicodeDecodeError:
        return None
    for delimiter in ",\t;":
        names = _cells(line, delimiter)
        lower = {name.lower() for name in names}
        if (
            len(names) >= _LEAST_COLUMNS
            and all(_NAME.fullmatch(name) for name in names)
            and (lower & _IDS or lower >= _OF_A_TRACE)
        ):
            return _framing(delimiter)
    return None


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _framing(delimiter: str) -> Framing:
    def cut(chunks: Iterator[bytes], finder: Finder | None, limits: Limits) -> Cut:
        lines = _Lines(chunks, limits)
        csv.field_size_limit(min(limits.record_bytes, 2**31 - 1))  # Python's own bound is below one long prompt
        table = csv.reader(lines, delimiter=delimiter, strict=True)
        names: list[str] = []
        number = 0
        while True:
            start = lines.begun = lines.offset
            number += 1
            try:
                cells = next(table, None)
            except csv.Error:
                cells = []
                lines.fault = lines.fault or "syntax"
            except UnicodeDecodeError:
                cells = []
                lines.fault = "encoding"
            if lines.fault:
                yield Broken(number=number, code=lines.fault)
                return
            if cells is None:
                return
            if not names:
                names = [cells[0].removeprefix(_BOM), *cells[1:]]
            elif cells:
                row = {name: cell for name, cell in zip(names, cells, strict=False) if cell}
                data = json.dumps(shaped(dict(row)), ensure_ascii=False).encode()
                if len(cells) != len(names):
                    yield Broken(number=number, code="cells")
                elif finder is None or finder.positions("json", data):
                    yield Frame(number=number, start=start, end=lines.offset, form="json", data=data, made=True)

    return cut


class _Lines:
    """Decoded lines, and how many bytes of them were given out; a row beyond the bound ends the table."""

    def __init__(self, chunks: Iterator[bytes], limits: Limits) -> None:
        self._lines = _split(chunks, limits.record_bytes)
        self._limit = limits.record_bytes
        self.begun = 0
        self.offset = 0
        self.fault = ""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.offset += len(line)
        if self.offset - self.begun > self._limit:
            self.fault = "too_long"
            raise StopIteration
        return line.decode("utf-8")


def _split(chunks: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """Yield lines with their ends; what no line end follows within the bound is given out as it is."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line + b"\n"
        if len(rest) > limit:
            yield rest
            rest = b""
    if rest:
        yield rest
