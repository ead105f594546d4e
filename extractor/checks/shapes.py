"""What a tool takes: its parameters, which of them are required, and of which JSON type; as far as a schema says it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote

from extractor.model.json import JsonValue

_DEPTH: Final = 12
_REFERENCES: Final = 40  # that lead from one to the next
_TYPES: Final = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
_TRUE: Final = (True, "true")  # YAML that is read as texts alone says it so
_FALSE: Final = (False, "false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A JSON value: ``members`` of an object, which are ``required``, whether others may stand beside them (``open``) and what
    these are (``others``), the ``items`` of an array, the JSON ``types`` that fit, and the ``values`` as `spelled`; None where the
    schema does not say.
    """

    members: Mapping[str, Shape] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    open: bool = False
    others: Shape | None = None
    items: Shape | None = None
    types: frozenset[str] | None = None
    values: frozenset[str] | None = None


ANYTHING: Final = Shape(open=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool by its name, and the shape of the object that it takes."""

    name: str
    shape: Shape


def spelled(value: JsonValue) -> str:
    """Return a value as values are compared: ``1`` and ``"1"`` are one, since YAML may have said either."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


class Schemas:
    """JSON Schemas of one document, into which their local references point. Each target is looked at once.

    A schema without any property, type or branch says nothing; nor does what lies deeper than twelve levels without a reference,
    or within itself.
    """

    def __init__(self, root: Mapping[str, JsonValue]) -> None:
        self._root = root
        self._known: dict[str, Shape] = {}
        self._within = 0

    def shape(self, schema: Mapping[str, JsonValue], depth: int = 0) -> Shape:
        """Return what a schema says."""
        if depth >= _DEPTH:
            return ANYTHING
        parts = [] if schema.keys() <= {"$ref"} else [self._own(schema, depth)]
        reference = schema.get("$ref")
        if isinstance(reference, str):
            parts.append(self._referred(reference))
        parts += [self.shape(each, depth + 1) for each in _schemas(schema.get("allOf"))]
        for word in ("anyOf", "oneOf"):
            branches = [self.shape(each, depth + 1) for each in _schemas(schema.get(word))]
            parts += [_either(branches)] if branches else []
        parts += [self._perhaps(each, depth) for each in _conditional(schema)]
        made = merged(parts)
        null = schema.get("nullable") in _TRUE and made.types is not None
        return _with_null(made) if null else made

    def _referred(self, reference: str) -> Shape:
        if reference not in self._known:
            target = _target(reference, self._root)
            if target is None or self._within >= _REFERENCES:
                return ANYTHING
            self._known[reference] = ANYTHING  # within itself
            self._within += 1
            self._known[reference] = self.shape(target, 1)
            self._within -= 1
        return self._known[reference]

    def _perhaps(self, schema: Mapping[str, JsonValue], depth: int) -> Shape:
        """Return a schema that holds under a condition: it may bring members, and what they are is not known."""
        shape = self.shape(schema, depth + 1)
        return Shape(members=dict.fromkeys(shape.members, ANYTHING), open=not shape.members)

    def _own(self, schema: Mapping[str, JsonValue], depth: int) -> Shape:
        properties = schema.get("properties")
        told = {
            name: each
            for name, each in (properties if isinstance(properties, dict) else {}).items()
            if each not in _FALSE  # such a member may not be there
        }
        items, more = schema.get("items"), schema.get("additionalProperties")
        untold = "properties" not in schema and (depth > 0 or "type" not in schema)
        free = more in _TRUE or isinstance(more, dict) or schema.get("unevaluatedProperties") in _TRUE
        listed = isinstance(items, dict) and "prefixItems" not in schema
        return Shape(
            members={
                name: self.shape(each, depth + 1) if isinstance(each, dict) else ANYTHING for name, each in told.items()
            },
            required=frozenset(_required(schema, told)),
            open=untold or free or "patternProperties" in schema,
            others=self.shape(more, depth + 1)
            if isinstance(more, dict) and "patternProperties" not in schema
            else None,
            items=self.shape(items, depth + 1) if listed and isinstance(items, dict) else None,
            types=_types(schema),
            values=_values(schema),
        )


def shape_of(schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue]) -> Shape:
    """Return what one JSON Schema says; ``root`` is the document that its local references point into."""
    return Schemas(root).shape(schema)


