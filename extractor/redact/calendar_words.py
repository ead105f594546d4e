"""Months and weekdays that are people's names as well: where a text means the calendar, whoever is called so."""

from __future__ import annotations

import calendar
import re

MONTHS = frozenset({month[:length].lower() for month in calendar.month_name[1:] for length in (3, 4, len(month))})
_DAYS = frozenset(map(str.lower, calendar.day_name))
_ANY_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_MONTH_BEFORE = re.compile(
    r"(?:\b(?:in|until|till|since|during|next|last|early|late|mid|every|each|(?:end|start|middle|beginning|rest) of)[ -]"
    rf"(?:(?:{_ANY_MONTH})\.?(?: or | and | to | through |, |[/–-]))?|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)?[ -])$",
    re.IGNORECASE,
)
_MONTH_AFTER = re.compile(r"\.?\s+\d{1,2}(?:st|nd|rd|th)?\b|,?\s+(?:of\s+)?(?:19|20)\d\d\b")
_DAY_BEFORE = re.compile(r"\b(?:on|until|till|since|next|last|every|each)\s$", re.IGNORECASE)
_DAY_AFTER = re.compile(rf",?\s+(?:morning|afternoon|evening|night|\d{{1,2}}\b|(?:{_ANY_MONTH})\b)", re.IGNORECASE)
_WINDOW = 32  # characters before a word that tell what it is


def is_calendar(text: str, start: int, end: int) -> bool:
    """Tell whether ``text[start:end]`` is a month or a weekday by the words around it: ``in May``, ``April 3``."""
    word = text[start:end].lower()
    before = text[max(0, start - _WINDOW) : start]
    if word in MONTHS:
        return _MONTH_AFTER.match(text, end) is not None or _MONTH_BEFORE.search(before) is not None
    return word in _DAYS and (_DAY_AFTER.match(text, end) is not None or _DAY_BEFORE.search(before) is not None)
