"""A person's name written as one word, as logins and mailboxes have it: ``lenafischer``, ``fischerlena``, ``lfischer``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .fold import folded, is_unspaced

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)
_SUFFIXES = frozenset({"dr", "esq", "ii", "iii", "iv", "jr", "md", "phd", "sr"})
_LEAST = 5  # letters: a shorter one is as likely a word
_LEAST_SURNAME = 4  # beside an initial


@dataclass(frozen=True, slots=True)
class Piece:
    """One word of a name inside a joined form, whole or by its initial."""

    word: str
    initial: bool = False

    @property
    def text(self) -> str:
        """The letters that stand in the joined form."""
        letters = "".join(filter(str.isalnum, folded(self.word)))
        return letters[:1] if self.initial else letters


def in_order(name: str) -> str:
    """Return a name with its family name last, without a suffix: ``Kaplan, Ines`` and ``Ines Kaplan, Jr.`` are both that."""
    before, _, after = name.partition(",")
    if folded(after).strip(" .") in _SUFFIXES:
        after = ""
    words = f"{after} {before}".split()
    while words and folded(words[-1]).strip(".") in _SUFFIXES:
        words.pop()
    return " ".join(words)


def forms(name: str, particles: frozenset[str]) -> Mapping[str, Sequence[Piece]]:
    """Return the joined forms of a full name, folded, with the pieces of each; none for a single word."""
    every = _WORD.findall(in_order(name))
    words = [word for word in every[:-1] if word.lower() not in particles] + every[-1:]
    if len(words) < 2:  # first and last
        return {}
    first, last = Piece(words[0]), Piece(words[-1])
    orders = [[Piece(word) for word in every], [Piece(word) for word in words], [first, last], [last, first]]
    unspaced = is_unspaced(last.text[:1])  # there no word has an initial, and two characters are a name
    if len(last.text) >= _LEAST_SURNAME and not unspaced:
        initial = Piece(words[0], initial=True)
        orders += [[initial, last], [last, initial]]
    if len(first.text) >= _LEAST_SURNAME and not unspaced:
        orders.append([first, Piece(words[-1], initial=True)])
    made: dict[str, Sequence[Piece]] = {}
    for pieces in orders:
        form = "".join(piece.text for piece in pieces)
        if (len(form) >= _LEAST or unspaced) and form.isalpha():
            made.setdefault(form, pieces)
    return made
