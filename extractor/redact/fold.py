"""Two views of a text for matching, with the way back: every spelling of one value folds to the same characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ..model.letters import PLAIN

_DASHES = {chr(code) for code in (0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xFE63, 0xFF0D)}
_DROPPED = {"Cf", "Mn", "Me"}
_RUN = 64  # characters on either side that tell a digest
_ALTERNATIONS = 4

# Scripts that put no space between words, or hang particles on them: Thai to Khmer, Kana, Han, Hangul.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)


@dataclass(frozen=True, slots=True)
class Folded:
    """``clean`` keeps case, ``text`` does not; both have the same length.

    ``starts[i]`` is where their character ``i`` began in the original, with one entry more at the end. Cleaning:
    compatibility decomposition, combining marks and format characters (zero width, bidi) removed, dashes, spaces, apostrophes
    and letters such as ø made plain. ``unmarked`` tells, by the place of a character in the original, how many format characters stand right before
    it: they belong to no value that ends there, or a direction would be left open.
    """

    clean: str
    text: str
    starts: Sequence[int]
    unmarked: Mapping[int, int] = field(default_factory=dict)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the ``[start, end)`` of the original that a folded range covers, trailing marks included."""
        stop = end
        while start < stop < len(self.starts) - 1 and self.starts[stop] == self.starts[end - 1]:
            stop += 1  # a ligature is one character of the original
        first = self.starts[start]
        return first, max(first, self.starts[stop] - self.unmarked.get(self.starts[stop], 0))


def fold(text: str) -> Folded:
    """Return the folded view of a text; plain ASCII costs one lower()."""
    if text.isascii():
        return Folded(text, text.lower(), range(len(text) + 1))
    clean: list[str] = []
    starts: list[int] = []
    unmarked: dict[int, int] = {}
    formats = 0
    for index, char in enumerate(text):
        pieces = _clean_char(char)
        if pieces and formats:
            unmarked[index] = formats
        formats = 0 if pieces or unicodedata.category(char) != "Cf" else formats + 1
        for piece in pieces:
            clean.append(piece)
            starts.append(index)
    if formats:
        unmarked[len(text)] = formats
    starts.append(len(text))
    return Folded("".join(clean), "".join(map(_lower, clean)), starts, unmarked)


def folded(text: str) -> str:
    """Return only the folded characters."""
    return fold(text).text


def _clean_char(char: str) -> str:
    if char.isascii():
        return char
    if char in _DASHES:
        return "-"
    category = unicodedata.category(char)
    if category in _DROPPED:
        return ""
    if category == "Cs":  # a lone surrogate is no text, and no matcher takes it
        return "\ufffd"
    if category == "Zs":
        return " "
    plain = "".join(
        piece for piece in unicodedata.normalize("NFKD", char) if unicodedata.category(piece) not in _DROPPED
    ).translate(PLAIN)
    spelled = plain.casefold()
    return spelled if len(spelled) > len(plain) else plain  # the sharp s is two letters in capitals


def _lower(char: str) -> str:
    lowered = char.casefold()
    return lowered if len(lowered) == 1 else char  # one for one, so that both views share their positions


def is_unspaced(char: str) -> bool:
    """Tell whether a character is of a script that puts no space between words, or hangs particles on them."""
    return _UNSPACED.match(char) is not None


def at_boundary(text: str, start: int, end: int) -> bool:
    """Tell whether ``text[start:end]`` is a token: beside non-alphanumerics, or a change of case or of digit class."""
    return _breaks(text, start) and _breaks(text, end)


def _breaks(text: str, index: int) -> bool:
    if index <= 0 or index >= len(text):
        return True
    before, after = text[index - 1], text[index]
    if "\u1160" <= after <= "\u11ff":
        return False  # a vowel or a final consonant of Hangul goes on in the syllable before it
    if not before.isalnum() or not after.isalnum():
        return True
    if before.isdigit() != after.isdigit():
        return not _is_scrambled(text, index)
    if _UNSPACED.match(before) and _UNSPACED.match(after):
        return True
    if before.isascii() != after.isascii():  # a CJK neighbour is no part of an ASCII identifier
        return "Lo" in (unicodedata.category(before), unicodedata.category(after))
    return before.islower() and after.isupper()


def _is_scrambled(text: str, index: int) -> bool:
    """Tell whether letters and digits alternate around here as in a digest: such changes are no boundaries."""
    start, end = max(0, index - _RUN), min(len(text), index + _RUN)
    before, after = text[start:index], text[index:end]
    left = next((place for place in range(len(before), 0, -1) if not before[place - 1].isalnum()), 0)
    right = next((place for place, char in enumerate(after) if not char.isalnum()), len(after))
    run = [char.isdigit() for char in before[left:] + after[:right]]
    return sum(one != other for one, other in pairwise(run)) >= _ALTERNATIONS
