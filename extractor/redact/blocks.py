"""Postal addresses as people write them in blocks: a town and its postal code show where the street before them stands."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence

from ..ruleset import vocabulary
from .cues import words
from .fold import folded

_TOKEN = re.compile(r"[^\s,;:()\"<>{}\[\]|=!?]+")
_GAP = re.compile(r"[ \t]{1,2}|[ \t]*,[ \t]*|[ \t]*,?[ \t]*\n[ \t]*|[ \t]+[-–][ \t]+|[ \t]*\(|\)[ \t]*,?[ \t]*\n?")
_STRONG_CODE = re.compile(
    r"\d{5}(?:-\d{3,4})?|[A-Z]{1,2}-\d{4,5}|\d{4}[A-Z]{2}|\d{2}-\d{3}|\d{6}|[^\W\d_]{3,}-\d{6}"  # one word
    r"|[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}|[A-Z]\d[A-Z] \d[A-Z]\d|\d{3} \d{2}|\d{4} [A-Z]{2}"  # two words
)
_WEAK_CODE = re.compile(r"(?!19\d\d|20[0-3]\d)\d{4}")
_REGION = re.compile(r"[A-Z]{2,4}")
_PARTICLES = words(
    "de la le les du des del della di da do dos das las los el y of am an der dem den im in bei zum zur auf unter van von ul os al pl nr no n° bis ter apt utca út tér rue avenue boulevard chemin place impasse quai cours allée ulica piso đường phố"
)
# A sentence or a form puts these before an address, in capitals at its start.
_BEFORE = words(
    "is are was our my your his her their the a an at to from in on of near address visit deliver delivery ship send mail return attn att contact hello hi dear please where if for and or i we he she it move moved live lives name street phone regards thanks best"
)
_MONTHS = frozenset(month[:length].lower() for month in calendar.month_name[1:] for length in (3, len(month)))
_MOST = 14  # words of one address
_LINE = 120  # characters of one of its lines
# Street suffixes of the United States (USPS Publication 28, appendix C1) that ordinary texts seldom put behind a number.
_SUFFIXES = words(
    "alley annex arcade avenue bayou beach bend bluff bluffs bottom boulevard branch bridge brook brooks burg burgs bypass camp canyon cape causeway center centers circle circles cliff cliffs club common commons corner corners course court courts cove coves creek crescent crest crossing crossroad curve dale dam divide drive drives estate estates expressway extension extensions fall falls ferry field fields flat flats ford fords forest forge forges fork forks fort freeway garden gardens gateway glen glens green greens grove groves harbor harbors haven heights highway hill hills hollow inlet island islands isle junction junctions key keys knoll knolls lake lakes land landing lane light lights loaf lock locks lodge loop mall manor manors meadow meadows mews mill mills mission motorway mount mountain mountains neck orchard oval overpass park parks parkway parkways pass passage path pike pine pines place plain plains plaza point points port ports prairie radial ramp ranch rapid rapids rest ridge ridges river road roads route row run shoal shoals shore shores skyway spring springs spur square squares station stravenue stream street streets summit terrace throughway trace track trafficway trail tunnel turnpike underpass union unions valley valleys via viaduct view views village villages ville vista walk walks wall way ways well wells approach brae chase close copse croft dene drove end esplanade gate grange lea parade quay rise tarn vale wharf wynd quadrangle"
)
_NUMBERED = re.compile(
    r"(?<![\w#$€£.,/:+-])\d{1,6}[A-Za-z]?(?:[/-]\d{1,5}[A-Za-z]?)?(?P<words>(?: (?!(?:Suite|Ste|Apt|Apartment|Unit|Flat)\b\.? #?\d)(?:[A-ZÀ-ÞŁŚŻČŠŽ][\w'’-]{0,2}\.(?= [A-Z])|[A-ZÀ-ÞŁŚŻČŠŽ][\w'’-]{0,40})){1,4})"
    r"(?P<unit>,? (?:Suite|Ste|Apt|Apartment|Unit|Flat|Floor|Rm|Room|Studio|Level)\.? ?#?\d{1,5}[A-Za-z]?)?"
)


def find(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ``[start, end)`` of addresses: blocks with a town and a postal code, and numbered streets."""
    tokens = [found.span() for found in _TOKEN.finditer(text)]
    tokens = [(start, end - (end - start > 1 and text[end - 1] in ".'’")) for start, end in tokens]
    number = 0
    while number < len(tokens):
        stop = _run(text, tokens, number)
        if stop > number + 2:
            yield from _address(text, tokens[number:stop])
        number = max(stop, number + 1)
    for found in _NUMBERED.finditer(text):
        words = [word.rstrip(".") for word in found["words"].split()]
        named = [word for word in words if folded(word) not in vocabulary()]
        last = folded(words[-1])
        if (len(words) > 1 and last in _SUFFIXES and last not in _MONTHS) or (
            found["unit"] and (named or last in _SUFFIXES)
        ):
            yield found.span()


