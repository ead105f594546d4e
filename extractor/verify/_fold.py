"""Verify's own folded view of a text and its own idea of a token; deliberately not shared with redact."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..model.letters import PLAIN

_RUN_BOUND = 64
_SCRAMBLED = 4
_UNWRITTEN = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class View:
    """A text as it is compared: compatibility form, no marks or format characters.

    ``shape`` keeps case, ``folded`` does not; both have the same length. ``starts[i]`` is where character ``i`` began
    in the text that was given, with one entry more at the end.
    """

    shape: str
    folded: str
    starts: Sequence[int]


def view(text: str) -> View:
    """Return the view of a text."""
    if text.isascii():
        return View(text, text.lower(), range(len(text) + 1))
    shape: list[str] = []
    starts: list[int] = []
    for index, char in enumerate(text):
        for piece in _plain(char):
            shape.append(piece)
            starts.append(index)
    starts.append(len(text))
    folded = [piece.casefold() for piece in shape]
    if any(len(piece) != 1 for piece in folded):  # ß folds to two characters
        starts = [start for start, piece in zip(starts, folded, strict=False) for _ in piece] + [len(text)]
        shape = [char for char, piece in zip(shape, folded, strict=True) for _ in piece]
    return View("".join(shape), "".join(folded), starts)


def fold(text: str) -> str:
    """Return only the folded characters."""
    return text.lower() if text.isascii() else view(text).folded


def squeeze(folded: str) -> str:
    """Return the letters and digits of a folded text."""
    return _UNWRITTEN.sub("", folded)


def stands_apart(text: str, place: int) -> bool:
    """Say whether a word begins or ends at a place of the squeezed text, counted in its letters and digits."""
    seen = view(text)
    written = [at for at, char in enumerate(seen.folded) if not _UNWRITTEN.match(char)]
    if not 0 < place < len(written):
        return True
    return written[place] - written[place - 1] > 1 or _edge(seen.shape, written[place])


def is_token(shape: str, start: int, end: int) -> bool:
    """Say whether ``shape[start:end]`` is delimited by non-alphanumerics or a change of case or of digit class."""
    return _edge(shape, start) and _edge(shape, end)


@lru_cache(maxsize=8192)
def _plain(char: str) -> str:
    if char.isascii():
        return char
    category = unicodedata.category(char)
    if category in ("Cf", "Mn", "Me"):
        return ""
    if category == "Cs":
        return "\ufffd"  # half a character: no matcher takes one
    if category == "Zs":
        return " "
    if category == "Pd" or char == "\u2212":
        return "-"
    plain = "".join(piece for piece in unicodedata.normalize("NFKD", char) if not unicodedata.combining(piece))
    return plain.translate(PLAIN)


def _edge(shape: str, index: int) -> bool:
    if index <= 0 or index >= len(shape):
        return True
    before, after = shape[index - 1], shape[index]
    if "\u1160" <= after <= "\u11ff":  # in the middle of a syllable of Hangul
        return False
    if not before.isalnum() or not after.isalnum() or _unspaced(before) or _unspaced(after):
        return True
    if before.isdigit() != after.isdigit():
        # In a scrambled run (hex digests, random ids) such changes delimit nothing: 2478 is no token of 3f2478ab9c1d.
        return not _scrambled(shape, index)
    if before.islower() and after.isupper():
        return True
    return before.isupper() and after.isupper() and shape[index + 1 : index + 2].islower()


def _unspaced(char: str) -> bool:
    # Scripts that put no space between words: there every character may begin one.
    return (
        "\u2e80" <= char <= "\ud7ff"
        or "\u1100" <= char <= "\u11ff"
        or "\u0e00" <= char <= "\u0eff"
        or "\uf900" <= char <= "\ufaff"
    )


def _scrambled(shape: str, index: int) -> bool:
    start = end = index
    while start > max(0, index - _RUN_BOUND) and shape[start - 1].isalnum():
        start -= 1
    while end < min(len(shape), index + _RUN_BOUND) and shape[end].isalnum():
        end += 1
    changes = sum(shape[place].isdigit() != shape[place - 1].isdigit() for place in range(start + 1, end))
    return changes >= _SCRAMBLED
