"""Values that can be followed from one step to another, in a spelling that formatting does not change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from ..model.json import JsonValue, number
from ._policy import Policy

_NUMBER = re.compile(r"(?<![\w.,])[-+]?[$€£¥]?\s?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w]|[.,]\d)")
_TOKEN = re.compile(r"[^\W_][\w\-./@:+]*[^\W_]")
_TAIL = re.compile(r"[^\W\d_]{2,}-?\d{3,}")
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?!\d)")
_WORD_DATE = re.compile(
    r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WORD = re.compile(r"\w+")
_MAX_NUMBER = 40


def values(tree: JsonValue, policy: Policy) -> dict[str, str]:
    """Return distinctive values of a tree, each with the first place where it stands.

    Keys are canonical spellings (``$1,250.00`` and ``1250`` are one), places are positions (``[3][0]``), never names.
    Object keys count as values too: tools use ids as keys.
    """
    found: dict[str, str] = {}
    for place, leaf in _places(tree):
        for value in _of_leaf(leaf, policy):
            if value not in policy.common:
                found.setdefault(value, place)
    return found


def _places(tree: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    stack: list[tuple[str, JsonValue]] = [("", tree)]
    while stack:
        place, node = stack.pop()
        if isinstance(node, dict):
            for position, (key, child) in reversed(list(enumerate(node.items()))):
                stack.append((f"{place}[{position}]", child))
                if any(char.isdigit() for char in key):
                    stack.append((f"{place}[{position}]", key))
        elif isinstance(node, list):
            stack.extend((f"{place}[{position}]", node[position]) for position in range(len(node) - 1, -1, -1))
        else:
            yield place, node


def _of_leaf(leaf: JsonValue, policy: Policy) -> Iterable[str]:
    if isinstance(leaf, bool) or leaf is None:
        return ()
    if isinstance(leaf, int | float):
        return _numbers(number(leaf), policy)
    if isinstance(leaf, str):
        return _texts(leaf, policy)
    return ()


def _texts(leaf: str, policy: Policy) -> Iterator[str]:
    half = policy.max_leaf // 2
    text = (leaf if len(leaf) <= policy.max_leaf else leaf[:half] + "\n" + leaf[-half:]).casefold()
    stripped = text.strip().strip("#\"'.")
    if policy.min_text <= len(stripped) <= 200 or (len(stripped) >= 3 and _has_digit(stripped) and " " not in stripped):
        yield stripped
    yield from _numbers(text, policy)
    for match in _TOKEN.finditer(text):
        token = match.group()
        if (_has_digit(token) or "@" in token) and len(token) >= policy.min_digits and not _plain_number(token):
            yield token
            yield from _TAIL.findall(token)
    for year, month, day in _ISO_DATE.findall(text):
        yield f"date:{year}-{month}-{day}"
    for month, day, year in _WORD_DATE.findall(text):
        yield f"date:{year}-{_MONTHS.index(month) + 1:02d}-{int(day):02d}"
    yield from _sentences(text, policy.shingle_words)


def _numbers(text: str, policy: Policy) -> Iterator[str]:
    for match in _NUMBER.finditer(text):
        spelled = match.group(1).replace(",", "")
        # 42.0 says no more than 42.
        told = spelled.removesuffix(".0")
        if sum(char.isdigit() for char in told) < policy.min_digits or len(spelled) > _MAX_NUMBER:
            continue
        if spelled.startswith("0") and "." not in spelled:
            yield spelled  # a code with leading zeros is no amount
            continue
        amount = Decimal(spelled).normalize()
        yield f"{amount:f}"
        if "." in spelled:
            yield f"{(amount * 100).normalize():f}"  # the same amount in minor units


def _sentences(text: str, size: int) -> Iterator[str]:
    """Yield runs of words: a sentence quoted from a document shares some of them."""
    run = _WORD.findall(text)
    for start in range(len(run) - size + 1):
        yield " ".join(run[start : start + size])


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _plain_number(token: str) -> bool:
    return token.replace(".", "").replace(",", "").isdigit()
