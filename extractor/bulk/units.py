"""Lengths of time and amounts of data in people's units."""

from __future__ import annotations

from typing import Final

_MINUTE: Final = 60
_HOUR: Final = 3600
_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")


def span_of_time(seconds: float) -> str:
    """Return a time: ``0.4 s``, ``12 s``, ``3 min 20 s``, ``2 h 5 min``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR:,} h {whole % _HOUR // _MINUTE} min"


def lasted(milliseconds: int) -> str:
    """Return how long something took: ``118 ms``, from a second on as `span_of_time` says it."""
    return f"{milliseconds} ms" if milliseconds < 1000 else span_of_time(milliseconds / 1000)


def size(number: float) -> str:
    """Return bytes: ``999 bytes``, ``1.2 MB``."""
    unit = 0
    # What would be rounded to 1,000 of a unit is one of the next.
    while unit < len(_UNITS) - 1 and number >= (999.5 if unit == 0 else 999.95):
        number /= 1000
        unit += 1
    return f"{number:,.0f} bytes" if unit == 0 else f"{number:,.1f} {_UNITS[unit]}"


def counted(number: int, one: str, more: str | None = None) -> str:
    """Return a number with its noun: ``1 trace``, ``2,000 traces``."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"