def merged(parts: Sequence[Shape]) -> Shape:
    """Return the shape of what fits all parts, as far as their members go."""
    if len(parts) == 1:
        return parts[0]
    types = [each.types for each in parts if each.types is not None]
    values = [each.values for each in parts if each.values is not None]
    # A part without members is open because it says nothing of them; one with members, because it says so.
    free = any(each.open and each.members for each in parts)
    return Shape(
        members=_members(parts, merged),
        required=frozenset(name for each in parts for name in each.required),
        open=free or (any(each.open for each in parts) and not any(each.members for each in parts if not each.open)),
        others=next((each.others for each in parts if each.others is not None), None),
        items=next((each.items for each in parts if each.items is not None), None),
        types=frozenset.intersection(*types) if types else None,
        values=frozenset.intersection(*values) if values else None,
    )


def _either(branches: Sequence[Shape]) -> Shape:
    if len(branches) == 1:
        return branches[0]
    types = [each.types for each in branches if each.types is not None]
    values = [each.values for each in branches if each.values is not None]
    others = [each.others for each in branches if each.others is not None]
    return Shape(
        members=_members(branches, _either),
        required=frozenset.intersection(*(each.required for each in branches)),
        open=any(each.open for each in branches),
        others=_either(others) if len(others) == len(branches) else None,
        items=_either([each.items for each in branches if each.items is not None] or [ANYTHING]),
        types=frozenset().union(*types) if len(types) == len(branches) else None,
        values=frozenset().union(*values) if len(values) == len(branches) else None,
    )


def _members(parts: Sequence[Shape], joined: Callable[[Sequence[Shape]], Shape]) -> Mapping[str, Shape]:
    names = dict.fromkeys(name for each in parts for name in each.members)
    return {name: joined([each.members[name] for each in parts if name in each.members]) for name in names}


def _with_null(shape: Shape) -> Shape:
    return Shape(
        members=shape.members,
        required=shape.required,
        open=shape.open,
        others=shape.others,
        items=shape.items,
        types=None if shape.types is None else shape.types | {"null"},
        values=None if shape.values is None else shape.values | {"null"},
    )


def _required(schema: Mapping[str, JsonValue], properties: Mapping[str, JsonValue]) -> Iterator[str]:
    """Yield the members that a caller must give; what is read only is the server's to fill."""
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        told = properties.get(name) if isinstance(name, str) else None
        if isinstance(name, str) and not (isinstance(told, dict) and told.get("readOnly") in _TRUE):
            yield name


def _types(schema: Mapping[str, JsonValue]) -> frozenset[str] | None:
    told = schema.get("type")
    names = [
        each.lower()
        for each in ([told] if isinstance(told, str) else told if isinstance(told, list) else [])
        if isinstance(each, str)
    ]
    return frozenset(names) if names and _TYPES.issuperset(names) else None


def _values(schema: Mapping[str, JsonValue]) -> frozenset[str] | None:
    if "const" in schema:
        return frozenset({spelled(schema["const"])})
    listed = schema.get("enum")
    return frozenset(spelled(each) for each in listed) if isinstance(listed, list) else None


def _conditional(schema: Mapping[str, JsonValue]) -> Iterator[Mapping[str, JsonValue]]:
    for word in ("then", "else"):
        each = schema.get(word)
        if isinstance(each, dict):
            yield each
    for word in ("dependentSchemas", "dependencies"):
        several = schema.get(word)
        yield from _schemas([*several.values()] if isinstance(several, dict) else None)


def _schemas(value: JsonValue) -> Iterable[Mapping[str, JsonValue]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _target(reference: str, root: Mapping[str, JsonValue]) -> Mapping[str, JsonValue] | None:
    if not reference.startswith("#"):
        return None
    found: JsonValue = dict(root)
    for name in filter(None, unquote(reference[1:]).split("/")):
        found = found.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None
