"""Trace and span ids in the spellings that exporters use, as lower-case hex."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re

from extractor.model.json import JsonValue, compact

from .interface import RefusedError

_HEX = re.compile(r"(?:0x)?([0-9a-f]+)", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_DECIMAL = re.compile(r"[0-9]{1,20}")
_SHORT_HEX = re.compile(r"[0-9a-f]{8,31}", re.IGNORECASE)
# What systems write before 16 or 32 hex digits: MLflow tr-, OpenAI Agents trace_ and span_.
_PREFIX = re.compile(r"(?:tr|trace|span)[-_](?=(?:[0-9a-f]{16}|[0-9a-f]{32})\Z)", re.IGNORECASE)
TRACE_DIGITS = 32
SPAN_DIGITS = 16


def trace_id(value: JsonValue) -> str:
    """Return a trace id as 32 hex digits; 64-bit ids of older tracers are padded. Raises `RefusedError`."""
    text = spelled(value)
    if isinstance(text, str) and _UUID.fullmatch(text):
        text = text.replace("-", "")
    digits = _digits(text, TRACE_DIGITS, short=SPAN_DIGITS)
    if digits is None:
        raise RefusedError("trace_id")
    return digits


def span_id(value: JsonValue) -> str:
    """Return a span id as 16 hex digits. Raises `RefusedError`."""
    digits = _digits(spelled(value), SPAN_DIGITS)
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
    value = spelled(value)
    return value is None or (isinstance(value, str) and not value.removeprefix("0x").strip("0"))


def spelled(value: JsonValue) -> JsonValue:
    """Return the hex of an id that JavaScript wrote as bytes: ``{"type": "Buffer", "data": [...]}``, or by index."""
    if not isinstance(value, dict):
        return value
    items = value.get("data", [value.get(str(index)) for index in range(len(value))])
    if not isinstance(items, list) or len(items) not in {TRACE_DIGITS // 2, SPAN_DIGITS // 2, 0}:
        return value
    octets = [item for item in items if isinstance(item, int) and 0 <= item <= 255]
    return bytes(octets).hex() if len(octets) == len(items) else value


def foreign_trace_id(value: JsonValue) -> str:
    """Return a trace id of a system with ids of its own as 32 hex digits, the same for the same text.

    What `trace_id` reads is read so. Else a known prefix is stripped (``tr-<32 hex>``); hex of 8 to 31 digits (decimal
    numbers too) keeps its digits, so that a prefix still finds it, and digits of its SHA-256 follow; other text becomes
    the first digits of its SHA-256. Raises `RefusedError` for what is no text, or empty, or all zeros.
    """
    text = _PREFIX.sub("", value, count=1) if isinstance(value, str) else value
    try:
        return trace_id(text if _is_canonical(text, TRACE_DIGITS) else None)
    except RefusedError:
        return _digest(value, TRACE_DIGITS, "trace_id")


def foreign_span_id(value: JsonValue) -> str:
    """Return a span id of a system with ids of its own as 16 hex digits; raises `RefusedError` as above."""
    text = _PREFIX.sub("", value, count=1) if isinstance(value, str) else value
    try:
        return span_id(text if _is_canonical(text, SPAN_DIGITS) else None)
    except RefusedError:
        return _digest(value, SPAN_DIGITS, "span_id")


def foreign_parent_id(value: JsonValue) -> str | None:
    """Return a parent's span id; None where it is absent, empty or all zeros."""
    return None if is_no_id(value) else foreign_span_id(value)


def of_content(node: JsonValue) -> tuple[str, str]:
    """Return a trace id and a span id for a span that has none, the same for the same content."""
    digest = hashlib.sha256(compact(node).encode("utf-8", "surrogatepass")).hexdigest()
    return digest[:TRACE_DIGITS], digest[-SPAN_DIGITS:]


def decimal_span_id(value: JsonValue) -> str:
    """Return an unsigned 64-bit number, written as a number or in decimal digits, as a span id."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if isinstance(text, str) and _DECIMAL.fullmatch(text) and 0 < int(text) < 1 << 64:
        return f"{int(text):016x}"
    return foreign_span_id(value)


def _is_canonical(text: JsonValue, size: int) -> bool:
    """Return whether no other text has the same id: base64 may leave bits of its last character unread."""
    if not isinstance(text, str) or len(text) > size + 4:
        return False
    if _HEX.fullmatch(text) or _UUID.fullmatch(text):
        return True
    body = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return base64.b64encode(raw).decode("ascii").rstrip("=") == body


def _digest(value: JsonValue, size: int, code: str) -> str:
    if not isinstance(value, str) or not value.strip("0 "):
        raise RefusedError(code)
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
    kept = value.lower() if size == TRACE_DIGITS and _SHORT_HEX.fullmatch(value) else ""
    return (kept + digest)[:size]


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
