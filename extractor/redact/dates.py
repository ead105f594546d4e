"""Personal dates: each moves by its own keyed amount, keeping their order and every age in whole years."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from ..errors import RedactionRefused
from .draw import Stream

MAX_SHIFT_DAYS = 45
_WIDEST_SHIFT_DAYS = 3_650
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS_A_YEAR = 12
_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
_COMPACT = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")
_NUMERIC = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2}(?!\d))")
_PIVOT = 30  # two digits of a year up to here are of this century
_SHORT_YEAR = 100
_PROSE_US = re.compile(r"([A-Za-z]{3,9})(\.?\s+)(\d{1,2})(st|nd|rd|th)?(,?\s+)(\d{4})")
_PROSE_EU = re.compile(r"(\d{1,2})(st|nd|rd|th)?([\s-]+(?:of\s+)?)([A-Za-z]{3,9})(\.?,?[\s-]+)(\d{4})")


def read(text: str) -> date | None:
    """Return the calendar day that a text spells, whatever its format; day and month swapped only where that is forced."""
    if found := _ISO.match(text):
        return _day(int(found[1]), int(found[3]), int(found[4]))
    if found := _COMPACT.match(text):
        return _day(int(found[1]), int(found[2]), int(found[3]))
    if found := _NUMERIC.match(text):
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        year += (2000 if year <= _PIVOT else 1900) if len(found[4]) == 2 else 0
        day_first = first > _MONTHS_A_YEAR or found[2] == "."  # no thirteenth month
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
    yield f"{day:%Y.%m.%d}"
    yield f"{day:%m/%d/%Y}"
    yield f"{day.month}/{day.day}/{day.year}"
    yield f"{day:%m-%d-%Y}"
    yield f"{day:%d.%m.%Y}"
    yield f"{day.day}.{day.month}.{day.year}"
    yield f"{day:%Y%m%d}"
    yield f"{day.month}/{day.day}/{day:%y}"
    yield f"{day:%m/%d/%y}"
    if day.day > _MONTHS_A_YEAR:  # else it would read as another day
        yield f"{day:%d/%m/%Y}"
        yield f"{day:%d-%m-%Y}"
    for name in dict.fromkeys((month, month[:3])):
        yield f"{name} {day.day}, {day.year}"
        yield f"{name} {day.day} {day.year}"
        yield f"{name}. {day.day}, {day.year}"
        yield f"{day.day} {name} {day.year}"
        yield f"{day:%d} {name} {day.year}"
        yield f"{day:%d}-{name}-{day.year}"
        ordinal = f"{day.day}{_ending(day.day, 'th')}"
        yield f"{name} {ordinal}, {day.year}"
        yield f"{name} {ordinal} {day.year}"
        yield f"{ordinal} {name} {day.year}"
        yield f"{ordinal} of {name} {day.year}"


def respell(iso: str, surface: str) -> str:
    """Return a day, given in ISO form, in the format of another date's spelling."""
    day = date.fromisoformat(iso)

    def padded(value: int, like: str) -> str:
        return f"{value:02}" if len(like) == 2 else str(value)

    if found := _ISO.match(surface):
        head = f"{day.year:04}{found[2]}{padded(day.month, found[3])}{found[2]}{padded(day.day, found[4])}"
    elif found := _COMPACT.match(surface):
        head = f"{day:%Y%m%d}"
    elif found := _NUMERIC.match(surface):
        day_first = int(found[1]) > _MONTHS_A_YEAR or found[2] == "."
        first, second = (day.day, day.month) if day_first else (day.month, day.day)
        year = f"{day.year % _SHORT_YEAR:02}" if len(found[4]) == 2 else f"{day.year}"
        head = f"{padded(first, found[1])}{found[2]}{padded(second, found[3])}{found[2]}{year}"
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

    Equal days stay equal and others keep their order; ages in whole years at ``today`` stay; no day is an original. Days
    so dense that no room is left give up first the age, then the bound of `MAX_SHIFT_DAYS`.
    Raises `RedactionRefused` when even that does not suffice.
    """
    days = {text: day for text in texts if (day := read(text)) is not None}
    ordered = sorted({day.toordinal() for day in days.values()})
    moved = dict(zip(ordered, _moved(ordered, key, today), strict=True))
    return {
        text: date.fromordinal(moved[day.toordinal()]).isoformat() if (day := days.get(text)) else text
        for text in texts
    }


def _moved(ordered: Sequence[int], key: bytes, today: date | None) -> list[int]:
    originals = frozenset(ordered)
    for reach, at in ((MAX_SHIFT_DAYS, today), (MAX_SHIFT_DAYS, None), (_WIDEST_SHIFT_DAYS, None)):
        windows = [_window(day, reach, at) for day in ordered]
        latest = _latest(windows, originals)
        if latest is None:
            continue
        moved: list[int] = []
        after = 0
        for day, (low, _), last in zip(ordered, windows, latest, strict=True):
            free = [candidate for candidate in range(max(low, after + 1), last + 1) if candidate not in originals]
            after = free[Stream(key, "date", date.fromordinal(day).isoformat()).below(len(free))]
            moved.append(after)
        return moved
    raise RedactionRefused("the personal dates of this case lie too close together to be moved")


def _latest(windows: Sequence[tuple[int, int]], originals: frozenset[int]) -> list[int] | None:
    """Return for each window the last free day that leaves room for all later ones, None where there is none.

    Whoever picks up to these days, in order, always finds one: a window's own last day is free and after all picks.
    """
    latest: list[int] = []
    bound = date.max.toordinal()
    for low, high in reversed(windows):
        bound = min(bound, high)
        while bound in originals:
            bound -= 1
        if bound < low:
            return None
        latest.append(bound)
        bound -= 1
    return latest[::-1]


def _window(ordinal: int, reach: int, today: date | None) -> tuple[int, int]:
    low, high = max(ordinal - reach, 1), min(ordinal + reach, date.max.toordinal())
    if today is None or ordinal >= today.toordinal():
        return low, high
    age = _age(date.fromordinal(ordinal), today)
    while _age(date.fromordinal(low), today) != age:
        low += 1
    while high >= today.toordinal() or _age(date.fromordinal(high), today) != age:
        high -= 1
    return low, high


def _age(born: date, today: date) -> int:
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))
