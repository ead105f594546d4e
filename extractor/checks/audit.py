"""Which assertions have ever rejected anything: the rolling table of what they did (S93, S96)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from .rows import VERDICTS, instant, microseconds, opened

_JUDGED: Final = (VERDICTS.index("accepted"), VERDICTS.index("rejected"))
# One pass in the order of the primary key; SQLite gives ``reason`` from the very row that holds the maximum.
_TABLE: Final = """
SELECT a.name, a.place, r.runs, r.rejections, l.at, l.reason FROM assertion a JOIN (
  SELECT assertion, sum(verdict IN (?, ?)) AS runs, sum(verdict = ?) AS rejections FROM judged WHERE at >= ? GROUP BY assertion
) r ON r.assertion = a.id LEFT JOIN (
  SELECT assertion, max(at) AS at, reason FROM judged WHERE at >= ? AND verdict = ? GROUP BY assertion
) l ON l.assertion = a.id
ORDER BY r.rejections > 0, r.runs > 0, CASE WHEN r.rejections THEN l.at ELSE -r.runs END, a.name
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What one assertion did: ``runs`` that judged, ``rejections`` among them, the instant and property of the last one."""

    assertion_id: str
    runs: int
    rejections: int
    last_rejection_at: datetime | None
    last_reason: str | None
    place: str | None


def table(store: Path, *, since: datetime | None = None) -> tuple[Audited, ...]:
    """Return what each assertion did in runs that began at ``since`` or later.

    First those that never rejected: what never ran, then the most often run before others; then the rest, the longest silent first. A check that
    said nothing of a record, or broke on it, did not run. Raises `InputUnreadable` where there is no store.
    """
    accepted, rejected = _JUDGED
    first = -(1 << 62) if since is None else microseconds(since)
    with opened(store, make=False) as database:
        found = database.execute(_TABLE, (accepted, rejected, rejected, first, first, rejected)).fetchall()
    return tuple(
        Audited(
            assertion_id=name,
            runs=runs,
            rejections=rejections,
            last_rejection_at=None if last is None else instant(last),
            last_reason=reason,
            place=place,
        )
        for name, place, runs, rejections, last, reason in found
    )
