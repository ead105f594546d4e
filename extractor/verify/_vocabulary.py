"""The versioned word list: ordinary words, without given and family names."""

from __future__ import annotations

import hashlib
from functools import cache

from ..errors import RulesError
from ..ruleset import location

_LANGUAGE = "en"


@cache
def words() -> frozenset[str]:
    """Return the ordinary words, in lower case. Raises `RulesError` when the list cannot be read."""
    return frozenset(_content().decode("ascii").split())


@cache
def vocabulary_digest() -> str:
    """Return the SHA-256, in hex, of the word list; the sidecar records it beside the rule set's."""
    return hashlib.sha256(_content()).hexdigest()


def _content() -> bytes:
    try:
        return (location() / "vocabulary" / f"{_LANGUAGE}.txt").read_bytes()
    except OSError:
        raise RulesError(["vocabulary: the word list cannot be read"]) from None
