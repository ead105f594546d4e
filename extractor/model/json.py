"""JSON that keeps what it read: exact numbers, member order, and our one canonical way of writing it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeAlias

JsonValue: TypeAlias = "None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]"
Path: TypeAlias = tuple[str | int, ...]

MAX_DEPTH = 200
MAX_DIGITS = 1_000
_SURROGATE = re.compile("[\ud800-\udfff]")


class MalformedJson(ValueError):
    """The text is no JSON that we accept. ``code`` says why; the message holds nothing of the text."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class ExactNumber(float):
    """A number that remembers its spelling, so that ``10.10`` and ``1E+2`` are written as they were read."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> ExactNumber:
        """Return the number that a JSON number literal spells."""
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]  # float's own passes a float
        return (self.text,)


def _integer(text: str) -> int | ExactNumber:
    if len(text) > MAX_DIGITS:
        raise MalformedJson("number_too_long")
    return ExactNumber(text) if text == "-0" else int(text)


def _real(text: str) -> ExactNumber:
    if len(text) > MAX_DIGITS:
        raise MalformedJson("number_too_long")
    return ExactNumber(text)


def _members(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise MalformedJson("duplicate_member")
    return members


def _no_constant(_text: str) -> JsonValue:
    raise MalformedJson("not_finite")


def _constant_as_text(text: str) -> JsonValue:
    return text


def parse(text: str | bytes, *, non_finite_as_text: bool = False) -> JsonValue:
    """Return the value of a JSON text; numbers other than plain integers come as `ExactNumber`.

    ``NaN`` and ``Infinity`` are refused, or become proto-JSON's strings with ``non_finite_as_text``.
    Raises `MalformedJson`: ``syntax``, ``encoding``, ``duplicate_member``, ``too_deep``, ``number_too_long``,
    ``not_finite``.
    """
    constant = _constant_as_text if non_finite_as_text else _no_constant
    try:
        value: JsonValue = json.loads(
            text, object_pairs_hook=_members, parse_int=_integer, parse_float=_real, parse_constant=constant
        )
    except MalformedJson:
        raise
    except RecursionError:
        raise MalformedJson("too_deep") from None
    except UnicodeDecodeError:
        raise MalformedJson("encoding") from None
    except ValueError:
        raise MalformedJson("syntax") from None
    if depth(value) > MAX_DEPTH:
        raise MalformedJson("too_deep")
    return value


def depth(value: JsonValue) -> int:
    """Return how many containers lie around the deepest leaf, without recursion."""
    deepest = 0
    stack: list[tuple[JsonValue, int]] = [(value, 0)]
    while stack:
        node, level = stack.pop()
        if isinstance(node, dict):
            deepest = max(deepest, level + 1)
            stack.extend((child, level + 1) for child in node.values())
        elif isinstance(node, list):
            deepest = max(deepest, level + 1)
            stack.extend((child, level + 1) for child in node)
    return deepest


def leaves(value: JsonValue, path: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    """Yield each leaf with its path, in document order. Empty containers yield nothing."""
    stack: list[tuple[Path, JsonValue]] = [(path, value)]
    while stack:
        here, node = stack.pop()
        if isinstance(node, dict):
            stack.extend(((*here, key), child) for key, child in reversed(node.items()))
        elif isinstance(node, list):
            stack.extend(((*here, index), node[index]) for index in range(len(node) - 1, -1, -1))
        else:
            yield here, node


def quote(text: str) -> str:
    """Return the JSON string literal of a text: UTF-8 kept, lone surrogates escaped."""
    literal = json.dumps(text, ensure_ascii=False)
    return _SURROGATE.sub(lambda char: f"\\u{ord(char.group()):04x}", literal)


def number(value: float) -> str:
    """Return a number's text: its own spelling where known, else the shortest that reads back the same."""
    if isinstance(value, ExactNumber):
        return value.text
    return json.dumps(value)


def scalar(value: None | bool | int | float | str) -> str:
    """Return the JSON text of a leaf."""
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return number(value)


def pretty(value: JsonValue) -> str:
    """Return our canonical text: members in given order, two spaces, LF, UTF-8, a final newline."""
    pieces: list[str] = []
    _pretty(value, "\n", pieces)
    pieces.append("\n")
    return "".join(pieces)


def _pretty(value: JsonValue, newline: str, out: list[str]) -> None:
    # Recursion is bounded by MAX_DEPTH, which parse and assemble enforce.
    if isinstance(value, (dict, list)) and not value:
        out.append("{}" if isinstance(value, dict) else "[]")
    elif isinstance(value, dict):
        inner = newline + "  "
        separator = "{"
        for key, child in value.items():
            out.append(f"{separator}{inner}{quote(key)}: ")
            _pretty(child, inner, out)
            separator = ","
        out.append(newline + "}")
    elif isinstance(value, list):
        inner = newline + "  "
        separator = "["
        for child in value:
            out.append(separator + inner)
            _pretty(child, inner, out)
            separator = ","
        out.append(newline + "]")
    else:
        out.append(scalar(value))


def compact(value: JsonValue, *, item: str = ",", member: str = ":", ascii_only: bool = False) -> str:
    """Return one-line JSON with the given separators, numbers spelled as read."""
    if isinstance(value, dict):
        inside = item.join(
            f"{_literal(key, ascii_only)}{member}{compact(child, item=item, member=member, ascii_only=ascii_only)}"
            for key, child in value.items()
        )
        return "{" + inside + "}"
    if isinstance(value, list):
        return "[" + item.join(compact(child, item=item, member=member, ascii_only=ascii_only) for child in value) + "]"
    if isinstance(value, str):
        return _literal(value, ascii_only)
    return scalar(value)


def _literal(text: str, ascii_only: bool) -> str:
    return json.dumps(text) if ascii_only else quote(text)
