"""Every form in which a known value could stand in a text, as patterns for one automaton."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator, Sequence
from datetime import date
from enum import Enum
from urllib.parse import quote, quote_plus

from ..model.case import KnownValue
from ._fold import fold, squeeze

LEAST_CHARACTERS = 8
LEAST_DIGITS = 6
_LEAST_SECRET = 5
_LEAST_SQUEEZED = 10
_LEAST_RUN = 7
_LEAST_HASHED = 5
_NATIONAL = 10
_DIGITS = re.compile(r"\D+")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class Match(Enum):
    """How much a pattern has to stand apart to count."""

    SPELLED = "spelled"
    """As a token, in exactly this spelling."""
    TOKEN = "token"  # noqa: S105  # no password
    """As a token, in any case."""
    ANYWHERE = "anywhere"
    """As any part of a text."""
    ENCODED = "encoded"
    """As any part of a text, an encoding of the value."""
    DIGITS = "digits"
    """As part of a run of digits whose separators were taken out."""
    SQUEEZED = "squeezed"
    """As part of all letters and digits of a document, side by side."""


def is_strong(value: KnownValue) -> bool:
    """Say whether a value is long enough that its characters cannot stand together by chance."""
    if value.word:
        return False
    text = fold(value.text)
    digits = len(_DIGITS.sub("", text))
    return len(text) >= (_LEAST_SECRET if value.secret else LEAST_CHARACTERS) or digits >= LEAST_DIGITS


def forms(value: KnownValue) -> Iterator[tuple[str, Match]]:
    """Yield the folded patterns of a value; an empty value has none."""
    text = value.text.strip()
    plain = fold(text)
    if not squeeze(plain):
        return
    if value.word:
        yield plain, Match.SPELLED
        return
    if not is_strong(value):
        yield plain, Match.TOKEN
        yield from ((other, Match.TOKEN) for other in (*reordered(plain), *dates(plain)))
        return
    yield plain, Match.ANYWHERE
    yield from ((other, Match.ANYWHERE) for other in (*reordered(plain), *dates(plain)))
    yield from ((fold(other), Match.ENCODED) for other in (*encodings(text), *hashes(text)))
    digits = _DIGITS.sub("", plain)
    if len(digits) >= _LEAST_RUN and len(squeeze(plain)) == len(digits):
        yield digits, Match.DIGITS
        if len(digits) > _NATIONAL and plain.startswith("+"):
            yield digits[-_NATIONAL:], Match.DIGITS
    for other in (plain, *reordered(plain)):
        if len(squeeze(other)) >= (LEAST_CHARACTERS if value.secret else _LEAST_SQUEEZED):
            yield squeeze(other), Match.SQUEEZED


def encodings(text: str) -> Iterator[str]:
    """Yield a text in percent encoding, HTML, JSON escapes, hex and base64 at its three alignments."""
    raw = text.encode("utf-8", "surrogatepass")
    yield quote(text, safe="", errors="surrogatepass")
    yield quote_plus(text, errors="surrogatepass")
    yield html.escape(text)
    yield json.dumps(text)[1:-1]
    yield raw.hex()
    for variant in {raw, text.lower().encode("utf-8", "surrogatepass"), text.upper().encode("utf-8", "surrogatepass")}:
        for shift in range(3):
            # Only characters that depend on the value alone: the first and last of a shifted run hold neighbours' bits.
            whole = base64.b64encode(b"\0" * shift + variant).decode("ascii").rstrip("=")
            core = whole[(0, 2, 3)[shift] : (len(variant) + shift) * 8 // 6]
            if len(core) >= LEAST_CHARACTERS - 1:
                yield core
                yield core.replace("+", "-").replace("/", "_")


def hashes(text: str) -> Iterator[str]:
    """Yield the plain digests that people take for anonymous: of a text as it is, in lower case, and its digits."""
    if len(text) < _LEAST_HASHED:
        return
    digits = _DIGITS.sub("", text)
    for spelling in {text, text.lower(), text.strip().upper(), digits if len(digits) >= LEAST_DIGITS else text}:
        raw = spelling.encode("utf-8", "surrogatepass")
        for name in ("md5", "sha1", "sha256"):
            digest = hashlib.new(name, raw, usedforsecurity=False).digest()
            yield digest.hex()
            yield base64.b64encode(digest).decode("ascii").rstrip("=")


def reordered(plain: str) -> Sequence[str]:
    """Return a folded name with its last part first, with and without a comma; nothing for other texts."""
    parts = plain.split()
    if not 2 <= len(parts) <= 4 or not all(
        part.strip(".'-").replace("-", "").replace("'", "").isalpha() for part in parts
    ):
        return ()
    rest = " ".join(parts[:-1])
    return (f"{parts[-1]}, {rest}", f"{parts[-1]},{rest}", f"{parts[-1]} {rest}")


def dates(plain: str) -> Sequence[str]:
    """Return other ways of writing an ISO date, folded; nothing for other texts."""
    if not _ISO_DATE.fullmatch(plain):
        return ()
    try:
        day = date.fromisoformat(plain)
    except ValueError:
        return ()
    month = _MONTHS[day.month - 1]
    numeric = [
        separator.join(parts)
        for separator in ("/", ".", "-")
        for parts in (
            (f"{day.month:02}", f"{day.day:02}", f"{day.year}"),
            (f"{day.day:02}", f"{day.month:02}", f"{day.year}"),
            (f"{day.month}", f"{day.day}", f"{day.year}"),
            (f"{day.day}", f"{day.month}", f"{day.year}"),
        )
    ]
    named = [
        spelled
        for name in (month, month[:3])
        for number in (f"{day.day}", f"{day.day:02}", f"{day.day}{_ordinal(day.day)}")
        for spelled in (f"{name} {number}, {day.year}", f"{name} {number} {day.year}", f"{number} {name} {day.year}")
    ]
    return tuple(dict.fromkeys((f"{day:%Y/%m/%d}", f"{day:%Y%m%d}", *numeric, *named)))


_MONTHS = tuple(
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)


def _ordinal(day: int) -> str:
    if day in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
