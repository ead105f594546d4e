"""Identifier rules, compiled: what a member's name, a pattern or a cue in prose says of a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import RulesError
from ..ruleset import RuleSet
from . import checks
from .fold import fold
from .place import Place, normal_name

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
    """Member names of a field rule: exact ones, ``*_suffix`` and ``prefix_*``."""

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
    under: NamePattern | None
    beside: NamePattern | None
    shape: re.Pattern[str] | None
    check: Callable[[str], bool] | None

    def fits(self, place: Place, text: str) -> bool:
        """Tell whether the rule means this leaf."""
        if not self.names.fits(place.name):
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

    def field(self, place: Place, text: str) -> FieldRule | None:
        """Return the first rule that names this leaf an identifier; keep rules come first, then rules in file order."""
        if any(rule.fits(place, text) for rule in self.keeps):
            return None
        return next((rule for rule in self.fields if rule.fits(place, text)), None)

    def kept(self, place: Place, text: str) -> bool:
        """Tell whether a rule keeps this leaf."""
        return any(rule.fits(place, text) for rule in self.keeps)


_compiled: dict[str, Identifiers] = {}


def compile_identifiers(rules: RuleSet) -> Identifiers:
    """Return the identifier rules of a rule set, each proved on its own ``matches`` and ``non_matches``.

    Raises `RulesError` with every fault: unknown entity, bad pattern, an example that does not come out.
    """
    if rules.digest not in _compiled:
        _compiled[rules.digest] = _compile(rules)
    return _compiled[rules.digest]


def _compile(rules: RuleSet) -> Identifiers:
    faults: list[str] = []
    entities: dict[str, Entity] = {}
    words: dict[str, frozenset[str]] = {}
    fields: list[FieldRule] = []
    keeps: list[FieldRule] = []
    patterns: list[PatternRule] = []
    documents = rules.family("identifiers")
    for document in documents.values():
        for name, entry in document.get("entity", {}).items():
            entities[name] = Entity(
                name=name, form=entry["form"], rank=entry["rank"], secret=entry.get("secret", False)
            )
        for name, entry in document.get("words", {}).items():
            words[name] = frozenset(entry)
    for file, document in documents.items():
        for entry in document.get("rule", []):
            try:
                compiled = _rule(entry, entities)
            except (KeyError, TypeError, re.error, ValueError):
                faults.append(f"identifiers/{file}: rule {entry.get('id', '?')} is malformed")
                continue
            _check_examples(file, entry, compiled, faults)
            if isinstance(compiled, PatternRule):
                patterns.append(compiled)
            elif compiled.entity is None:
                keeps.append(compiled)
            else:
                fields.append(compiled)
    if not fields or not patterns:
        faults.append("identifiers: no rule at all")
    if faults:
        raise RulesError(faults)
    return Identifiers(
        entities=entities,
        fields=tuple(fields),
        keeps=tuple(keeps),
        patterns=tuple(patterns),
        words=words,
        siblings=frozenset(name for rule in (*fields, *keeps) if rule.beside is not None for name in rule.beside.exact),
    )


def _rule(entry: Mapping[str, Any], entities: Mapping[str, Entity]) -> FieldRule | PatternRule:
    if not entry["why"] or not isinstance(entry["id"], str):
        raise ValueError
    entity: str | None = entry.get("entity")
    if "pattern" in entry:
        if entity is None or entity not in entities:
            raise ValueError
        context = entry.get("context")
        return PatternRule(
            id=entry["id"],
            entity=entity,
            pattern=re.compile(entry["pattern"], re.VERBOSE if entry.get("verbose") else 0),
            check=getattr(checks, entry["check"]) if "check" in entry else None,
            context=re.compile("|".join(map(_context_word, context))) if context else None,
            unknown=entry.get("unknown", False),
        )
    if (entity is None) != bool(entry.get("keep")) or (entity is not None and entity not in entities):
        raise ValueError
    names = _names(entry["names"])
    if names is None:
        raise ValueError
    return FieldRule(
        id=entry["id"],
        entity=entity,
        names=names,
        under=_names(entry.get("under")),
        beside=_names(entry.get("beside")),
        shape=re.compile(entry["shape"]) if "shape" in entry else None,
        check=getattr(checks, entry["check"]) if "check" in entry else None,
    )


def _context_word(word: str) -> str:
    return rf"(?<![a-z0-9]){re.escape(word)}" if word[0].isalnum() else re.escape(word)


def _names(entries: Iterable[str] | None) -> NamePattern | None:
    if entries is None:
        return None
    listed = list(entries)
    return NamePattern(
        exact=frozenset(normal_name(entry) for entry in listed if "*" not in entry),
        suffixes=tuple(entry[1:] for entry in listed if entry.startswith("*")),
        prefixes=tuple(entry[:-1] for entry in listed if entry.endswith("*")),
    )


def _check_examples(file: str, entry: Mapping[str, Any], rule: FieldRule | PatternRule, faults: list[str]) -> None:
    matches, others = entry.get("matches", []), entry.get("non_matches", [])
    if not matches:
        faults.append(f"identifiers/{file}: rule {rule.id} shows no example that it matches")
    for expected, examples in ((True, matches), (False, others)):
        for number, example in enumerate(examples, 1):
            if _fits_example(rule, _assembled(example)) is not expected:
                word = "matches" if expected else "non_matches"
                faults.append(f"identifiers/{file}: rule {rule.id} fails its own {word} example {number}")


def _assembled(example: object) -> object:
    # Vendor-shaped secrets stand in rule files as lists of pieces, so that no scanner takes them for real ones.
    return "".join(example) if isinstance(example, list) else example


def _fits_example(rule: FieldRule | PatternRule, example: object) -> bool:
    if isinstance(rule, PatternRule):
        view = fold(str(example))
        return any(True for _ in rule.ranges(view.clean, view.text))
    # An example of a field rule reads: names from outer to inner, an equals sign, the text, a bar, names beside it.
    path, _, rest = str(example).partition("=")
    text, _, beside = rest.partition(" | ")
    names = tuple(normal_name(name) for name in path.split("/"))
    return rule.fits(Place(names, frozenset(normal_name(name) for name in beside.split(",") if name)), text)
