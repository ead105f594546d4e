"""Personal dates: each moves by its own keyed amount, keeping their order and every age in whole years."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from .draw import Stream

MAX_SHIFT_DAYS = 45
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
_NUMERIC = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
_PROSE_US = re.compile(r"([A-Za-z]{3,9})(\.?\s+)(\d{1,2})(st|nd|rd|th)?(,?\s+)(\d{4})")
_PROSE_EU = re.compile(r"(\d{1,2})(st|nd|rd|th)?(\s+(?:of\s+)?)([A-Za-z]{3,9})(\.?,?\s+)(\d{4})")


def read(text: str) -> date | None:
    """Return the calendar day that a text spells, whatever its format; day and month swapped only where that is forced."""
    if found := _ISO.match(text):
        return _day(int(found[1]), int(found[3]), int(found[4]))
    if found := _NUMERIC.match(text):
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        day_first = first > 12 or found[2] == "."  # no thirteenth month
        return _day(year, second, first) if day_first else _day(year, first, second)
    if found := _PROSE_US.match(text):
        return _day(int(found[6]), _month(found[1]), int(found[3]))
    if found := _PROSE_EU.match(text):
        return _day(int(found[6]), _month(found[4]), int(found[1]))
    return None


def _month(name: str) -> int:
    lowered = name.lower()
    return next((number for number, month in enumerate(_MONTHS, 1) if month.startswith(lowered)), 0)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def spellings(day: date) -> Iterator[str]:
    """Yield the ways in which people and programs write a day, to be searched in prose."""
    month = _MONTHS[day.month - 1].capitalize()
    yield day.isoformat()
    yield f"{day:%Y/%m/%d}"
    yield f"{day:%m/%d/%Y}"
    yield f"{day.month}/{day.day}/{day.year}"
    yield f"{day:%d.%m.%Y}"
    for name in dict.fromkeys((month, month[:3])):
        yield f"{name} {day.day}, {day.year}"
        yield f"{name} {day.day} {day.year}"
        yield f"{day.day} {name} {day.year}"
        for ending in ("st", "nd", "rd", "th"):
            yield f"{name} {day.day}{ending}, {day.year}"


def respell(iso: str, surface: str) -> str:
    """Return a day, given in ISO form, in the format of another date's spelling."""
    day = date.fromisoformat(iso)

    def padded(value: int, like: str) -> str:
        return f"{value:02}" if len(like) == 2 else str(value)

    if found := _ISO.match(surface):
        head = f"{day.year}{found[2]}{padded(day.month, found[3])}{found[2]}{padded(day.day, found[4])}"
    elif found := _NUMERIC.match(surface):
        day_first = int(found[1]) > 12 or found[2] == "."
        first, second = (day.day, day.month) if day_first else (day.month, day.day)
        head = f"{padded(first, found[1])}{found[2]}{padded(second, found[3])}{found[2]}{day.year}"
    elif found := _PROSE_US.match(surface):
        head = f"{_named(day, found[1])}{found[2]}{day.day}{_ending(day.day, found[4])}{found[5]}{day.year}"
    elif found := _PROSE_EU.match(surface):
        head = f"{day.day}{_ending(day.day, found[2])}{found[3]}{_named(day, found[4])}{found[5]}{day.year}"
    else:
        return iso
    return head + surface[found.end() :]


def _named(day: date, like: str) -> str:
    month = _MONTHS[day.month - 1]
    name = month[:3] if len(like) == 3 else month
    return name.upper() if like.isupper() else name.lower() if like.islower() else name.capitalize()


def _ending(day: int, like: str | None) -> str:
    if not like:
        return ""
    return "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def shift(texts: Sequence[str], key: bytes, today: date | None) -> dict[str, str]:
    """Return for each date text the ISO form of its stand-in.

    Equal days stay equal and others keep their order; ages in whole years at ``today`` stay; no day is an original.
    """
    days = {text: day for text in texts if (day := read(text)) is not None}
    ordered = sorted(set(days.values()))
    latest: list[date] = []
    bound = date.max
    for day in reversed(ordered):
        bound = min(_window(day, today)[1], bound)
        latest.append(bound)
        bound -= timedelta(days=1)
    latest.reverse()
    moved: dict[date, date] = {}
    earliest = date.min
    for day, last in zip(ordered, latest, strict=True):
        low = max(_window(day, today)[0], earliest)
        room = [low + timedelta(days=step) for step in range((last - low).days + 1)]
        free = [candidate for candidate in room if candidate not in days.values()] or room
        # Leave the later ones some room: draw from the first part of what is free.
        pick = free[Stream(key, "date", day.isoformat()).below(max(1, len(free) - len(ordered)))]
        moved[day] = pick
        earliest = pick + timedelta(days=1)
    return {text: moved[day].isoformat() if (day := days.get(text)) else text for text in texts}


def _window(day: date, today: date | None) -> tuple[date, date]:
    low, high = day - timedelta(days=MAX_SHIFT_DAYS), day + timedelta(days=MAX_SHIFT_DAYS)
    if today is None or day >= today:
        return low, high
    age = _age(day, today)
    while _age(low, today) != age:
        low += timedelta(days=1)
    while _age(high, today) != age or high >= today:
        high -= timedelta(days=1)
    return low, high


def _age(born: date, today: date) -> int:
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))
