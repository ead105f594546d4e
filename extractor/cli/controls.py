"""Neighbouring cases that would show which side of a limit a product decides on: suggestions, nothing is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from extractor.model.json import JsonValue

from .view import CaseView, items, members, text

_TIME_OF_DAY = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ZONES = ("time_zone", "timezone", "tz", "zone_id")
_MOST = 3
_SECOND = timedelta(seconds=1)


def suggested(view: CaseView) -> Iterator[str]:
    """Yield instants close to the limits of a case's time facts, nearest to its own first, as ``--frozen-at`` takes them."""
    frozen = _instant(view.fixture.get("frozen_at"), UTC)
    if frozen is None:
        return
    zone = _zone(view.fixture.get("time_zone")) or frozen.tzinfo or UTC
    found: dict[datetime, str] = {}
    for fact in items(view.fixture.get("facts")):
        name = text(fact.get("name"))
        if name.startswith("time."):
            told = members(fact.get("value"))
            there = next((known for each in _ZONES if (known := _zone(told.get(each)))), zone)
            for value in told.values():
                if (limit := _limit(value, frozen, there)) is not None:
                    found.setdefault(limit, name.removeprefix("time."))
    for limit in sorted(found, key=lambda each: abs(each - frozen))[:_MOST]:
        yield f"{(limit - _SECOND).isoformat()} and {limit.isoformat()}, either side of {found[limit]}"
    if (other := _other_offset(frozen, zone)) is not None:
        yield f"{other.isoformat()}, the same local time under another offset"


def _limit(value: JsonValue, frozen: datetime, zone: tzinfo) -> datetime | None:
    """Return the instant that a limit means; a time of day is one of the decision's own day."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 10**9 <= value < 10**10:
        return datetime.fromtimestamp(float(value), zone)
    if not isinstance(value, str):
        return None
    if (match := _TIME_OF_DAY.fullmatch(value)) is not None:
        day = frozen.astimezone(zone).date()
        return datetime.combine(day, time(int(match.group(1)), int(match.group(2))), zone)
    return _instant(value + "T00:00:00" if _DAY.fullmatch(value) else value, zone)


def _instant(value: JsonValue, zone: tzinfo) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment.replace(tzinfo=zone) if moment is not None and moment.tzinfo is None else moment


def _zone(value: JsonValue) -> ZoneInfo | None:
    try:
        return ZoneInfo(value) if isinstance(value, str) and value else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _other_offset(frozen: datetime, zone: tzinfo) -> datetime | None:
    """Return the nearest day on which the clock shows the same and the offset is another, within a week."""
    here = frozen.astimezone(zone)
    for days in (-1, 1, -2, 2, -7, 7):
        other = here + timedelta(days=days)
        if other.utcoffset() != here.utcoffset():
            return other
    return None
