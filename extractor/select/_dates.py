"""Dates and times of day in texts, in one spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("jan", "januar"), ("feb", "februar"), ("mar", "mär", "mrz"), ("apr",), ("may", "mai"), ("jun",),
            ("jul",), ("aug",), ("sep",), ("oct", "okt"), ("nov",), ("dec", "dez"),
        ),
        start=1,
    )
    for name in names
}  # fmt: skip
_MONTH = r"(?P<month>jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-z]*\.?"
_ORDERED = (
    re.compile(r"(?<![\d.-])(?P<year>\d{4})[-/](?P<month>\d{2})[-/](?P<day>\d{2})(?!\d)"),
    re.compile(
        r"(?<![\d.])(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})(?!\d)"
    ),  # dots: the day is first
    re.compile(rf"\b{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,? (?P<year>\d{{4}})\b)?"),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? (?:of )?{_MONTH}(?:,? (?P<year>\d{{4}})\b)?"),
)
_SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\d/])")
_TIME = re.compile(r"(?<![\d:.,])(\d{1,2})[:.](\d{2})(?::(\d{2}))?(?:\.\d+)?\s?(?:([ap])\.?m\b\.?)?(?![\d:]|[.,]\d)")
_TIME_OF_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}[t ](\d{2}):(\d{2})")


def dates(text: str) -> Iterator[str]:
    """Yield the dates of a casefolded text that have a year.

    ``03/09/2026`` comes as both the 9th of March and the 3rd of September: nobody knows the writer's habit, a wrong
    reading rarely meets a counterpart, and a flow that is missed loses evidence.
    """
    yield from (f"date:{year}-{day}" for year, day in _ordered(text) if year is not None)
    for first, second, year in _SLASHED.findall(text):
        for month, day in dict.fromkeys(((int(first), int(second)), (int(second), int(first)))):
            if _exists(month, day):
                yield f"date:{year}-{month:02d}-{day:02d}"


def days(text: str) -> Iterator[str]:
    """Yield the days of a casefolded text that stand without a year."""
    yield from (f"of:{day}" for year, day in _ordered(text) if year is None)


def _ordered(text: str) -> Iterator[tuple[str | None, str]]:
    for pattern in _ORDERED:
        for match in pattern.finditer(text):
            month = match["month"]
            numbered, day = int(month) if month.isdecimal() else _MONTHS[month], int(match["day"])
            if _exists(numbered, day):
                yield match["year"], f"{numbered:02d}-{day:02d}"


def times(text: str) -> Iterator[str]:
    """Yield times of day as hours and minutes of 24; midnight is too common to tell anything."""
    for match in _TIME.finditer(text):
        hour, minute, half = int(match[1]), int(match[2]), match[4]
        if half is None and ":" not in match.group():
            continue  # 2.30 is a number
        if half is not None:
            if not 1 <= hour <= 12:
                continue
            hour = hour % 12 + (12 if half == "p" else 0)
        yield from _time(hour, minute)
    for hours, minutes in _TIME_OF_INSTANT.findall(text):
        yield from _time(int(hours), int(minutes))


def _exists(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def _time(hour: int, minute: int) -> Iterator[str]:
    if hour < 24 and minute < 60 and (hour, minute) != (0, 0):
        yield f"time:{hour:02d}:{minute:02d}"
