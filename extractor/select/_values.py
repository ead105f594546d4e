"""Values that can be followed from one step to another, in a spelling that formatting does not change."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from ..model.calls import words
from ..model.json import JsonValue, number
from ._dates import dates, days, times
from ._numbers import amounts, digit_runs, money
from ._policy import Policy

_TOKEN = re.compile(r"[^\W_][\w\-./@:+]*[^\W_]")
_TAIL = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,}-?\d{3,}")
_LETTERS_THEN_DIGITS = re.compile(r"(?<![\w-])([^\W\d_]{2,6}) (\d{4,})(?![\w-])")
_LAST_DIGITS = re.compile(r"(?<!\d)\d{5,}$")
_PLAIN_NUMBER = re.compile(r"[\d.,:/+-]*\d")
# Letters and at least four digits, in one piece or joined by dashes: no version, no size, no model's name.
_ID = re.compile(r"(?=(?:[^\d]*\d){4})(?=.*[^\W\d_])[a-z\d]+(?:[-_][a-z\d]+)*")
_WORD = re.compile(r"\w+")
_SEPARATORS = re.compile(r"[-_./:]")
_LONGEST_PHRASE = 6


def produced(tree: JsonValue, policy: Policy) -> dict[str, str]:
    """Return what later steps could have from a tree, each value with the first place where it stands.

    Keys are canonical spellings (``$1,250.00`` and ``1250`` are one), places are positions (``[3][0]``), never names.
    Object keys count as values too: tools use ids as keys.
    """
    found: dict[str, str] = {}
    for place, name, leaf in _places(tree):
        for value in (*_spellings(leaf, name, policy), *_whole(leaf, policy)):
            if value not in policy.common:
                found.setdefault(value, place)
    return found


def consumed(tree: JsonValue, known: Collection[str], policy: Policy) -> dict[str, str]:
    """Return the values of a tree that are ``known``, each with the first place where it stands.

    Beside the same spellings: short texts that a sentence quotes, and days without a year. What is not known is not
    held, so that long texts cost no memory.
    """
    found: dict[str, str] = {}
    for place, name, leaf in _places(tree):
        for value in (*_spellings(leaf, name, policy), *_quoted(leaf, policy)):
            if value in known:
                found.setdefault(value, place)
    return found


def asserted_ids(text: str, policy: Policy) -> Iterator[str]:
    """Yield the ids that an answer states, without separators."""
    for match in _TOKEN.finditer(_looked_at(text, policy)):
        if _ID.fullmatch(match.group()):
            yield _SEPARATORS.sub("", match.group())


def asserted_amounts(text: str, policy: Policy) -> Iterator[str]:
    """Yield the amounts of money that an answer states, unless they can be read in two ways."""
    return money(_looked_at(text, policy), min_digits=policy.min_digits)


def names(tree: JsonValue, policy: Policy) -> Iterable[str]:
    """Return the values by which a tree names things, without places: resources are the same when they share one."""
    found: dict[str, None] = {}
    for _, name, leaf in _places(tree):
        found.update((value, None) for value in _spellings(leaf, name, policy) if value not in policy.common)
    return found


def _places(tree: JsonValue) -> Iterator[tuple[str, str, JsonValue]]:
    """Yield place, nearest member name and value of each leaf."""
    stack: list[tuple[str, str, JsonValue]] = [("", "", tree)]
    while stack:
        place, name, node = stack.pop()
        if isinstance(node, dict):
            for position, (key, child) in reversed(list(enumerate(node.items()))):
                stack.append((f"{place}[{position}]", key, child))
                if any(char.isdigit() for char in key):
                    stack.append((f"{place}[{position}]", "", key))
        elif isinstance(node, list):
            stack.extend((f"{place}[{position}]", name, node[position]) for position in range(len(node) - 1, -1, -1))
        else:
            yield place, name, node


def _spellings(leaf: JsonValue, name: str, policy: Policy) -> Iterator[str]:
    if isinstance(leaf, bool) or leaf is None or isinstance(leaf, list | dict):
        return
    minor = bool(policy.minor_words.intersection(words(name)))
    if isinstance(leaf, int | float):
        spelled = number(leaf)
        yield from amounts(spelled, min_digits=policy.min_digits, minor=minor)
        yield from digit_runs(spelled)
        return
    text = _looked_at(leaf, policy)
    yield from amounts(text, min_digits=policy.min_digits, minor=minor)
    yield from digit_runs(text)
    yield from dates(text)
    yield from times(text)
    yield from _tokens(text, policy)
    yield from _runs(_WORD.findall(text), policy.shingle_words)
    if len(text) == 4 and text.isdecimal() and _says_last(name):
        yield f"last:{text}"


def _looked_at(leaf: str, policy: Policy) -> str:
    half = policy.max_leaf // 2
    return (leaf if len(leaf) <= policy.max_leaf else leaf[:half] + "\n" + leaf[-half:]).casefold()


def _tokens(text: str, policy: Policy) -> Iterator[str]:
    """Yield ids and addresses: with a digit or an at-sign, or long and joined by underscores; also without separators."""
    for match in _TOKEN.finditer(text):
        token = match.group()
        if len(token) < policy.min_digits or _PLAIN_NUMBER.fullmatch(token):
            continue
        if any(char.isdigit() for char in token):
            yield token
            yield from _TAIL.findall(token)
            if "@" not in token:
                yield _SEPARATORS.sub("", token)
                yield from _LAST_DIGITS.findall(token)
        elif "@" in token or ("_" in token and len(token) >= policy.min_text):
            yield token
    for letters, digits in _LETTERS_THEN_DIGITS.findall(text):
        yield letters + digits


def _runs(run: list[str], size: int) -> Iterator[str]:
    """Yield runs of words: a sentence quoted from a document shares some of them."""
    for start in range(len(run) - size + 1):
        yield " ".join(run[start : start + size])


def _whole(leaf: JsonValue, policy: Policy) -> Iterator[str]:
    """Yield a short text as the words that it consists of, and the days of full dates."""
    if not isinstance(leaf, str):
        return
    text = _looked_at(leaf, policy)
    run = _WORD.findall(text) if len(text) <= _LONGEST_PHRASE * 40 else []
    phrase = " ".join(run)
    if 2 <= len(run) <= _LONGEST_PHRASE and len(phrase) >= policy.min_text:
        yield "words:" + phrase
    yield from (f"of:{date[-5:]}" for date in dates(text))


def _quoted(leaf: JsonValue, policy: Policy) -> Iterator[str]:
    """Yield every run of a few words, and the days that stand without a year."""
    if isinstance(leaf, str):
        text = _looked_at(leaf, policy)
        run = _WORD.findall(text)
        for size in range(2, _LONGEST_PHRASE + 1):
            yield from ("words:" + phrase for phrase in _runs(run, size) if len(phrase) >= policy.min_text)
        yield from days(text)


def _says_last(name: str) -> bool:
    said = words(name)
    return "last" in said or "ending" in said or name.casefold().endswith("last4")
