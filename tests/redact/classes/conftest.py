"""Documents in which «these marks» stand around every identifier: it must go, and nothing else may change.

A broken bar stands inside what is shaped like a vendor's secret, so that no scanner takes it for one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

import pytest

from extractor.model.config import RunConfig
from extractor.model.json import JsonValue, compact, parse
from extractor.redact import redact_documents
from extractor.redact.keys import WorkspaceKey
from extractor.redact.rules import Identifiers
from extractor.ruleset import RuleSet

Judge = Callable[[JsonValue], list[str]]
Words = Mapping[str, frozenset[str]]
_MARKED = re.compile(r"«(.*?)»", re.DOTALL)
_LEAST_LETTERS, _LEAST_DIGITS = 4, 5  # of a part that must go too; shorter ones recur by chance


@pytest.fixture(scope="session")
def faults(rules: RuleSet, key: WorkspaceKey, identifiers: Identifiers) -> Judge:
    """Return what is wrong with the redaction of a marked document; ``«#42»`` stands for the number 42."""

    def judge(document: JsonValue) -> list[str]:
        marked = parse(compact(document).replace("¦", ""))
        (redacted,) = redact_documents([_plain(marked)], rules, RunConfig(), key)
        return list(_faults(marked, redacted, identifiers.words))

    return judge


def _plain(marked: JsonValue) -> JsonValue:
    if isinstance(marked, dict):
        return {_MARKED.sub(r"\1", key): _plain(child) for key, child in marked.items()}
    if isinstance(marked, list):
        return [_plain(child) for child in marked]
    if isinstance(marked, str):
        return int(marked[2:-1]) if re.fullmatch(r"«#\d+»", marked) else _MARKED.sub(r"\1", marked)
    return marked


def _faults(marked: JsonValue, redacted: JsonValue, words: Words) -> Iterator[str]:
    if type(_plain(marked)) is not type(redacted):
        yield f"{marked!r} became {redacted!r}"
    elif isinstance(marked, dict) and isinstance(redacted, dict):
        if len(marked) != len(redacted):
            yield f"{marked!r} lost a member"
        for old, new in zip(marked.items(), redacted.items(), strict=False):
            yield from _text_faults(old[0], new[0], words)
            yield from _faults(old[1], new[1], words)
    elif isinstance(marked, list) and isinstance(redacted, list):
        for one, other in zip(marked, redacted, strict=True):
            yield from _faults(one, other, words)
    elif isinstance(marked, str):
        number = isinstance(redacted, int)
        yield from _text_faults(marked.replace("«#", "«") if number else marked, str(redacted), words)
    elif marked != redacted:
        yield f"{marked!r} became {redacted!r}"


def _text_faults(marked: str, redacted: str, words: Words) -> Iterator[str]:
    gone = _MARKED.findall(marked)
    kept = _MARKED.sub("\0", marked).split("\0")
    around = re.fullmatch("(.+?)".join(map(re.escape, kept)), redacted, re.DOTALL)
    if around is None:
        yield f"beside the marks changed: {marked!r} became {redacted!r}"
    for value, new in zip(gone, around.groups() if around else [redacted] * len(gone), strict=True):
        if value == new or any(part in _parts(new) for part in _parts(value) - _structural(words)):
            yield f"survived: {value!r} in {marked!r} as {redacted!r}"


def _parts(text: str) -> set[str]:
    local = text.partition("@")[0] if "@" in text[1:] else text
    found: list[str] = re.findall(r"[^\W\d_]+|\d+", local.lower())
    return {part for part in found if len(part) >= (_LEAST_DIGITS if part.isdigit() else _LEAST_LETTERS)}


def _structural(words: Words) -> frozenset[str]:
    kinds = ("name_particles", "address_words", "type_words", "person_type_words", "role_mailboxes", "reserved_domains")
    prefixes = {part for prefix in words["secret_prefixes"] for part in re.findall(r"[a-z]+|\d+", prefix.lower())}
    return frozenset().union(*(words[kind] for kind in kinds), prefixes)
