"""What the readers of vendors' records share: members as attributes, JSON that stands in text, failures."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.span import Attributes, SpanEvent

from .interface import Report
from .values import plain

_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TRACEBACK = "Traceback (most recent call last)"
# The last line of a Python traceback, or an exception's repr, at the beginning of a text.
_RAISED = re.compile(r"([A-Za-z_][\w.]{0,200}): (.*)", re.DOTALL)
_REPR = re.compile(r"([A-Za-z_][\w.]{0,200})\((.*?)\)(?=Traceback|\Z)", re.DOTALL)


def snake(name: str) -> str:
    """Return a camelCase member's name in snake_case."""
    return _WORD_START.sub("_", name).lower()


def opened(value: JsonValue) -> JsonValue:
    """Return the object or list that a text holds as JSON, the value itself otherwise."""
    if isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            return parse(value, non_finite_as_text=True)
        except MalformedJson:
            return value
    return value


def opened_members(value: JsonValue) -> dict[str, JsonValue]:
    """Return an object, also one that stands as JSON in text; an empty one for anything else."""
    found = opened(value)
    return found if isinstance(found, dict) else {}


def told(name: str, value: JsonValue, report: Report) -> Attributes:
    """Return one attribute, none when the value is null."""
    return () if value is None else ((name, plain(value, report)),)


def under(prefix: str, node: dict[str, JsonValue], report: Report, *, leave: Collection[str] = ()) -> Attributes:
    """Return an attribute for each member that is not null and not left out."""
    return tuple(
        (prefix + name, plain(value, report)) for name, value in node.items() if value is not None and name not in leave
    )


def failure(text: str, time_ns: int, kind: str = "") -> tuple[str, tuple[SpanEvent, ...]]:
    """Return the message of a failure and, when the text says more than that, an ``exception`` event with all of it.

    Python's exceptions are recognised by their repr before, or their last line behind, a traceback.
    """
    found = _exception(text)
    name, message = found or ("", text)
    whole = text if _TRACEBACK in text else ""
    if not (kind or name):
        return message, ()
    attributes = [("exception.type", kind or name), ("exception.message", message), ("exception.stacktrace", whole)]
    return message, (
        SpanEvent(name="exception", time_ns=time_ns, attributes=tuple(pair for pair in attributes if pair[1])),
    )


def _exception(text: str) -> tuple[str, str] | None:
    stripped = text.strip()
    shown = _REPR.match(stripped)
    if shown:
        return shown[1], shown[2].strip("'\"")
    if _TRACEBACK not in text:
        raised = _RAISED.fullmatch(stripped)
        return (raised[1], raised[2]) if raised and raised[1].endswith(("Error", "Exception", "Timeout")) else None
    last = next((match for line in _last_lines(stripped) if (match := _RAISED.match(line))), None)
    return (last[1], last[2]) if last else None


def _last_lines(text: str) -> Iterator[str]:
    """Yield the lines from the last one up, as long as they may belong to the exception's own message."""
    lines = text.rsplit("\n", 20)[1:]
    for line in reversed(lines):
        if line.startswith((" ", "\t")):
            return
        yield line
