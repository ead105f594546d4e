"""A visitor that changes nothing: what it notes of a document is left in the tally of its walk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ..model.case import Document
from ..model.json import JsonValue
from .document import transform
from .place import Place
from .walk import Replacement, Walk


class Watcher:
    """Visits decoded documents; whoever inherits says what is noted of a text. Everything stays as it is."""

    def __init__(self) -> None:
        # What is noted may depend on the place, so none stands for another.
        self.walk = Walk(self, frozenset(), lambda place: place, {})

    def watch(self, document: Document) -> None:
        """Visit a document of a case, or a part of one."""
        transform(document, self.walk.value, self.walk.text, self._together)

    def taken(self) -> Sequence[str]:
        """Return what was noted since this was asked last, each once, in the order met."""
        noted = list(dict.fromkeys(self.walk.tally))
        self.walk.tally.clear()
        return noted

    def text(self, text: str, place: Place, islands: Sequence[tuple[int, int]]) -> Iterable[Replacement]:
        """Leave a text as it is."""
        del text, place, islands
        return ()

    def members(self, value: Mapping[str, JsonValue], /) -> None:
        """Leave an object as it is."""

    def array(self, value: list[JsonValue], /) -> JsonValue:
        """Leave a long array of fractions as it is."""
        return value

    def number(self, value: int | float, place: Place) -> int | float:
        """Leave a number as it is."""
        del place
        return value

    def across(self, text: str, place: Place, bounds: Sequence[int], is_text: bool, /) -> Iterable[Replacement]:
        """Leave texts that stand beside each other as they are."""
        del bounds
        return self.text(text, place, ()) if is_text else ()

    def opaque(self, text: str, place: Place, /) -> str:
        """Leave a signature or a blob as it is."""
        del place
        return text

    def _together(self, value: JsonValue, skipped: Collection[str]) -> JsonValue:
        return self.walk.together(value, Place(), skipped=skipped)
