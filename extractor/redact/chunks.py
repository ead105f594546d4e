"""Texts that stand beside each other and may be one: chunks of a stream, parts of a message, items of an array."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from statistics import median

from ..model.json import JsonValue

_STREAMED = frozenset({"delta", "partial_json", "chunk", "text_delta", "content_delta"})
_TEXTS = _STREAMED | {
    "text", "content", "message", "body", "data", "part", "segment", "line", "output", "output_text", "completion", "reasoning",
    "thinking", "arguments", "transcript", "token", "fragment", "refusal",
}  # fmt: skip
_LONGEST_CHUNK = 80  # characters of the middle one; whole paragraphs that end in a space are no stream
_SPACED = 3  # of so many places where chunks meet, one has a space; where messages meet, hardly any
_TOKEN = re.compile(r"\w+|\W", re.UNICODE)

Path = tuple[int | str, ...]


class Settled(str):
    """A text that was rewritten already, together with its neighbours."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Siblings:
    """Texts that stand at the same member names under one array. ``names`` lead to them, list positions left out."""

    names: tuple[str, ...]
    paths: tuple[Path, ...]
    texts: tuple[str, ...] = field(repr=False)
    turns: int = 1  # how many messages, each with its role, hold the texts

    @property
    def is_text(self) -> bool:
        """Whether people or models write there, so that one text may go on in the next."""
        in_array = not isinstance(self.paths[0][-1], str)
        return in_array or self.names[-1].lower().removesuffix("s") in _TEXTS

    @property
    def is_stream(self) -> bool:
        """Whether the texts are chunks of one: by their members' names, or since spaces stand at their edges."""
        if not self.is_text or median(map(len, self.texts)) > _LONGEST_CHUNK:
            return False
        if any(name.lower().removesuffix("s") in _STREAMED for name in self.names):
            return True
        if self.turns > 1:
            return False  # what one says ends where the other begins
        spaced = sum(one.endswith(" ") or other.startswith(" ") for one, other in pairwise(self.texts))
        return spaced * _SPACED >= len(self.texts) - 1

    def holding(
        self, pieces: Sequence[tuple[int, int, str]]
    ) -> Iterator[tuple[Path, tuple[int, int], list[tuple[int, int, str]]]]:
        """Yield the texts that hold pieces, which are sorted and cross no bound: path, char range when joined, their pieces."""
        edges = [0, *self.bounds, sum(map(len, self.texts))]
        for index, mine in groupby(pieces, key=lambda piece: bisect_right(edges, piece[0]) - 1):
            yield self.paths[index], (edges[index], edges[index + 1]), list(mine)

    @property
    def bounds(self) -> list[int]:
        """Where each text but the first begins in all of them joined."""
        ends: list[int] = []
        for text in self.texts[:-1]:
            ends.append((ends[-1] if ends else 0) + len(text))
        return ends


def siblings(value: JsonValue, skipped: Collection[str] = ()) -> list[Siblings]:
    """Return the groups of two texts or more under the arrays of a value, in document order; not below ``skipped``."""
    groups: dict[tuple[tuple[str, ...], Path], list[tuple[Path, str, Path]]] = {}
    stack: list[tuple[JsonValue, Path, tuple[str, ...], Path]] = [(value, (), (), ())]
    while stack:
        node, path, names, turn = stack.pop()
        if isinstance(node, dict):
            turn = path if "role" in node else turn
            stack.extend(
                (child, (*path, key), (*names, key), turn)
                for key, child in reversed(node.items())
                if key not in skipped
            )
        elif isinstance(node, list):
            stack.extend((child, (*path, index), names, turn) for index, child in reversed(list(enumerate(node))))
        elif isinstance(node, str) and node and len(names) < len(path):
            # The items of one array may be one text; those of its neighbours, as the cells of a table, are not.
            groups.setdefault((names, path[:-1] if isinstance(path[-1], int) else ()), []).append((path, node, turn))
    return [
        Siblings(
            names=names,
            paths=tuple(path for path, _, _ in found),
            texts=tuple(text for _, text, _ in found),
            turns=len({turn for _, _, turn in found}),
        )
        for (names, _), found in groups.items()
        if len(found) > 1 and not any(isinstance(text, Settled) for _, text, _ in found)
    ]


def settled(value: JsonValue, texts: Mapping[Path, str]) -> JsonValue:
    """Return a copy of a value with the texts at some paths settled."""

    def copied(node: JsonValue, path: Path) -> JsonValue:
        if isinstance(node, dict):
            return {key: copied(child, (*path, key)) for key, child in node.items()}
        if isinstance(node, list):
            return [copied(child, (*path, index)) for index, child in enumerate(node)]
        return Settled(texts[path]) if path in texts else node

    return copied(value, ()) if texts else value


def windows(length: int, bounds: Sequence[int], reach: int) -> list[tuple[int, int]]:
    """Return the char ranges of a joined text within ``reach`` of a bound, those that meet as one."""
    found: list[tuple[int, int]] = []
    for bound in bounds:
        start, end = max(0, bound - reach), min(length, bound + reach)
        if found and start <= found[-1][1]:
            start = found.pop()[0]
        found.append((start, end))
    return found


def divided(new: str, start: int, end: int, bounds: Sequence[int]) -> list[tuple[int, int, str]]:
    """Return what replaces ``[start, end)`` of a joined text, cut at the bounds inside in the same proportion."""
    inside = bounds[bisect_right(bounds, start) : bisect_left(bounds, end)]
    cuts = [0, *(round((bound - start) * len(new) / (end - start)) for bound in inside), len(new)]
    pieces = (new[one:other] for one, other in pairwise(cuts))
    return [(one, other, piece) for (one, other), piece in zip(pairwise((start, *inside, end)), pieces, strict=True)]


def resplit(texts: Sequence[str], new: str) -> list[str]:
    """Return a rewritten joined text cut into as many chunks: at the same tokens where it still has as many."""
    old = "".join(texts)
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(before) != len(after):
        before, after = [old], [new]
    pieces: list[str] = []
    bound = position = place = cut = index = 0
    for text in texts[:-1]:
        bound += len(text)
        while index < len(before) and position + len(before[index]) <= bound:
            position += len(before[index])
            place += len(after[index])
            index += 1
        inside = round((bound - position) * len(after[index]) / len(before[index])) if position < bound else 0
        pieces.append(new[cut : place + inside])
        cut = place + inside
    return [*pieces, new[cut:]]
