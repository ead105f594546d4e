"""What the spans show of one attempt of a tool: when it left, whether it arrived, how it ended, and on which spans that rests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Answer: TypeAlias = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An answer and the span ids that it rests on. A span that is missing makes an answer unknown, never no."""

    answer: Answer
    spans: tuple[str, ...] = ()


UNKNOWN = Verdict(answer="unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Skew:
    """Bounds, in nanoseconds, of what the dependency's clock shows beyond ours at one instant; None where nothing bounds it.

    ``moved_ns`` is what was added to its instants: the smallest offset that lets no receipt come before its dispatch.
    """

    low_ns: int | None
    high_ns: int | None
    moved_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Timing evidence of one attempt; instants in nanoseconds from the Unix epoch, None when nothing shows them.

    ``ended_by`` is a value of the fixture's enum of that name, ``ending_spans`` what it rests on, ``lacks`` the code of the
    evidence without which it is undetermined. ``deadline_source`` is attribute, header or inferred (an upper bound).
    ``queue_ns`` passed between the attempt's start and its first dispatch. ``sends`` counts what the transport sent for
    the attempt: its retries are no attempts of the tool. ``remarks`` are codes of what is odd about the evidence.
    ``statuses`` are the protocol statuses that the caller read, ``methods`` the methods of all exchanges; ``refused`` says
    that the dependency declined the last one, ``replayed`` that it gave the stored answer of an earlier attempt.
    """

    budget_start_ns: int | None = None
    deadline_ns: int | None = None
    deadline_source: str | None = None
    deadline_spans: tuple[str, ...] = ()
    dispatch_ns: int | None = None
    receipt_ns: int | None = None
    completion_ns: int | None = None
    response_ns: int | None = None
    end_ns: int | None = None
    queue_ns: int | None = None
    dispatched: Verdict = UNKNOWN
    received: Verdict = UNKNOWN
    completed: Verdict = UNKNOWN
    ended_by: str = "undetermined"
    ending_spans: tuple[str, ...] = ()
    lacks: str | None = None
    skew: Skew | None = None
    sends: int = 0
    statuses: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    refused: bool = False
    replayed: bool = False
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The evidence of one attempt: of a tool event by its ``place`` in the document, else of a call outside any tool.

    ``span_id`` is that of the tool's span, or of the first client span; None for a call that only chat messages tell of.
    """

    place: str | None
    span_id: str | None
    evidence: Evidence


def milliseconds(instant_ns: int | None, base_ns: int = 0) -> int | float | None:
    """Return milliseconds from an instant on, whole ones as integers."""
    if instant_ns is None:
        return None
    whole, rest = divmod(instant_ns - base_ns, 1_000_000)
    return whole if not rest else (instant_ns - base_ns) / 1_000_000
