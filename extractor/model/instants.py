"""The instants at which a case's time facts change what is right: on either side of each, a product decides otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .json import JsonValue

_TIME_OF_DAY = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ZONES = ("time_zone", "timezone", "tz", "zone_id")
_SECOND = timedelta(seconds=1)
_FACT = "time."


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit of a time fact: ``fact`` without its prefix, the ``member`` that states it, and the instant it means."""

    fact: str
    member: str
    at: datetime

    @property
    def before(self) -> datetime:
        """The last second before the limit."""
        return self.at - _SECOND


def limits(document: Mapping[str, JsonValue]) -> list[Limit]:
    """Return the limits of a fixture's time facts, one an instant, nearest to its own instant first."""
    frozen = instant(document.get("frozen_at"), UTC)
    if frozen is None:
        return []
    found: dict[datetime, Limit] = {}
    for limit in _stated(document, frozen):
        found.setdefault(limit.at, limit)
    return sorted(found.values(), key=lambda limit: (abs(limit.at - frozen), limit.at))


def other_offset(document: Mapping[str, JsonValue]) -> datetime | None:
    """Return the nearest day on which the local clock shows the same under another offset, within a week."""
    frozen = instant(document.get("frozen_at"), UTC)
    if frozen is None:
        return None
    here = frozen.astimezone(zone(document.get("time_zone")) or frozen.tzinfo or UTC)
    for days in (-1, 1, -2, 2, -7, 7):
        other = here + timedelta(days=days)
        if other.utcoffset() != here.utcoffset():
            return other
    return None


def instant(value: JsonValue, assumed: tzinfo | None) -> datetime | None:
    """Return the instant of an ISO 8601 text, one without offset in the ``assumed`` zone; None for anything else.

    Without a zone, a text that has no offset is no instant.
    """
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if moment is None or moment.tzinfo is not None:
        return moment
    return None if assumed is None else moment.replace(tzinfo=assumed)


def _stated(document: Mapping[str, JsonValue], frozen: datetime) -> Iterator[Limit]:
    own = zone(document.get("time_zone")) or frozen.tzinfo or UTC
    facts = document.get("facts")
    for fact in facts if isinstance(facts, list) else ():
        name, told = (fact.get("name"), fact.get("value")) if isinstance(fact, dict) else (None, None)
        if not isinstance(name, str) or not name.startswith(_FACT) or not isinstance(told, dict):
            continue
        there = next((known for each in _ZONES if (known := zone(told.get(each)))), own)
        for member, value in told.items():
            if (at := _limit(value, frozen, there)) is not None:
                yield Limit(fact=name.removeprefix(_FACT), member=member, at=at)


def _limit(value: JsonValue, frozen: datetime, there: tzinfo) -> datetime | None:
    """Return the instant that a limit means; a time of day is one of the decision's own day."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 10**9 <= value < 10**10:
        return datetime.fromtimestamp(float(value), there)
    if not isinstance(value, str):
        return None
    if (match := _TIME_OF_DAY.fullmatch(value)) is not None:
        day = frozen.astimezone(there).date()
        return datetime.combine(day, time(int(match.group(1)), int(match.group(2))), there)
    return instant(value + "T00:00:00" if _DAY.fullmatch(value) else value, there)


def zone(value: JsonValue) -> ZoneInfo | None:
    """Return the time zone of the IANA database that a value names, None for anything else."""
    try:
        return ZoneInfo(value) if isinstance(value, str) and value else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
