"""Where a name that is a month or a weekday stands for the day; verify's own reading, not the rewriter's."""

from __future__ import annotations

import re

_MONTH = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DATED = re.compile(
    rf"(?:\b(?:in|until|till|since|during|next|last|early|late|mid|every|each|of)[ -](?:(?:{_MONTH})\W{{1,3}}(?:\w{{2,7}} )?)?"
    rf"|\d(?:st|nd|rd|th)?(?: of)?[ -])(?:{_MONTH})$"
    rf"|\b(?:on|until|till|since|next|last|every|each) {_DAY}$"
)
_FOLLOWED = re.compile(
    rf"(?:\.?\s+\d|,?\s+(?:of\s+)?(?:19|20)\d\d|,?\s+(?:{_MONTH}|morning|afternoon|evening|night)\b)"
)
_WORD = re.compile(f"{_MONTH}|{_DAY}")
_WINDOW = 32


def dates_something(folded: str, start: int, end: int) -> bool:
    """Say whether a folded token is a month or weekday that the words around it make part of a date."""
    if _WORD.fullmatch(folded, start, end) is None:
        return False
    return _FOLLOWED.match(folded, end) is not None or _DATED.search(folded[max(0, start - _WINDOW) : end]) is not None
