"""The instant at which a replay stands still: what the agent's own clock said, where a call or an attribute holds it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from ..model.json import JsonValue
from ..model.span import Span

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def recorded(values: Iterable[JsonValue], boundary: Span, within_ns: int) -> int | None:
    """Return the clock value nearest to the boundary's span, in nanoseconds since the epoch, None where none is near.

    Only an instant with its offset counts, and of those within the span the last. An agent that formats its clock coarsely
    in one call and finely in another read one clock: the finer reading is the nearer.
    """
    start, end = boundary.start_ns, max(boundary.start_ns, boundary.end_ns or boundary.start_ns)
    ranked = [
        (max(start - instant, instant - end, 0), -instant)
        for instant in (_instant(value) for value in values)
        if instant is not None
    ]
    distance, negated = min(ranked, default=(within_ns + 1, 0))
    return -negated if distance <= within_ns else None


def _instant(value: JsonValue) -> int | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return None if moment.tzinfo is None else (moment - _EPOCH) // _MICROSECOND * 1_000
