"""Rewriting: every occurrence of an identity becomes its pseudonym, in one pass over the original text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

from ahocorasick_rs import AhoCorasick, MatchKind

from ..errors import RedactionRefused
from ..model.json import ExactNumber, JsonValue
from ..model.json import number as number_text
from .blobs import marker
from .calendar_words import is_calendar
from .cover import Cover
from .draw import Stream, shape_like
from .fold import Folded, at_boundary, fold, folded
from .keys import keyed_digest
from .place import Place
from .prose import NAMING_CUE
from .pseudonym import Pseudonyms
from .rules import Identifiers
from .traced import Listener, TracedWalk
from .vault import SUBSTRING_DIGITS, Identity, Occurrence, Vault, is_long
from .walk import Openings, Replacement, Walk, splice

_DIGIT_RUN = re.compile(r"\d(?:[ .\-/()]{0,2}\d){5,}")
_FIGURE = 5  # digits
_FIGURE_BEFORE, _FIGURE_AFTER = re.compile(r"\d[-/:.,T]\Z|[$€£¥]\Z"), re.compile(r"[-/:.,T]\d")
_RESPELLED = ("digits", "date", "mac", "id")  # separators and order are anybody's choice
_BETWEEN_GROUPS = frozenset(("", " ", "-", ".", "/", "_", " - "))
_CUE_WINDOW = 40  # characters
_KEPT_WINDOW = 64  # characters
_HEAD, _TAIL = re.compile(r"[\w.:/-]+\Z"), re.compile(r"[\w.:/-]{1,64}")
_GAP = 3  # characters between two parts of one name: a space, a comma and a space


@dataclass(frozen=True, slots=True)
class Local:
    """A text that holds only in the text where it was found: everywhere there, or at ``[start, end)`` alone."""

    text: str
    start: int = 0
    end: int = 0


class Rewriter:
    """Replaces identities in payload values; counts what it replaced."""

    def __init__(
        self,
        vault: Vault,
        pseudonyms: Pseudonyms,
        rules: Identifiers,
        key: bytes,
        local: Mapping[str, frozenset[Local]],
        vocabulary: frozenset[str],
        kept: AbstractSet[str] = frozenset(),
        openings: Openings | None = None,
    ) -> None:
        self._vault = vault
        self._pseudonyms = pseudonyms
        self._rules = rules
        self._key = key
        self._local = local
        self._vocabulary = vocabulary
        self._kept = kept
        self._walk: Walk = Walk(self, rules.siblings, rules.alike, {} if openings is None else openings)

    @property
    def counts(self) -> Counter[str]:
        """How often each identity, by its canonical form, was replaced so far."""
        return Counter(self._walk.tally)

    def explain(self, listener: Listener) -> None:
        """Have all further rewriting told to a listener, finding by finding; nothing else changes but the speed."""
        self._walk = TracedWalk(self, self._rules.siblings, self._rules.alike, listener)

    def _note(self, start: int, end: int, identity: Identity) -> None:
        self._walk.note(start, end, identity.entity.name, identity.rules, identity.canonical)

    def value(self, value: JsonValue, place: Place) -> JsonValue:
        """Return a payload value rewritten."""
        return self._walk.value(value, place)

    def leaf(self, text: str, place: Place) -> str:
        """Return a text at a place of ours rewritten."""
        return self._walk.text(text, place)

    def together(self, value: JsonValue, skipped: Collection[str]) -> JsonValue:
        """Return a value with the texts that make one with their neighbours rewritten and settled."""
        return self._walk.together(value, Place(), skipped=skipped)

    def text(self, text: str, place: Place, islands: Sequence[tuple[int, int]]) -> Iterable[Replacement]:
        """Return the replacements in one text."""
        view = fold(text)
        free = _Free(len(text), islands)
        replacements: list[Replacement] = []
        for start, end, identity in self._occurrences(text, view, place):
            first, last = view.original(start, end)
            pieces = free.pieces(first, last)
            if pieces and self._vault.is_abbreviation(view.text[start:end]):
                identity.met.add(view.clean[start:end])
            for here, there in pieces:
                piece = text[here:there]
                if (here, there) == (first, last):
                    joined = identity.entity.form == "name" and " " not in piece and not identity.word
                    if joined or identity.entity.form in _RESPELLED:
                        identity.met.add(
                            view.clean[start:end]
                        )  # a spelling that no rule has seen; not one word by itself
                    made = self._pseudonyms.of(identity, piece)
                elif any(map(str.isalnum, piece)):
                    made = self._pseudonyms.part_of(identity, piece)  # nothing of a partly covered value is left over
                else:
                    continue
                self._note(here, there, identity)
                replacements.append((here, there, made))
                free.taken.take(here, there)
        return replacements

    def across(self, text: str, place: Place, bounds: Sequence[int], _is_text: bool, /) -> Iterable[Replacement]:
        """Return the replacements of values that lie on both sides of a bound: long ones, since short ones meet by chance."""
        view = fold(text)
        taken = Cover(len(text))
        for start, end, identity in self._occurrences(text, view, place):
            first, last = view.original(start, end)
            if identity.word or not is_long(view.text[start:end]) or taken.touches(first, last):
                continue
            if not at_boundary(view.clean, start, end) or self._vault.is_abbreviation(view.text[start:end]):
                continue  # the end of one value and the beginning of the next
            inside = bounds[bisect_right(bounds, first) : bisect_left(bounds, last)]
            if inside and not (identity.entity.form == "name" and self._known_apart(text, (first, *inside, last))):
                taken.take(first, last)
                self._note(first, last, identity)
                yield first, last, self._pseudonyms.of(identity, text[first:last])

    def _known_apart(self, text: str, edges: Sequence[int]) -> bool:
        """Tell whether what stands between the edges is known by itself: two names beside each other are no third."""
        return all(self._vault.by_surface(text[start:end]) is not None for start, end in pairwise(edges))

    def members(self, _value: Mapping[str, JsonValue], /) -> None:
        """Do nothing: what an object tells was learnt in the harvest."""

    def number(self, value: int | float, place: Place) -> int | float:
        """Return a number's stand-in: whole numbers under an identifying member, or that spell a known long number."""
        if not isinstance(value, int):
            return self._coordinate(value, place)
        spelled = str(abs(value))
        named = self._rules.field(place.as_kind("value"), spelled) is not None
        if not named and len(spelled) < SUBSTRING_DIGITS:
            return value
        made = splice(spelled, self.text(spelled, place, ()))
        if not (made.isdecimal() and len(str(int(made))) == len(made)):
            raise RedactionRefused("a number's stand-in would be no number")
        return int(made) if value >= 0 else -int(made)

    def _coordinate(self, value: float, place: Place) -> float:
        """Return a number's stand-in where it is a coordinate; no other fraction identifies."""
        spelled = number_text(value)
        rule = self._rules.field(place.as_kind("value"), spelled)
        if rule is None or self._rules.entities[rule.entity or ""].form != "coordinate":
            return value
        made = splice(spelled, self.text(spelled, place.as_kind("value"), ()))
        return ExactNumber(made) if isinstance(value, ExactNumber) else float(made)

    def array(self, value: list[JsonValue], /) -> JsonValue:
        """Return a typed marker in place of a long array of fractions."""
        return marker(value, self._key)

    def opaque(self, text: str, place: Place) -> str:
        """Return a signature redrawn in its shape, or a typed marker in place of a blob."""
        self._walk.note(0, len(text), place.kind, (f"structure.{place.kind}",))
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
            if not named and _is_figure(occurrence, view):
                continue
            doubt = occurrence.identity.word or self._reads_as_words(occurrence, view)
            if named or not doubt or self._is_name_here(occurrence, view, place):
                found.append((occurrence.start, occurrence.end, occurrence.identity))
            else:
                doubtful.append(occurrence)
        found.extend(self._digit_runs(view))
        found.extend(self._respelled(view))
        found.extend(self._locals(text, view))
        found.extend(self._beside_a_name(doubtful, found, view))
        return sorted(found, key=lambda item: (item[0] - item[1], item[2].entity.rank, item[0]))

    def _reads_as_words(self, occurrence: Occurrence, view: Folded) -> bool:
        """Tell whether a whole name could be words of a sentence: ``the grant will come``, with a customer Will Grant."""
        surface = view.clean[occurrence.start : occurrence.end]
        if occurrence.identity.entity.form != "name" or " " not in surface or not surface.islower():
            return False
        return all(word.strip(",") in self._vocabulary for word in surface.split())

    def _is_name_here(self, occurrence: Occurrence, view: Folded, place: Place) -> bool:
        """Tell whether a token that could be a word is the name: known capitalisation, no protected position."""
        surface = view.clean[occurrence.start : occurrence.end]
        if place.prose and NAMING_CUE.search(view.clean, max(0, occurrence.start - _CUE_WINDOW), occurrence.start):
            return True
        known = (fold(spelling).clean for spelling in occurrence.identity.spellings)
        if not any(surface in (spelling, spelling.capitalize()) for spelling in known):
            return False
        if place.kind == "key" or place.name in self._rules.words["protected_members"]:
            return False
        if self._in_kept(occurrence, view):
            return False
        lowered = surface.lower()
        if len(view.clean.strip()) == len(surface):
            return lowered not in self._vocabulary
        return not is_calendar(view.clean, occurrence.start, occurrence.end)

    def _in_kept(self, occurrence: Occurrence, view: Folded) -> bool:
        """Tell whether a token is part of a text that a rule keeps, as ``claude`` is of a model's name."""
        window = max(0, occurrence.start - _KEPT_WINDOW)
        head = _HEAD.search(view.text, window, occurrence.start)
        tail = _TAIL.match(view.text, occurrence.end)
        run = view.text[head.start() if head else occurrence.start : tail.end() if tail else occurrence.end].rstrip(
            ".:"
        )
        return len(run) > occurrence.end - occurrence.start and run in self._kept

    def _beside_a_name(
        self, doubtful: Sequence[Occurrence], found: Sequence[tuple[int, int, Identity]], view: Folded
    ) -> list[tuple[int, int, Identity]]:
        """Return doubtful tokens that stand beside another part of a person's name: ``ana quintero``, ``QUINTERO A.``."""
        names = [(start, end) for start, end, identity in found if identity.entity.form == "name"]
        names += [(item.start, item.end) for item in doubtful if folded(item.identity.text) not in self._vocabulary]
        starts, ends = {start for start, _ in names}, {end for _, end in names}

        def beside(item: Occurrence) -> bool:
            before = [view.clean[item.start - gap : item.start] for gap in range(_GAP + 1) if item.start - gap in ends]
            after = [view.clean[item.end : item.end + gap] for gap in range(_GAP + 1) if item.end + gap in starts]
            return any(not any(map(str.isalnum, gap)) and "." not in gap[:-1] for gap in before + after)

        return [(item.start, item.end, item.identity) for item in doubtful if beside(item)]

    def _digit_runs(self, view: Folded) -> Iterable[tuple[int, int, Identity]]:
        """Yield known long numbers in spellings never met before: other separators, or none."""
        if not any(map(str.isdigit, view.clean)):
            return
        for run in _DIGIT_RUN.finditer(view.clean):
            positions = [index for index in range(*run.span()) if view.clean[index].isdigit()]
            plain = "".join(view.clean[index] for index in positions)
            for occurrence in self._vault.find_digits(plain):
                start, end = positions[occurrence.start], positions[occurrence.end - 1] + 1
                if not (view.clean[start - 1 : start].isdigit() or view.clean[end : end + 1].isdigit()):
                    yield start, end, occurrence.identity  # whole groups: across their middles any number can be read

    def _respelled(self, view: Folded) -> Iterable[tuple[int, int, Identity]]:
        """Yield known ids in other groups: ``HO3 22 0019845`` and ``HO3220019845`` of HO3-22-0019845."""
        found = list(self._vault.find_respelled("".join(filter(str.isalnum, view.text))))
        positions = [index for index, char in enumerate(view.text) if char.isalnum()] if found else []
        for occurrence in found:
            inside = positions[occurrence.start : occurrence.end]
            start, end = inside[0], inside[-1] + 1
            apart = (view.text[one + 1 : other] for one, other in pairwise(inside))
            if at_boundary(view.clean, start, end) and all(gap in _BETWEEN_GROUPS for gap in apart):
                yield start, end, occurrence.identity

    def _locals(self, text: str, view: Folded) -> Iterable[tuple[int, int, Identity]]:
        anywhere: list[str] = []
        for one in self._local.get(text, ()):
            identity = self._vault.by_surface(one.text)
            if identity is None:
                continue
            if one.end:
                yield bisect_left(view.starts, one.start), bisect_left(view.starts, one.end), identity
            else:
                anywhere.append(folded(one.text))
        found: dict[int, list[tuple[int, int]]] = {}
        matcher = AhoCorasick(anywhere, matchkind=MatchKind.Standard) if anywhere else None
        for number, start, end in matcher.find_matches_as_indexes(view.text, overlapping=True) if matcher else ():
            found.setdefault(number, []).append((start, end))
        for number, ranges in found.items():
            identity = self._vault.by_surface(anywhere[number])
            if identity is None:
                continue
            tokens = [(start, end) for start, end in ranges if at_boundary(view.clean, start, end)] or ranges
            loud = [(start, end) for start, end in tokens if not view.clean[start:end].islower()]
            # Will was greeted: what the sentence says *will* come is no name.
            yield from ((start, end, identity) for start, end in (identity.word and loud) or tokens)


