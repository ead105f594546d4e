"""What is wrong with an identifier rule as it is written, each fault a line, and what a project's overlay may not do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from ..ruleset import RuleSet, rule_entries
from . import checks
from .rules import Entity, Form

_ANY = frozenset({"id", "entity", "why", "matches", "non_matches", "check", "replaces"})
_PATTERN = frozenset({"pattern", "verbose", "context", "unknown"})
_FIELD = frozenset({"names", "exempt", "under", "unless", "beside", "shape", "keep"})
_ENTITY = frozenset({"form", "rank", "secret"})
_LISTS = ("names", "exempt", "under", "unless", "beside", "context")
_SWITCHES = ("verbose", "unknown", "keep")
_ID = re.compile(r"[a-z][a-z0-9_.-]{0,80}")
_SAYABLE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,40}")

FIXED_WORDS = frozenset({"secret_prefixes", "reserved_domains", "role_mailboxes"})
"""Word lists that only we change: what they name stays. A project's own mailboxes and domains stand in its settings."""


def unknown(table: Mapping[str, Any], known: Sequence[str] | frozenset[str]) -> list[str]:
    """Return one fault for each member that nobody reads: a misspelled condition would be no condition."""
    return [
        f"has an unknown key {key}" if _SAYABLE.fullmatch(key) else f"has an unknown key, its member {position}"
        for position, key in enumerate(table, 1)
        if key not in known
    ]


def entity_faults(entry: object) -> list[str]:
    """Return what is wrong with the definition of a class."""
    if not isinstance(entry, dict):
        return ["is no table"]
    faults = unknown(entry, _ENTITY)
    if entry.get("form") not in get_args(Form):
        faults.append(f"has no form; forms are {', '.join(get_args(Form))}")
    if not _is_int(entry.get("rank")):
        faults.append("has no rank, a whole number")
    if not isinstance(entry.get("secret", False), bool):
        faults.append("says of secret neither true nor false")
    return faults


def rule_faults(entry: Mapping[str, Any], entities: Mapping[str, Entity]) -> list[str]:
    """Return what is wrong with a rule, its examples aside."""
    return [*_members(entry), *_expressions(entry), *_meaning(entry, entities)]


def _members(entry: Mapping[str, Any]) -> Iterator[str]:
    yield from unknown(entry, _ANY | _PATTERN | _FIELD)
    if not (isinstance(entry.get("id"), str) and _ID.fullmatch(entry["id"])):
        yield "has no id of small letters, digits, dots and underscores"
    if not (isinstance(entry.get("why"), str) and entry["why"].strip()):
        yield "does not say why"
    for name in _LISTS:
        if name in entry and not _is_texts(entry[name]):
            yield f"{name} is no list of texts, or empty"
    for name in _SWITCHES:
        if not isinstance(entry.get(name, False), bool):
            yield f"says of {name} neither true nor false"
    for name in ("matches", "non_matches"):
        if not isinstance(entry.get(name, []), list) or not all(map(_is_example, entry.get(name, []))):
            yield f"{name} is no list of texts, or of texts in pieces"


def _expressions(entry: Mapping[str, Any]) -> Iterator[str]:
    for name in ("pattern", "shape"):
        if name not in entry:
            continue
        try:
            re.compile(entry[name], re.VERBOSE if name == "pattern" and entry.get("verbose") else 0)
        except re.error as fault:
            yield f"{name} does not compile, character {fault.pos}"
        except (TypeError, RecursionError, OverflowError):
            yield f"{name} is no regular expression"
    check = entry.get("check")
    if check is not None:
        found = vars(checks).get(check) if isinstance(check, str) else None
        if getattr(found, "__module__", None) != checks.__name__ or str(check).startswith("_"):
            yield "names a check that there is not"
    for name in ("names", "exempt", "under", "unless", "beside"):
        listed = [text for text in entry.get(name, ()) if isinstance(text, str)] if _is_texts(entry.get(name)) else []
        every = name == "names" and "under" in entry  # a star alone is whatever stands below something
        if any(
            "*" in text.removeprefix("*").removesuffix("*") or (text.strip("*") == "" and not every) for text in listed
        ):
            yield f"{name}: a star stands for the beginning or the end of a name"
        if name == "beside" and any("*" in text for text in listed):
            yield "beside takes whole names only"


