"""Identifier rules, compiled: what a member's name, a pattern or a cue in prose says of a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from .place import Place

Form = Literal["name", "mail", "digits", "id", "secret", "address", "date", "ip", "mac", "handle", "host", "coordinate"]
_CONTEXT_WINDOW = 48  # characters before a finding in which a context word counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """A class of identifiers. ``form`` says how its pseudonyms look; lower ``rank`` wins where findings overlap."""

    name: str
    form: Form
    rank: int
    secret: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePattern:
    """Member names of a field rule: exact ones, ``*_suffix`` and ``prefix_*``; of neighbours, exact ones only."""

    exact: frozenset[str]
    suffixes: tuple[str, ...]
    prefixes: tuple[str, ...]

    def fits(self, name: str) -> bool:
        """Tell whether a normal name is meant; a plural counts as its singular."""
        for candidate in (name, name.removesuffix("s")):
            if candidate in self.exact or candidate.endswith(self.suffixes) or candidate.startswith(self.prefixes):
                return True
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRule:
    """A whole leaf is an identifier because of the member that holds it."""

    id: str
    entity: str | None  # None: a keep rule
    names: NamePattern
    exempt: NamePattern | None  # names that `names` would mean, but must not
    under: NamePattern | None
    beside: NamePattern | None
    shape: re.Pattern[str] | None
    check: Callable[[str], bool] | None

    def fits(self, place: Place, text: str) -> bool:
        """Tell whether the rule means this leaf."""
        if not self.names.fits(place.name) or (self.exempt is not None and self.exempt.fits(place.name)):
            return False
        if self.under is not None and not any(map(self.under.fits, place.names[:-1])):
            return False
        if self.beside is not None and not any(map(self.beside.fits, place.beside)):
            return False
        if self.shape is not None and self.shape.fullmatch(text) is None:
            return False
        return self.check is None or self.check(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRule:
    """A part of a text is an identifier because of its form, its check digit and the words before it."""

    id: str
    entity: str
    pattern: re.Pattern[str]
    check: Callable[[str], bool] | None
    context: re.Pattern[str] | None
    unknown: bool  # it only looks like an identifier: a keep rule that knows the same text wins

    def ranges(self, clean: str, lowered: str) -> Iterator[tuple[int, int]]:
        """Yield ``[start, end)`` in a cleaned text. The group ``v``, where there is one, is the identifier."""
        group = "v" if "v" in self.pattern.groupindex else 0
        for found in self.pattern.finditer(clean):
            start, end = found.span(group)
            if start == end or (self.check is not None and not self.check(clean[start:end])):
                continue
            if self.context is not None and not self.context.search(lowered, max(0, start - _CONTEXT_WINDOW), start):
                continue
            yield start, end


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifiers:
    """All identifier rules in force."""

    entities: Mapping[str, Entity]
    fields: tuple[FieldRule, ...]
    keeps: tuple[FieldRule, ...]
    patterns: tuple[PatternRule, ...]
    words: Mapping[str, frozenset[str]]
    siblings: frozenset[str]  # names that some rule wants to stand beside its own
    member_words: frozenset[str]  # of the names that rules know: schema words, whoever is called so

    def field(self, place: Place, text: str) -> FieldRule | None:
        """Return the rule that names this leaf an identifier, the first in file order.

        A keep rule comes before all of them, save those for secrets: no rule keeps a secret.
        """
        if self.kept(place, text):
            return next((rule for rule in self._secrets if rule.fits(place, text)), None)
        return next((rule for rule in self.fields if rule.fits(place, text)), None)

    @property
    def _secrets(self) -> Iterator[FieldRule]:
        return (rule for rule in self.fields if rule.entity is not None and self.entities[rule.entity].secret)

    def kept(self, place: Place, text: str) -> bool:
        """Tell whether a rule keeps this leaf."""
        return any(rule.fits(place, text) for rule in self.keeps)