def _is_figure(occurrence: Occurrence, view: Folded) -> bool:
    """Tell whether a short number is part of a date, a time or an amount that holds it by chance: ``12`` in 2026-12-01."""
    if len(occurrence.identity.canonical) > _FIGURE or not occurrence.identity.canonical.isdecimal():
        return False
    before = _FIGURE_BEFORE.search(view.clean, max(0, occurrence.start - 2), occurrence.start)
    return before is not None or _FIGURE_AFTER.match(view.clean, occurrence.end) is not None


class _Free:
    """What of a text is still to be replaced: islands are opened by the walk, save where one value covers them whole."""

    def __init__(self, length: int, islands: Sequence[tuple[int, int]]) -> None:
        self.taken = Cover(length)
        self._islands = sorted(islands)
        self._opened = Cover(length, islands)

    def pieces(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the free parts of ``[start, end)``; it alone where nothing overlaps it."""
        gaps = list(self.taken.gaps(start, end))
        if not self._opened.touches(start, end) or not (self._straddles(start) or self._straddles(end)):
            return gaps
        return [piece for gap in gaps for piece in self._opened.gaps(*gap)]

    def _straddles(self, position: int) -> bool:
        """Tell whether an island lies on both sides of a position."""
        before = bisect_left(self._islands, (position, position)) - 1
        return before >= 0 and self._islands[before][1] > position
