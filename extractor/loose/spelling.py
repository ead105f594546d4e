"""JSON read and written again in its own spelling: only what changed is spelled anew."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from extractor.errors import InputUnreadable
from extractor.model.json import JsonValue, MalformedJson, compact, parse, scalar

_BLANK = "\ufeff \t\r\n"
_SCALAR = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|-?\d[\d.eE+-]*+|-?Infinity|NaN|true|false|null', re.DOTALL)
_LIKE_JSON = re.compile(r'[\ufeff\s]*(?:\{\s*["}]|\[\s*(?:["{]|\[\s*["\[{]))')


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelled:
    """A JSON text with its value. ``not_finite`` tells that NaN or Infinity stood in it: they become texts, as in proto-JSON."""

    text: str = field(repr=False)
    value: JsonValue = field(repr=False)
    not_finite: bool = False

    def rewritten(self, after: JsonValue) -> str:
        """Return the text with another value of the same shape in place of its own; what is equal keeps its spelling."""
        if self.value == after and not self.not_finite:
            return self.text
        body = self.text.strip(_BLANK)
        start = self.text.index(body)
        ascii_only = body.isascii()
        pieces: list[str] = []
        position = 0
        old, new = list(_scalars(self.value)), list(_scalars(after))
        found = list(_SCALAR.finditer(body))
        if not len(found) == len(old) == len(new):  # a shape that changed is written as one line
            return self.text[:start] + compact(after, ascii_only=ascii_only) + self.text[start + len(body) :]
        for token, before, now in zip(found, old, new, strict=True):
            made = token.group()
            if before != now or (made[-1] in "yN" and isinstance(now, str)):  # Infinity, NaN
                made = json.dumps(now) if ascii_only and isinstance(now, str) else scalar(now)
            pieces += (body[position : token.start()], made)
            position = token.end()
        return "".join((self.text[:start], *pieces, body[position:], self.text[start + len(body) :]))


def _scalars(value: JsonValue) -> Iterator[None | bool | int | float | str]:
    """Yield names and leaves in the order in which they are written."""
    stack: list[tuple[bool, JsonValue]] = [(False, value)]
    while stack:
        is_name, node = stack.pop()
        if not is_name and isinstance(node, dict):
            for name, child in reversed(node.items()):
                stack += ((False, child), (True, name))
        elif isinstance(node, list):
            stack.extend((False, child) for child in reversed(node))
        elif not isinstance(node, dict):
            yield node


def spelled(text: str, place: str) -> Spelled | None:
    """Return a text read as JSON, None where it is none. Raises `InputUnreadable` for JSON that could hide something."""
    body = text.strip(_BLANK)
    try:
        return Spelled(text=text, value=parse(body))
    except MalformedJson as fault:
        code = fault.code
    if code == "not_finite":
        try:
            return Spelled(text=text, value=parse(body, non_finite_as_text=True), not_finite=True)
        except MalformedJson as fault:
            code = fault.code
    if code == "syntax":
        return None
    raise InputUnreadable(f"{place} is JSON that is not accepted: {code}")


def is_like_json(text: str) -> bool:
    """Tell whether a text that is no JSON begins as only JSON does: as text, what its member names tell would be lost."""
    return _LIKE_JSON.match(text) is not None


def broken_line(text: str) -> int:
    """Return the line, from 1, where a text stops being JSON."""
    try:
        json.loads(text.strip("\ufeff"))
    except json.JSONDecodeError as fault:
        return fault.lineno
    except (ValueError, RecursionError):
        pass
    return 1
