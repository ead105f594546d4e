"""The structure proof: original and redacted document walked side by side; only identifier text may differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from ..model.json import JsonValue, number
from ._beside import Neighbours, lines
from ._blobs import unmarked
from ._decode import container, from_base64, from_hex, mapped
from ._fold import fold
from ._places import Leaf, Place, Policy, is_generated
from ._segments import Finder, Segment, align

_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*', re.DOTALL)
_LEAST_BLOB = 48
_LEAST_FLOATS = 64


@dataclass(frozen=True, slots=True)
class Pair:
    """One occurrence: what stood there, what stands there now, which known value it was, and where."""

    original: str = field(repr=False)
    redacted: str
    value: int
    place: str


@dataclass(slots=True)
class Comparison:
    """Walks two documents; collects ``faults`` of structure and the ``pairs`` of replaced occurrences."""

    finder: Finder
    rules: Policy
    faults: dict[str, None] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list, repr=False)
    _texts: list[tuple[str, str, str]] = field(default_factory=list, repr=False)
    _expected: dict[str, str] = field(default_factory=dict, repr=False)
    _neighbours: Neighbours = field(default_factory=Neighbours, repr=False)
    _unlike: dict[str, None] = field(default_factory=dict, repr=False)
    _aligned: dict[tuple[str, str], list[tuple[Segment, str]] | None] = field(default_factory=dict, repr=False)

    def documents(self, original: JsonValue, redacted: JsonValue) -> None:
        """Compare two documents: trees first, so that whole leaves say what replaces what, then texts, then neighbours."""
        self._trees(original, redacted, Place())
        while self._texts:
            waiting, self._texts = self._texts, []
            for one, other, place in waiting:
                self._text(one, other, place)
        for places, one, other in self._neighbours.joined(self._unlike):
            captured = align(one, self.finder.segments(one), other, self._expected)
            if captured is not None:  # a value goes on from one text into the next
                self._captured(one, captured, places[0])
                self._unlike = {place: None for place in self._unlike if place not in places}
        for place in self._unlike:
            self._fault(place, "text that is no identifier differs")

    def _trees(self, original: JsonValue, redacted: JsonValue, root: Place) -> None:
        stack = [(original, redacted, root)]
        while stack:
            one, other, place = stack.pop()
            if isinstance(one, dict) and isinstance(other, dict):
                stack.extend(self._members(one, other, place))
            elif isinstance(one, list) and isinstance(other, list):
                longer = place.text in self.rules.growing and len(other) > len(one)
                if len(one) != len(other) and not longer:
                    self._fault(place.text, "the array has another length")
                    continue
                stack.extend((x, y, place.item(index)) for index, (x, y) in enumerate(zip(one, other, strict=False)))
            else:
                self._leaf(one, other, place)

    def _members(
        self, one: dict[str, JsonValue], other: dict[str, JsonValue], place: Place
    ) -> Iterator[tuple[JsonValue, JsonValue, Place]]:
        if len(one) != len(other):
            self._fault(place.text, "the object has another number of members")
            return
        for index, ((key, value), (name, child)) in enumerate(zip(one.items(), other.items(), strict=True)):
            here = place.member(key, index, self.rules)
            if key != name:
                if not here.payload or key in self.rules.members:
                    self._fault(here.text, "a member of ours has another name")
                    continue
                self._whole_or_text(key, name, f"{here.text} (member name)")
            yield value, child, here

    def _leaf(self, one: JsonValue, other: JsonValue, place: Place) -> None:
        if self._is_ours(one, other, place) or self._is_marked(one, other):
            return
        if isinstance(one, str) and isinstance(other, str):
            self._neighbours.add(place, one, other)
            if one != other:
                self._whole_or_text(one, other, place.text)
        elif _is_number(one) and _is_number(other):
            self._number(one, other, place)
        elif type(one) is not type(other):
            self._fault(place.text, "the value has another type")
        elif one != other:
            self._fault(place.text, "the value differs")

    def _is_ours(self, one: JsonValue, other: JsonValue, place: Place) -> bool:
        if isinstance(other, str):
            return is_generated(Leaf(place, other, "text"), self.rules) and (one is None or isinstance(one, str))
        return False

    def _is_marked(self, one: JsonValue, other: JsonValue) -> bool:
        """Say whether a blob became its marker: a long text or array of numbers became an object of known members."""
        if not isinstance(other, dict) or not other or not set(other) <= self.rules.marker:
            return False
        if isinstance(one, str):
            return len(one) >= _LEAST_BLOB
        return isinstance(one, list) and len(one) > _LEAST_FLOATS and all(map(_is_number, one))

    def _number(self, one: float, other: float, place: Place) -> None:
        was, now = number(one), number(other)
        if was == now:
            return
        value = None if place.kind in self.rules.generated else self.finder.whole(was)
        if value is None or isinstance(one, int) != isinstance(other, int):
            self._fault(place.text, "the number differs")
        else:
            self._pair(was, now, value, place.text)

    def _whole_or_text(self, one: str, other: str, place: str) -> None:
        value = self.finder.whole(one)
        if value is not None and other:
            self._pair(one, other, value, place)
        else:
            self._texts.append((one, other, place))

    def _text(self, one: str, other: str, place: str) -> None:
        if one == other:
            return
        if self._contained(one, other, place):
            return
        one = unmarked(one, other)
        if one == other:
            return
        if (one, other) not in self._aligned:
            self._aligned[one, other] = align(one, self.finder.segments(one), other, self._expected)
        captured = self._aligned[one, other]
        if captured is not None:
            self._captured(one, captured, place)
        elif (documents := lines(one, other)) is not None:
            self._trees(
                [was for was, _ in documents], [now for _, now in documents], Place(f"{place} (JSON)", payload=True)
            )
        else:
            self._unlike.setdefault(place)

    def _captured(self, one: str, captured: Iterable[tuple[Segment, str]], place: str) -> None:
        for segment, now in captured:
            was = one[segment.start : segment.end]
            if segment.encoded:
                if was != now:
                    self._run(was, now, place)
            elif segment.value is not None:
                self._pair(was, now, segment.value, place)

    def _contained(self, one: str, other: str, place: str) -> bool:
        """Compare two JSON texts as trees; False when the original is none."""
        inner = container(one)
        if inner is None:
            return False
        replaced = container(other)
        if type(inner) is not type(replaced) or _LITERAL.sub("0", one) != _LITERAL.sub("0", other):
            self._fault(place, "the JSON inside the text has another form")
        else:
            self._trees(inner, replaced, Place(f"{place} (JSON)", payload=True))
        return True

    def _run(self, was: str, now: str, place: str) -> None:
        """Compare two encoded runs by what they stand for; of a signed one, header and payload."""
        parts, others = was.split("."), now.split(".")
        if len(parts) != len(others):
            self._fault(place, "the encoded text has another form")
            return
        for index, (part, other) in enumerate(zip(parts, others, strict=True)):
            if len(parts) == 3 and index == 2:  # a signature fits its new payload or nothing
                continue
            before, after = from_base64(part), from_base64(other)
            if before is None and _is_hex(part) and _is_hex(other):
                before, after = from_hex(part), from_hex(other)
            if before is None or after is None:
                if part != other:
                    self._fault(place, "the encoded text no longer decodes")
            elif before != after:
                self._whole_or_text(before, after, f"{place} (decoded)")

    def _pair(self, was: str, now: str, value: int, place: str) -> None:
        if was == now:
            return
        was, now = _plain(was), _plain(now)
        self._expected.setdefault(fold(was), now)
        self.pairs.append(Pair(was, now, value, place))

    def _fault(self, place: str, what: str) -> None:
        self.faults.setdefault(f"{place or 'the document'}: {what}")


def _plain(text: str) -> str:
    """Return a captured text without percent, entity or backslash encoding."""
    for _ in range(3):
        deeper = mapped(text)[0]
        if deeper == text:
            break
        text = deeper
    return text


def _is_hex(text: str) -> bool:
    return len(text) % 2 == 0 and re.fullmatch(r"[0-9a-fA-F]+", text) is not None


def _is_number(value: JsonValue) -> TypeGuard[int | float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
