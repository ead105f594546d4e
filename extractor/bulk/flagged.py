"""Lists of flagged traces: of support, of graders, of alerts."""

from __future__ import annotations

from pathlib import Path

from extractor.errors import InputUnreadable
from extractor.model.json import MalformedJson, parse
from extractor.read import whole_id


def listed(file: Path) -> frozenset[str]:
    """Return the trace ids of a list: an id a line as its system spells it, or JSON lines with a ``trace_id``.

    Raises `InputUnreadable` by line, never by content.
    """
    try:
        # Spreadsheets begin a file with a byte order mark; a title inside of JSON may hold what Python takes for the end of a line.
        lines = file.read_bytes().decode("utf-8-sig").split("\n")
    except (OSError, ValueError):
        raise InputUnreadable("the list of flagged traces cannot be read as UTF-8 text") from None
    found: set[str] = set()
    for number, line in enumerate(map(str.strip, lines), start=1):
        if not line or line.startswith("#"):
            continue
        trace_id = _member(line, number) if line.startswith("{") else line
        whole = whole_id(trace_id)
        if whole is None:
            raise InputUnreadable(
                f"line {number} of the list names no trace id",
                hint="whole ids, 32 hex digits or as their system spells them",
            )
        found.add(whole)
    return frozenset(found)


def _member(line: str, number: int) -> str:
    try:
        entry = parse(line)
    except MalformedJson:
        raise InputUnreadable(f"line {number} of the list is no JSON") from None
    named = entry.get("trace_id") if isinstance(entry, dict) else None
    return named if isinstance(named, str) else ""
