"""Places in a record: finding what a field path names, and a copy of a record with other values there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from extractor.model.json import JsonValue

Steps: TypeAlias = tuple[str | int, ...]


class Missing:
    """Stands for a value where a document has none."""


MISSING: Final = Missing()


def steps_of(document: JsonValue, path: str) -> Steps | None:
    """Return the steps of a path as this document has them, None where it has no such place.

    The last step may be a member that is not there: its object is, so that it can be put in. Names may hold dots.
    """
    return next(_steps(document, path), None)


def _steps(node: JsonValue, path: str) -> Iterator[Steps]:
    if not path:
        yield ()
    elif isinstance(node, dict):
        inside = sorted((name for name in node if _begins(path, name)), key=len, reverse=True)
        for name in inside:
            yield from ((name, *below) for below in _steps(node[name], path[len(name) :].removeprefix(".")))
        if not inside and "." not in path and "[" not in path:
            yield (path,)
    elif isinstance(node, list) and path.startswith("["):
        place, _, rest = path[1:].partition("]")
        if place.isdecimal() and int(place) < len(node):
            yield from ((int(place), *below) for below in _steps(node[int(place)], rest.removeprefix(".")))


def _begins(path: str, name: str) -> bool:
    return path.startswith(name) and path[len(name) : len(name) + 1] in ("", ".", "[")


def value_at(document: JsonValue, steps: Steps) -> JsonValue | Missing:
    """Return the value at a place, `MISSING` where there is none."""
    node = document
    for step in steps:
        if isinstance(node, dict) and isinstance(step, str):
            if step not in node:
                return MISSING
            node = node[step]
        elif isinstance(node, list) and isinstance(step, int) and step < len(node):
            node = node[step]
        else:
            return MISSING
    return node


def exchanged(
    document: dict[str, JsonValue], other: dict[str, JsonValue], paths: Iterable[str]
) -> tuple[dict[str, JsonValue], int]:
    """Return a copy of a record that has another's values at paths, and at how many places it differs by that.

    Arguments that are kept as text too are written anew.
    """
    changed, count = document, 0
    for path in dict.fromkeys(_held(each, document, other) for each in paths):
        steps = steps_of(changed, path) or steps_of(other, path)
        if not steps:
            continue
        value = value_at(other, steps)
        here = value_at(changed, steps)
        if type(here) is type(value) and here == value:
            continue
        made = _put(changed, steps, value)
        if isinstance(made, dict) and made is not changed:
            changed, count = _text_anew(made, steps), count + 1
    return changed, count


def _held(path: str, document: dict[str, JsonValue], other: dict[str, JsonValue]) -> str:
    """Return the path that holds what is read at one: a text of the output that no record keeps is the output's own."""
    return "output" if path == "output_text" and path not in document and path not in other else path


def _put(node: JsonValue, steps: Steps, value: JsonValue | Missing) -> JsonValue:
    """Return a copy that shares all but what lies on the way."""
    step, rest = steps[0], steps[1:]
    if isinstance(node, dict) and isinstance(step, str):
        if rest:
            return node | {step: _put(node[step], rest, value)} if step in node else node
        if isinstance(value, Missing):
            return {name: child for name, child in node.items() if name != step}
        return node | {step: value}
    if isinstance(node, list) and isinstance(step, int) and step < len(node):
        here = [_put(node[step], rest, value)] if rest else [] if isinstance(value, Missing) else [value]
        return [*node[:step], *here, *node[step + 1 :]]
    return node


def _text_anew(document: dict[str, JsonValue], steps: Steps) -> dict[str, JsonValue]:
    if len(steps) < 3 or steps[0] != "tool_calls" or steps[2] != "arguments":
        return document
    call = value_at(document, steps[:2])
    if not isinstance(call, dict) or "arguments_text" not in call:
        return document
    made = _put(document, (*steps[:2], "arguments_text"), json.dumps(call.get("arguments"), ensure_ascii=False))
    return made if isinstance(made, dict) else document
