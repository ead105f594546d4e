"""How a place in a document is named without quoting the document: our own names, positions for all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .json import JsonValue

__all__ = ["own_names", "shown"]


def own_names(schema: JsonValue) -> frozenset[str]:
    """Return the member names that a JSON Schema gives: those are ours, whatever a document holds."""
    return frozenset(_names(schema))


def _names(schema: JsonValue) -> Iterator[str]:
    if isinstance(schema, dict):
        properties = schema.get("properties")
        if isinstance(properties, dict):
            yield from properties
        for child in schema.values():
            yield from _names(child)
    elif isinstance(schema, list):
        for child in schema:
            yield from _names(child)


def shown(document: JsonValue, path: Sequence[str | int], own: frozenset[str]) -> str:
    """Return ``expected.effects{0}.min``: names that are not ours are given by position among their siblings."""
    pieces: list[str] = []
    node = document
    for step in path:
        if isinstance(step, str) and isinstance(node, dict):
            pieces.append(f".{step}" if step in own else f"{{{list(node).index(step)}}}")
            node = node[step]
        elif isinstance(step, int) and isinstance(node, list):
            pieces.append(f"[{step}]")
            node = node[step]
    return "".join(pieces).removeprefix(".") or "document"
