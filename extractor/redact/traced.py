"""The walk that tells where each replacement stands: by positions alone, for ``--explain``."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..model.json import JsonValue
from .chunks import Path, Siblings
from .encodings import Embedded, Opened, Part
from .place import Place, normal_name
from .walk import Replacement, Visitor, Walk

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """One replacement. ``steps`` lead to its text by position, and ``[start, end)`` are its characters there;
    ``rules`` are all that know the value.

    ``[2]`` is an item of an array, ``{1}`` the value of an object's member, ``key`` after it that member's name, and
    ``<0.1>`` part 1 of the piece 0 of a text that was decoded: a range then counts in the decoded text.
    """

    steps: Steps
    start: int
    end: int
    entity: str
    rules: tuple[str, ...]


Listener = Callable[[Replaced], None]


class TracedWalk(Walk):
    """Walks as `Walk` does, and tells a listener of each replacement. No text is remembered, so each is told."""

    def __init__(
        self, visitor: Visitor, relevant: frozenset[str], alike: Callable[[Place], Place], listener: Listener
    ) -> None:
        super().__init__(visitor, relevant, alike, {})
        self._listener = listener
        self._steps: list[str] = []
        self._piece = 0
        self._part_number = 0
        self._tree: JsonValue = None
        self._is_events = False
        self._group: _Group | None = None
        self._outer: _Group | None = None

    def note(self, start: int, end: int, entity: str, rules: Iterable[str], canonical: str | None = None) -> None:
        """Tell of a replacement where the walk stands."""
        super().note(start, end, entity, rules, canonical)
        places = [(tuple(self._steps), start, end)]
        if self._group is not None:
            places = self._group.places(tuple(self._steps), start, end)
        for steps, first, last in places:
            self._listener(Replaced(steps=steps, start=first, end=last, entity=entity, rules=tuple(sorted(rules))))

    def at(self, group: Siblings | None, offset: int) -> None:
        """Know where in joined texts the next one begins."""
        if group is None:
            self._group = self._outer
            return
        here = tuple(self._steps)
        self._group = _Group(
            around=here if self._outer is None else self._outer.places(here, 0, 1)[0][0],
            depth=len(here),
            paths=[_steps(self._tree, path, in_parts=self._is_events) for path in group.paths],
            bounds=group.bounds,
            offset=offset,
        )

    def together(self, value: JsonValue, place: Place, *, skipped: Collection[str] = (), layer: int = 0) -> JsonValue:
        """Return the value settled, with places known in it."""
        outside = self._tree, self._outer
        self._tree, self._outer = value, self._group
        try:
            return super().together(value, place, skipped=skipped, layer=layer)
        finally:
            self._group = self._outer
            self._tree, self._outer = outside

    def _events(self, islands: Sequence[Embedded], place: Place, layer: int) -> Sequence[Sequence[JsonValue]]:
        outside, self._is_events = self._is_events, True
        try:
            return super()._events(islands, place, layer)
        finally:
            self._is_events = outside

    def _root(self, value: JsonValue, place: Place, layer: int) -> JsonValue:
        outside, self._is_events = self._is_events, False
        try:
            return super()._root(value, place, layer)
        finally:
            self._is_events = outside

    def _across(self, text: str, place: Place, bounds: tuple[int, ...], is_text: bool) -> Sequence[Replacement]:
        return tuple(self._visitor.across(text, place, bounds, is_text))

    def _value(self, value: JsonValue, place: Place, layer: int) -> JsonValue:
        if not isinstance(value, list):
            return super()._value(value, place, layer)
        made: list[JsonValue] = []
        for index, child in enumerate(value):
            with self._inside(f"[{index}]"):
                made.append(self._value(child, place, layer))
        return made

    def _object(self, value: dict[str, JsonValue], place: Place, layer: int) -> JsonValue:
        beside = self._relevant.intersection(map(normal_name, value))
        self._visitor.members(value)
        renamed: dict[str, JsonValue] = {}
        for index, (key, child) in enumerate(value.items()):
            with self._inside(f"{{{index}}}"):
                with self._inside("key"):
                    new_key = self._text(key, place.as_kind("key"), layer)
                while new_key in renamed or (new_key != key and new_key in value):
                    new_key += "_"
                renamed[new_key] = self._value(child, place.member(key, beside), layer)
        return renamed

    def _text(self, text: str, place: Place, layer: int) -> str:
        return self._rewritten(text, place, layer) if text else text

    def _rewritten(self, text: str, place: Place, layer: int) -> str:
        outside, self._piece = self._piece, 0
        try:
            return super()._rewritten(text, place, layer)
        finally:
            self._piece = outside

    def _reclosed(
        self, opened: Opened, place: Place, layer: int, path: str = "", values: Sequence[JsonValue] | None = None
    ) -> str:
        outside, self._part_number = self._part_number, 0
        try:
            return super()._reclosed(opened, place, layer, path, values)
        finally:
            self._part_number = outside
            self._piece += 1

    def _part(self, part: Part, value: JsonValue, place: Place, beside: frozenset[str], layer: int) -> JsonValue:
        with self._inside(f"<{self._piece}.{self._part_number}>"):
            self._part_number += 1
            return super()._part(part, value, place, beside, layer)

    @contextmanager
    def _inside(self, step: str) -> Iterator[None]:
        self._steps.append(step)
        try:
            yield
        finally:
            self._steps.pop()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Joined texts: where each stands, where each but the first begins, and where in them the text at hand begins.

    ``around`` leads to the tree that holds them; the walk is ``depth`` steps deep there.
    """

    around: Steps
    depth: int
    paths: Sequence[Steps]
    bounds: Sequence[int]
    offset: int

    def places(self, steps: Steps, start: int, end: int) -> list[tuple[Steps, int, int]]:
        """Return the places of a range, one in each text that it touches."""
        if inside := steps[self.depth :]:  # decoded from what begins there
            return [((*self.around, *self.paths[bisect_right(self.bounds, self.offset)], *inside), start, end)]
        found = []
        begins = [0, *self.bounds]
        position, stop = start + self.offset, end + self.offset
        while position < stop:
            index = bisect_right(self.bounds, position)
            last = min(stop, self.bounds[index]) if index < len(self.bounds) else stop
            found.append(((*self.around, *self.paths[index]), position - begins[index], last - begins[index]))
            position = last
        return found


def _steps(tree: JsonValue, path: Path, *, in_parts: bool) -> Steps:
    """Return a path of names and indexes by position; among decoded parts its first two are a piece and a part."""
    steps: list[str] = []
    node = tree
    for step in path:
        if isinstance(node, Mapping):
            steps.append(f"{{{list(node).index(str(step))}}}")
            node = node[str(step)]
        elif isinstance(node, list) and isinstance(step, int):
            steps.append(f"[{step}]")
            node = node[step]
    if in_parts and len(steps) > 1:
        return (f"<{steps[0][1:-1]}.{steps[1][1:-1]}>", *steps[2:])
    return tuple(steps)
