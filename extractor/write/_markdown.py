"""Foreign text in Markdown: as code, where nothing in it is markup, a link, HTML or a terminal's escape."""

from __future__ import annotations

import re

from ..model.json import JsonValue, compact

_LONGEST = 240


def code(value: JsonValue) -> str:
    """Return a code span: one line, at most 240 characters, controls and invisible characters as escapes."""
    text = value if isinstance(value, str) else compact(value)
    line = "".join(char if char.isprintable() else _escape(char) for char in " ".join(text.split()))
    if not line:
        return "(empty)"
    if len(line) > _LONGEST:
        line = line[:_LONGEST].rpartition(" ")[0] or line[:_LONGEST]
        line += " …"
    # A code span ends at a run of backticks as long as the one that opened it.
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    return f"{fence} {line} {fence}" if "`" in line else f"{fence}{line}{fence}"


def _escape(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
