"""Two results of one case: the first label that fits, the sentences that say why, and everything else that was found.

Explicit members are read, never prose. A result is green only when nothing at all speaks against it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from extractor.model.json import JsonValue, compact

from .claims import AFFECTED_ALONE_PASSES, Claimed, claimed
from .exits import EXITS, in_lane
from .findings import Finding, evidence, fault_labels, soundness
from .gate import lacking
from .labels import first_of
from .manifest import Held, Lane, Manifest, UnconsumedCall
from .manifests import Partial
from .near_misses import near_misses

__all__ = ["CaseOnRecord", "Comparison", "compare", "missing_fields"]

NOT_COMPARABLE: Final = "results are not comparable: case or fixture hash changed"
NOT_REPRODUCED: Final = "original implementation did not reproduce the incident"
STILL_VIOLATES: Final = "current implementation still violates the incident boundary"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOnRecord:
    """What the case itself and the register say: its bytes' digest, its lane, and the versions listed as affected."""

    case_id: str
    fixture_hash: str
    lane: Lane
    affected: tuple[str, ...]
    fixture: Mapping[str, JsonValue] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result: one label, its sentences, and under ``also`` what else was found. ``notes`` speak for no label.

    ``lane`` is None where neither manifest nor case tells it.
    """

    label: str
    sentences: tuple[str, ...]
    also: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    lane: Lane | None = None
    controls: Mapping[str, Held] = field(default_factory=dict)

    @property
    def exit_status(self) -> int:
        """The label's own status, whatever the lane."""
        return EXITS[self.label]

    @property
    def lane_status(self) -> int:
        """The status that the lane makes of it: a shadow never blocks, and a provider's outage is no regression."""
        return in_lane(self.label, self.exit_status, self.lane)

    @property
    def claimed(self) -> Claimed:
        """What is proved and what is not."""
        made = claimed("comparison", self.label)
        violates = any(finding.label == "still_violates" for finding in self.also)
        return replace(made, proved=AFFECTED_ALONE_PASSES) if self.label == "not_reproduced" and violates else made


def missing_fields(side: str, result: Partial) -> Finding:
    """Return the finding about a result without which nothing can be compared."""
    return Finding(label="not_comparable", sentence=f"{side} result missing fields: {list(result.missing)}")


def compare(
    old: Manifest | Partial | None,
    new: Manifest | Partial,
    *,
    case: CaseOnRecord | None = None,
    controls: Sequence[Manifest] = (),
    missing_red: str | None = None,
    found: Sequence[Finding] = (),
) -> Comparison:
    """Compare the result of the affected implementation with that of the current one.

    ``old`` is None where there is none: with a reason in ``missing_red`` its absence is declared. ``controls`` are runs of the
    current implementation on the case's controls; ``found`` is what a wider comparison has found already.
    """
    partial = [missing_fields(side, one) for side, one in (("old", old), ("new", new)) if isinstance(one, Partial)]
    if isinstance(old, Partial) or isinstance(new, Partial):
        return _told([*partial, *found], new=None if isinstance(new, Partial) else new, case=case)
    held = {**new.controls, **{run.case_id: _held(run) for run in controls}}
    lane = case.lane if case else new.lane
    findings = [
        *_between(old, new, case, missing_red),
        *_each(old, new),
        *(Finding(label="needs_review", sentence=line) for line in near_misses(old, new, _document(case), controls)),
        *(Finding(label="needs_review", sentence=line) for line in _controls(new, held, controls, lane, case)),
        *found,
    ]
    if any(run is not None and run.model is not None and run.model.compatibility for run in (old, new)):
        findings.append(Finding(label="compatibility", sentence="the recorded model could not be used as it was"))
    if lane == "provider":
        findings.append(
            Finding(label="compatibility", sentence="a run that depends on a provider is a compatibility check")
        )
    if not findings and old is not None:
        sentence = f"verified red-to-green replay {old.implementation_version} -> {new.implementation_version}"
        findings.append(Finding(label="red_to_green", sentence=sentence))
    return _told(findings, new=new, case=case, held=held, notes=tuple(_notes(old, new, controls)))


def _told(
    findings: Sequence[Finding],
    *,
    new: Manifest | None,
    case: CaseOnRecord | None,
    held: Mapping[str, Held] | None = None,
    notes: tuple[str, ...] = (),
) -> Comparison:
    label = first_of({finding.label for finding in findings}) or "not_comparable"
    sentences = dict.fromkeys(finding.sentence for finding in findings if finding.label == label)
    return Comparison(
        label=label,
        sentences=tuple(sentences),
        also=tuple(dict.fromkeys(finding for finding in findings if finding.label != label)),
        notes=notes,
        lane=case.lane if case else new.lane if new else None,
        controls=dict(sorted((held or {}).items())),
    )


