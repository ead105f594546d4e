"""The JSON Schemas (2020-12) of what we write, and one way of holding a document to them that never quotes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias, get_args

from ..model.field_path import own_names, shown
from ..model.json import JsonValue

__all__ = ["NAMES", "SCHEMA_VERSION", "SchemaName", "load", "schema_problems", "schema_text"]

SchemaName: TypeAlias = Literal["fixture", "provenance", "capture", "manifest"]
NAMES: Final[tuple[SchemaName, ...]] = get_args(SchemaName)
"""Each schema's ``$id`` is ``urn:extract-fixture:schema:NAME:VERSION``: a name that needs no host and no network."""
SCHEMA_VERSION = "1"
"""The version of all of them, as ``fixture.json`` and the sidecar name it."""

_MOST = 50


def load(name: SchemaName) -> dict[str, JsonValue]:
    """Return one of our schemas as a document of the caller's own. Raises `KeyError` for a name that is none of `NAMES`."""
    schema: dict[str, JsonValue] = json.loads(schema_text(name))
    return schema


def schema_text(name: SchemaName) -> str:
    """Return one of our schemas as it is published. Raises `KeyError` for a name that is none of `NAMES`."""
    if name not in NAMES:  # from a program without types
        raise KeyError(name)
    return (files(__name__) / f"{name}.schema.json").read_text("utf-8")


def schema_problems(document: JsonValue, name: SchemaName) -> tuple[str, ...]:
    """Return one line a problem: the field path by our own names and positions, and the schema's rule that failed.

    At most fifty lines. Importing jsonschema takes half a second: only what validates pays it.
    """
    lines: dict[str, None] = {}
    violations, own = _validator(name)
    for path, rule in violations(document):
        lines[f"{shown(document, path, own)}: {rule}"] = None
        if len(lines) == _MOST:
            break
    return tuple(lines)


Violations: TypeAlias = Callable[[JsonValue], Iterable[tuple[Sequence[str | int], str]]]


@cache
def _validator(name: SchemaName) -> tuple[Violations, frozenset[str]]:
    from jsonschema import Draft202012Validator  # half a second, see above

    schema = load(name)
    validator = Draft202012Validator(schema)

    def violations(document: JsonValue) -> Iterator[tuple[Sequence[str | int], str]]:
        # Only path and rule leave: an error's message quotes the document. Names that are required are the schema's.
        for error in validator.iter_errors(document):
            rule = str(error.validator)
            if rule == "required":
                rule += f" {[name for name in error.validator_value if name not in error.instance]}"
            yield tuple(error.absolute_path), rule

    return violations, own_names(schema)
