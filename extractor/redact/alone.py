"""What identifies people in a text that stands alone, where nothing structured is evidence: ages, titles, places, employers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..ruleset import vocabulary
from .cover import Cover
from .cues import words
from .fold import folded

_PERSON_NOUN = (
    r"man|woman|boy|girl|male|female|son|daughter|child|kid|baby|mother|father|brother|sister|wife|husband|grandmother|grandfather"
    r"|teacher|student|patient|driver|nurse|doctor|engineer|resident|citizen|victim|suspect|player|actor|actress|singer|writer|artist"
    r"|person|teenager|retiree|widow|widower|veteran|farmer|lawyer|worker|twin|self|lady|guy|gentleman"
)
_PERSONAL = re.compile(
    r"\b(?:i|i'?m|i’m|i've|i’ve|i'd|my|me|mine|myself|we|our|us|he|him|his|she|her|hers|who|whose|mr|mrs|ms|dr|prof"
    rf"|{_PERSON_NOUN}|citizen|colleague|friend|customer|spokes(?:man|woman|person))\b",
    re.IGNORECASE,
)
_AGES = (
    re.compile(
        r"\b(?:aged|turn(?:s|ed|ing)?|age:?(?: of| is)?|age\"?:) {0,2}(?P<v>\d{1,3})(?![\w%$€£.,]*\d)(?! ?(?:%|days?|weeks?|months?|minutes?|hours?|percent|times))",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?<![\w.,$€£-])(?P<v>\d{{1,3}})[- ]years?[- ]old(?=[- ]+(?:\w+ )?(?:{_PERSON_NOUN})\b)", re.IGNORECASE
    ),
    re.compile(
        r"\b(?:am|is|are|was|were|i'?m|i’m|he's|she's|he’s|she’s|turned|turning|being|be)(?: (?:a|an|about|around|only|already|now|just|almost|nearly|over))? "
        r"(?P<v>\d{1,3})(?=[- ]?(?:years?[- ]old|years? of age|y/?o\b|yrs?\b)|(?: (?:and|but|now|with)\b|[,.?!)]*(?:\s|$))(?! ?\d))",
        re.IGNORECASE,
    ),
    re.compile(r"(?<=[^\W\d_][,(] )(?P<v>\d{2})(?=,)|(?<=[^\W\d_] \()(?P<v2>\d{2})(?=\))"),
)
_SUBJECT = re.compile(
    rf"(?:\b(?:i|he|she|who|we|they|i'?m|{_PERSON_NOUN}|aged?)\b|i’m)[^.?!\n]{{0,30}}$", re.IGNORECASE
)
_TITLE = re.compile(
    r"(?<![\w.])(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Sir|Herr|Frau|Sra?|Mme|M)(?P<dot>\.?)(?= (?:Dr\.? )?(?:(?:al|el|van|von|de|da)[- ])?[^\W\d_a-z])"
)
_COMPANY = re.compile(
    r"(?<!\w)(?P<name>[A-Z][\w'’-]{0,40}(?: (?:(?:and|&|of|de) )?[A-Z][\w'’-]{0,40}){0,3})(?:,? (?:Inc|Ltd|LLC|LLP|PLC|GmbH|AG|Corp|Limited|"
    r"Incorporated|Corporation|Pty|Oy|AB|A/S|Co|SpA|S\.A|B\.V|N\.V|(?P<soft>(?:& |and )?(?:Sons|Group|Bank|Holdings?|Partners|Logistics|"
    r"Solutions|Services|Systems|Technologies|Industries|Associates|Consulting|Foods|Health|Insurance|University|College|Hospital|"
    r"Institute|Foundation|Airlines|Motors|Pharma|Energy|Media|Labs|Capital|Ventures)))\b)"
)
_EMPLOYER = re.compile(
    r"(?:\b(?:at|for|from|with|by|of|joined|founded|left|to|hire|hired|did|does|company|employer|boss at|ceo|lead from)[:,]?(?: the)? |^|\n)$",
    re.IGNORECASE,
)
_EMPLOYED = re.compile(
    r"\b(?:work(?:s|ed|ing)? (?:at|for|with)|employed (?:at|by)|joined|founded|hired by|(?:ceo|head|director|president|founder|member) of"
    r"|job at|intern at|studied at|career at|retired from)(?: the)? $",
    re.IGNORECASE,
)
_TAIL_GAP = re.compile(r"[ \t]*(?:[,–-][ \t]*\n?|\n)[ \t]*| ")
_TAIL_WORD = re.compile(
    r"(?:St|Ste|Mt|Ft)\.|[^\W\d_]+(?:[.'’-][^\W\d_]+)*|(?:[A-Z]{1,2}-)?\d{3,6}(?:-\d{3,4}| \d{2}(?!\d))?(?!\w)|[A-Z]{1,2}\d[A-Z\d]?(?: ?\d[A-Z]{2})?(?!\w)|\d[A-Z]{1,2}\d?(?!\w)"
)
_TAIL_PARTICLES = words("de la le les du des del di da do dos of am an der im bei sur and y")
_TYPES = {"place": "LOCATION", "nationality": "NRP", "organisation": "ORGANIZATION"}
_CLASSES = {
    "GPE": "place", "LOC": "place", "LOCATION": "place", "NORP": "nationality", "NRP": "nationality", "ORG": "organisation",
    "ORGANIZATION": "organisation",
}  # fmt: skip
_MOST_SEGMENTS = 5
_NEAR = 160  # characters around a place in which a person must be spoken of


@dataclass(frozen=True, slots=True)
class Quasi:
    """What identifies beside names, at ``[start, end)``; ``entity`` as the rules name it."""

    start: int
    end: int
    entity: str


def find(
    text: str, model: Sequence[tuple[int, int, str]], persons: Sequence[tuple[int, int]], entities: Iterable[str]
) -> Iterator[Quasi]:
    """Yield ages, titles, places, organisations and nationalities that a text ties to a person.

    ``model`` are the entities that the language model found, ``persons`` the ranges of names, ``entities`` the Presidio
    types that count.
    """
    wanted = frozenset(entities)
    people = Cover(len(text), persons)
    if "AGE" in wanted:
        yield from _ages(text, people)
    if "TITLE" in wanted:
        for found in _TITLE.finditer(text):
            if people.touches(found.end(), min(len(text), found.end() + 12)):
                yield Quasi(found.start(), found.start("dot"), "title")
    if "ORGANIZATION" in wanted:
        yield from _companies(text, people)
    for first, last, label in model:
        start, end = _trimmed(text, first, last)
        entity = _CLASSES.get(label)
        if entity is None or _TYPES[entity] not in wanted or start >= end or not text[start].isupper():
            continue
        personal = not people.touches(start, end) and _is_personal(text, start, end, people)
        if personal and (entity != "organisation" or _is_employer(text, start, end)):
            yield Quasi(start, end, entity)


def _companies(text: str, people: Cover) -> Iterator[Quasi]:
    """Yield names with a company's legal form, and those with a word as companies bear, where a person is spoken of."""
    for found in _COMPANY.finditer(text):
        start = _proper(text, *found.span("name"))
        if start < found.end("name") and (not found["soft"] or _is_personal(text, start, found.end(), people)):
            yield Quasi(start, found.end(), "organisation")


