"""Is a whole document what our JSON Schema says, asked of the schema's own file without importing jsonschema."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from extractor.model.field_path import own_names, shown
from extractor.model.json import JsonValue

from .compiled import Check, compile_schema
from .fixture_check import structural_problems

__all__ = ["Compiled", "misfits", "problems"]

Compiled: TypeAlias = Literal["fixture", "manifest"]
_SCHEMAS = Path(__file__).parent.parent / "schemas"
_MOST = 50


def problems(fixture: JsonValue) -> tuple[str, ...]:
    """Return one line a problem of a fixture, none when it can be replayed; no line holds a value of it.

    Missing evidence is told first and alone, in the words of `fixture_check`; else what differs from the schema.
    """
    return tuple(structural_problems(fixture)) or misfits(fixture, "fixture")


def misfits(document: JsonValue, name: Compiled) -> tuple[str, ...]:
    """Return where a document does not fit its schema: the field path and the rule, at most fifty lines."""
    check, own = _schema(name)
    faults = check(document)
    lines = dict.fromkeys(f"{shown(document, path, own)}: {rule}" for path, rule in faults)
    return tuple(lines)[:_MOST]


@cache
def _schema(name: Compiled) -> tuple[Check, frozenset[str]]:
    # The file beside us, not importlib.resources, which takes longer to import than all of this.
    schema: JsonValue = json.loads((_SCHEMAS / f"{name}.schema.json").read_bytes())
    return compile_schema(schema), own_names(schema)
