"""Rewriting: every occurrence of an identity becomes its pseudonym, in one pass over the original text."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..errors import RedactionRefused
from ..model.json import JsonValue
from .cover import Cover
from .draw import Stream, shape_like
from .fold import Folded, fold, folded
from .keys import keyed_digest
from .place import Place
from .prose import NAMING_CUE
from .pseudonym import Pseudonyms
from .rules import Identifiers
from .vault import SUBSTRING_DIGITS, Identity, Occurrence, Vault
from .walk import Replacement, Walk, splice

_DIGIT_RUN = re.compile(r"\d(?:[ .\-/()]{0,2}\d){5,}")
_CUE_WINDOW = 40  # characters
_GAP = 3  # characters between two parts of one name: a space, a comma and a space
_MONTH_DAY = re.compile(r"\.?\s+\d{1,2}(?:st|nd|rd|th)?\b")
_MONTHS = frozenset({month[:length].lower() for month in calendar.month_name[1:] for length in (3, 4, len(month))})


class Rewriter:
    """Replaces identities in payload values; counts what it replaced."""

    def __init__(
        self,
        vault: Vault,
        pseudonyms: Pseudonyms,
        rules: Identifiers,
        key: bytes,
        local: Mapping[str, frozenset[str]],
        vocabulary: frozenset[str],
    ) -> None:
        self._vault = vault
        self._pseudonyms = pseudonyms
        self._rules = rules
        self._key = key
        self._local = local
        self._vocabulary = vocabulary
        self._walk = Walk(self, rules.siblings)

    @property
    def counts(self) -> Counter[str]:
        """How often each identity, by its canonical form, was replaced so far."""
        return Counter(self._walk.tally)

    def value(self, value: JsonValue, place: Place) -> JsonValue:
        """Return a payload value rewritten."""
        return self._walk.value(value, place)

    def leaf(self, text: str, place: Place) -> str:
        """Return a text at a place of ours rewritten."""
        return self._walk.text(text, place)

    def text(self, text: str, place: Place, islands: Sequence[tuple[int, int]]) -> Iterable[Replacement]:
        """Return the replacements in one text."""
        view = fold(text)
        opened, taken = Cover(len(text), islands), Cover(len(text))
        replacements: list[Replacement] = []
        for start, end, identity in self._occurrences(text, view, place):
            first, last = view.original(start, end)
            # Encoded content is rewritten inside, save where a finding holds all of it and more.
            around = any(first <= begin and stop <= last for begin, stop in islands)
            outside = [(first, last)] if around else list(opened.gaps(first, last))
            for here, there in [gap for part in outside for gap in taken.gaps(*part)]:
                piece = text[here:there]
                if (here, there) == (first, last):
                    made = self._pseudonyms.of(identity, piece)
                elif any(map(str.isalnum, piece)):
                    made = self._pseudonyms.part_of(identity, piece)  # nothing of a partly covered value is left over
                else:
                    continue
                self._walk.tally.append(identity.canonical)
                replacements.append((here, there, made))
                taken.take(here, there)
        return replacements

    def number(self, value: int | float, place: Place) -> int | float:
        """Return a number's stand-in: whole numbers under an identifying member, or that spell a known long number."""
        if not isinstance(value, int):
            return value
        spelled = str(abs(value))
        named = self._rules.field(place.as_kind("value"), spelled) is not None
        if not named and len(spelled) < SUBSTRING_DIGITS:
            return value
        made = splice(spelled, self.text(spelled, place, ()))
        if not (made.isdecimal() and len(str(int(made))) == len(made)):
            raise RedactionRefused("a number's stand-in would be no number")
        return int(made) if value >= 0 else -int(made)

    def opaque(self, text: str, place: Place) -> str:
        """Return a signature redrawn in its shape, or a typed marker in place of a blob."""
        if place.kind == "signature":
            return shape_like(text, Stream(self._key, "signature", text))
        return f"blob:{len(text)}:{keyed_digest(self._key, 'blob', text).hex()[:16]}"

    def _occurrences(self, text: str, view: Folded, place: Place) -> list[tuple[int, int, Identity]]:
        """Return what to replace, the longest first, then by rank and place."""
        stripped = text.strip()
        named = place.kind == "value" and self._rules.field(place, stripped) is not None
        found: list[tuple[int, int, Identity]] = []
        doubtful: list[Occurrence] = []
        for occurrence in self._vault.find(view):
            if named or not occurrence.identity.word or self._is_name_here(occurrence, view, place):
                found.append((occurrence.start, occurrence.end, occurrence.identity))
            else:
                doubtful.append(occurrence)
        found.extend(self._digit_runs(view))
        found.extend(self._locals(text, view))
        found.extend(self._beside_a_name(doubtful, found, view))
        return sorted(found, key=lambda item: (item[0] - item[1], item[2].entity.rank, item[0]))

    def _is_name_here(self, occurrence: Occurrence, view: Folded, place: Place) -> bool:
        """Tell whether a token that could be a word is the name: known capitalisation, no protected position."""
        surface = view.clean[occurrence.start : occurrence.end]
        if place.prose and NAMING_CUE.search(view.clean, max(0, occurrence.start - _CUE_WINDOW), occurrence.start):
            return True
        if not any(surface in (spelling, spelling.capitalize()) for spelling in occurrence.identity.spellings):
            return False
        if place.kind == "key" or place.name in self._rules.words["protected_members"]:
            return False
        lowered = surface.lower()
        if len(view.clean.strip()) == len(surface):
            return lowered not in self._vocabulary
        return not (lowered in _MONTHS and _MONTH_DAY.match(view.clean, occurrence.end))

    def _beside_a_name(
        self, doubtful: Sequence[Occurrence], found: Sequence[tuple[int, int, Identity]], view: Folded
    ) -> list[tuple[int, int, Identity]]:
        """Return doubtful tokens that stand beside another part of a person's name: ``ana quintero``, ``QUINTERO A.``."""
        names = [(start, end) for start, end, identity in found if identity.entity.form == "name"]
        names += [(item.start, item.end) for item in doubtful if folded(item.identity.text) not in self._vocabulary]
        beside = []
        for item in doubtful:
            for start, end in names:
                gap = view.clean[end : item.start] if end <= item.start else view.clean[item.end : start]
                apart = (end <= item.start or item.end <= start) and len(gap) <= _GAP
                if apart and not any(map(str.isalnum, gap)) and "." not in gap[:-1]:
                    beside.append((item.start, item.end, item.identity))
                    break
        return beside

    def _digit_runs(self, view: Folded) -> Iterable[tuple[int, int, Identity]]:
        """Yield known long numbers in spellings never met before: other separators, or none."""
        if not any(map(str.isdigit, view.clean)):
            return
        for run in _DIGIT_RUN.finditer(view.clean):
            positions = [index for index in range(*run.span()) if view.clean[index].isdigit()]
            plain = "".join(view.clean[index] for index in positions)
            if len(plain) == len(run.group()):
                continue
            for occurrence in self._vault.find_digits(plain):
                yield positions[occurrence.start], positions[occurrence.end - 1] + 1, occurrence.identity

    def _locals(self, text: str, view: Folded) -> Iterable[tuple[int, int, Identity]]:
        for name in self._local.get(text, ()):
            identity = self._vault.by_surface(name)
            if identity is None:
                continue
            start = view.text.find(folded(name))
            while start >= 0:
                yield start, start + len(folded(name)), identity
                start = view.text.find(folded(name), start + 1)
