"""What makes a regular expression work hard, made from the expression's own parse."""

# ruff: noqa: ANN401  # the parse of an expression has no types
from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_CATEGORIES = {
    sre.CATEGORY_DIGIT: "1", sre.CATEGORY_NOT_DIGIT: "a", sre.CATEGORY_SPACE: " ", sre.CATEGORY_NOT_SPACE: "a",
    sre.CATEGORY_WORD: "a", sre.CATEGORY_NOT_WORD: "-",
}  # fmt: skip
_OTHERS = "a1A- .@_\n\x00é"
_MOST = 4  # samples of one node


def seeds(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of what comes first and what is then repeated, so that the pattern tries again and again.

    Each of its own repetitions is fed what it repeats, after what leads up to it and by itself, as are neighbours in turn
    and texts that match whole or nearly.
    """
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    repeated: list[str] = []
    for prefix, unit in _repeats(tree, ""):
        repeated.append(unit)
        yield "", unit
        if prefix:
            yield prefix, unit
            yield "", prefix + unit
    yield from (("", one + other) for one, other in itertools.pairwise(repeated))
    for whole in _samples(tree):
        yield from (("", text) for text in (whole, whole[:-1], whole + " ") if text)


def _repeats(nodes: Sequence[tuple[Any, Any]], prefix: str) -> Iterator[tuple[str, str]]:
    """Yield a sample of what comes before and of what is repeated, for each repetition below."""
    for op, argument in nodes:
        for inner in _inside(op, argument):
            if op in _REPEATS:
                yield from ((prefix, sample) for sample in _samples(inner) if sample)
            yield from _repeats(inner, prefix)
        prefix += next(iter(_node(op, argument)), "")


def _inside(op: Any, argument: Any) -> Iterator[Sequence[tuple[Any, Any]]]:
    parts = argument if isinstance(argument, (tuple, list)) else (argument,)
    if op is sre.BRANCH:
        yield from parts[1]
    else:
        yield from (part for part in parts if isinstance(part, parser.SubPattern))


def _samples(nodes: Sequence[tuple[Any, Any]]) -> list[str]:
    """Return a few texts that a sequence matches, lookarounds and anchors left aside."""
    made = [""]
    for op, argument in nodes:
        options = _node(op, argument) or [""]
        # The first of each node by itself, the others in turn: no product of all with all.
        made = [text + options[min(index, len(options) - 1)] for index, text in enumerate(_filled(made, len(options)))]
    return list(dict.fromkeys(made))


def _filled(texts: list[str], wanted: int) -> list[str]:
    return texts + texts[-1:] * (min(wanted, _MOST) - len(texts))


def _node(op: Any, argument: Any) -> list[str]:
    if op is sre.LITERAL:
        return [chr(argument)]
    if op is sre.NOT_LITERAL:
        return [char for char in _OTHERS if ord(char) != argument][:_MOST]
    if op is sre.ANY:
        return ["a", "1", " "]
    if op is sre.IN:
        return _members(argument)
    if op in _REPEATS:
        least, most, inner = argument
        return [text * max(1, min(least, 64)) for text in _samples(inner)] if most else [""]
    if op in (sre.BRANCH, sre.SUBPATTERN, sre.ATOMIC_GROUP):
        return [text for inner in _inside(op, argument) for text in _samples(inner)][: 4 * _MOST]
    return []


def _members(items: Sequence[tuple[Any, Any]]) -> list[str]:
    if items[0][0] is sre.NEGATE:
        inside = re.compile("[" + "".join(map(_spelled, items[1:])) + "]")
        return [char for char in _OTHERS if not inside.match(char)][:_MOST]
    return [_member(op, argument) for op, argument in items][: 2 * _MOST]


def _member(op: Any, argument: Any) -> str:
    if op is sre.RANGE:
        return chr(argument[0])
    return _CATEGORIES[argument] if op is sre.CATEGORY else chr(argument)


def _spelled(item: tuple[Any, Any]) -> str:
    op, argument = item
    if op is sre.RANGE:
        return f"{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}"
    if op is sre.CATEGORY:
        names = {"1": r"\d", " ": r"\s"}
        return {
            sre.CATEGORY_DIGIT: names["1"], sre.CATEGORY_NOT_DIGIT: r"\D", sre.CATEGORY_SPACE: names[" "],
            sre.CATEGORY_NOT_SPACE: r"\S", sre.CATEGORY_WORD: r"\w", sre.CATEGORY_NOT_WORD: r"\W",
        }[argument]  # fmt: skip
    return re.escape(chr(argument))
