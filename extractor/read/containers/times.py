"""Points in time in the spellings that exporters use, as nanoseconds from the Unix epoch."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from extractor.model.json import ExactNumber, JsonValue

from .interface import Report

_ISO = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d*)?\s?(Z|[+-]\d\d:?\d\d)?", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,30})?(?:e\+?\d\d?)?", re.IGNORECASE)
_LATEST = 1 << 64
# Read as another unit, a number between the years 2001 and 2286 would lie outside of them.
_UNITS = ((10**18, 1), (10**15, 10**3), (10**12, 10**6), (0, 10**9))


def nanoseconds(value: JsonValue, report: Report, *, unit: int | None = None) -> int:
    """Return an instant, 0 when absent; one that cannot be read is reported as ``malformed_time``.

    ``unit`` is what a number counts in, in nanoseconds; without it the magnitude tells seconds, milli-, micro- and
    nanoseconds apart. ISO 8601 without an offset is taken as UTC; ``[seconds, nanoseconds]`` pairs are accepted.
    """
    if value is None or (isinstance(value, str) and not value):
        return 0
    found = _read(value, unit)
    if found is None or not 0 <= found < _LATEST:
        report("malformed_time")
        return 0
    return found


def _read(value: JsonValue, unit: int | None) -> int | None:
    match value:
        case bool():
            return None
        case int():
            return value * _unit(value, unit) if 0 <= value < _LATEST else None
        case ExactNumber():
            return _decimal(value.text, unit)
        case float():
            return _decimal(repr(value), unit)
        case [int() as seconds, int() as rest]:
            return seconds * 10**9 + rest
        case {"low": int() as low, "high": int() as high}:  # 64 bits as JavaScript's Long keeps them
            return (high % (1 << 32) << 32) + low % (1 << 32)
        case str():
            return _iso(value) if _ISO.fullmatch(value) else _decimal(value, unit)
    return None


def _unit(number: int | Decimal, unit: int | None) -> int:
    if unit is not None:
        return unit
    # With a digit of slack this holds from 1973 on.
    return next(size for least, size in _UNITS if number * 10 >= least)


def _decimal(text: str, unit: int | None) -> int | None:
    if not _NUMBER.fullmatch(text):
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return int(number * _unit(number, unit)) if number < _LATEST else None


def _iso(text: str) -> int | None:
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    day, clock, fraction, offset = match.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{(offset or 'Z').upper()}")
    except ValueError:
        return None
    whole = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (whole.days * 86_400 + whole.seconds) * 10**9 + int((fraction or "0").ljust(9, "0"))
