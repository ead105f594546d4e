"""What normalising could not read or did not find, by code and step; no text of the input."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from extractor.model.reading import Note

_SHOWN = 20


@dataclass(slots=True, kw_only=True)
class Ledger:
    """Collects notes. Places are ``step 3 tool.arguments``: steps count from 1, the rest are names of ours."""

    _entries: dict[str, dict[tuple[int, str], int]] = field(default_factory=dict)

    def add(self, code: str, step: int, what: str = "", count: int = 1) -> None:
        """Enter something about a step; ``step`` counts from 0."""
        places = self._entries.setdefault(code, {})
        places[step, what] = places.get((step, what), 0) + count

    def notes(self, before: Iterable[Note] = ()) -> tuple[Note, ...]:
        """Return one note a code, in code order, joined with what earlier stages noted."""
        merged = {note.code: note for note in before}
        for code, places in self._entries.items():
            named = tuple(f"step {step + 1} {what}".rstrip() for step, what in sorted(places)[:_SHOWN])
            earlier = merged.get(code, Note(code=code, count=0))
            merged[code] = Note(code=code, count=earlier.count + sum(places.values()), places=(*earlier.places, *named))
        return tuple(merged[code] for code in sorted(merged))
