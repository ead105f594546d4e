"""Reads identifier rules from their documents and proves each on its own examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..errors import RulesError
from ..ruleset import RuleSet, rule_entries
from . import checks
from .faults import entity_faults, overlay_faults, rule_faults, unknown
from .fold import fold
from .linear import is_linear
from .place import Place, normal_name
from .rules import Entity, FieldRule, Identifiers, NamePattern, PatternRule

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
    documents = rules.family("identifiers")
    entities: dict[str, Entity] = {}
    words: dict[str, frozenset[str]] = {}
    for file, document in documents.items():
        _define(file, document, entities, words, faults)
    compiled = [rule for file, document in documents.items() for rule in _rules(file, document, entities, faults)]
    for own in rules.own:
        for entry in rule_entries(rules.documents[own]):
            faults.extend(f"{own}: rule {entry['id']} {fault}" for fault in _slow(entry, compiled))
    patterns = tuple(rule for rule in compiled if isinstance(rule, PatternRule))
    named = [rule for rule in compiled if isinstance(rule, FieldRule)]
    fields = tuple(rule for rule in named if rule.entity is not None)
    if not fields or not patterns:
        faults.append("identifiers: no rule at all")
    faults.extend(overlay_faults(rules, entities))
    if faults:
        raise RulesError(faults)
    return Identifiers(
        entities=entities,
        fields=fields,
        keeps=tuple(rule for rule in named if rule.entity is None),
        patterns=patterns,
        words=words,
        siblings=frozenset(name for rule in named if rule.beside is not None for name in rule.beside.exact),
        member_words=frozenset(word for rule in named for name in rule.names.exact for word in name.split("_")),
    )


def _define(
    file: str,
    document: Mapping[str, Any],
    entities: dict[str, Entity],
    words: dict[str, frozenset[str]],
    faults: list[str],
) -> None:
    """Take in the classes and word lists of one document: lists may grow, no class is ever changed."""
    faults.extend(f"identifiers/{file}: {fault}" for fault in unknown(document, ("entity", "words", "rule")))
    for name, entry in _table(document, "entity", faults, file):
        found = ["is defined already"] if name in entities else entity_faults(entry)
        faults.extend(f"identifiers/{file}: entity {name} {fault}" for fault in found)
        if not found:
            entities[name] = Entity(
                name=name, form=entry["form"], rank=entry["rank"], secret=entry.get("secret", False)
            )
    for name, entry in _table(document, "words", faults, file):
        if not isinstance(entry, list) or not all(isinstance(word, str) for word in entry):
            faults.append(f"identifiers/{file}: words {name} are no list of texts")
            continue
        words[name] = words.get(name, frozenset()).union(entry)


def _table(document: Mapping[str, Any], member: str, faults: list[str], file: str) -> list[tuple[str, Any]]:
    table = document.get(member, {})
    if not isinstance(table, dict):
        faults.append(f"identifiers/{file}: {member} is no table")
        return []
    return list(table.items())


def _rules(
    file: str, document: Mapping[str, Any], entities: Mapping[str, Entity], faults: list[str]
) -> Iterator[FieldRule | PatternRule]:
    entries = document.get("rule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        faults.append(f"identifiers/{file}: rule is no list of tables")
        return
    for number, entry in enumerate(entries, 1):
        found = rule_faults(entry, entities)
        name = f"rule {entry['id']}" if isinstance(entry.get("id"), str) else f"rule number {number}"
        faults.extend(f"identifiers/{file}: {name} {fault}" for fault in found)
        if not found:
            compiled = _rule(entry)
            _check_examples(file, entry, compiled, faults)
            yield compiled


def _rule(entry: Mapping[str, Any]) -> FieldRule | PatternRule:
    """Return one rule, compiled; it has no faults."""
    if "pattern" in entry:
        context = entry.get("context")
        return PatternRule(
            id=entry["id"],
            entity=entry["entity"],
            pattern=re.compile(entry["pattern"], re.VERBOSE if entry.get("verbose") else 0),
            check=_check(entry.get("check")),
            context=re.compile("|".join(map(_context_word, context))) if context else None,
            unknown=entry.get("unknown", False),
        )
    return FieldRule(
        id=entry["id"],
        entity=entry.get("entity"),
        names=_pattern_of(entry["names"]),
        exempt=_names(entry.get("exempt")),
        under=_names(entry.get("under")),
        unless=_names(entry.get("unless")),
        beside=_names(entry.get("beside")),
        shape=re.compile(entry["shape"]) if "shape" in entry else None,
        check=_check(entry.get("check")),
    )


def _check(name: str | None) -> Callable[[str], bool] | None:
    check: Callable[[str], bool] | None = vars(checks)[name] if name is not None else None
    return check


def _context_word(word: str) -> str:
    return rf"(?<![a-z0-9]){re.escape(word)}" if word[0].isalnum() else re.escape(word)


def _names(entries: Sequence[str] | None) -> NamePattern | None:
    return None if entries is None else _pattern_of(entries)


def _pattern_of(listed: Sequence[str]) -> NamePattern:
    return NamePattern(
        exact=frozenset(normal_name(entry) for entry in listed if "*" not in entry),
        suffixes=tuple(entry[1:] for entry in listed if entry.startswith("*")),
        prefixes=tuple(entry[:-1] for entry in listed if entry.endswith("*")),
    )


def _slow(entry: Mapping[str, Any], compiled: Sequence[FieldRule | PatternRule]) -> Iterator[str]:
    """Yield that a project's pattern is no linear one: on a long text it would stop the run."""
    for rule in compiled:
        if rule.id != entry.get("id"):
            continue
        pattern, whole = (rule.pattern, False) if isinstance(rule, PatternRule) else (rule.shape, True)
        if pattern is not None and not is_linear(pattern, map(example_text, entry.get("matches", ())), whole=whole):
            yield "takes too long on long texts: nothing may repeat that itself repeats the same characters"


def _check_examples(file: str, entry: Mapping[str, Any], rule: FieldRule | PatternRule, faults: list[str]) -> None:
    matches, others = entry.get("matches", []), entry.get("non_matches", [])
    if not matches:
        faults.append(f"identifiers/{file}: rule {rule.id} shows no example that it matches")
    for expected, examples in ((True, matches), (False, others)):
        for number, example in enumerate(examples, 1):
            if _fits_example(rule, example_text(example)) is not expected:
                word = "matches" if expected else "non_matches"
                faults.append(f"identifiers/{file}: rule {rule.id} fails its own {word} example {number}")


def example_text(example: object) -> str:
    """Return an example as it is meant: vendor-shaped secrets stand in pieces, so that no scanner takes them for real."""
    return "".join(example) if isinstance(example, list) else str(example)


def _fits_example(rule: FieldRule | PatternRule, example: str) -> bool:
    if isinstance(rule, PatternRule):
        view = fold(example)
        return any(True for _ in rule.ranges(view.clean, view.text))
    # An example of a field rule reads: names from outer to inner, an equals sign, the text, a bar, names beside it.
    path, _, rest = example.partition("=")
    text, _, beside = rest.partition(" | ")
    names = tuple(normal_name(name) for name in path.split("/"))
    return rule.fits(Place(names, frozenset(normal_name(name) for name in beside.split(",") if name)), text)
