"""Identifier rules, compiled: what a member's name, a pattern or a cue in prose says of a value."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .place import Place

Form = Literal["name", "mail", "digits", "id", "secret", "address", "date", "ip", "mac", "handle", "host", "coordinate"]
_SENTENCE = re.compile(r"[^\W\d_]{0,2}\d[.!?;]\s+(?=[A-Z])|\n\s*\n")  # after a value; "Acct. No" is no end
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
    unless: NamePattern | None  # nearer than any of `under`, these say that the leaf is about something else
    beside: NamePattern | None
    shape: re.Pattern[str] | None
    check: Callable[[str], bool] | None

    def fits(self, place: Place, text: str) -> bool:
        """Tell whether the rule means this leaf."""
        if not self.names.fits(place.name) or (self.exempt is not None and self.exempt.fits(place.name)):
            return False
        if self.under is not None and not self.is_under(place.names):
            return False
        if self.beside is not None and not any(map(self.beside.fits, place.beside)):
            return False
        if self.shape is not None and self.shape.fullmatch(text) is None:
            return False
        return self.check is None or self.check(text)

    def patterns(self) -> Iterator[NamePattern]:
        """Yield every pattern of member names that the rule asks for, at or around its leaf."""
        values = (getattr(self, member.name) for member in dataclasses.fields(self))
        return (value for value in values if isinstance(value, NamePattern))

    def is_under(self, names: Sequence[str]) -> bool:
        """Tell whether the nearest telling name around the innermost is one of ``under``, not of ``unless``."""
        for name in reversed(names[:-1]):
            if self.unless is not None and self.unless.fits(name):
                return False
            if self.under is not None and self.under.fits(name):
                return True
        return False


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
            if self.context is not None and not self._is_cued(clean, lowered, start):
                continue
            yield start, end

    def _is_cued(self, clean: str, lowered: str, start: int) -> bool:
        """Tell whether a context word stands before a place, in the same sentence."""
        first = max(0, start - _CONTEXT_WINDOW)
        for sentence in _SENTENCE.finditer(clean, first, start):
            first = sentence.end()
        return self.context is not None and self.context.search(lowered, first, start) is not None


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
    _meant: dict[str, _Meant] = dataclasses.field(default_factory=dict, init=False, repr=False, compare=False)
    _places: dict[Place, Place] = dataclasses.field(default_factory=dict, init=False, repr=False, compare=False)

    def field(self, place: Place, text: str) -> FieldRule | None:
        """Return the rule that names this leaf an identifier, the first in file order.

        A keep rule comes before all of them, save those for secrets: no rule keeps a secret.
        """
        meant = self._of(place.name)
        if any(rule.fits(place, text) for rule in meant.keeps):
            return next((rule for rule in meant.secrets if rule.fits(place, text)), None)
        return next((rule for rule in meant.fields if rule.fits(place, text)), None)

    def kept(self, place: Place, text: str) -> bool:
        """Tell whether a rule keeps this leaf."""
        return any(rule.fits(place, text) for rule in self._of(place.name).keeps)

    def alike(self, place: Place) -> Place:
        """Return the one place that stands for all at which the rules say the same of every text: names that none knows left out."""
        known = self._places.get(place)
        if known is None:
            outer = (name for name in place.names[:-1] if self._of(name).known)
            inner = (name if self._of(name).known else "" for name in place.names[-1:])
            known = self._places[place] = replace(place, names=(*outer, *inner))
        return known

    def _of(self, name: str) -> _Meant:
        """Return the rules that a member name can mean; texts are many, names are few."""
        meant = self._meant.get(name)
        if meant is None:
            fields_ = tuple(rule for rule in self.fields if rule.names.fits(name))
            meant = self._meant[name] = _Meant(
                fields=fields_,
                secrets=tuple(rule for rule in fields_ if self.entities[rule.entity or ""].secret),
                keeps=tuple(rule for rule in self.keeps if rule.names.fits(name)),
                known=name in self.words["protected_members"]
                or any(pattern.fits(name) for rule in (*self.fields, *self.keeps) for pattern in rule.patterns()),
            )
        return meant


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meant:
    """What a member name tells: the rules for its leaves, in file order; ``known`` if it counts around others too."""

    fields: tuple[FieldRule, ...]
    secrets: tuple[FieldRule, ...]
    keeps: tuple[FieldRule, ...]
    known: bool
