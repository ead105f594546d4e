"""One fixture judged: whether the checks say of its record what it demands, and for the property that it names.

A fixture rejected by some check is weak evidence, and one rejected for some property not much better: a refund of a hundredth
that is rejected for a missing citation lets the next one through. So the reason is verified, first by what the check read, then,
where the accepted twin is known, by exchanging that property alone between the two and looking whether the verdict turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from extractor.model.json import JsonValue

from .declaring import Check
from .expectation import names
from .loading import CheckFixture
from .places import exchanged
from .record import RunRecord
from .running import Outcome, Result, run_all_checks

Proof: TypeAlias = Literal["turned", "read"]
"""How a reason is shown: the verdict turns on that property alone, or the check has read it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What came of one fixture: ``faults`` are sentences, none where it holds. ``proof`` says how the reason was shown."""

    name: str
    expected: Literal["reject", "accept"] | None
    by: str | None
    reason: str | None
    faults: tuple[str, ...]
    result: Result | None = None
    proof: Proof | None = None
    twin: str | None = None
    unreadable: bool = False

    @property
    def held(self) -> bool:
        """Whether the checks say what the fixture demands."""
        return not self.faults


def judge(fixture: CheckFixture, checks: Sequence[Check], twin: CheckFixture | None = None) -> Judgement:
    """Return the judgement of a fixture; ``twin`` is the other half of its pair, where one is known."""
    told = fixture.expectation
    by = told.by or (twin.expectation.by if twin else None)
    result = run_all_checks(fixture.record, fixture.case, checks, clocks_of={by} if by else ())
    named = next((each for each in checks if each.id == by), None)
    said = next((each for each in result.outcomes if each.check == by), None)
    proof: Proof | None = None
    faults: list[str] = []
    if named is not None and said is not None:
        again = _one(named, fixture.record.document, fixture)
        if (again.verdict, again.reason) != (said.verdict, said.reason) and said.verdict != "error":
            faults.append(f"{by} says something else when it is asked again: what it says hangs on more than the run")
    if by is None:
        faults.append("no check is named: an accepted fixture says by which check it is guarded, too")
    elif named is None or said is None:
        faults.append(f"no check is called {by}: it was renamed or deleted")
    if told.verdict == "accept":
        faults += _accepted(result, said)
    elif result.passed:
        faults.append("fixture was accepted; the check has no teeth")
    elif result.failed_check != by:
        faults.append(f"{_rejected(result)}, expected {by}")
    elif said is not None and said.verdict == "error":
        faults.append(f"{by} broke ({said.reason}{_in_line(said)}): that is no rejection")
    elif named is not None and said is not None and told.reason is not None:
        proof, fault = _reason(fixture, told.reason, named, said, twin)
        faults += [fault] if fault else []
    return Judgement(
        name=fixture.name,
        expected=told.verdict,
        by=by,
        reason=told.reason,
        faults=tuple(faults),
        result=result,
        proof=proof,
        twin=twin.name if twin else None,
    )


def _accepted(result: Result, said: Outcome | None) -> list[str]:
    if not result.passed:
        failed = next(each for each in result.outcomes if each.check == result.failed_check)
        if failed.verdict == "error":
            return [f"{failed.check} broke on a good run ({failed.reason}{_in_line(failed)})"]
        return [f"good run rejected by {result.failed_check}"]
    if said is not None and said.verdict == "not_applicable":
        return [f"{said.check} says nothing of this run: it is no evidence for the check"]
    return []


def _rejected(result: Result) -> str:
    failed = next(each for each in result.outcomes if each.check == result.failed_check)
    return f"{'broken in' if failed.verdict == 'error' else 'rejected by'} {failed.check}"


def _in_line(said: Outcome) -> str:
    return "" if said.line is None else f", line {said.line}"


def _reason(
    fixture: CheckFixture, reason: str, named: Check, said: Outcome, twin: CheckFixture | None
) -> tuple[Proof | None, str | None]:
    """Return how the reason is shown, or the sentence that says why it is not."""
    read = _read(fixture.record, said, reason)
    if said.told and not _same(_stands(fixture.record, said.reason or ""), _stands(fixture.record, reason)):
        return None, f"rejected for {said.reason}, expected {reason}"
    if not read:
        found = "for nothing that it read" if said.reason is None else f"for {said.reason}"
        if said.told:
            return None, f"{named.id} names {reason} and never read it"
        return None, f"rejected {found}, expected {reason}"
    if twin is None or twin.expectation.verdict != "accept":
        return "read", None
    accepted = _one(named, twin.record.document, twin)
    if accepted.verdict != "accepted":
        return "read", None  # the twin itself is told
    both = dict.fromkeys([*read, *_read(twin.record, accepted, reason)])
    if _turns(fixture, twin, named, list(both)):
        return "turned", None
    return None, f"the check does not turn on {reason}"


def _stands(record: RunRecord, reason: str) -> str:
    """Return the property in whose place a reason stands: a record that keeps no text of its output makes it of the output."""
    return "output" if reason == "output_text" and reason not in record.document else reason


def _read(record: RunRecord, said: Outcome, reason: str) -> list[str]:
    """Return the paths that were read of what a reason names."""
    if _stands(record, reason) == reason:
        return [path for path in said.reads if names(path, reason)]
    whole = any(path.partition(".")[0].partition("[")[0] == "output" for path in said.reads)
    return ["output"] if whole else []


def _turns(fixture: CheckFixture, twin: CheckFixture, named: Check, paths: list[str]) -> bool:
    repaired, mended = exchanged(fixture.record.document, twin.record.document, paths)
    spoilt, broken = exchanged(twin.record.document, fixture.record.document, paths)
    return (
        mended > 0
        and broken > 0
        and _one(named, repaired, fixture).verdict == "accepted"
        and _one(named, spoilt, twin).verdict == "rejected"
    )


def _one(named: Check, document: dict[str, JsonValue], of: CheckFixture) -> Outcome:
    return run_all_checks(RunRecord(document), of.case, [named], clocks_of=()).outcomes[0]


def _same(told: str, expected: str) -> bool:
    return names(told, expected) or names(expected, told)