def _run(text: str, tokens: Sequence[tuple[int, int]], first: int) -> int:
    """Return the end of the words from ``first`` on that could belong to one address; ``first`` where none does."""
    stop = first
    while stop < len(tokens):
        start, end = tokens[stop]
        if stop > first:
            gap = text[tokens[stop - 1][1] : start]
            if (
                _GAP.fullmatch(
                    gap[1:] if gap.startswith(".") and (end - start == 0 or _short(text, tokens[stop - 1])) else gap
                )
                is None
            ):
                break
        word = text[start:end]
        if not (word[0].isupper() or any(map(str.isdigit, word)) or folded(word).rstrip(".") in _PARTICLES):
            break
        stop += 1
    return stop


def _short(text: str, token: tuple[int, int]) -> bool:
    """Tell whether a word before a full stop is an abbreviation or a house number, not the end of a sentence."""
    word = text[slice(*token)]
    return len(word) <= 4 or any(map(str.isdigit, word))


def _address(text: str, run: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    words = [text[start:end] for start, end in run]
    position = search = 0
    while (anchor := _anchor(text, run, words, position, search)) is not None:
        town, end = anchor
        first = max(position, town - _MOST)
        while first < town and (folded(words[first]) in _BEFORE or _cut(text, run, first)):
            first += 1
        search = end
        if any(any(map(str.isdigit, word)) for word in words[first:town]):
            while end < len(words) and _is_country(text, run, words, end):
                end += 1
            yield run[first][0], run[end - 1][1]
            position = search = end


def _is_country(text: str, run: Sequence[tuple[int, int]], words: Sequence[str], number: int) -> bool:
    """Tell whether a word after the town's line is one more line of the address."""
    known = folded(words[number]) not in vocabulary() or (words[number].isupper() and len(words[number]) > 1)
    return known and words[number][0].isupper() and "\n" in text[run[number - 1][1] : run[number][0]]


def _cut(text: str, run: Sequence[tuple[int, int]], number: int) -> bool:
    """Tell whether a word is of a line before the address: no number stands in that line, and another line follows."""
    line = text.find("\n", run[number][0], min(run[-1][1], run[number][0] + _LINE))
    return (
        line >= 0
        and not any(map(str.isdigit, text[run[number][0] : line]))
        and folded(text[slice(*run[number])]) in vocabulary()
    )


def _anchor(
    text: str, run: Sequence[tuple[int, int]], words: Sequence[str], position: int, search: int
) -> tuple[int, int] | None:
    """Return where a town with its code begins and ends, in words of the run: the code stands after ``search``."""
    for number in range(max(position, search) + 1, len(words)):
        for width in (2, 1):
            if number + width > len(words):
                continue
            code = " ".join(words[number : number + width])
            strong, weak = _STRONG_CODE.fullmatch(code), _WEAK_CODE.fullmatch(code)
            if not (strong or weak) or (width == 2 and text[run[number][1] : run[number + 1][0]] != " "):
                continue
            after = number + width
            before = text[run[number - 1][1] : run[number][0]]
            follows = (
                after < len(words)
                and words[after][0].isupper()
                and text[run[after - 1][1] : run[after][0]] in (" ", "\n", ", ")
            )
            if (
                ("," in before or "\n" in before)
                and follows
                and (strong or "\n" in before or _ends_in_number(words[:number]))
            ):
                return number, _town(text, run, words, after)
            previous = words[number - 1]
            if previous[0].isupper() and previous.lower() not in _MONTHS and not any(map(str.isdigit, previous)):
                town = number - 1
                while (
                    town > position
                    and words[town][0].isupper()
                    and "\n" not in text[run[town - 1][1] : run[town][0]]
                    and "," not in text[run[town - 1][1] : run[town][0]]
                ):
                    town -= 1
                region = _REGION.fullmatch(previous) is not None
                line = "\n" in text[run[town - 1][1] : run[town][0]] if town else False
                if (strong and number - position > 1) or region or (line and weak and len(code) == 4):
                    return max(town, position + 1), after
    return None


def _ends_in_number(words: Sequence[str]) -> bool:
    """Tell whether a street with its number stands before a code, and no date."""
    return any(map(str.isdigit, words[-1])) and len(words) > 1 and words[-2].lower() not in _MONTHS


def _town(text: str, run: Sequence[tuple[int, int]], words: Sequence[str], number: int) -> int:
    """Return the end of a town's words on their line, with the country behind a comma."""
    stop = number + 1
    while (
        stop < len(words)
        and words[stop][0].isupper()
        and stop < number + 5
        and "\n" not in text[run[stop - 1][1] : run[stop][0]]
    ):
        stop += 1
    return stop
