"""Trace and span ids in the spellings that exporters use, as lower-case hex."""

from __future__ import annotations

import base64
import binascii
import re

from extractor.model.json import JsonValue

from .interface import RefusedError

_HEX = re.compile(r"(?:0x)?([0-9a-f]+)", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
TRACE_DIGITS = 32
SPAN_DIGITS = 16


def trace_id(value: JsonValue) -> str:
    """Return a trace id as 32 hex digits; 64-bit ids of older tracers are padded. Raises `RefusedError`."""
    text = value if isinstance(value, str) else ""
    if _UUID.fullmatch(text):
        text = text.replace("-", "")
    digits = _digits(text, TRACE_DIGITS, short=SPAN_DIGITS)
    if digits is None:
        raise RefusedError("trace_id")
    return digits


def span_id(value: JsonValue) -> str:
    """Return a span id as 16 hex digits. Raises `RefusedError`."""
    digits = _digits(value, SPAN_DIGITS)
    if digits is None:
        raise RefusedError("span_id")
    return digits


def parent_id(value: JsonValue) -> str | None:
    """Return a parent's span id; None where it is absent, empty or all zeros, all of which mean a root."""
    if value is None or (isinstance(value, str) and not value.removeprefix("0x").strip("0")):
        return None
    return span_id(value)


def _digits(value: JsonValue, size: int, *, short: int = 0) -> str | None:
    if not isinstance(value, str) or len(value) > size + 2:
        return None
    match = _HEX.fullmatch(value)
    if match and len(match[1]) in {size, short}:
        digits = match[1].lower().zfill(size)
    elif _BASE64.fullmatch(value):
        try:
            raw = base64.b64decode(value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4), altchars=b"-_")
        except binascii.Error:
            return None
        digits = raw.hex()
    else:
        return None
    return digits if len(digits) == size and digits.strip("0") else None
