"""One walk over documents for harvest and rewriting alike: opens every encoding, shows each text, closes it again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ..errors import RedactionRefused
from ..model.json import JsonValue
from .encodings import Opened, Part, embedded, open_text
from .place import Kind, Place, normal_name

MAX_LAYERS = 12  # encodings inside encodings; deeper input is refused, never passed through
_ROLES: dict[str, Kind] = {
    "key": "key",
    "userinfo_user": "userinfo",
    "userinfo_password": "userinfo",
    "host": "host",
    "signature": "signature",
    "blob": "blob",
}

Replacement = tuple[int, int, str]


class Visitor(Protocol):
    """What is done with each piece of a document."""

    def text(self, text: str, place: Place, islands: Sequence[tuple[int, int]]) -> Iterable[Replacement]:
        """Return the replacements, ``[start, end)`` and new text, outside the islands that hold encoded content."""

    def number(self, value: int | float, place: Place) -> int | float:
        """Return what stands in place of a number."""

    def opaque(self, text: str, place: Place, /) -> str:
        """Return what stands in place of a signature or a blob, whole."""


class Walk:
    """Rewrites values through a visitor. Each distinct text at each kind of place is visited once.

    ``relevant`` are the sibling names that rules ask for; a place tells of no others, or no two places would be alike.
    """

    def __init__(self, visitor: Visitor, relevant: frozenset[str]) -> None:
        self._visitor = visitor
        self._relevant = relevant
        self._done: dict[tuple[str, Place], str] = {}

    def value(self, value: JsonValue, place: Place, *, layer: int = 0) -> JsonValue:
        """Return a payload value with every text, number and member name in it rewritten; the input stays as it was.

        Raises `RedactionRefused` when encodings lie deeper than `MAX_LAYERS`.
        """
        if isinstance(value, str):
            return self.text(value, place, layer=layer)
        if isinstance(value, dict):
            return self._object(value, place, layer)
        if isinstance(value, list):
            return [self.value(child, place, layer=layer) for child in value]
        if value is None or isinstance(value, bool):
            return value
        return self._visitor.number(value, place.as_kind("number"))

    def _object(self, value: dict[str, JsonValue], place: Place, layer: int) -> JsonValue:
        beside = self._relevant.intersection(map(normal_name, value))
        renamed: dict[str, JsonValue] = {}
        for key, child in value.items():
            new_key = self.text(key, place.as_kind("key"), layer=layer)
            if new_key in renamed:
                raise RedactionRefused("two member names of one object would become one")
            renamed[new_key] = self.value(child, place.member(key, beside), layer=layer)
        return renamed

    def text(self, text: str, place: Place, *, layer: int = 0) -> str:
        """Return a text rewritten: as a whole when it is encoded, else its encoded islands and what lies between."""
        if not text:
            return text
        known = self._done.get((text, place))
        if known is None:
            known = self._done[text, place] = self._rewritten(text, place, layer)
        return known

    def _rewritten(self, text: str, place: Place, layer: int) -> str:
        if layer > MAX_LAYERS:
            raise RedactionRefused(f"encodings lie more than {MAX_LAYERS} layers deep")
        if place.kind in ("signature", "blob"):
            return self._visitor.opaque(text, place)
        whole = open_text(text)
        if whole is not None:
            return self._reclosed(whole, place, layer)
        islands = list(embedded(text))
        replacements: list[Replacement] = []
        for island in islands:
            closed = self._reclosed(island.opened, place, layer)
            if closed != text[island.start : island.end]:
                replacements.append((island.start, island.end, closed))
        ranges = [(island.start, island.end) for island in islands]
        replacements.extend(self._visitor.text(text, place, ranges))
        return splice(text, replacements)

    def _reclosed(self, opened: Opened, place: Place, layer: int) -> str:
        return opened.close([self._part(part, place, layer + 1) for part in opened.parts])

    def _part(self, part: Part, place: Place, layer: int) -> JsonValue:
        inner = place if part.key is None else place.member(part.key, frozenset())
        kind = _ROLES.get(part.role)
        if kind is not None:
            inner = inner.as_kind(kind)
        return self.value(part.value, inner, layer=layer)


def splice(text: str, replacements: Iterable[Replacement]) -> str:
    """Return a text with non-overlapping ranges replaced, from the end backwards."""
    for start, end, new in sorted(replacements, reverse=True):
        text = text[:start] + new + text[end:]
    return text
