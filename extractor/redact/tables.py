"""Rows in text: delimited files with a header, Markdown tables, the lists of an SQL statement; each cell with its column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .place import normal_name

_HEADER_CELL = re.compile(r"\"?[A-Za-z_][\w .#/\-]{0,40}\"?")
_RULE_ROW = re.compile(r"\s*\|?(?:\s*:?-{2,64}:?\s*\|){1,64}\s*(?::?-{2,64}:?\s*)?")
_DELIMITERS = ",;\t"
_INSERT = re.compile(
    r"\binsert\s{1,8}(?:or\s{1,8}\w{1,16}\s{1,8})?into\s{1,8}(?P<table>[\w.\"`\[\]]{1,128})\s{0,8}\((?P<columns>[^()]{1,4000})\)"
    r"\s{0,8}values\s{0,8}",
    re.IGNORECASE,
)
_ROW = re.compile(r"\s{0,8},?\s{0,8}\((?P<row>(?:'[^']*+'|[^'()])*+)\)")
_ITEM = re.compile(r"'(?P<text>[^']*+)'|(?P<bare>[^,'\s][^,']*+)|(?P<comma>,)")
_STATEMENT = re.compile(r"\b(?:select|update|delete|insert|where|set|having|and|or)\b", re.IGNORECASE)
_COMPARED = re.compile(
    r"(?P<column>[A-Za-z_][\w.\"`]{0,64})\s{0,8}(?:=|<>|!=|\blike\b|\bilike\b|\bin\b\s{0,4}\()\s{0,8}N?'(?P<value>[^'\n]{1,200})'",
    re.IGNORECASE,
)
_LONGEST_ROW = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell at ``[start, end)``: the table's and the column's name where known, and the other columns' names."""

    names: tuple[str, ...]
    start: int
    end: int
    text: str = field(repr=False)
    beside: frozenset[str]


def cells(text: str) -> Iterator[Cell]:
    """Yield the cells of every table in a text, headers left out."""
    if "\n" in text:
        yield from _rows(text)
    if "'" in text and _STATEMENT.search(text):
        yield from _statements(text)


def _rows(text: str) -> Iterator[Cell]:
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    header: Sequence[str] = ()
    delimiter = ""
    for number, line in enumerate(lines[:-1] if lines[-1] == "" else lines):
        row = _split(line, delimiter) if delimiter and len(line) <= _LONGEST_ROW else []
        if delimiter == "|" and _RULE_ROW.fullmatch(line):
            continue
        if len(row) == len(header) and row:
            names = [normal_name(line_cell) for line_cell in header]
            for name, (start, cell) in zip(names, row, strict=True):
                value = cell.strip().strip('"')
                if value:
                    begins = starts[number] + start + cell.index(value)
                    yield Cell(
                        names=(name,), start=begins, end=begins + len(value), text=value, beside=frozenset(names)
                    )
            continue
        header, delimiter = _header(line, lines[number + 1] if number + 1 < len(lines) else "")


def _header(line: str, following: str) -> tuple[Sequence[str], str]:
    """Return the columns that a line names when the next line goes on with a row, and what parts them."""
    if len(line) > _LONGEST_ROW or len(following) > _LONGEST_ROW:
        return (), ""
    if "|" in line and _RULE_ROW.fullmatch(following):
        return [cell.strip().strip("*") for _, cell in _split(line, "|")], "|"
    for delimiter in _DELIMITERS:
        columns = line.rstrip("\r").split(delimiter)
        named = len(columns) > 1 and all(map(_HEADER_CELL.fullmatch, columns))
        if named and len(_split(following, delimiter)) == len(columns):
            return [column.strip('"') for column in columns], delimiter
    return (), ""


def _split(line: str, delimiter: str) -> list[tuple[int, str]]:
    """Return the cells of a line with their places; a delimiter inside double quotes is text."""
    body = line.rstrip("\r")
    start = 0
    if delimiter == "|":
        start = len(body) - len(body.lstrip()) + body.lstrip().startswith("|")
        body = body.rstrip()
        body = body[:-1] if body.endswith("|") and len(body) > start else body
    found: list[tuple[int, str]] = []
    quoted = False
    begins = start
    for position in range(start, len(body)):
        if body[position] == '"' and delimiter != "|":
            quoted = not quoted
        elif body[position] == delimiter and not quoted:
            found.append((begins, body[begins:position]))
            begins = position + 1
    found.append((begins, body[begins:]))
    return found


def _statements(text: str) -> Iterator[Cell]:
    for insert in _INSERT.finditer(text):
        table = normal_name(insert["table"].strip('"`[]').rpartition(".")[2])
        columns = [normal_name(column.strip().strip('"`[]')) for column in insert["columns"].split(",")]
        position = insert.end()
        while row := _ROW.match(text, position):
            yield from _values(row["row"], row.start("row"), table, columns)
            position = row.end()
    for compared in _COMPARED.finditer(text):
        column = normal_name(compared["column"].replace("`", "").replace('"', "").rpartition(".")[2])
        yield Cell(
            names=(column,),
            start=compared.start("value"),
            end=compared.end("value"),
            text=compared["value"],
            beside=frozenset(),
        )


def _values(row: str, start: int, table: str, columns: Sequence[str]) -> Iterator[Cell]:
    column = 0
    for item in _ITEM.finditer(row):
        if item["comma"]:
            column += 1
        elif column < len(columns) and (value := (item["text"] or item["bare"] or "").strip()):
            begins = start + item.start("text" if item["text"] else "bare")
            names = (table, columns[column])
            yield Cell(names=names, start=begins, end=begins + len(value), text=value, beside=frozenset(columns))
