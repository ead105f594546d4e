"""Whether a case can be judged at all with the evidence that it has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from .json import JsonValue

BLOCKING: Final = frozenset({"content_switched_off", "no_input", "arguments_missing", "outcome_missing"})
"""The codes of ``missing_evidence`` entries that make a case ``non_replayable``."""


_NAMED: Final = 2
_FIELD: Final = re.compile(r"[a-z0-9_.\[\]]{1,200}")


def lacking(document: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """Return what a replay cannot be judged without and the case lacks: field path and code, as ``input.messages (no_input)``."""
    entries = document.get("missing_evidence")
    found = (item for item in entries if isinstance(item, dict)) if isinstance(entries, list) else ()
    return tuple(_told(item) for item in found if isinstance(item.get("code"), str) and item["code"] in BLOCKING)


def _told(entry: Mapping[str, JsonValue]) -> str:
    # A path that was not written by us may hold anything.
    field = entry.get("field")
    named = field if isinstance(field, str) and _FIELD.fullmatch(field) else "a field"
    return f"{named} ({entry['code']})"


def in_short(lacks: Sequence[str]) -> str:
    """Return what is lacking in one line, the fields of each code together and no more than two of them named."""
    by_code: dict[str, list[str]] = {}
    for each in lacks:
        field, _, code = each.rpartition(" ")
        by_code.setdefault(code, []).append(field)
    return ", ".join(f"{_some(fields)} {code}" for code, fields in by_code.items())


def _some(fields: Sequence[str]) -> str:
    more = len(fields) - _NAMED
    return ", ".join(fields[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def replayable(document: Mapping[str, JsonValue]) -> bool:
    """Return False when evidence without which no replay can be judged is missing (S67)."""
    return not lacking(document)
