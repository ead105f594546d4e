"""Whether a case can be judged at all with the evidence that it has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .json import JsonValue

BLOCKING: Final = frozenset({"content_switched_off", "no_input", "arguments_missing", "outcome_missing"})
"""The codes of ``missing_evidence`` entries that make a case ``non_replayable``."""


def replayable(document: Mapping[str, JsonValue]) -> bool:
    """Return False when evidence without which no replay can be judged is missing (S67)."""
    entries = document.get("missing_evidence")
    codes = {item.get("code") for item in entries if isinstance(item, dict)} if isinstance(entries, list) else set()
    return not codes & BLOCKING
