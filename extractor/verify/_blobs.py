"""Markers that stand where binary content stood in a text: ``blob:LENGTH:DIGEST`` in place of base64 of that length."""

from __future__ import annotations

import re

_MARKER = re.compile(r"(?<![A-Za-z0-9])blob:(\d{2,10}):[0-9a-f]{16}(?![0-9a-f])")
_BASE64 = re.compile(r"[A-Za-z0-9+/=_\-\s]*")
_CONTEXT = 12  # characters before a marker that must stand before the blob as well
_LEAST_BLOB = 48  # shorter content is text or an id, and never replaced by a marker


def unmarked(original: str, redacted: str) -> str:
    """Return the original with each blob replaced by the marker that answers to it, so that what is left can be compared.

    A marker counts only where base64 of exactly its length stood, after the same characters; else nothing is replaced,
    and the comparison fails as it should.
    """
    position = 0
    for marker in _MARKER.finditer(redacted):
        length = int(marker[1])
        before = redacted[max(0, marker.start() - _CONTEXT) : marker.start()]
        start = _blob(original, before, length, position) if length >= _LEAST_BLOB else None
        if start is None:
            continue
        original = original[:start] + marker.group() + original[start + length :]
        position = start + len(marker.group())
    return original


def _blob(text: str, before: str, length: int, position: int) -> int | None:
    found = text.find(before, position) if before else position
    while found >= 0:
        start = found + len(before)
        if start + length <= len(text) and _BASE64.fullmatch(text, start, start + length):
            return start
        found = text.find(before, found + 1) if before else -1
    return None