def _between(
    old: Manifest | None, new: Manifest, case: CaseOnRecord | None, missing_red: str | None
) -> Iterator[Finding]:
    if case is not None and (new.case_id, new.fixture_hash) != (case.case_id, case.fixture_hash):
        yield Finding(label="not_comparable", sentence="the results are about other bytes than the case holds now")
    if old is None:
        yield from _no_red(missing_red)
        return
    if (old.case_id, old.fixture_hash) != (new.case_id, new.fixture_hash):
        yield Finding(label="not_comparable", sentence=NOT_COMPARABLE)
    if old.implementation_version == new.implementation_version:
        yield Finding(label="not_comparable", sentence="both results name the same implementation version")
    if case is not None and case.affected and old.implementation_version not in case.affected:
        yield Finding(label="not_comparable", sentence="the old version is not listed as affected")
    if old.answered_by.alternate or old.answered_by.effects:
        yield Finding(label="not_comparable", sentence="the red run uses recorded events only")
    if old.policy != new.policy and not old.minimal and not new.minimal:
        yield Finding(label="needs_review", sentence="the two sides were run under different policies of variation")


def _no_red(reason: str | None) -> Iterator[Finding]:
    if reason is None:
        yield Finding(label="baseline_only", sentence="there is no old result: this is a baseline, not a transition")
        return
    yield Finding(label="missing_red", sentence=f"there is no red run: {reason}")
    demand = "a missing red run asks for stronger trace evidence and for the approval of a reviewer"
    yield Finding(label="missing_red", sentence=demand)


def _each(old: Manifest | None, new: Manifest) -> Iterator[Finding]:
    """Yield what either run says of itself, and what its boundary says on its side."""
    if old is not None:
        yield from soundness("old", old)
        if old.boundary_passed is True:
            yield Finding(label="not_reproduced", sentence=NOT_REPRODUCED)
        if any(one.role is not None for one in old.unconsumed) or "returned_early" in fault_labels(old):
            left = _names(tuple(one for one in old.unconsumed if one.role is not None))
            yield Finding(label="needs_review", sentence=f"the old implementation did not make recorded calls{left}")
    yield from soundness("new", new)
    if new.boundary_passed is False:
        yield Finding(label="still_violates", sentence=STILL_VIOLATES)
    if new.interleavings is not None and new.interleavings.failed:
        orders = f"in {new.interleavings.failed} of {new.interleavings.tried} orders of the concurrent calls"
        yield Finding(label="still_violates", sentence=f"{STILL_VIOLATES} {orders}")
    left_out = evidence(new)
    if left_out or "returned_early" in fault_labels(new):
        sentence = f"recorded evidence was not consumed by the current implementation{_names(left_out)}"
        yield Finding(label="returned_early", sentence=sentence)


def _names(calls: Sequence[UnconsumedCall]) -> str:
    names = [f"{call.kind}:{call.name or ''}" for call in calls]
    return f": {', '.join(names)}" if names else ""


def _held(run: Manifest) -> Held:
    if run.boundary_passed is None or run.state == "started":
        return "not_run"
    sound = not any(soundness("control", run)) and not evidence(run) and "returned_early" not in fault_labels(run)
    return "held" if run.boundary_passed and sound else "broken"


def _controls(
    new: Manifest, held: Mapping[str, Held], runs: Sequence[Manifest], lane: Lane | None, case: CaseOnRecord | None
) -> Iterator[str]:
    for name, state in sorted(held.items()):
        if state != "held":
            yield f"control {name} {'is broken' if state == 'broken' else 'was not run'}"
    if any(run.case_id == new.case_id for run in runs):
        yield "a run of the incident itself was given as a control"
    if any(run.implementation_version != new.implementation_version for run in runs):
        yield "a control was run with another implementation than the incident"
    if lane == "gate":
        # Whether there is a call that could answer otherwise is seen in the case alone.
        yield from lacking(new.case_id, held, tools=bool(case and case.fixture.get("tool_events")))


def _notes(old: Manifest | None, new: Manifest, controls: Sequence[Manifest]) -> Iterator[str]:
    if old is not None and old.boundary_passed is True and new.boundary_passed is False:
        yield "the two may be the wrong way round: OLD comes first, the result of the affected implementation"
    for side, run in (("old", old), ("new", new)):
        if run is None:
            continue
        if run.minimal:
            yield f"of the {side} run nothing is known but its verdict: no guard, no calls, no controls"
        if run.diverged:
            yield f"the {side} run was served {len(run.diverged)} recordings although its request differed"
        if run.policy is not None:
            told = Counter(compact(one.outcome) for one in run.runs)
            passed = sum(one.boundary_passed is True for one in run.runs)
            yield (
                f"the {side} side was run {len(run.runs)} times with {len(told)} different outcomes: "
                f"{passed} held, {run.policy.needed} were needed"
            )
        for read in run.clock_reads:
            yield f"the {side} run read a real clock: {read.call} at {read.place}, {read.count} times"
    if not controls and not new.controls:
        yield "whether everything now goes to a person cannot be seen: no run of a control was given"


def _document(case: CaseOnRecord | None) -> Mapping[str, JsonValue] | None:
    return case.fixture if case else None
