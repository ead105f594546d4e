"""What a case remembers of its known values: keyed digests, by which text that people type later can be searched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ..model.case import KnownValue
from ..model.json import JsonValue
from .fold import fold, folded
from .keys import WorkspaceKey, keyed_digest

_TOKEN = re.compile(r"[^\W_]+", re.UNICODE)
_MOST_TOKENS = 8  # of one value: a full address, a spaced card number
_SQUEEZED_DIGITS = 4  # from here a number is itself in any spelling


def remembered(known: Iterable[KnownValue], key: WorkspaceKey, scope: str) -> list[JsonValue]:
    """Return ``{digest, entity, word}`` for each spelling of each value known everywhere, sorted by digest.

    A digest is HMAC-SHA-256 under a key of this scope, cut to 128 bits: without the workspace key it tells nothing.
    """
    secret = key.derive("recall/" + scope)
    found: dict[str, JsonValue] = {}
    for value in known:
        if value.everywhere:
            for spelling in _spellings(value.text):
                digest = _digest(secret, spelling)
                found[digest] = {"digest": digest, "entity": value.entity, "word": value.word}
    return [found[digest] for digest in sorted(found)]


def recalled(texts: Iterable[str], memory: JsonValue, key: WorkspaceKey, scope: str) -> tuple[KnownValue, ...]:
    """Return the remembered values that stand in texts, in the spelling found there."""
    secret = key.derive("recall/" + scope)
    listed = memory if isinstance(memory, list) else []
    entries = {str(entry.get("digest")): entry for entry in listed if isinstance(entry, dict)}
    values: dict[str, KnownValue] = {}
    for text in texts if entries else ():
        for candidate in _candidates(fold(text).clean):
            for spelling in _spellings(candidate):
                if (entry := entries.get(_digest(secret, spelling))) is not None:
                    values[candidate] = KnownValue(
                        text=candidate, entity=str(entry["entity"]), rule="case.known", word=entry.get("word") is True
                    )
    return tuple(values[candidate] for candidate in sorted(values))


def _spellings(text: str) -> Iterator[str]:
    plain = " ".join(folded(text).split())
    yield plain.lstrip("#")
    squeezed = "".join(char for char in plain if char.isalnum())
    if squeezed != plain and sum(map(str.isdigit, squeezed)) >= _SQUEEZED_DIGITS:
        yield squeezed


def _candidates(text: str) -> Iterator[str]:
    tokens: Sequence[re.Match[str]] = list(_TOKEN.finditer(text))
    for first, token in enumerate(tokens):
        for last in tokens[first : first + _MOST_TOKENS]:
            yield text[token.start() : last.end()]


def _digest(secret: bytes, text: str) -> str:
    return keyed_digest(secret, text).hex()[:32]
