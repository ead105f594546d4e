"""The completeness ledger: what was wrong on the way, by code and position, each place counted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from extractor.model.reading import Note

_Place = tuple[int, int, int, str]
_HELD = 10_000  # places of one code
Entry: TypeAlias = tuple[str, int, int, int, str]
"""Code, file, record, item, reason."""

LOST: Final = frozenset(
    {
        "record_refused", "span_refused", "file_truncated", "file_changed_while_read", "file_not_recognised", "file_unreadable",
        "file_javascript_text", "file_comma_separated",
    }
)  # fmt: skip
"""What a ledger tells of that may have hidden a trace."""


@dataclass(slots=True, kw_only=True)
class Ledger:
    """Collects entries over several passes; the same fault found again is still one."""

    shown: int
    _places: dict[str, set[_Place]] = field(default_factory=dict)

    def add(self, code: str, *, file: int, record: int = 0, item: int = 0, reason: str = "") -> None:
        """Enter a fact about a file, a record of it, or the nth report on that record."""
        self._places.setdefault(code, set()).add((file, record, item, reason))

    def enter(self, entry: Entry) -> None:
        """Enter what another ledger heard."""
        code, file, record, item, reason = entry
        self.add(code, file=file, record=record, item=item, reason=reason)

    def counts(self, records: Mapping[int, Collection[int]]) -> dict[str, int]:
        """Return how often each code was entered about files as a whole, or about these records, by file."""
        found = {
            code: sum(not record or record in records.get(file, ()) for file, record, _, _ in places)
            for code, places in sorted(self._places.items())
        }
        return {code: count for code, count in found.items() if count}

    def notes(self) -> tuple[Note, ...]:
        """Return the entries in code order; every place counts, the first ones are named."""
        return tuple(
            Note(
                code=code,
                count=len(places) + self._beyond(code),
                places=tuple(_named(place) for place in sorted(places)[: self.shown]),
            )
            for code, places in sorted(self._places.items())
        )

    def _beyond(self, code: str) -> int:
        """Return how often a code was entered at places that are not held."""
        del code
        return 0


@dataclass(slots=True, kw_only=True)
class Heard(Ledger):
    """A ledger that also keeps what was entered of each record until it is taken.

    Of each code it holds so many places, and counts the others: an export of any length may have the same to say of every record.
    """

    _of_record: dict[tuple[int, int], list[Entry]] = field(default_factory=dict)
    _others: Counter[str] = field(default_factory=Counter)

    def add(self, code: str, *, file: int, record: int = 0, item: int = 0, reason: str = "") -> None:
        """Enter a fact, and keep it for its record."""
        if len(self._places.get(code, ())) < _HELD:
            Ledger.add(self, code, file=file, record=record, item=item, reason=reason)
        else:
            self._others[code] += (file, record, item, reason) not in self._places[code]
        if record:
            self._of_record.setdefault((file, record), []).append((code, file, record, item, reason))

    def _beyond(self, code: str) -> int:
        return self._others[code]

    def taken(self, file: int, record: int) -> tuple[Entry, ...]:
        """Return what was entered of a record; what was entered of records before it is let go."""
        found = self._of_record.pop((file, record), [])
        for earlier in [key for key in self._of_record if key < (file, record)]:
            del self._of_record[earlier]
        return tuple(found)


def _named(place: _Place) -> str:
    file, record, item, reason = place
    text = f"file {file}" + (f" record {record}" if record else "") + (f" item {item}" if item else "")
    return f"{text} ({reason})" if reason else text
