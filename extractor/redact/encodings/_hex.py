"""Text as hexadecimal digits, in either case, bare or after ``0x`` or a backslash and ``x`` as databases write it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from extractor.model.json import JsonValue
from extractor.redact.checks import iban
from extractor.redact.encodings._opened import Draft, Opened, plain

# Nine bytes or more: the eight of a span id read as text by chance.
_RUN = re.compile(r"(?<![0-9A-Za-z])(?:0[xX]|\\x)?(?P<hex>(?:[0-9a-f]{2}){9,}|(?:[0-9A-F]{2}){9,})(?![0-9A-Za-z])")
_DIGITS_OF_TEXT = re.compile(r"(?:3\d|2[0-9]){9,}")
_LEAST_PLAIN = 0.8


def text_of(run: str) -> str | None:
    """Return the text that hex digits stand for, or None when they are more likely a number or a digest."""
    if run.isdecimal() and not _DIGITS_OF_TEXT.fullmatch(run):
        return None  # a long number; text made of digits alone is all 3x
    try:
        text = bytes.fromhex(run).decode("utf-8")
    except UnicodeDecodeError:
        return None
    if not all(char.isprintable() or char in "\t\r\n" for char in text):
        return None
    ordinary = sum(char.isalnum() or char in " .,:;@_-+/'\"{}()" for char in text)
    return text if ordinary >= _LEAST_PLAIN * len(text) else None


def embedded_hex(text: str) -> Iterator[tuple[int, int, Opened]]:
    """Yield the runs of hex digits that stand for text."""
    for run in _RUN.finditer(text):
        raw = run["hex"]
        # An account number may consist of hex digits, and these may spell what looks like an address.
        if (inner := text_of(raw)) is not None and not iban(raw):
            draft = Draft("hex")
            draft.part(inner, raw, partial(_spell, raw), role="text")
            yield run.start("hex"), run.end("hex"), draft.opened()


def _spell(raw: str, new: JsonValue) -> str:
    written = plain(new).encode("utf-8", "surrogatepass").hex()
    return written.upper() if raw.isupper() else written
