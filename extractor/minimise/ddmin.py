"""Delta debugging over any pieces: whole kinds, ddmin (Zeller and Hildebrandt 2002), then one piece at a time.

Deterministic: what is tried, and in which order, follows from the pieces and the answers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Piece = TypeVar("Piece", bound=Hashable)
Red = Callable[[frozenset[Piece]], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level(Generic[Piece]):
    """Pieces of one size: the kinds that are tried whole first, and the order in which single pieces go."""

    kinds: tuple[tuple[Piece, ...], ...]
    order: tuple[Piece, ...]


def minimal(levels: Sequence[Level[Piece]], red: Red[Piece]) -> frozenset[Piece]:
    """Return a red subset of all pieces that is 1-minimal: without any single piece of it the answer is no longer red.

    ``red`` is asked about sets of pieces that stay, never about all of them, which must be red. It need not be monotone.
    The last pass over single pieces is the proof of 1-minimality: it has asked about each, and none was red.
    """
    kept = frozenset(piece for level in levels for piece in level.order)
    for level in levels:
        for kind in level.kinds:
            kept = _without(kept, kind, red)
        kept = _ddmin(kept, level.order, red)
    while True:
        before = kept
        for level in levels:
            for piece in level.order:
                kept = _without(kept, (piece,), red)
        if kept == before:
            return kept


def _without(kept: frozenset[Piece], pieces: Sequence[Piece], red: Red[Piece]) -> frozenset[Piece]:
    """Return the set without these pieces if that is red, else the set."""
    fewer = kept.difference(pieces)
    return fewer if fewer != kept and red(fewer) else kept


def _ddmin(kept: frozenset[Piece], order: Sequence[Piece], red: Red[Piece]) -> frozenset[Piece]:
    """Reduce the pieces of one level, the others held: to one of n parts, or by it, in ever smaller parts."""
    held = kept.difference(order)
    parts = 2
    while len(left := [piece for piece in order if piece in kept]) > 1:
        chunks = list(_chunks(left, parts))
        # In two parts each complement is the other part.
        alone = next((held.union(chunk) for chunk in chunks if red(held.union(chunk))), None)
        if alone is not None:
            kept, parts = alone, 2
            continue
        fewer = kept
        for chunk in chunks if parts > 2 else ():
            fewer = _without(fewer, chunk, red)
        if fewer != kept:
            kept, parts = fewer, max(len([piece for piece in order if piece in fewer]) * parts // len(left), 2)
        elif parts >= len(left):
            break
        else:
            parts = min(2 * parts, len(left))
    return kept


def _chunks(pieces: Sequence[Piece], parts: int) -> Iterator[Sequence[Piece]]:
    """Yield the pieces in as many parts, sizes differing by one at most."""
    for number in range(parts):
        chunk = pieces[number * len(pieces) // parts : (number + 1) * len(pieces) // parts]
        if chunk:
            yield chunk
