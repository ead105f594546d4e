"""The stage: ground, boundary, walk, people's word, and the budget."""

from __future__ import annotations

from ..errors import InputUnreadable
from ..model.config import RunConfig
from ..model.selection import Selection
from ..model.trace import Trace
from ..ruleset import RuleSet
from ._boundary import boundary
from ._budget import within
from ._facts import facts
from ._override import overridden
from ._policy import policy
from ._walk import Walk


def select(trace: Trace, rules: RuleSet, config: RunConfig) -> Selection:
    """Return one decision a span, with its reason (design, section 5), starting from the boundary.

    Raises `UsageError` when ``--at``, ``--keep`` or ``--drop`` name nothing in the trace, `InputUnreadable` when the
    trace holds no span: an empty case is never a result.
    """
    if not trace.steps:
        raise InputUnreadable("the trace holds no span")
    tables = policy(rules)
    ground = facts(trace, tables)
    start = boundary(ground, tables, config)
    walk = Walk(ground, tables, start)
    walk.run()
    decisions = tuple(walk.decision(index) for index in range(len(trace.steps)))
    decisions = overridden(trace, decisions, start.index, config.override)
    if config.at_most is not None:
        decisions = within(decisions, walk.reasons, ground.requests, config.at_most, tables)
    return Selection(
        boundary=trace.steps[start.index].span.span_id,
        boundary_reason=start.reason,
        decisions=decisions,
        candidates=tuple(trace.steps[index].span.span_id for index, _ in start.candidates),
        candidate_reasons=tuple(reason for _, reason in start.candidates),
        grade=start.grade,
    )