def _is_employer(text: str, start: int, end: int) -> bool:
    """Tell whether the words before an organisation say that somebody belongs to it or deals with it."""
    before = text[max(0, start - 20) : start]
    return _EMPLOYED.search(before) is not None or (
        _EMPLOYER.search(before) is not None and not _ordinary(text[start:end])
    )


def tail(text: str, end: int, places: Cover) -> tuple[int, int] | None:
    """Return where the town, region, postal code and country stand that follow a street address, if any do."""
    first = stop = end
    for _ in range(_MOST_SEGMENTS):
        gap = _TAIL_GAP.match(text, stop)
        if gap is None:
            break
        begin, words, codes = gap.end(), 0, 0
        position = last = begin
        known = False
        while (found := _TAIL_WORD.match(text, position)) is not None and words + codes < 6:
            word = found.group()
            if word[0].isdigit() or any(map(str.isdigit, word)):
                codes += 1
            elif word[0].isupper():
                words += 1
                region = word.isupper() and 2 <= len(word) <= 3
                known = known or region or folded(word).rstrip(".") not in vocabulary() or places.touches(*found.span())
            elif word not in _TAIL_PARTICLES:
                break
            position = found.end()
            if word not in _TAIL_PARTICLES:
                last = position
            if text[position : position + 1] != " ":
                break
            position += 1
        plain_space = gap.group() == " "
        if last == begin or not (codes or known) or (plain_space and not (codes and (words or known))):
            break
        first = begin if first == end == stop else first
        stop = last
    return (first, stop) if stop > end else None


def _ages(text: str, people: Cover) -> Iterator[Quasi]:
    for number, pattern in enumerate(_AGES):
        for found in pattern.finditer(text):
            group = "v2" if number == len(_AGES) - 1 and found["v"] is None else "v"
            start, end = found.span(group)
            if not 0 < int(text[start:end]) <= 120:
                continue
            before = max(0, start - 40)
            if number == len(_AGES) - 1:
                meant = people.touches(max(0, start - 3), start)
            else:
                meant = number < 2 or people.touches(before, start) or _SUBJECT.search(text[before:start]) is not None
            if meant:
                yield Quasi(start, end, "age")


def _is_personal(text: str, start: int, end: int, people: Cover) -> bool:
    """Tell whether a person is spoken of near a place."""
    first, last = max(0, start - _NEAR), min(len(text), end + _NEAR)
    return people.touches(first, last) or _PERSONAL.search(text, first, last) is not None


def _proper(text: str, start: int, end: int) -> int:
    """Return where a company's name begins: not with the words of a sentence that capitals put before it."""
    for found in re.finditer(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", text[start:end]):
        if folded(found.group()) not in vocabulary():
            return start + found.start()
    return end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    line = text.find("\n", start, end)
    end = end if line < 0 else line
    while start < end and not text[end - 1].isalnum() and text[end - 1] != ".":
        end -= 1
    while start < end and not text[start].isalnum():
        start += 1
    if text[start : start + 4].lower() == "the ":
        start += 4
    if text[max(start, end - 2) : end] in ("'s", "’s"):
        end -= 2
    return start, end


def _ordinary(text: str) -> bool:
    return all(word in vocabulary() for word in re.findall(r"[^\W\d_]+", folded(text)))
