"""Persons by what people write around their names: introductions, greetings, signatures, titles; lists of names as evidence."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..ruleset import given_names, vocabulary
from .cues import (
    AND,
    CLOSING,
    COMMON,
    GREETING,
    GROUPS,
    LABEL,
    MOST,
    NAMED_AFTER,
    PARTICLES,
    PREPOSITION,
    ROLE,
    SAINTS,
    SIGNED,
    STRONG,
    TITLE_WORDS,
    VOCATIVE,
    WEAK,
)
from .fold import folded
from .name_words import NameWord, name_words

Span = tuple[int, int]
_LINE = 120  # characters of a line in which names are looked for
Holds = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Named:
    """A name at ``[start, end)``. ``sure``: what stands around it says so, or given and family name stand together."""

    start: int
    end: int
    sure: bool


class Names:
    """Finds names in one text. ``place`` and ``thing`` tell which char ranges the model takes for places, or for no person."""

    def __init__(self, text: str, *, place: Holds, thing: Holds) -> None:
        self._text = text
        self._place = place
        self._thing = thing
        self._tokens = name_words(text)
        self._starts = {token.start: number for number, token in enumerate(self._tokens)}
        self._order = [token.start for token in self._tokens]
        self._loud = not any(char.islower() for char in text)  # all capitals say nothing

    def find(self) -> Iterator[Named]:
        """Yield names, possibly more than once."""
        for name in self._cued():
            yield name
            yield from self._joint(name.end)

    def _joint(self, end: int) -> Iterator[Named]:
        """Yield the name that an *and* joins to another."""
        if (joint := AND.match(self._text, end)) is not None and not self._loud:
            number = self._starts.get(joint.end())
            if number is not None and (stop := self._probable(number)) > number:
                yield Named(self._tokens[number].start, self._tokens[stop - 1].end, sure=stop > number + 1)

    def _cued(self) -> Iterator[Named]:
        for cue in STRONG.finditer(self._text):
            yield from self._after(cue.end(), self._told)
        for cue in WEAK.finditer(self._text):
            yield from self._after(cue.end(), self._likely)
        for cue in PREPOSITION.finditer(self._text):
            yield from self._after(cue.end(), self._unless_place)
        for cue in ROLE.finditer(self._text):
            yield from self._after(cue.end(), self._probable)
        for cue in LABEL.finditer(self._text):
            yield from self._listed(cue.end())
        for cue in CLOSING.finditer(self._text):
            yield from self._signature(cue.end())
        for called in VOCATIVE.finditer(self._text):
            token = self._tokens[self._starts[called.start("name")]] if called.start("name") in self._starts else None
            if token is not None and token.given and not token.word and not self._place(token.start, token.end):
                yield Named(token.start, token.end, sure=False)
        yield from self._pairs()

    def greeted(self) -> Iterator[Named]:
        """Yield given names, ordinary words among them, where somebody is greeted or signs: ``Hi Mark,``, ``Thanks, Ebony``."""
        for found in GREETING.finditer(self._text):
            lower = folded(found["name"])
            if found["name"][0].isupper() and lower in vocabulary() and lower in given_names() and lower not in GROUPS:
                yield Named(*found.span("name"), sure=False)
        if (last := SIGNED.search(self._text[-_LINE:])) is not None:
            start = max(0, len(self._text) - _LINE) + last.start("name")
            token = self._tokens[self._starts[start]] if start in self._starts else None
            if token is not None and token.capital and (token.given or not token.word) and token.lower not in GROUPS:
                yield Named(token.start, token.end, sure=False)

    def singles(self) -> Iterator[Named]:
        """Yield listed names, and capitalised words in a row that are in no dictionary: likely, no more."""
        for token in self._tokens:
            listed = token.capital and not self._loud and token.name and len(token.lower) > 2
            if listed and not self._thing(token.start, token.end):
                yield Named(token.start, token.end, sure=False)
        number = 0
        while number < len(self._tokens) and not self._loud:
            first = self._tokens[number]
            number += 1
            if first.capital and not first.word and not first.initial and not self._thing(first.start, first.end):
                stop = self._run(number - 1, first)
                if stop > number:
                    yield Named(first.start, self._tokens[stop - 1].end, sure=False)
                    number = stop

    def trimmed(self, start: int, end: int) -> Span:
        """Return the range of a name that the model found, without the words before it and with those that go on from it."""
        inside = self._tokens_in(start, end)
        proper = [token for token in inside if not token.word or token.given]
        if proper and any(not token.word for token in proper):
            start = proper[0].start
        last = bisect_left(self._order, end) - 1
        if last >= 0 and self._tokens[last].start >= start:
            stop = self._run(last, self._tokens[last])
            end = max(end, self._tokens[stop - 1].end)
        return start, end

    def _after(self, position: int, good: Callable[[int], int]) -> Iterator[Named]:
        number = self._starts.get(position)
        while (
            number is not None and number < len(self._tokens) and self._tokens[number].lower.rstrip(".") in TITLE_WORDS
        ):
            number += 1
        if number is not None and number < len(self._tokens) and (stop := good(number)) > number:
            yield Named(self._tokens[number].start, self._tokens[stop - 1].end, sure=True)

    def _told(self, number: int) -> int:
        """Return the end of the name that a strong cue tells; the same number where there is none."""
        first = self._tokens[number]
        if first.word and not (first.given and len(first.lower) > 2 and (first.capital or first.lower not in COMMON)):
            return number
        stop = number + 1
        while stop < min(len(self._tokens), number + MOST) and self._joined(stop):
            token = self._tokens[stop]
            if (
                token.lower in PARTICLES
                and stop + 1 < len(self._tokens)
                and self._joined(stop + 1)
                and not self._tokens[stop + 1].word
            ) or (
                token.initial or not token.word or (token.capital and first.capital and not self._loud and token.family)
            ):
                stop += 1
            else:
                break
        return stop

    def _unless_place(self, number: int) -> int:
        first = self._tokens[number]
        return number if not first.capital or self._place(first.start, first.end) else self._likely(number)

    def _likely(self, number: int) -> int:
        first = self._tokens[number]
        if (first.word and not self._completed(number)) or len(first.lower) < 3:
            return number
        if first.capital and not self._loud:
            return self._unplaced(number, listed=True)  # from Paris, but I'm Paris Marlow
        stop = number + 1
        if not (first.given or first.family):
            return number
        while stop < min(len(self._tokens), number + 3) and self._joined(stop) and not self._tokens[stop].word:
            stop += 1
        return stop

    def _probable(self, number: int) -> int:
        """Return the end of the capitalised words that follow what somebody is: a tenant, a daughter."""
        first = self._tokens[number]
        if self._loud or not first.capital or (first.word and not self._completed(number)):
            return number
        if first.given and first.lower not in SAINTS:  # my sister Florence
            return max(number + 1, self._unplaced(number, listed=False))
        return self._unplaced(number, listed=False)

    def _completed(self, number: int) -> bool:
        """Tell whether a listed name that is a word too goes on with one that is none: Mark Okafor."""
        if number + 1 >= len(self._tokens) or not self._joined(number + 1):
            return False
        first, second = self._tokens[number], self._tokens[number + 1]
        return first.capital and first.given and second.capital and not second.word

    def _names_a_thing(self, stop: int) -> bool:
        """Tell whether the word after a name says what was named after somebody: an airport, a street."""
        if stop >= len(self._tokens) or not self._joined(stop):
            return False
        return self._tokens[stop].capital and self._tokens[stop].lower in NAMED_AFTER

    def _unplaced(self, number: int, *, listed: bool) -> int:
        """Return the end of a capitalised name, unless the model takes it for a place and no second word says otherwise."""
        first = self._tokens[number]
        stop = self._run(number, first, placed=first.given and first.lower not in SAINTS)
        if self._names_a_thing(stop):
            return number
        if self._place(first.start, first.end) and (stop == number + 1 or not first.given or first.lower in SAINTS):
            return number
        return stop if first.given or not listed or (stop > number + 1 and first.family) else number

    def _run(self, number: int, first: NameWord, *, placed: bool = False) -> int:
        """Return the end of the capitalised words, initials and particles that go on from a first name.

        ``placed``: even where the model sees a place, as in Nils Strand.
        """
        stop = number + 1
        while stop < min(len(self._tokens), number + MOST) and self._joined(stop):
            ahead = stop
            while (
                ahead < len(self._tokens)
                and self._tokens[ahead].lower in PARTICLES
                and self._joined(ahead)
                and ahead - stop < 3
            ):
                ahead += 1
            if ahead >= len(self._tokens) or not self._joined(ahead):
                break
            token = self._tokens[ahead]
            if not token.capital or (token.text.isupper() and not first.text.isupper() and len(token.text) > 2):
                break
            if (
                not token.initial
                and token.word
                and not (token.family and ahead == number + 1 and not self._heads_on(ahead))
            ):
                break
            if not placed and self._place(token.start, token.end) and not token.name:
                break
            stop = ahead + 1
        return stop

    def _heads_on(self, number: int) -> bool:
        """Tell whether another capitalised word follows: then an ordinary word belongs to that, as in Oda Marlow Bank."""
        return number + 1 < len(self._tokens) and self._joined(number + 1) and self._tokens[number + 1].capital

    def _joined(self, number: int) -> bool:
        """Tell whether only a space stands between a word and the one before it."""
        before, after = self._tokens[number - 1], self._tokens[number]
        gap = self._text[before.end : after.start]
        return gap in (" ", " ", "  ") or (before.initial and gap == "")

    def _listed(self, position: int) -> Iterator[Named]:
        """Yield what a form's line gives as a name: ``Marlow, Oda``, or several with commas between."""
        end = self._text.find("\n", position, position + _LINE)
        line = self._text[position : end if end >= 0 else position + _LINE]
        offset = position
        for piece in re.split(r"([,;&]| and )", line):
            inner = piece.strip(" \t\"'*")
            start = offset + (piece.find(inner) if inner else 0)
            offset += len(piece)
            if piece in (",", ";", "&", " and ") or not inner:
                continue
            number = self._starts.get(start)
            while (
                number is not None
                and number < len(self._tokens)
                and self._tokens[number].lower.rstrip(".") in TITLE_WORDS
            ):
                number += 1
            if number is None or number >= len(self._tokens) or self._tokens[number].end > offset:
                break
            first = self._tokens[number]
            stop = self._unplaced(number, listed=False)
            if not first.capital or (first.word and not first.given) or stop == number:
                break
            yield Named(first.start, self._tokens[stop - 1].end, sure=not first.word or stop > number + 1)
            if self._tokens[stop - 1].end < start + len(inner):
                break

    def _signature(self, position: int) -> Iterator[Named]:
        end = self._text.find("\n", position, position + _LINE)
        line = self._text[position : end if end >= 0 else position + _LINE]
        tokens = [
            token
            for token in self._tokens_in(position, position + len(line))
            if token.lower.rstrip(".") not in TITLE_WORDS
        ]
        if not 1 <= len(tokens) <= MOST or re.search(r"[\d@:/&]", line):
            return
        if all(token.capital or token.lower in PARTICLES for token in tokens) or len(tokens) == 1:
            known = sum(token.given or token.family for token in tokens)
            words = sum(token.word for token in tokens)
            if words < len(tokens) or (known == len(tokens) and tokens[0].given):
                yield Named(tokens[0].start, tokens[-1].end, sure=True)

    def _tokens_in(self, start: int, end: int) -> Sequence[NameWord]:
        return self._tokens[bisect_left(self._order, start) : bisect_left(self._order, end)]

    def _pairs(self) -> Iterator[Named]:
        """Yield given names, or initials, with the names that follow them."""
        number = 0
        while number < len(self._tokens):
            token = self._tokens[number]
            listed = token.given and (not token.word or (self._completed(number) and self._tokens[number + 1].name))
            starts = token.initial or (listed and len(token.lower) > 2)
            if token.capital and starts and not self._place(token.start, token.end):
                stop = self._run(number, token)
                last = self._tokens[stop - 1]
                initials = token.initial and (stop == number + 2 or last.word)
                good = not last.initial and not self._names_a_thing(stop) and (not initials or last.name)
                if stop > number + 1 and good:
                    yield Named(token.start, last.end, sure=True)
                    number = stop
                    continue
            number += 1
