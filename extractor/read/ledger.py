"""The completeness ledger: what was wrong on the way, by code and position, each place counted once."""

from __future__ import annotations

from dataclasses import dataclass, field

from extractor.model.reading import Note

_Place = tuple[int, int, int, str]


@dataclass(slots=True, kw_only=True)
class Ledger:
    """Collects entries over several passes; the same fault found again is still one."""

    shown: int
    _places: dict[str, set[_Place]] = field(default_factory=dict)

    def add(self, code: str, *, file: int, record: int = 0, item: int = 0, reason: str = "") -> None:
        """Enter a fact about a file, a record of it, or the nth report on that record."""
        self._places.setdefault(code, set()).add((file, record, item, reason))

    def notes(self) -> tuple[Note, ...]:
        """Return the entries in code order; every place counts, the first ones are named."""
        return tuple(
            Note(
                code=code,
                count=len(places),
                places=tuple(_named(place) for place in sorted(places)[: self.shown]),
            )
            for code, places in sorted(self._places.items())
        )


def _named(place: _Place) -> str:
    file, record, item, reason = place
    text = f"file {file}" + (f" record {record}" if record else "") + (f" item {item}" if item else "")
    return f"{text} ({reason})" if reason else text