def _meaning(entry: Mapping[str, Any], entities: Mapping[str, Entity]) -> Iterator[str]:
    entity = entry.get("entity")
    if ("pattern" in entry) == ("names" in entry):
        yield "needs either a pattern or names"
    elif strange := sorted((_FIELD if "pattern" in entry else _PATTERN).intersection(entry)):
        yield f"is a rule of {'patterns' if 'pattern' in entry else 'names'}, to which {', '.join(strange)} means nothing"
    if bool(entry.get("keep")) == (entity is not None):
        yield "needs either an entity or keep"
    elif entity is not None and (not isinstance(entity, str) or entity not in entities):
        yield "is of an entity that no file defines"


def overlay_faults(rules: RuleSet, entities: Mapping[str, Entity]) -> Iterator[str]:
    """Yield what the documents together do wrong: an id twice, or an overlay that would weaken ours unsaid."""
    documents = rules.family("identifiers")
    ids = Counter(str(entry.get("id")) for document in documents.values() for entry in rule_entries(document))
    yield from (f"identifiers: rule {name} is defined {count} times" for name, count in ids.items() if count > 1)
    replaced = Counter(
        str(entry["replaces"])
        for document in documents.values()
        for entry in rule_entries(document)
        if "replaces" in entry
    )
    yield from (f"identifiers: rule {name} is replaced {count} times" for name, count in replaced.items() if count > 1)
    secret = max((entity.rank for entity in _shipped_entities(rules, entities) if entity.secret), default=0)
    for file, document in documents.items():
        own = f"identifiers/{file}" in rules.own
        for entry in rule_entries(document):
            found = [*_replacement(entry, rules, entities, own=own), *(_keeping(entry) if own else ())]
            yield from (f"identifiers/{file}: rule {entry.get('id')} {fault}" for fault in found)
        if not own:
            continue
        for name in sorted(FIXED_WORDS.intersection(_names_of(document, "words"))):
            yield f"identifiers/{file}: words {name} cannot grow: what they name stays"
        for name in _names_of(document, "entity"):
            if name in entities and entities[name].rank <= secret and not entities[name].secret:
                yield f"identifiers/{file}: entity {name} must rank after the secrets, {secret + 1} or more"


def _replacement(
    entry: Mapping[str, Any], rules: RuleSet, entities: Mapping[str, Entity], *, own: bool
) -> Iterator[str]:
    if "replaces" not in entry:
        return
    before = rules.replaced.get(str(entry["replaces"]))
    if not own or before is None:
        yield "replaces no rule of ours"
        return
    entity = before.get("entity")
    if isinstance(entity, str) and entity in entities and entities[entity].secret:
        yield "replaces a rule for secrets; those only grow in number"
    elif entity is not None and entry.get("entity") != entity:
        yield f"replaces a rule for {entity}, so it must be one"


def _keeping(entry: Mapping[str, Any]) -> Iterator[str]:
    """A project keeps what stands at a path that it names, and nothing that merely looks alike."""
    if not entry.get("keep"):
        return
    for name in ("names", "under"):
        listed = entry.get(name)
        if not _is_texts(listed) or any("*" in text for text in listed or ()):
            yield f"keeps, so {name} must say whole member names"


def _shipped_entities(rules: RuleSet, entities: Mapping[str, Entity]) -> Iterator[Entity]:
    for file, document in rules.family("identifiers").items():
        if f"identifiers/{file}" not in rules.own:
            yield from (entities[name] for name in _names_of(document, "entity") if name in entities)


def _names_of(document: Mapping[str, Any], table: str) -> list[str]:
    found = document.get(table)
    return list(found) if isinstance(found, dict) else []


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) and item for item in value)


def _is_example(value: object) -> bool:
    return isinstance(value, str) or _is_texts(value)


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
