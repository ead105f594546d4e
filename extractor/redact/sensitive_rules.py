"""Reads rules/sensitive.toml and proves it on its own examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from ..errors import RulesError
from ..ruleset import RuleSet
from .fold import fold
from .sensitive import CREDENTIAL, Category, CredentialKind, Sensitive, Sign
from .steps import SPEAKERS

Entry = Mapping[str, Any]
_Made = TypeVar("_Made")
_compiled: dict[str, Sensitive] = {}


def compile_sensitive(rules: RuleSet) -> Sensitive:
    """Return the rules of ``sensitive.toml`` and of overlays' ``sensitive/*.toml``.

    Raises `RulesError` with every fault: a malformed entry, an example that does not come out.
    """
    if rules.digest not in _compiled:
        _compiled[rules.digest] = _compile(rules)
    return _compiled[rules.digest]


def _compile(rules: RuleSet) -> Sensitive:
    documents: dict[str, Entry] = {"sensitive": rules.documents.get("sensitive", {})}
    documents.update({f"sensitive/{name}": document for name, document in rules.family("sensitive").items()})
    faults: list[str] = []
    categories: dict[str, Category] = {}
    for file, document in documents.items():
        for category in _each(document, "category", _category, file, faults):
            if category.name in categories:
                faults.append(f"{file}: category {category.name} is defined already")
            categories.setdefault(category.name, category)
    signs = [sign for file, each in documents.items() for sign in _each(each, "sign", _sign, file, faults)]
    kinds = [kind for file, each in documents.items() for kind in _each(each, "credential", _kind, file, faults)]
    faults.extend(f"sensitive: sign {sign.id} is of no category" for sign in signs if sign.category not in categories)
    if CREDENTIAL not in categories or not signs:
        faults.append("sensitive: no rule at all")
    made = Sensitive(tuple(categories.values()), signs, kinds)
    for file, document in documents.items():
        for fits in _each(document, "example", lambda name, entry: _comes_out(name, entry, made), file, faults):
            faults.extend([f"{file}: {fits} does not come out as it says"] if fits else ())
        for unfit in _each(document, "sign", _unfit, file, faults):
            faults.extend(f"{file}: {fault}" for fault in unfit)
    if faults:
        raise RulesError(list(dict.fromkeys(faults)))
    return made


def _each(
    document: Entry, member: str, make: Callable[[str, Entry], _Made], file: str, faults: list[str]
) -> Iterator[_Made]:
    """Yield what is made of each entry of a table or a list; what is malformed is a fault."""
    entries = document.get(member, {})
    if not isinstance(entries, (dict, list)):
        faults.append(f"{file}: {member} is neither a table nor a list")
        return
    numbered = entries.items() if isinstance(entries, dict) else enumerate(entries, 1)
    for name, entry in numbered:
        said = f"{member} {entry.get('id', name) if isinstance(entry, dict) else name}"
        try:
            yield make(str(name) if isinstance(entries, dict) else said, entry)
        except (AttributeError, KeyError, TypeError, ValueError, re.error):
            faults.append(f"{file}: {said} is malformed")


def _category(name: str, entry: Entry) -> Category:
    roles = frozenset(entry.get("roles", ()))
    reach = entry.get("reach", "step")
    if not entry["why"] or not roles <= set(SPEAKERS) or reach not in ("step", "case"):
        raise ValueError
    return Category(
        name=name,
        threshold=int(entry.get("threshold", 1)),
        kinds=int(entry.get("kinds", 1)),
        whole=reach == "case",
        roles=roles,
        without=tuple(re.compile(pattern) for pattern in entry.get("without", ())),
    )


def _sign(_: str, entry: Entry) -> Sign:
    words = tuple(entry["words"])
    if not entry["why"] or not words or not all(word and word == word.lower() for word in words):
        raise ValueError
    return Sign(
        id=str(entry["id"]),
        category=str(entry["category"]),
        pattern=re.compile(entry["pattern"]),
        words=words,
        points=int(entry.get("points", 1)),
        most=int(entry.get("most", 1)),
    )


def _kind(_: str, entry: Entry) -> CredentialKind:
    prefixes, rules = tuple(entry.get("prefixes", ())), frozenset(entry.get("rules", ()))
    if not entry["kind"] or not all(isinstance(text, str) and text for text in (*prefixes, *rules)):
        raise ValueError
    return CredentialKind(kind=str(entry["kind"]), prefixes=prefixes, rules=rules, public=entry.get("public") is True)


def _unfit(_: str, entry: Entry) -> list[str]:
    """Return the faults of a sign's own examples."""
    sign = _sign("", entry)
    faults = [] if entry.get("matches") else [f"sign {sign.id} shows no example that it matches"]
    for expected, member in ((True, "matches"), (False, "non_matches")):
        for number, text in enumerate(entry.get(member, ()), 1):
            clean = fold(text).clean
            found = any(word in clean.lower() for word in sign.words) and sign.pattern.search(clean) is not None
            if found is not expected:
                faults.append(f"sign {sign.id} fails its own {member} example {number}")
    return faults


def _comes_out(name: str, entry: Entry, made: Sensitive) -> str:
    """Return the name of an example that does not come out, empty for one that does."""
    category = {each.name: each for each in made.categories}[entry["category"]]
    signs = made.signs(fold(entry["text"]).clean, category)
    return "" if category.reached(signs, made.points) is bool(entry["flagged"]) else name
