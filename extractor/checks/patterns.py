"""Places in a JSON document by pattern, and the document with something else in one of them.

A pattern is a field path in which ``[]`` is every item, ``.*`` every member below at any depth, ``.**`` every leaf below. A text
that holds a JSON object or list is entered like one, and spelled anew where something in it changes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from extractor.model.json import JsonValue

Steps: TypeAlias = tuple[str | int, ...]

_STEP = re.compile(r"\[\]|\*\*|\*|[^.\[\]*]+")


def places(document: JsonValue, pattern: str) -> Iterator[tuple[Steps, JsonValue]]:
    """Yield the steps to each place that a pattern fits, in document order, with what stands there."""
    yield from _below(document, (), tuple(_STEP.findall(pattern)))


def _below(node: JsonValue, here: Steps, wanted: tuple[str, ...]) -> Iterator[tuple[Steps, JsonValue]]:
    if not wanted:
        yield here, node
        return
    first, rest = wanted[0], wanted[1:]
    inner = opened(node)
    if first in ("*", "**"):
        for step, child in _children(inner):
            leaf = not _children(opened(child))
            if (isinstance(step, str) if first == "*" else leaf) and (not rest):
                yield (*here, step), child
            yield from _below(child, (*here, step), wanted)
    elif first == "[]":
        for place, item in enumerate(inner if isinstance(inner, list) else ()):
            yield from _below(item, (*here, place), rest)
    elif isinstance(inner, dict) and first in inner:
        yield from _below(inner[first], (*here, first), rest)


def _children(node: JsonValue) -> Sequence[tuple[str | int, JsonValue]]:
    if isinstance(node, dict):
        return [*node.items()]
    return [*enumerate(node)] if isinstance(node, list) else []


def opened(value: JsonValue) -> JsonValue:
    """Return the object or list that a text holds as JSON; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        inner: JsonValue = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return inner


def with_instead(document: Mapping[str, JsonValue], steps: Steps, items: Sequence[JsonValue]) -> dict[str, JsonValue]:
    """Return the document with ``items`` where one value stood: none takes it away, several stand in a list alone."""
    made = _instead(dict(document), steps, items)
    if not isinstance(made, dict):
        raise TypeError("a document is a JSON object")
    return made


def _instead(node: JsonValue, steps: Steps, items: Sequence[JsonValue]) -> JsonValue:
    inner = opened(node)
    first, rest = steps[0], steps[1:]
    made: JsonValue
    if isinstance(inner, dict):
        now = [_instead(inner[str(first)], rest, items)] if rest else list(items)
        made = {name: now[0] if name == first else value for name, value in inner.items() if name != first or now}
    elif isinstance(inner, list) and isinstance(first, int):
        now = [_instead(inner[first], rest, items)] if rest else list(items)
        made = [*inner[:first], *now, *inner[first + 1 :]]
    else:
        raise KeyError(first)
    return json.dumps(made, ensure_ascii=False) if isinstance(node, str) else made


def spelled(steps: Steps) -> str:
    """Return the field path of a place, as checks are told it: ``tool_calls[0].arguments.amount_cents``."""
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path


def touch(one: str, other: str) -> bool:
    """Say whether of two field paths one is the other, or lies below it."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and (len(long) == len(short) or not short or long[len(short)] in ".[")


def beside(document: JsonValue, steps: Steps) -> tuple[str, ...]:
    """Return the paths above a place whose reading may tell what stands there.

    Its parent, whose members or length it is one of, and any text that holds it: of what lies further up only names and lengths
    are read. An output is read as a whole by whoever asks for its text, and a spelling beside a value is that value again.
    """
    above = {spelled(steps[:-1])}
    node = document
    for depth, step in enumerate(steps):
        if isinstance(node, str):
            above.add(spelled(steps[:depth]))
        inner = opened(node)
        if isinstance(inner, dict):
            node = inner[str(step)]
        elif isinstance(inner, list) and isinstance(step, int):
            node = inner[step]
    if steps[0] == "output":
        above |= {"output", "output_text"}
    if steps[0] == "tool_calls" and len(steps) > 2:
        above.add(f"{spelled(steps[:2])}.arguments_text")
    return tuple(sorted(above))


def upwards(path: str) -> Iterator[str]:
    """Yield a field path and every path above it: ``a[0].b``, ``a[0]``, ``a``."""
    yield path
    for place in range(len(path) - 1, 0, -1):
        if path[place] in ".[":
            yield path[:place]
