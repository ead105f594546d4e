"""Words as parts of names: what their letters and the lists of names say of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..ruleset import family_names, given_names, vocabulary
from .cues import WORD
from .fold import folded

_OF_A_HOUSE = re.compile(r"(?:O['’]|Mc|Fitz)[A-Z][a-z]{2,}")
"""A family name by its form: O'Dwyer, McAllen, FitzRoy."""


@dataclass(frozen=True, slots=True)
class NameWord:
    """A word at ``[start, end)``; ``lower`` is its folded form, by which lists know it."""

    start: int
    end: int
    text: str
    lower: str

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital."""
        return self.text[0].isupper()

    @property
    def initial(self) -> bool:
        """Whether it is one capital and a full stop."""
        return len(self.text) <= 2 and self.text[0].isupper() and self.text.endswith(".")

    @property
    def word(self) -> bool:
        """Whether it is an ordinary word."""
        return any(part in vocabulary() for part in (self.lower, self.lower.rstrip(".")))

    @property
    def given(self) -> bool:
        """Whether it is, or begins with, a listed given name."""
        return any(part in given_names() for part in (self.lower, *re.split(r"['’-]", self.lower)[:1]))

    @property
    def family(self) -> bool:
        """Whether it is, or ends with, a listed family name."""
        listed = any(part in family_names() for part in (self.lower, re.split(r"['’-]", self.lower)[-1]))
        return listed or _OF_A_HOUSE.fullmatch(self.text) is not None

    @property
    def name(self) -> bool:
        """A listed name that is no ordinary word."""
        return not self.word and (self.given or self.family)


def name_words(text: str) -> list[NameWord]:
    """Return the words of a text, initials with their full stop, in order."""
    return [
        NameWord(found.start(), found.end(), word, word.lower() if word.isascii() else folded(word))
        for found in WORD.finditer(text)
        for word in (found.group(),)
    ]
