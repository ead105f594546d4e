"""What is left out of a case: long arrays of fractions and binary content become markers, and the case names where."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model.case import Document
from ..model.json import JsonValue, compact
from .document import is_payload
from .keys import keyed_digest

LONGEST_ARRAY = (
    64  # fractions; more are an embedding or log probabilities, which nobody reads and which lead back to a text
)
_MARKER = re.compile(r"blob:\d{2,10}:[0-9a-f]{16}")
_REASONS = {
    "array_left_out": "A long array of fractions was replaced by a marker.",
    "blob_left_out": "Binary content was replaced by a marker.",
}


def is_array(value: list[JsonValue]) -> bool:
    """Tell whether a list is an array of more than `LONGEST_ARRAY` fractions and nothing else."""
    return len(value) > LONGEST_ARRAY and all(isinstance(item, float) for item in value)


def marker(value: list[JsonValue], key: bytes) -> dict[str, JsonValue]:
    """Return what stands in place of an array: its type, its size, a keyed digest by which equal ones are equal."""
    return {"type": "floats", "items": len(value), "digest": keyed_digest(key, "array", compact(value)).hex()[:32]}


def left_out(original: Document, redacted: Document) -> Iterator[JsonValue]:
    """Yield a ``missing_evidence`` entry for each place of ours below which a marker came to stand."""
    found = dict.fromkeys(_places(original, redacted, (), ""))
    for path, code in found:
        yield {"field": path, "code": code, "reason": _REASONS[code]}


def _places(one: JsonValue, other: JsonValue, names: tuple[str, ...], path: str) -> Iterator[tuple[str, str]]:
    below = is_payload(names)
    if isinstance(one, list) and isinstance(other, dict):
        yield path, "array_left_out"
    elif isinstance(one, dict) and isinstance(other, dict):
        for (name, old), new in zip(one.items(), other.values(), strict=False):
            inner = path if below else f"{path}.{name}".lstrip(".")
            yield from _places(old, new, names if below else (*names, name), inner)
    elif isinstance(one, list) and isinstance(other, list):
        for index, (old, new) in enumerate(zip(one, other, strict=False)):
            yield from _places(old, new, names if below else (*names, "*"), path if below else f"{path}[{index}]")
    elif isinstance(one, str) and isinstance(other, str) and one != other and _MARKER.search(other):
        yield path, "blob_left_out"
