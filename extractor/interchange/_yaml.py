"""YAML that every reader of 1.1 and 1.2 takes alike: blocks of our own names, every text as a JSON string, no type implied."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model.json import JsonValue, number, quote, scalar

_PLAIN = re.compile(r"[a-z][a-z0-9_]{2,40}")
_WORDS = frozenset({"true", "false", "null", "yes", "off"})
# What a YAML stream may not hold as it is: controls, surrogates, byte order marks.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_EXPONENT = re.compile(r"(-?\d+)(\.\d+)?[eE]([+-]?)(\d+)")


def yaml(value: JsonValue, *, comments: tuple[str, ...] = ()) -> str:
    """Return a value as a YAML document, comments of ours above it."""
    lines = [*(f"# {comment}" for comment in comments), *_lines(value)]
    return "\n".join(lines) + "\n"


def _lines(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from _entry(f"{_key(key)}:", child)
    elif isinstance(value, list) and value:
        for child in value:
            yield from _entry("-", child)
    else:
        yield _leaf(value)


def _entry(start: str, child: JsonValue) -> Iterator[str]:
    if not isinstance(child, dict | list) or not child:
        yield f"{start} {_leaf(child)}"
    elif start == "-":
        first, *others = _lines(child)
        yield f"- {first}"
        yield from (f"  {line}" for line in others)
    else:
        yield start
        yield from (f"  {line}" for line in _lines(child))


def _key(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and text not in _WORDS else _text(text)


def _leaf(value: JsonValue) -> str:
    if isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        # 1e5 is a text to readers of YAML 1.1.
        return _EXPONENT.sub(lambda found: f"{found[1]}{found[2] or '.0'}e{found[3] or '+'}{found[4]}", number(value))
    return scalar(value)


def _text(text: str) -> str:
    return _UNPRINTABLE.sub(lambda char: f"\\u{ord(char.group()):04x}", quote(text))
