"""What one manifest says against itself, before any verdict: a run that is unsound shows nothing, whatever it passed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from .manifest import Manifest, UnconsumedCall

__all__ = ["Finding", "evidence", "fault_labels", "soundness"]

_UNSOUND: Final = (
    "not_comparable",
    "adapter_error",
    "harness_defect",
    "live_call",
    "incomplete",
    "non_replayable",
    "not_expressible",
)
# A run with one of these need not have come to a verdict: that it has none is explained.
_EXPLAINED: Final = frozenset({*_UNSOUND, "needs_review"}) - {"not_comparable"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that speaks for a label, and the sentence that tells it."""

    label: str
    sentence: str


def soundness(side: str, run: Manifest) -> Iterator[Finding]:
    """Yield what makes a run unsound, whichever side of a comparison it stands on."""
    yield from _faults(side, run)
    if run.state == "started":
        yield Finding(label="harness_defect", sentence=f"the {side} run never ended: its manifest still says started")
    elif not run.minimal:
        yield from _guard(side, run)
    if run.mode not in {"recorded", None}:
        yield Finding(label="not_comparable", sentence=f"the {side} run is {run.mode}, which is no recorded run")
    if run.boundary_passed is None and run.state == "finished" and not fault_labels(run) & _EXPLAINED:
        yield Finding(label="not_comparable", sentence=f"no oracle: nothing judged the boundary of the {side} run")
    yield from _variation(side, run)


def fault_labels(run: Manifest) -> set[str]:
    """Return the labels of everything that a run recorded against itself, of each of its runs where it has several."""
    told = {run.label, *(fault.label for fault in run.faults), *(one.label for one in run.runs)}
    return {label for label in told if label is not None}


def evidence(run: Manifest) -> tuple[UnconsumedCall, ...]:
    """Return the recorded evidence that did not come; an exchange with a model has no role, and the run's label speaks of it."""
    return tuple(
        one
        for one in run.unconsumed
        if one.role == "evidence" or (one.role is None and one.kind not in {"llm", "model"})
    )


def _faults(side: str, run: Manifest) -> Iterator[Finding]:
    labels = fault_labels(run)
    for label in (*_UNSOUND, "needs_review"):
        if label in labels:
            codes = sorted({fault.code for fault in run.faults if fault.label == label})
            why = f" ({', '.join(codes)})" if codes else ""
            yield Finding(label=label, sentence=f"the {side} run says {label}{why}")
    if run.missed and not labels & {*_UNSOUND, "needs_review"}:
        yield Finding(
            label="incomplete", sentence=f"the {side} run made {len(run.missed)} calls that no recording answers"
        )


def _guard(side: str, run: Manifest) -> Iterator[Finding]:
    guard = run.guard
    if guard is None or not guard.on:
        yield Finding(label="harness_defect", sentence=f"the {side} run had no guard: nothing kept it from live calls")
    elif not guard.self_test:
        yield Finding(label="harness_defect", sentence=f"the guard of the {side} run did not bite in its own test")
    if guard is not None and guard.blocked and "live_call" not in fault_labels(run):
        yield Finding(label="live_call", sentence=f"the guard of the {side} run blocked {len(guard.blocked)} calls")


def _variation(side: str, run: Manifest) -> Iterator[Finding]:
    policy = run.policy
    if policy is None:
        if len(run.runs) > 1:
            sentence = (
                f"the {side} side was run {len(run.runs)} times and no policy was declared: that is a retry until green"
            )
            yield Finding(label="harness_defect", sentence=sentence)
        return
    passed = sum(one.boundary_passed is True for one in run.runs)
    if policy.name == "all" and policy.needed != policy.runs:
        yield Finding(label="harness_defect", sentence=f"the policy of the {side} side says all, and needs fewer")
    if policy.needed > policy.runs:
        yield Finding(label="harness_defect", sentence=f"the policy of the {side} side needs more than all runs")
    if run.state == "finished" and len(run.runs) != policy.runs:
        sentence = f"the {side} side declared {policy.runs} runs and kept {len(run.runs)} outcomes"
        yield Finding(label="harness_defect", sentence=sentence)
    if run.state == "finished" and (run.boundary_passed is True) != (passed >= policy.needed):
        yield Finding(
            label="harness_defect", sentence=f"the verdict of the {side} side is not what its policy makes of its runs"
        )
