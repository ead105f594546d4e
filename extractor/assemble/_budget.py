"""Budgets around an attempt: what attributes and captured headers state, each with the span that carries it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from ..model.json import JsonValue
from ..model.trace import Step
from ._policy import Policy

_GRPC = re.compile(r"(\d{1,8})([HMSmun])")
_GRPC_NS = {"H": 3_600_000_000_000, "M": 60_000_000_000, "S": 1_000_000_000, "m": 1_000_000, "u": 1_000, "n": 1}
_UNIT_NS = {"milliseconds": 1_000_000, "seconds": 1_000_000_000}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PREFIXES = ("http.request.header.", "rpc.request.metadata.", "rpc.grpc.request.metadata.")
# An instant as a number: nanoseconds, microseconds, milliseconds or seconds from the Unix epoch, told apart by size.
_SINCE_2001 = ((10**18, 1), (10**15, 1_000), (10**12, 1_000_000), (10**9, 1_000_000_000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """One budget, in nanoseconds from the Unix epoch; ``source`` is attribute, header or inferred.

    ``began_ns`` is None for a deadline that is stated as an instant: nothing says since when it ran. ``owner`` is parent
    (something above the tool, or handed to it), tool (how long the tool itself waits) or call (what it told the
    dependency).
    """

    span_start_ns: int
    began_ns: int | None
    deadline_ns: int
    span_id: str
    source: str
    owner: str = "parent"

    @property
    def contradicts(self) -> bool:
        """Whether the deadline lies before its own span began: another clock, or a mistake; not to be used."""
        return self.deadline_ns < self.span_start_ns


def stated(step: Step, above: Iterable[Step], clients: Iterable[Step], tables: Policy) -> list[Budget]:
    """Return the budgets that a tool step, the steps above it and its client spans state, in their order."""
    found = list(_of(step, "tool", tables))
    for each in above:
        found.extend(_of(each, "parent", tables))
    for each in clients:
        found.extend(_of(each, "call", tables))
    return found


def _of(step: Step, where: str, tables: Policy) -> Iterator[Budget]:
    start = step.span.start_ns
    for name, value in step.span.attributes:
        prefix = next((each for each in _PREFIXES if name.startswith(each)), None)
        if prefix is not None:
            text = value[0] if isinstance(value, list) and value else value
            lasts, ends = _header(name.removeprefix(prefix).replace("_", "-"), text, tables)
        else:
            lasts, ends = _attribute(name, value, tables)
        if lasts is not None:
            ends = start + lasts
        if ends is None:
            continue
        waits = any(_ends_in(name, key) for key in tables.own_wait_keys)
        yield Budget(
            span_start_ns=start,
            began_ns=start if lasts is not None else None,
            deadline_ns=ends,
            span_id=step.span.span_id,
            source="attribute" if prefix is None else "header",
            # A deadline that the tool was handed is its parent's; how long the tool itself waits is its own.
            owner=where if where != "tool" or waits else "parent",
        )


def _attribute(name: str, value: JsonValue, tables: Policy) -> tuple[int | None, int | None]:
    """Return how long a budget lasts, or when it ends, both in nanoseconds."""
    if any(_ends_in(name, key) for key in tables.budget_keys):
        return _scaled(value, 1_000_000), None
    if any(_ends_in(name, key) for key in tables.deadline_keys):
        return None, _instant(value)
    return None, None


def _header(header: str, value: JsonValue, tables: Policy) -> tuple[int | None, int | None]:
    if header in tables.deadline_headers:
        return None, _instant(value)
    unit = tables.budget_headers.get(header)
    if unit == "grpc":
        match = _GRPC.fullmatch(value) if isinstance(value, str) else None
        return (int(match.group(1)) * _GRPC_NS[match.group(2)] if match else None), None
    return (_scaled(value, _UNIT_NS[unit]) if unit is not None else None), None


def _scaled(value: JsonValue, scale: int) -> int | None:
    amount = _number(value)
    return round(amount * scale) if amount is not None else None


def _number(value: JsonValue) -> float | None:
    """Return a positive amount; instrumentation also writes it as text."""
    if isinstance(value, bool):
        return None
    try:
        amount = float(value) if isinstance(value, int | float | str) else 0.0
    except ValueError:
        return None
    return amount if 0 < amount < 10**12 else None


def _instant(value: JsonValue) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and not value.replace(".", "", 1).isdigit():
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return None if moment.tzinfo is None else round((moment - _EPOCH).total_seconds() * 1_000_000) * 1_000
    try:
        number = float(value) if isinstance(value, int | float | str) else 0.0
    except ValueError:
        return None
    return next((round(number * scale) for least, scale in _SINCE_2001 if number >= least), None)


def _ends_in(name: str, key: str) -> bool:
    return name == key or name.endswith("." + key)
