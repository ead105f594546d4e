"""The pieces of evidence of a case that may go, by their place in the document, and the order in which they are tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from ..model.case import Document
from ..model.json import JsonValue
from .ddmin import Level

Place: TypeAlias = str
"""A place by position: ``tool_events[2]``, ``identity.claims.{0}``, ``messages[3].parts[1]``."""

LISTS: Final = (
    "alternates",
    "model_events",
    "documents",
    "facts",
    "templates",
    "identity.roles",
    "identity.resources",
    "messages",
    "input.messages",
    "tool_events",
)
"""Members whose items are pieces, those that a check needs least often first."""

CLAIMS: Final = "identity.claims"
MESSAGES: Final = ("input.messages", "messages")
_LEAST_PARTS = 2
_AROUND = -1  # what surrounds the story comes before it


def levels(document: Document) -> tuple[Level[Place], ...]:
    """Return all pieces: first whole items, then the parts of messages that have several.

    A message with one part is one piece: taking its part is taking the message. Single pieces are tried from the end of
    the story backwards.
    """
    kinds = [tuple(reversed([f"{path}[{index}]" for index, _ in enumerate(items(document, path))])) for path in LISTS]
    kinds.append(tuple(reversed([f"{CLAIMS}.{{{index}}}" for index, _ in enumerate(claims(document))])))
    story = _story(document)
    whole = sorted((piece for kind in kinds for piece in kind), key=lambda piece: story[piece], reverse=True)
    return (
        Level(kinds=tuple(kind for kind in kinds if kind), order=tuple(whole)),
        Level(kinds=(), order=tuple(part for message in whole for part in _parts(document, message))),
    )


def count(document: Document) -> int:
    """Return how many pieces a document has."""
    return sum(len(level.order) for level in levels(document))


def items(document: Document, path: str) -> Sequence[Document]:
    """Return the items of a list of ours, an item that is no object as an empty one."""
    found: JsonValue = document
    for name in path.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    return [item if isinstance(item, dict) else {} for item in found] if isinstance(found, list) else []


def claims(document: Document) -> Document:
    """Return the claims of the case's identity."""
    identity = document.get("identity")
    found = identity.get("claims") if isinstance(identity, dict) else None
    return found if isinstance(found, dict) else {}


def texts(value: JsonValue) -> list[str]:
    """Return the texts of a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def numbers(value: JsonValue) -> list[int]:
    """Return the whole numbers of a list."""
    return [item for item in value if isinstance(item, int)] if isinstance(value, list) else []


def _parts(document: Document, message: Place) -> Iterator[Place]:
    path, _, index = message.removesuffix("]").rpartition("[")
    if path in MESSAGES:
        parts = items(document, path)[int(index)].get("parts")
        number = len(parts) if isinstance(parts, list) else 0
        if number >= _LEAST_PARTS:
            yield from (f"{message}.parts[{part}]" for part in reversed(range(number)))


def _story(document: Document) -> dict[Place, tuple[int, int, int]]:
    """Return when each piece comes in the story: after how many attempts, then what is read before what is done."""
    order: dict[Place, tuple[int, int, int]] = {}
    said: dict[str, int] = {}
    for index, event in enumerate(items(document, "model_events")):
        after = max(numbers(event.get("after")), default=0)
        order[f"model_events[{index}]"] = (after, 2, index)
        for name in (*texts(event.get("input")), *texts(event.get("output"))):
            said.setdefault(name, after)
    for index, event in enumerate(items(document, "tool_events")):
        attempt = event.get("attempt")
        order[f"tool_events[{index}]"] = (attempt if isinstance(attempt, int) else 0, 0, index)
    for path in MESSAGES:
        for index, message in enumerate(items(document, path)):
            order[f"{path}[{index}]"] = (said.get(str(message.get("id")), 0), 1, index)
    for index, _ in enumerate(claims(document)):
        order[f"{CLAIMS}.{{{index}}}"] = (_AROUND, len(LISTS), index)
    for rank, path in enumerate(LISTS):
        for index, _ in enumerate(items(document, path)):
            order.setdefault(f"{path}[{index}]", (_AROUND, rank, index))
    return order
