"""What a person must look at beside identifiers: categories, the signs that speak for them, names for credentials."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from ahocorasick_rs import AhoCorasick, MatchKind

from .fold import fold

CREDENTIAL = "credential"
"""The category that has no signs of its own: the credentials that were found are its signs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """What is flagged, and when: ``threshold`` points by ``kinds`` different signs over a step, or the ``whole`` case."""

    name: str
    threshold: int
    kinds: int
    whole: bool
    roles: frozenset[str]
    without: tuple[re.Pattern[str], ...]

    def reached(self, signs: Mapping[str, int], points: Mapping[str, int]) -> bool:
        """Tell whether signs, by how often each was found, suffice."""
        return len(signs) >= self.kinds and sum(points[sign] * count for sign, count in signs.items()) >= self.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """One thing that speaks for a category; at most ``most`` matches count."""

    id: str
    category: str
    pattern: re.Pattern[str]
    words: tuple[str, ...]
    points: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialKind:
    """What credentials are called that begin so, or that these rules found; ``public`` ones have nothing to rotate."""

    kind: str
    prefixes: tuple[str, ...]
    rules: frozenset[str]
    public: bool = False


class Sensitive:
    """All of it, in force."""

    def __init__(
        self, categories: Sequence[Category], signs: Sequence[Sign], credentials: Sequence[CredentialKind]
    ) -> None:
        self.categories = tuple(categories)
        self.points = {sign.id: sign.points for sign in signs}
        self._credentials = tuple(credentials)
        self._triggers = [(word, sign) for sign in signs for word in sign.words]
        self._matcher = AhoCorasick([word for word, _ in self._triggers], matchkind=MatchKind.Standard)
        self._order = {sign.id: number for number, sign in enumerate(signs)}

    def signs(self, text: str, category: Category) -> Counter[str]:
        """Return how often each sign of a category stands in a text; signs without any of their words are not tried."""
        clean = fold(text).clean
        for pattern in category.without:
            clean = pattern.sub("", clean)
        lowered = clean.lower()
        tried = {
            self._triggers[number][1]
            for number, _, _ in self._matcher.find_matches_as_indexes(lowered, overlapping=True)
            if self._triggers[number][1].category == category.name
        }
        counted: Counter[str] = Counter()
        for sign in sorted(tried, key=lambda each: self._order[each.id]):
            if found := sum(1 for _ in islice(sign.pattern.finditer(clean), sign.most)):
                counted[sign.id] = found
        return counted

    def rule_of(self, rules: Iterable[str]) -> str | None:
        """Return which of the rules that found a credential is told, None where all that it is called is public.

        Rules of other classes can have found the same text.
        """
        every = sorted(rules)
        named = [rule for rule in every if any(rule in each.rules for each in self._credentials)]
        told = [rule for rule in named if not any(rule in each.rules for each in self._credentials if each.public)]
        return next(iter(told or (() if named else every)), None)

    def kind_of(self, spellings: Iterable[str], rule: str) -> str:
        """Return what a credential is called, by its beginning, else by the rule that found it."""
        # An authorization header's value begins with its scheme.
        bare = [spelling.rpartition(" ")[2] for spelling in sorted(spellings)]
        for each in self._credentials:
            if each.prefixes and any(text.startswith(each.prefixes) for text in bare):
                return each.kind
        return next((each.kind for each in self._credentials if rule in each.rules), CREDENTIAL)
