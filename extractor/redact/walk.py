"""One walk over documents for harvest and rewriting alike: opens every encoding, shows each text, closes it again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol

from ..errors import RedactionRefused
from ..model.json import JsonValue
from .blobs import is_array
from .chunks import Path, Settled, Siblings, divided, resplit, settled, siblings, windows
from .cover import Cover
from .encodings import Embedded, Opened, Part, embedded, open_text
from .place import Kind, Place, normal_name

MAX_LAYERS = 12  # encodings inside encodings; deeper input is refused, never passed through
_LONGEST_PATH = 256
REACH = 64  # characters on each side of where two texts meet
_ROLES: dict[str, Kind] = {
    "key": "key",
    "userinfo_user": "userinfo",
    "userinfo_password": "userinfo",
    "host": "host",
    "signature": "signature",
    "blob": "blob",
}

Replacement = tuple[int, int, str]
Openings = dict[str, tuple[Opened | None, Sequence[Embedded]]]


class Visitor(Protocol):
    """What is done with each piece of a document."""

    def text(self, text: str, place: Place, islands: Sequence[tuple[int, int]]) -> Iterable[Replacement]:
        """Return the replacements, ``[start, end)`` and new text.

        They lie outside the islands, which hold encoded content and are opened, or cover one with more around it.
        """

    def members(self, value: Mapping[str, JsonValue], /) -> None:
        """See an object before its members."""

    def number(self, value: int | float, place: Place) -> int | float:
        """Return what stands in place of a number."""

    def across(self, text: str, place: Place, bounds: Sequence[int], is_text: bool, /) -> Iterable[Replacement]:
        """Return the replacements in texts that stand beside each other, joined: those that lie on both sides of a bound.

        ``is_text`` tells that one may go on in the next.
        """

    def array(self, value: list[JsonValue], /) -> JsonValue:
        """Return what stands in place of a long array of fractions."""

    def opaque(self, text: str, place: Place, /) -> str:
        """Return what stands in place of a signature or a blob, whole."""


class Walk:
    """Rewrites values through a visitor. Each distinct text at each kind of place is visited once.

    ``relevant`` are the sibling names that rules ask for; a place tells of no others, or no two places would be alike.
    ``alike`` returns the one place that stands for all at which a visitor does the same. ``openings`` are what texts hold:
    walks over the same texts share them. What a visitor adds to ``tally`` for a text is added again at each repetition.
    """

    def __init__(
        self, visitor: Visitor, relevant: frozenset[str], alike: Callable[[Place], Place], openings: Openings
    ) -> None:
        self._visitor = visitor
        self._relevant = relevant
        self._alike = alike
        self._openings = openings
        self._done: dict[tuple[str, Place], tuple[str, tuple[str, ...]]] = {}
        self._met: dict[tuple[str, Place, tuple[int, ...]], tuple[tuple[Replacement, ...], tuple[str, ...]]] = {}
        self.tally: list[str] = []

    def note(self, start: int, end: int, entity: str, rules: Iterable[str], canonical: str | None = None) -> None:
        """Take down that the visitor replaces ``[start, end)`` of the text it sees, an identity where ``canonical`` is given."""
        del start, end, entity, rules
        if canonical is not None:
            self.tally.append(canonical)

    def at(self, group: Siblings | None, offset: int) -> None:
        """Take down where in joined texts the next one begins; None when it stands alone again."""

    def value(self, value: JsonValue, place: Place, *, layer: int = 0) -> JsonValue:
        """Return a payload value with every text, number and member name in it rewritten; the input stays as it was.

        Raises `RedactionRefused` when encodings lie deeper than `MAX_LAYERS`, or documents inside them too deep.
        """
        try:
            return self._root(value, place, layer)
        except RecursionError:
            raise RedactionRefused("documents lie too deep inside each other") from None

    def together(self, value: JsonValue, place: Place, *, skipped: Collection[str] = (), layer: int = 0) -> JsonValue:
        """Return a value in which the texts that make one with their neighbours are rewritten and settled."""
        texts: dict[Path, str] = {}
        for group in siblings(value, skipped) if isinstance(value, (dict, list)) else ():
            inner = place
            for name in group.names:
                inner = inner.member(name, frozenset())
            if group.is_stream:
                texts.update(zip(group.paths, self._stream(group, inner, layer), strict=True))
            else:
                texts.update(self._adjacent(group, inner, layer))
        return settled(value, texts)

    def _stream(self, group: Siblings, place: Place, layer: int) -> Sequence[str]:
        joined = "".join(group.texts)
        self.at(group, 0)
        rewritten = self._text(joined, place, layer)
        self.at(None, 0)
        return group.texts if rewritten == joined else resplit(group.texts, rewritten)

    def _adjacent(self, group: Siblings, place: Place, layer: int) -> Mapping[Path, str]:
        """Return the texts that hold a piece of a value which goes on in the next."""
        joined, bounds = "".join(group.texts), group.bounds
        pieces: list[Replacement] = []
        for start, end in windows(len(joined), bounds, REACH):
            inside = bounds[bisect_right(bounds, start) : bisect_left(bounds, end)]
            self.at(group, start)
            found = self._across(joined[start:end], place, tuple(bound - start for bound in inside), group.is_text)
            for first, last, new in found:
                pieces.extend(divided(new, start + first, start + last, inside))
        made: dict[Path, str] = {}
        for path, edges, mine in group.holding(sorted(pieces)):
            made[path] = self._pieced(group, joined, edges, mine, place, layer)
        self.at(None, 0)
        return made

    def _pieced(
        self,
        group: Siblings,
        joined: str,
        edges: tuple[int, int],
        pieces: Sequence[Replacement],
        place: Place,
        layer: int,
    ) -> str:
        """Return one text with its pieces replaced, and what lies between them rewritten by itself."""
        position, last = edges
        made: list[str] = []
        for start, end, new in pieces:
            self.at(group, position)
            made += (self._text(joined[position:start], place, layer), new)
            position = end
        self.at(group, position)
        return "".join((*made, self._text(joined[position:last], place, layer)))

    def _across(self, text: str, place: Place, bounds: tuple[int, ...], is_text: bool) -> Sequence[Replacement]:
        known = self._met.get((text, place, bounds))
        if known is None:
            before = len(self.tally)
            known = tuple(self._visitor.across(text, place, bounds, is_text)), tuple(self.tally[before:])
            self._met[text, place, bounds] = known
        else:
            self.tally.extend(known[1])
        return known[0]

    def _root(self, value: JsonValue, place: Place, layer: int) -> JsonValue:
        return self._value(self.together(value, place, layer=layer), place, layer)

    def _value(self, value: JsonValue, place: Place, layer: int) -> JsonValue:
        if isinstance(value, Settled):
            return str(value)
        if isinstance(value, str):
            return self._text(value, place, layer)
        if isinstance(value, dict):
            return self._object(value, place, layer)
        if isinstance(value, list):
            if is_array(value):
                return self._visitor.array(value)
            return [self._value(child, place, layer) for child in value]
        if value is None or isinstance(value, bool):
            return value
        return self._visitor.number(value, place.as_kind("number"))

    def _object(self, value: dict[str, JsonValue], place: Place, layer: int) -> JsonValue:
        beside = self._relevant.intersection(map(normal_name, value))
        self._visitor.members(value)
        renamed: dict[str, JsonValue] = {}
        for key, child in value.items():
            new_key = self._text(key, place.as_kind("key"), layer)
            while new_key in renamed or (new_key != key and new_key in value):
                new_key += "_"  # two spellings of one name, or a stand-in that is another member's name
            renamed[new_key] = self._value(child, place.member(key, beside), layer)
        return renamed

    def text(self, text: str, place: Place) -> str:
        """Return a text rewritten: as a whole when it is encoded, else its encoded islands and what lies between.

        Raises `RedactionRefused` like `value`.
        """
        rewritten = self.value(text, place)
        assert isinstance(rewritten, str)  # noqa: S101  # a text goes in, a text comes out
        return rewritten

    def _text(self, text: str, place: Place, layer: int) -> str:
        if not text:
            return text
        at = self._alike(place)
        known = self._done.get((text, at))
        if known is None:
            before = len(self.tally)
            rewritten = self._rewritten(text, place, layer)
            self._done[text, at] = rewritten, tuple(self.tally[before:])
            return rewritten
        self.tally.extend(known[1])
        return known[0]

    def _rewritten(self, text: str, place: Place, layer: int) -> str:
        if layer > MAX_LAYERS:
            raise RedactionRefused(f"encodings lie more than {MAX_LAYERS} layers deep")
        if place.kind in ("signature", "blob"):
            return self._visitor.opaque(text, place)
        whole, islands = self._opened(text)
        if whole is not None:
            return self._reclosed(whole, place, layer)
        found = list(self._visitor.text(text, place, [(island.start, island.end) for island in islands]))
        whole_found = Cover(len(text), ((start, end) for start, end, _ in found))
        inside: list[Replacement] = []
        for island, values in zip(islands, self._events(islands, place, layer), strict=True):
            if whole_found.touches(island.start, island.end):
                continue
            closed = self._reclosed(island.opened, place, layer, _path_before(text, island.start), values)
            if closed != text[island.start : island.end]:
                inside.append((island.start, island.end, closed))
        return splice(text, [*inside, *found])

    def _opened(self, text: str) -> tuple[Opened | None, Sequence[Embedded]]:
        """Return the encoding that a whole text is, else the islands in it."""
        known = self._openings.get(text)
        if known is None:
            whole = open_text(text)
            known = self._openings[text] = whole, () if whole is not None else tuple(embedded(text))
        return known

    def _events(self, islands: Sequence[Embedded], place: Place, layer: int) -> Sequence[Sequence[JsonValue]]:
        """Return the values of the parts of islands, chunks settled: a stream is often logged one document a line."""
        values: list[JsonValue] = [[part.value for part in island.opened.parts] for island in islands]
        if sum(isinstance(part.value, (dict, list)) for island in islands for part in island.opened.parts) > 1:
            together = self.together(values, place, layer=layer + 1)
            values = together if isinstance(together, list) else values
        return [value if isinstance(value, list) else [] for value in values]

    def _reclosed(
        self, opened: Opened, place: Place, layer: int, path: str = "", values: Sequence[JsonValue] | None = None
    ) -> str:
        beside = self._beside(opened, path)
        values = [part.value for part in opened.parts] if values is None else values
        made = [
            self._part(part, value, place, beside, layer + 1) for part, value in zip(opened.parts, values, strict=True)
        ]
        return opened.close(made)

    def _beside(self, opened: Opened, path: str) -> frozenset[str]:
        """Return the names around the parts of one layer: of the other fields, and of the segments of a URL's path."""
        names = (part.key for part in opened.parts if part.key is not None)
        segments = (part.value for part in opened.parts if part.role == "path_segment" and isinstance(part.value, str))
        return self._relevant.intersection(map(normal_name, (*names, *segments, *path.split("/"))))

    def _part(self, part: Part, value: JsonValue, place: Place, beside: frozenset[str], layer: int) -> JsonValue:
        inner = place if part.key is None else place.member(part.key, beside)
        kind = _ROLES.get(part.role)
        if kind is not None:
            inner = inner.as_kind(kind)
        return self._root(value, inner, layer)


def _path_before(text: str, start: int) -> str:
    """Return the path that ends right before a query: of ``GET /oauth/callback?code=…`` the query alone is encoded."""
    if text[start - 1 : start] != "?":
        return ""
    return text[max(0, start - _LONGEST_PATH) : start - 1].rpartition(" ")[2]


def splice(text: str, replacements: Iterable[Replacement]) -> str:
    """Return a text with non-overlapping ranges replaced."""
    pieces: list[str] = []
    position = 0
    for start, end, new in sorted(replacements):
        pieces += (text[position:start], new)
        position = end
    return "".join((*pieces, text[position:]))
