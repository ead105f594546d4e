"""Numbers in texts: amounts in any country's grouping, minor units, percentages, digits in groups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

_SPACES = " \u00a0\u202f"
_CURRENCY = r"(?:[$€£¥₹]|\b(?:usd|eur|gbp|chf|jpy|inr|cad|aud|sek|nok|dkk|kr|pln|zł)\b)"
# Groups of three, or digits alone; then a part after the decimal sign.
_NUMBER = re.compile(
    rf"(?P<before>{_CURRENCY}\s?)?(?<![\w.,])"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d{1,3}(?:['’]\d{3})+(?:\.\d+)?"
    rf"|\d{{1,3}}(?:[{_SPACES}]\d{{3}})+[.,]\d{{2}}|\d+(?:\.\d+|,\d{{1,2}})?)(?![\w]|[.,:/]\d|-\d)"
    rf"(?P<after>\s?(?:{_CURRENCY}|%|percent\b|per cent\b|cents?\b|pence\b))?"
)
_GROUPED = re.compile(r"(?<![\w.,/:-])\+?\(?\d{1,5}\)?(?:[ .()-]{1,2}\d{2,5}){1,6}(?![\w/:]|[.,-]\d)")
_DATE_LIKE = re.compile(r"\d{4}[-.]\d{2}[-.]\d{2}|\d{1,2}[-.]\d{1,2}[-.]\d{4}")
_IP_LIKE = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
_ENDING = re.compile(
    r"(?:\bending (?:in|with)|\blast (?:four|4)(?: digits)?(?: are| is|:)?|[•*x]{2,16}|[•*])[ -]?(\d{4})(?!\d)"
)
_MAX_DIGITS = 40
_CARD, _PHONE, _NATIONAL = 12, (10, 13), 9


def amounts(text: str, *, min_digits: int, minor: bool) -> Iterator[str]:
    """Yield numbers of a casefolded text without grouping or needless zeros.

    Money of two decimals also comes in minor units, and what is said to be minor units (``minor``, or *cents* beside
    it) in major ones: nothing else makes 12950 the same as 129.50. A percentage also comes as a fraction of one.
    """
    for match in _NUMBER.finditer(text):
        spelled, before, after = match["number"], match["before"], (match["after"] or "").strip()
        if len(spelled) > _MAX_DIGITS:
            continue
        if spelled.isdigit() and spelled.startswith("0") and len(spelled) > 1:
            if len(spelled) >= min_digits:
                yield spelled  # a code with leading zeros is no amount
            continue
        for amount in _readings(spelled, money=bool(before or after)):
            yield from _spellings(amount, after, money=bool(before or after), minor=minor, min_digits=min_digits)


def money(text: str, *, min_digits: int) -> Iterator[str]:
    """Yield amounts that stand beside a currency, unless they may be read in two ways."""
    for match in _NUMBER.finditer(text):
        after = (match["after"] or "").strip()
        if (match["before"] or (after and "%" not in after and "cent" not in after)) and len(
            match["number"]
        ) <= _MAX_DIGITS:
            readings = list(_readings(match["number"], money=True))
            if len(readings) == 1:
                yield from _long(readings[0], min_digits)


def _spellings(amount: Decimal, after: str, *, money: bool, minor: bool, min_digits: int) -> Iterator[str]:
    if after in ("%", "percent", "per cent"):
        if amount not in (0, 100):
            yield f"percent:{_plain(amount)}"
            yield from _long(amount / 100, min_digits)
        yield from _long(amount, min_digits + (amount == amount.to_integral()))
        return
    yield from _long(amount, min_digits)
    whole = amount == amount.to_integral()
    if whole and (minor or after in ("cent", "cents", "pence")):
        yield from _long(amount / 100, min_digits)
    elif money and not whole:
        yield from _long(amount * 100, min_digits)


def _readings(spelled: str, *, money: bool) -> Iterator[Decimal]:
    """Yield what a spelling may mean: ``1.250`` is a decimal, and beside a currency also a thousand."""
    text = re.sub(rf"[{_SPACES}'’]", "", spelled)
    comma, point = text.rfind(","), text.rfind(".")
    if comma < 0:
        if text.count(".") > 1:
            yield Decimal(text.replace(".", ""))
            return
        yield Decimal(text)
        if money and re.fullmatch(r"\d{1,3}\.\d{3}", text):
            yield Decimal(text.replace(".", ""))
    elif point > comma or re.fullmatch(r"\d{1,3}(?:,\d{3})+", text):
        yield Decimal(text.replace(",", ""))
    else:
        yield Decimal(text.replace(".", "").replace(",", "."))


def _long(amount: Decimal, min_digits: int) -> Iterator[str]:
    told = _plain(amount)
    if sum(char.isdigit() for char in told) >= min_digits:
        yield told


def _plain(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def digit_runs(text: str) -> Iterator[str]:
    """Yield long numbers without their grouping: cards, telephones with and without country, last four digits."""
    for match in _GROUPED.finditer(text):
        spelled = match.group()
        digits = re.sub(r"\D", "", spelled)
        if len(digits) >= 7 and not _DATE_LIKE.search(spelled) and not _IP_LIKE.fullmatch(spelled):
            yield digits
            yield from _tails(digits)
    for match in re.finditer(r"(?<![\w.,-])\+?(\d{10,19})(?![\w]|[.,-]\d)", text):
        yield match[1]
        yield from _tails(match[1])
    for match in _ENDING.finditer(text):
        yield f"last:{match[1]}"


def _tails(digits: str) -> Iterator[str]:
    if len(digits) >= _CARD:
        yield f"last:{digits[-4:]}"
    if _PHONE[0] <= len(digits) <= _PHONE[1]:
        yield f"phone:{digits[-_NATIONAL:]}"
