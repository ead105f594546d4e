"""Texts that may make one with their neighbours: the chunks of a stream, the parts of a message, one document a line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..model.json import JsonValue
from ._decode import container
from ._places import Place

_POSITION = re.compile(r"\[(\d+)\]")
_LINE = re.compile(r"(?P<before>(?:data:)?[ \t]*)(?P<document>[{\[].*)")
_LEAST_LINES = 2


@dataclass(slots=True)
class Neighbours:
    """Remembers text leaves by their place without list positions; ``joined`` sets those of one place side by side."""

    _found: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict, repr=False)

    def add(self, place: Place, one: str, other: str) -> None:
        """Take in a leaf as it was and as it is; what stands in no array has no neighbours."""
        if "[" in place.text:
            self._found.setdefault(place.kind, []).append((place.text, one, other))

    def joined(self, places: Iterable[str]) -> Iterator[tuple[tuple[str, ...], str, str]]:
        """Yield, for the leaves at some places, all their neighbours joined: which places, as they were, as they are."""
        kinds = dict.fromkeys(_POSITION.sub("[]", place) for place in places)
        for kind in kinds:
            leaves = sorted(
                self._found.get(kind, ()), key=lambda leaf: [int(number) for number in _POSITION.findall(leaf[0])]
            )
            if len(leaves) > 1:
                texts = ("".join(leaf[1] for leaf in leaves), "".join(leaf[2] for leaf in leaves))
                yield tuple(leaf[0] for leaf in leaves), *texts


def lines(one: str, other: str) -> list[tuple[JsonValue, JsonValue]] | None:
    """Return the JSON documents of two texts that are nothing but lines of such, else None.

    Lines of server-sent events begin with ``data:``; what is no JSON in them must be the same in both.
    """
    before, after = one.split("\n"), other.split("\n")
    if len(before) != len(after):
        return None
    pairs: list[tuple[JsonValue, JsonValue]] = []
    for was, now in zip(before, after, strict=True):
        left, right = _LINE.fullmatch(was), _LINE.fullmatch(now)
        documents = (container(left["document"]), container(right["document"])) if left and right else (None, None)
        if left and right and left["before"] == right["before"] and None not in documents:
            pairs.append(documents)
        elif was != now:
            return None
    return pairs if len(pairs) >= _LEAST_LINES else None
