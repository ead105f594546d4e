"""What a tool takes: its parameters, which of them are required, and of which JSON type; as far as a schema says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from extractor.model.json import JsonValue

_DEPTH: Final = 12
_TYPES: Final = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A JSON value: ``members`` of an object, which are ``required``, whether others may stand beside them (``open``), the
    ``items`` of an array, and the JSON ``types`` that fit, None where the schema does not say.
    """

    members: Mapping[str, Shape] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    open: bool = False
    items: Shape | None = None
    types: frozenset[str] | None = None


ANYTHING: Final = Shape(open=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool by its name, and the shape of the object that it takes."""

    name: str
    shape: Shape


def shape_of(schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue], depth: int = 0) -> Shape:
    """Return what a JSON Schema says; ``root`` is the document that its local references point into.

    A schema without any property, type or branch says nothing, and what lies deeper than twelve levels is not looked at.
    """
    if depth >= _DEPTH:
        return ANYTHING
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = _target(reference, root)
        return ANYTHING if target is None else shape_of(target, root, depth + 1)
    parts = [_own(schema, root, depth)]
    parts += [shape_of(each, root, depth + 1) for each in _schemas(schema.get("allOf"))]
    for word in ("anyOf", "oneOf"):
        branches = [shape_of(each, root, depth + 1) for each in _schemas(schema.get(word))]
        parts += [_either(branches)] if branches else []
    return merged(parts)


def merged(parts: Sequence[Shape]) -> Shape:
    """Return the shape of what fits all parts, as far as their members go."""
    types = [each.types for each in parts if each.types is not None]
    return Shape(
        members={name: member for each in parts for name, member in each.members.items()},
        required=frozenset(name for each in parts for name in each.required),
        open=any(each.open for each in parts) and not any(each.members for each in parts if not each.open),
        items=next((each.items for each in parts if each.items is not None), None),
        types=frozenset.intersection(*types) if types else None,
    )


def _own(schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue], depth: int) -> Shape:
    properties = schema.get("properties")
    members = {
        name: shape_of(each, root, depth + 1) if isinstance(each, dict) else ANYTHING
        for name, each in (properties if isinstance(properties, dict) else {}).items()
    }
    required, items, more = schema.get("required"), schema.get("items"), schema.get("additionalProperties")
    untold = "properties" not in schema and (depth > 0 or "type" not in schema)
    return Shape(
        members=members,
        required=frozenset(each for each in required if isinstance(each, str))
        if isinstance(required, list)
        else frozenset(),
        open=untold or more in (True, "true") or isinstance(more, dict) or "patternProperties" in schema,
        items=shape_of(items, root, depth + 1) if isinstance(items, dict) else None,
        types=_types(schema),
    )


def _types(schema: Mapping[str, JsonValue]) -> frozenset[str] | None:
    told = schema.get("type")
    names = [
        each.lower()
        for each in ([told] if isinstance(told, str) else told if isinstance(told, list) else [])
        if isinstance(each, str)
    ]
    if not names or not _TYPES.issuperset(names):
        return None
    return frozenset(names) | ({"null"} if schema.get("nullable") in (True, "true") else frozenset())


def _either(branches: Sequence[Shape]) -> Shape:
    types = [each.types for each in branches]
    known = [each for each in types if each is not None]
    return Shape(
        members={name: member for each in branches for name, member in each.members.items()},
        required=frozenset.intersection(*(each.required for each in branches)),
        open=any(each.open for each in branches),
        items=next((each.items for each in branches if each.items is not None), None),
        types=frozenset().union(*known) if len(known) == len(types) else None,
    )


def _schemas(value: JsonValue) -> Iterable[Mapping[str, JsonValue]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _target(reference: str, root: Mapping[str, JsonValue]) -> Mapping[str, JsonValue] | None:
    found: JsonValue = dict(root)
    for name in reference.removeprefix("#").strip("/").split("/") if reference.startswith("#") else ["\0"]:
        found = found.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None
