"""Names with some of their words cut to initials: ``I. Kaplan``, ``KAPLAN I.``, ``ines.k``, ``I.K.``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from ..ruleset import vocabulary
from .fold import folded, is_unspaced
from .joined import in_order

_PART = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)
_WORDS_ALONE = frozenset("aeiouy")  # words by themselves in some language: give Kaplan a refund
_SEPARATORS = "._-"
_LEAST = 3  # letters of the word that stands in full
_MOST_WORDS = 6


def abbreviated(name: str, particles: frozenset[str]) -> Iterator[str]:
    """Yield the spellings of a full name, folded, in which some words are initials; none for a single word.

    A word that could be an ordinary one counts only beside an initial with its full stop.
    """
    given, middle, families = _words(name, particles)
    if not given or not families:
        return
    first, inner = given[0], [word[0] for word in middle]
    for family in families:
        yield from _before_and_after(first, inner, family)
        yield from (f"{given} {dotted} {family}" for dotted in _dotted(inner))
    last = families[0][0]
    if _is_certain(given):
        yield f"{given} {last}."
        yield from (f"{one}{sign}{other}" for sign in _SEPARATORS for one, other in ((given, last), (last, given)))
        if last not in _WORDS_ALONE:
            yield f"{given} {last}"


def dotted_initials(name: str, particles: frozenset[str], ordinary: frozenset[str]) -> Iterator[str]:
    """Yield the initials of a full name by themselves, in capitals with full stops: ``I.K.``, and ``I. K.``.

    What is a word of the dictionary, or among the ``ordinary`` abbreviations, is nobody's initials.
    """
    given, middle, families = _words(name, particles)
    if not given or not families:
        return
    for letters in {given[0] + families[0][0], "".join(word[0] for word in (given, *middle, families[0]))}:
        if letters.isalpha() and letters not in vocabulary() and letters not in ordinary:
            yield from (gap.join(f"{letter.upper()}." for letter in letters) for gap in ("", " "))


def _before_and_after(first: str, inner: list[str], family: str) -> Iterator[str]:
    """Yield a family name with the initial of the given one before and after it, and with those between."""
    for initials in ([first], [first, *inner]) if inner else ([first],):
        yield from (f"{dotted} {family}" for dotted in _dotted(initials))
        yield from (f"{family}, {dotted}" for dotted in _dotted(initials))
        if not _is_certain(family):
            continue
        yield from (f"{family}{gap}{dotted}" for gap, dotted in product((" ", ","), _dotted(initials)))
        yield f"{initials[0]}.{'.'.join((*initials[1:], family))}"
        if not _WORDS_ALONE.intersection(initials):
            plain = " ".join(initials)
            yield from (f"{plain} {family}", f"{family} {plain}", f"{family}, {plain}")
    if _is_certain(family):
        yield from (f"{first}{sign}{family}" for sign in _SEPARATORS)
        # With a full stop a word may begin the next sentence: of Kaplan.I think
        yield from (f"{family}{sign}{first}" for sign in _SEPARATORS if sign != "." or first not in _WORDS_ALONE)


def _dotted(initials: list[str]) -> Iterator[str]:
    if initials:
        yield from dict.fromkeys(gap.join(f"{letter}." for letter in initials) for gap in ("", " "))


def _is_certain(word: str) -> bool:
    return len(word) >= _LEAST and not any(part in vocabulary() for part in _PART.findall(word))


def _words(name: str, particles: frozenset[str]) -> tuple[str, list[str], list[str]]:
    """Return the given name, those between, and the ways to write the family name, longest first, of a folded name."""
    every = folded(in_order(name)).split()
    end = len(every) - 1
    own = [  # the last is a family name even where it looks like a particle: Anh Do
        number for number, word in enumerate(every) if _PART.search(word) and (word not in particles or number == end)
    ]
    begin = [every[number][0] for number in own]
    if not 2 <= len(own) <= _MOST_WORDS or not all(map(str.isalpha, begin)) or any(map(is_unspaced, begin)):
        return "", [], []
    given, *middle, last = [every[number] for number in own]
    families = [last, *(part for part in _PART.findall(last) if part != last)]
    families.append(" ".join(every[own[-2] + 1 :]))  # with its particles
    return given, middle, list(dict.fromkeys(families))
