"""Tracely's way of comparing arguments, for bundles that it recorded: looser than ours, and only for them.

JSON texts are parsed (at the top alone), order of members and tuple or list say nothing, what JSON lacks is its ``str()``.
Other than there, a boolean is no number: ``{"n": 1}`` is not ``{"n": true}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from extractor.model.json import JsonValue
from extractor.replay.matching import difference


def canonical(value: object) -> JsonValue:
    """Return a value in the one form in which two of them are compared."""
    if isinstance(value, str):
        return _parsed(value)
    return plain(value)


def plain(value: object) -> JsonValue:
    """Return a value as JSON, what JSON lacks as its ``str()``."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value)


def differing(recorded: object, called: object) -> str | None:
    """Return the path of the first difference between canonical forms, None when they are equal."""
    return difference(canonical(recorded), canonical(called))


def _parsed(text: str) -> JsonValue:
    try:
        return plain(json.loads(text))
    except (ValueError, RecursionError):
        return text
