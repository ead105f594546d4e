"""The leak proof: no known value stands in a text, however it is written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ahocorasick_rs import AhoCorasick

from ..model.case import KnownValue
from ..model.json import JsonValue
from ..ruleset import vocabulary
from ._calendar import dates_something
from ._decode import container, joined, layers
from ._fold import View, fold, is_token, squeeze, stands_apart, view
from ._forms import Match, forms
from ._places import Leaf, Place, Policy, arrays, is_digest, is_generated, walk

_DIGIT_RUN = re.compile(r"\d(?:[ \-.()/+]{0,3}\d){6,}")
_SEPARATORS = re.compile(r"\D+")
_DIGEST = re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{64}(?![0-9A-Za-z])")
_SHORT_PIECE = 3
_LONGEST_NAME = 64
_FIGURE = 5


@dataclass(slots=True)
class LeakProof:
    """Searches texts for known values; ``faults`` say which rule's value stood where, never the value."""

    known: Sequence[KnownValue]
    rules: Policy
    faults: dict[str, None] = field(default_factory=dict)
    doubtful: dict[str, None] = field(default_factory=dict)  # places of faults whose values could be words
    certain: bool = False  # whether any other value stood somewhere
    memo: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    _patterns: dict[str, list[tuple[int, Match]]] = field(default_factory=dict, repr=False)
    _automaton: AhoCorasick | None = field(default=None, repr=False)
    _names: list[str] = field(default_factory=list, repr=False)
    _sayings: frozenset[int] = field(default=frozenset(), repr=False)
    _hits: dict[str, tuple[tuple[int, Match], ...]] = field(default_factory=dict, repr=False)
    _programme: set[str] = field(default_factory=set, repr=False)

    def __post_init__(self) -> None:
        for index, value in enumerate(self.known):
            if value.everywhere:
                for pattern, match in forms(value):
                    self._patterns.setdefault(pattern, []).append((index, match))
        self._sayings = frozenset(index for index, value in enumerate(self.known) if _is_saying(value))
        self._names = list(self._patterns)
        if self._names:
            self._automaton = AhoCorasick(self._names)

    @property
    def searched(self) -> int:
        """How many known values every text is searched for."""
        return sum(value.everywhere for value in self.known)

    def document(self, file: str, document: JsonValue, *, ours: bool = False) -> None:
        """Search a JSON document; with ``ours`` its numbers and bare digests are generated and exempt by form."""
        leaves = [leaf for leaf in walk(document, self.rules) if not self._exempt(leaf, ours=ours)]
        self._programme.update(fold(leaf.text) for leaf in leaves if not ours and leaf.place.kind in self.rules.named)
        for leaf in leaves:
            where = f"{file} {leaf.place.text}" + (" (member name)" if leaf.form == "key" else "")
            self._leaf(where, leaf, protected=not ours and leaf.place.kind in self.rules.named, ours=ours)
        if not ours:
            for place, items in arrays(document, self.rules):
                self._joined(f"{file} {place.text}", items)
        self._squeezed(file, leaves)

    def text(self, file: str, text: str, ours: Sequence[str]) -> None:
        """Search a text of our own making, such as a README; ``ours`` are generated ids in it, exempt as whole words."""
        for name in filter(None, ours):
            text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", " ", text)
        self._text(file, _DIGEST.sub(" ", text))

    def _exempt(self, leaf: Leaf, *, ours: bool) -> bool:
        if is_generated(leaf, self.rules):
            return True
        return ours and (leaf.form == "number" or is_digest(leaf.text))

    def _leaf(self, where: str, leaf: Leaf, *, protected: bool, ours: bool) -> None:
        inner = container(leaf.text) if leaf.form == "text" else None
        # May in {"month": "May"}: a word alone need not be the name. It is listed as an ambiguous residual.
        alone = not ours and (leaf.form == "key" or leaf.text.strip().isalpha() or inner is not None)
        self._text(where, leaf.text, protected=protected or alone)
        if inner is not None:
            for each in walk(inner, self.rules, Place(where, payload=True)):
                self._leaf(where, each, protected=protected, ours=ours)

    def _text(self, place: str, text: str, *, protected: bool = False) -> None:
        for index, match in self._found(text):
            # A customer called Claude does not rename the model: words may stand where only the program's names do.
            if not (protected and match is Match.SPELLED):
                self._fault(index, place, match.value)

    def _found(self, text: str) -> tuple[tuple[int, Match], ...]:
        if text not in self._hits:
            hits: dict[tuple[int, Match], None] = {}
            for layer in layers(text, self.memo):
                seen = view(layer)
                hits.update(dict.fromkeys(self._search(seen, loose=False)))
                for run in _DIGIT_RUN.finditer(seen.folded):
                    digits = _SEPARATORS.sub("", run.group())
                    hits.update(dict.fromkeys(self._search(View(digits, digits, ()), loose=True)))
            self._hits[text] = tuple(hits)
        return self._hits[text]

    def _search(self, seen: View, *, loose: bool) -> Iterator[tuple[int, Match]]:
        """Yield which values stand in a view; ``loose`` views have lost their separators and hold no tokens."""
        if self._automaton is None:
            return
        for number, start, end in self._automaton.find_matches_as_indexes(seen.folded, overlapping=True):
            for index, match in self._patterns[self._names[number]]:
                if match in (Match.TOKEN, Match.SPELLED):
                    if loose or not is_token(seen.shape, start, end):
                        continue
                    if match is Match.SPELLED and (
                        seen.shape[start:end] != view(self.known[index].text.strip()).shape
                        or self._is_word(seen, start, end)
                    ):
                        continue
                    if match is Match.TOKEN and _is_figure(seen.folded, start, end):
                        continue
                elif match is Match.DIGITS and not loose:
                    continue
                if index in self._sayings and self._is_said(index, seen.shape[start:end]):
                    continue
                yield index, match

    def _is_said(self, index: int, shape: str) -> bool:
        """Say whether words of a sentence make a name by chance: ``the grant will come``, with a customer Will Grant."""
        return " " in shape and shape.islower() and shape != view(self.known[index].text.strip()).shape

    def _is_word(self, seen: View, start: int, end: int) -> bool:
        """Say whether a doubtful name stands in a date or in a name of the program's; listed as an ambiguous residual."""
        if dates_something(seen.folded, start, end):
            return True
        first, last = start, end
        while first > max(0, start - _LONGEST_NAME) and _is_name_character(seen.folded[first - 1]):
            first -= 1
        while last < min(len(seen.folded), end + _LONGEST_NAME) and _is_name_character(seen.folded[last]):
            last += 1
        name = seen.folded[first:last].rstrip(".:")
        return len(name) > end - start and name in self._programme

    def _joined(self, place: str, items: list[JsonValue]) -> None:
        short = all(isinstance(item, (int, str)) and len(str(item)) <= _SHORT_PIECE for item in items)
        for text in joined(items):
            for index, match in self._found(text):
                # Longer pieces set side by side make short tokens by chance; characters and their codes do not.
                if short or match not in (Match.TOKEN, Match.SPELLED):
                    self._fault(index, place, "joined")

    def _squeezed(self, file: str, leaves: Sequence[Leaf]) -> None:
        texts = [(leaf, squeeze(fold(leaf.text))) for leaf in leaves if leaf.form != "key"]
        ends: list[int] = []
        for _, text in texts:
            ends.append((ends[-1] if ends else 0) + len(text))
        if self._automaton is None or not ends:
            return
        whole = "".join(text for _, text in texts)
        for number, start, end in self._automaton.find_matches_as_indexes(whole, overlapping=True):
            for index, match in self._patterns[self._names[number]]:
                if match is not Match.SQUEEZED:
                    continue
                first, last = bisect_right(ends, start), bisect_right(ends, end - 1)
                begins = start - (ends[first - 1] if first else 0)
                stops = end - (ends[last - 1] if last else 0)
                # Neighbouring words hold any name by chance, from the middle of one to the middle of another; those of a secret do not.
                if self.known[index].secret or (
                    stands_apart(texts[first][0].text, begins) and stands_apart(texts[last][0].text, stops)
                ):
                    self._fault(index, f"{file} {texts[first][0].place.text}", match.value)

    def _fault(self, index: int, place: str, how: str) -> None:
        value = self.known[index]
        self.faults.setdefault(f"{value.entity} (rule {value.rule}) stands in {place}: {how}")
        if value.word:
            self.doubtful.setdefault(place.partition(" ")[2].removesuffix(" (member name)"))
        else:
            self.certain = True


def _is_saying(value: KnownValue) -> bool:
    """Say whether a whole name is made of nothing but words of the dictionary."""
    words = fold(value.text).split()
    return value.entity == "person" and len(words) > 1 and all(word in vocabulary() for word in words)


def _is_name_character(char: str) -> bool:
    return char.isalnum() or char in "_.:/-"


def _is_figure(folded: str, start: int, end: int) -> bool:
    """Say whether a few digits are part of a date, a time or an amount, which hold any short number by chance."""
    if end - start > _FIGURE or not folded[start:end].isdecimal():
        return False
    before, after = folded[max(0, start - 2) : start], folded[end : end + 2]
    joins = "-/:.,t"
    return (
        (len(before) == 2 and before[0].isdecimal() and before[1] in joins)
        or (len(after) == 2 and after[0] in joins and after[1].isdecimal())
        or before[-1:] in ("$", "€", "£", "¥")
    )


def readable(files: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    """Yield name and text of each file; bytes that are no UTF-8 are read as Latin-1, so that nothing goes unread."""
    for name, content in sorted(files.items()):
        try:
            yield name, content.decode("utf-8")
        except UnicodeDecodeError:
            yield name, content.decode("latin-1")
