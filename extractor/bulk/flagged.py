"""Lists of flagged traces: of support, of graders, of alerts."""

from __future__ import annotations

from pathlib import Path

from extractor.errors import InputUnreadable
from extractor.model.json import MalformedJson, parse


def listed(file: Path) -> frozenset[str]:
    """Return the trace ids of a list: an id a line, or JSON lines with a ``trace_id``. Raises `InputUnreadable` by line, never by content."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        raise InputUnreadable("the list of flagged traces cannot be read as UTF-8 text") from None
    found: set[str] = set()
    for number, line in enumerate(map(str.strip, lines), start=1):
        if not line or line.startswith("#"):
            continue
        trace_id = _member(line, number) if line.startswith("{") else line
        digits = trace_id.lower().replace("-", "")
        if len(digits) != 32 or digits.strip("0123456789abcdef"):
            raise InputUnreadable(f"line {number} of the list names no trace id of 32 hex digits")
        found.add(digits)
    return frozenset(found)


def _member(line: str, number: int) -> str:
    try:
        entry = parse(line)
    except MalformedJson:
        raise InputUnreadable(f"line {number} of the list is no JSON") from None
    named = entry.get("trace_id") if isinstance(entry, dict) else None
    return named if isinstance(named, str) else ""
