"""What before the random part of an id says of which type it is: ``scenariorun_0f3k9Qm2``, ``hmac-sha256:9b1d``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import pairwise

from ..ruleset import family_names, given_names, vocabulary

_ALGORITHM = re.compile(r"(?:hmac[-_])?(?:sha-?\d{1,3}|md5)(?:[-_]\d{3})?:", re.IGNORECASE)
_PREFIX = re.compile(r"(?:[A-Za-z]{1,16}[_-]){1,3}(?=(?P<rest>[A-Za-z0-9_-]*)\Z)")
_SEPARATOR = re.compile("[_-]")
_SHORT = 4  # letters of an abbreviation, as in asst_ or FH-
_LEAST = 5  # characters that are drawn
_LEAST_WORD = 3


def algorithm(text: str) -> str:
    """Return the name of a digest's algorithm, with its colon, that stands before it; empty where none does."""
    found = _ALGORITHM.match(text)
    return found.group() if found else ""


def type_prefix(text: str, types: Collection[str], is_known: Callable[[str], bool]) -> str:
    """Return the letters, with their separator, that say of which type an id is; empty where it is less than sure.

    ``types`` are known words for types; ``is_known`` tells a word that is itself known of somebody: it says no type.
    """
    found = _PREFIX.match(text)
    if found is None:
        return ""
    words, rest = _SEPARATOR.split(found.group())[:-1], _SEPARATOR.split(found["rest"])
    if sum(map(len, rest)) < _LEAST or not any(map(str.isdigit, found["rest"])):
        return ""
    if any(len(one) == len(other) > 1 for one, other in pairwise((*words, *rest)) if one.isupper()):
        return ""  # groups of one length, as of a licence key, are all drawn
    return found.group() if all(_says_type(word, types, is_known) for word in words) else ""


def _says_type(word: str, types: Collection[str], is_known: Callable[[str], bool]) -> bool:
    lower = word.lower()
    if lower in types:
        return True
    if is_known(lower) or not (word.islower() or word.isupper() or word.istitle()):
        return False
    given, family = lower in given_names(), lower in family_names()
    if lower in vocabulary():
        return not (given and family)
    return (
        not given
        and not family
        and (len(lower) <= _SHORT or _is_joined(lower) or _ends_in_type(lower, types, is_known))
    )


def _ends_in_type(word: str, types: Collection[str], is_known: Callable[[str], bool]) -> bool:
    """Tell whether a word for a type ends another word that is nobody's name, as in ``evalrun``."""
    heads = (word.removesuffix(kind) for kind in types if len(kind) >= _LEAST_WORD and word.endswith(kind))
    names = (given_names(), family_names())
    return any(len(head) > 1 and not is_known(head) and not any(head in listed for listed in names) for head in heads)


def _is_joined(word: str) -> bool:
    """Tell whether a word is two ordinary ones, and no given name with a family name."""
    splits = [(word[:end], word[end:]) for end in range(_LEAST_WORD, len(word) - _LEAST_WORD + 1)]
    named = any(
        (one in given_names() and other in family_names()) or (one in family_names() and other in given_names())
        for one, other in splits
    )
    return not named and any(one in vocabulary() and other in vocabulary() for one, other in splits)
