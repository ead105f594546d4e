"""Which spans are decisive, and why."""

from __future__ import annotations

from dataclasses import dataclass

from .json import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A value that one step produced and a later one consumed, by field paths; the value itself is not held."""

    producer: str
    produced_at: str
    consumer: str
    consumed_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Kept or dropped, with a reason code. ``distance`` counts steps of the walk from the boundary (0)."""

    span_id: str
    kept: bool
    reason: str
    distance: int | None = None
    flows: tuple[Flow, ...] = ()
    overridden: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """A grade that says that something failed: who gave it, in which version, and what it says. Evidence, and nobody's verdict yet."""

    name: str | None
    version: str | None
    result: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """One decision a span, in product order; ``boundary`` is the span id where the failure shows.

    ``boundary_reason`` is at_option, failure_statement, grader, uncured_error, refusal_after_error, unsupported_claim or
    last_answer; ``candidates`` are the other spans that could have been it, best first, each with its reason at the same
    place of ``candidate_reasons``. ``grade`` is the failing grade of the boundary, else of the run as a whole. ``dropped_messages`` counts the distinct
    messages of the trace that stand nowhere in the case; assembling counts them.
    """

    boundary: str
    boundary_reason: str
    decisions: tuple[Decision, ...]
    candidates: tuple[str, ...] = ()
    candidate_reasons: tuple[str, ...] = ()
    dropped_messages: int = 0
    grade: Grade | None = None

    @property
    def kept(self) -> frozenset[str]:
        """The ids of kept spans."""
        return frozenset(decision.span_id for decision in self.decisions if decision.kept)


NOTHING_SELECTED = Selection(boundary="", boundary_reason="", decisions=())
"""The selection of a document that comes from no trace."""
