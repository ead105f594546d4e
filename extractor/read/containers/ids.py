"""Trace and span ids in the spellings that exporters use, as lower-case hex."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re

from extractor.model.json import JsonValue

from .interface import RefusedError

_HEX = re.compile(r"(?:0x)?([0-9a-f]+)", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_PREFIXED = re.compile(r"(?:tr-|trace[_-]|span[_-])([0-9a-f]{16,32})", re.IGNORECASE)
TRACE_DIGITS = 32
SPAN_DIGITS = 16
MOST_FOREIGN = 200  # characters of an id that is no OpenTelemetry id


def trace_id(value: JsonValue) -> str:
    """Return a trace id as 32 hex digits; 64-bit ids of older tracers are padded. Raises `RefusedError`."""
    text = _text(value)
    if _UUID.fullmatch(text):
        text = text.replace("-", "")
    digits = _digits(text, TRACE_DIGITS, short=SPAN_DIGITS)
    if digits is None:
        raise RefusedError("trace_id")
    return digits


def span_id(value: JsonValue) -> str:
    """Return a span id as 16 hex digits. Raises `RefusedError`."""
    digits = _digits(_text(value), SPAN_DIGITS)
    if digits is None:
        raise RefusedError("span_id")
    return digits


def parent_id(value: JsonValue) -> str | None:
    """Return a parent's span id; None where it is absent, empty or all zeros, all of which mean a root."""
    return None if is_no_id(value) else span_id(value)


def is_no_id(value: JsonValue) -> bool:
    """Tell whether a value says that there is no id: nothing, an empty text, zeros."""
    if isinstance(value, int):
        return value == 0
    return value is None or not _text(value).removeprefix("0x").strip("0")


def foreign_trace_id(value: JsonValue) -> str:
    """Return the trace id of a service with ids of its own: what hex it holds, else 128 bits of a digest of its text.

    Raises `RefusedError` for what is no text or number, or too long for an id.
    """
    return _foreign(value, TRACE_DIGITS, "trace_id")


def foreign_span_id(value: JsonValue) -> str:
    """Return the span id of a service with ids of its own, as `foreign_trace_id` does. Raises `RefusedError`."""
    return _foreign(value, SPAN_DIGITS, "span_id")


def foreign_parent_id(value: JsonValue) -> str | None:
    """Return the span id of a parent, None where there is none. Raises `RefusedError`."""
    return None if is_no_id(value) else foreign_span_id(value)


def _foreign(value: JsonValue, size: int, code: str) -> str:
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else _text(value)
    if not text.strip() or len(text) > MOST_FOREIGN:
        raise RefusedError(code)
    if found := _PREFIXED.fullmatch(text):
        text = found[1]
    plain = text.replace("-", "") if _UUID.fullmatch(text) else text
    hexadecimal = _HEX.fullmatch(plain)
    if hexadecimal and len(hexadecimal[1]) == size and hexadecimal[1].strip("0"):
        return hexadecimal[1].lower()
    if size == TRACE_DIGITS and hexadecimal and len(hexadecimal[1]) == SPAN_DIGITS and not plain.isdecimal():
        return hexadecimal[1].lower().zfill(size)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:size]


def _text(value: JsonValue) -> str:
    """Return an id as text; the bytes of a dumped Node buffer as hex."""
    if (
        isinstance(value, dict)
        and value.get("type", "Buffer") == "Buffer"
        and isinstance(items := value.get("data"), list)
    ):
        octets = [item for item in items if isinstance(item, int) and 0 <= item <= 255]
        return bytes(octets).hex() if len(octets) == len(items) <= TRACE_DIGITS else ""
    return value if isinstance(value, str) else ""


def _digits(text: str, size: int, *, short: int = 0) -> str | None:
    if not text or len(text) > size + 2:
        return None
    match = _HEX.fullmatch(text)
    if match and len(match[1]) in {size, short}:
        digits = match[1].lower().zfill(size)
    elif _BASE64.fullmatch(text):
        try:
            raw = base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), altchars=b"-_")
        except binascii.Error:
            return None
        digits = raw.hex()
    else:
        return None
    return digits if len(digits) == size and digits.strip("0") else None
