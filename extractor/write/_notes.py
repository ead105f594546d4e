"""Ledger entries as the sidecars hold them."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.json import JsonValue
from ..model.reading import Note


def notes(ledger: Sequence[Note]) -> list[JsonValue]:
    """Return the entries by code, then place: an order that no reader's own order shows through."""
    ordered = sorted(ledger, key=lambda note: (note.code, note.places, note.count))
    return [{"code": note.code, "count": note.count, "places": list(note.places)} for note in ordered]
