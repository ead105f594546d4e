"""People's word over the walk's: --keep and --drop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import UsageError
from ..model.config import Override
from ..model.selection import Decision
from ..model.trace import Step, Trace


def overridden(trace: Trace, decisions: Sequence[Decision], boundary: int, override: Override) -> tuple[Decision, ...]:
    """Return the decisions with overrides applied and marked.

    The more exact word wins (span id, then name, then kind, then ``all``), and ``keep`` wins a tie. The boundary
    stays when a name, a kind or ``all`` would drop it. Raises `UsageError` when an override fits no span, or drops the
    boundary by its id.
    """
    _all_fit(trace, override)
    if trace.steps[boundary].span.span_id in map(str.lower, override.drop):
        raise UsageError("--drop names the boundary itself", hint="choose another boundary with --at")
    return tuple(
        decision if index == boundary else _decide(step, decision, override)
        for index, (step, decision) in enumerate(zip(trace.steps, decisions, strict=True))
    )


def _decide(step: Step, decision: Decision, override: Override) -> Decision:
    keep = max((_exactness(step, wanted) for wanted in override.keep), default=0)
    drop = max((_exactness(step, wanted) for wanted in override.drop), default=0)
    if not keep and not drop:
        return decision
    kept = keep >= drop
    if kept == decision.kept:
        return decision
    return replace(decision, kept=kept, reason="override_keep" if kept else "override_drop", overridden=True)


def _exactness(step: Step, wanted: str) -> int:
    """Return how exactly an override names a step: 4 its id, 3 its name, 2 its kind, 1 ``all``, 0 not at all."""
    if wanted.lower() == step.span.span_id:
        return 4
    if wanted == step.span.name or (step.tool is not None and wanted == step.tool.name):
        return 3
    if wanted == step.kind:
        return 2
    return 1 if wanted == "all" else 0


def _all_fit(trace: Trace, override: Override) -> None:
    for option, wanted in (("--keep", override.keep), ("--drop", override.drop)):
        for number, each in enumerate(wanted, start=1):
            if not any(_exactness(step, each) for step in trace.steps):
                raise UsageError(
                    f"{option} number {number} fits no span of this trace",
                    hint="give a span id, a span or tool name, a step kind, or all",
                )
