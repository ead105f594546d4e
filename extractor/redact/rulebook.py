"""Reads identifier rules from their documents and proves each on its own examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_args

from ..errors import RulesError
from ..ruleset import RuleSet
from . import checks
from .fold import fold
from .place import Place, normal_name
from .rules import Entity, FieldRule, Form, Identifiers, NamePattern, PatternRule

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
    patterns = tuple(rule for rule in compiled if isinstance(rule, PatternRule))
    named = [rule for rule in compiled if isinstance(rule, FieldRule)]
    fields = tuple(rule for rule in named if rule.entity is not None)
    if not fields or not patterns:
        faults.append("identifiers: no rule at all")
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
    for name, entry in _table(document, "entity", faults, file):
        try:
            entity = Entity(name=name, form=entry["form"], rank=entry["rank"], secret=entry.get("secret", False))
        except (AttributeError, KeyError, TypeError):
            faults.append(f"identifiers/{file}: entity {name} is malformed")
            continue
        if name in entities or entity.form not in get_args(Form) or not isinstance(entity.rank, int):
            faults.append(f"identifiers/{file}: entity {name} is defined already, or has no form or rank")
            continue
        entities[name] = entity
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
    for entry in entries:
        try:
            compiled = _rule(entry, entities)
        except (AttributeError, KeyError, TypeError, re.error, ValueError):
            faults.append(f"identifiers/{file}: rule {entry.get('id', '?')} is malformed")
            continue
        _check_examples(file, entry, compiled, faults)
        yield compiled


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
            check=_check(entry.get("check")),
            context=re.compile("|".join(map(_context_word, context))) if context else None,
            unknown=entry.get("unknown", False),
        )
    if (entity is None) != bool(entry.get("keep")) or (entity is not None and entity not in entities):
        raise ValueError
    names, beside = _names(entry["names"]), _names(entry.get("beside"))
    if names is None or (beside is not None and (beside.suffixes or beside.prefixes)):
        raise ValueError
    return FieldRule(
        id=entry["id"],
        entity=entity,
        names=names,
        exempt=_names(entry.get("exempt")),
        under=_names(entry.get("under")),
        beside=beside,
        shape=re.compile(entry["shape"]) if "shape" in entry else None,
        check=_check(entry.get("check")),
    )


def _check(name: str | None) -> Callable[[str], bool] | None:
    if name is None:
        return None
    check: Callable[[str], bool] = vars(checks)[name]
    if getattr(check, "__module__", None) != checks.__name__:  # something that checks.py itself imports
        raise ValueError
    return check


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
