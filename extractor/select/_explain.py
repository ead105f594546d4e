"""The decisions as a tree of lines, for people."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ..model.selection import Flow, Selection
from ..model.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainLine:
    """One span in the tree. ``depth`` counts parents; the name is the trace's own, to be escaped where it is shown."""

    depth: int
    span_id: str
    name: str
    kept: bool
    reason: str
    distance: int | None
    flows: tuple[Flow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The choice of the boundary (span id, reason, then what else it could have been), and the decisions as a tree."""

    boundary: str
    reason: str
    others: tuple[tuple[str, str], ...]
    lines: tuple[ExplainLine, ...]


def explain(trace: Trace, selection: Selection) -> Explanation:
    """Return the choice and every span of the trace once, parents before children, siblings in product order."""
    decisions = {decision.span_id: decision for decision in selection.decisions}
    known = {span.span_id for span in trace.spans}
    children: dict[str | None, list[str]] = defaultdict(list)
    names = {span.span_id: span.name for span in trace.spans}
    for span in trace.spans:
        children[span.parent_id if span.parent_id in known else None].append(span.span_id)
    lines: list[ExplainLine] = []
    shown: set[str] = set()
    # Spans whose parents form a cycle hang below no root: they come last, as roots of their own.
    stack = [(span.span_id, 0) for span in reversed(trace.spans)] + [(root, 0) for root in reversed(children[None])]
    while stack:
        span_id, depth = stack.pop()
        if span_id in shown:
            continue
        shown.add(span_id)
        decision = decisions[span_id]
        lines.append(
            ExplainLine(
                depth=depth,
                span_id=span_id,
                name=names[span_id],
                kept=decision.kept,
                reason=decision.reason,
                distance=decision.distance,
                flows=decision.flows,
            )
        )
        stack.extend((child, depth + 1) for child in reversed(children[span_id]))
    return Explanation(
        boundary=selection.boundary,
        reason=selection.boundary_reason,
        others=tuple(zip(selection.candidates, selection.candidate_reasons, strict=True)),
        lines=tuple(lines),
    )
