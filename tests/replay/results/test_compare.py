from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from extractor.model.json import parse
from extractor.neighbours import told
from extractor.replay.results.compare import CaseOnRecord, Comparison, compare
from extractor.replay.results.exits import EXITS, MEANINGS, PROVIDER, in_lane
from extractor.replay.results.gate import KINDS
from extractor.replay.results.labels import LABELS
from extractor.replay.results.manifest import (
    AnsweredBy,
    Authorization,
    ClockRead,
    Diverged,
    Effect,
    FaultLine,
    GuardState,
    Interleavings,
    Manifest,
    Missed,
    ModelUse,
    Policy,
    RunOutcome,
    UnconsumedCall,
)
from extractor.replay.results.manifests import Partial

FIXTURE: Any = parse((Path(__file__).parents[2] / "golden" / "complete_fixture.json").read_bytes())
HASH = "ab" * 32
OLD = Manifest(
    case_id="c-1",
    fixture_hash=HASH,
    implementation_version="7.1.0",
    boundary_passed=False,
    state="finished",
    lane="gate",
    expect="red",
    effects={"refund.create": Effect(calls=2, accepted=1, keys=1), "refund.status": Effect(calls=1)},
    guard=GuardState(on=True, self_test=True),
    outcome="The refund is complete.",
    turns=1,
)
NEW = replace(
    OLD,
    implementation_version="7.2.0",
    boundary_passed=True,
    expect="green",
    outcome="I could not confirm it.",
    controls={"success": "held", "rejection": "held", "timeout-refund.create": "held", "c-1-uncertain": "held"},
)
LEFT = UnconsumedCall(kind="tools", name="refund.status", position=1, role="evidence")
HARM = UnconsumedCall(kind="tools", name="refund.create", position=0, role="violation")


def run(position: int, *, passed: bool | None = True, label: str | None = None) -> RunOutcome:
    return RunOutcome(outcome=f"answer {position % 2}", boundary_passed=passed, label=label)


def fault(label: str) -> dict[str, Any]:
    return {"label": label, "boundary_passed": None, "faults": (FaultLine(label=label, code="why", message="m"),)}


def on_record(**edits: Any) -> CaseOnRecord:
    fixture = copy.deepcopy(FIXTURE)
    fixture["expected"] |= {
        "prohibited_claims": ["Refunded!"],
        "effects": {},
        "required_disclosures": [],
        "authorization": None,
    }
    known = CaseOnRecord(case_id="c-1", fixture_hash=HASH, lane="gate", affected=("7.1.0",), fixture=fixture)
    return replace(known, **edits)


def test_red_to_green_is_told_in_the_agreed_words() -> None:
    """S51."""
    found = compare(OLD, NEW)
    assert (found.label, found.sentences, found.also) == (
        "red_to_green",
        ("verified red-to-green replay 7.1.0 -> 7.2.0",),
        (),
    )
    assert found.exit_status == 0
    assert found.controls == NEW.controls


@pytest.mark.parametrize(
    ("old", "new", "label", "sentence"),
    [
        ({"fixture_hash": "cd" * 32}, {}, "not_comparable", "results are not comparable: case or fixture hash changed"),
        ({"case_id": "c-2"}, {}, "not_comparable", "results are not comparable: case or fixture hash changed"),
        ({"boundary_passed": None}, {}, "not_comparable", "no oracle: nothing judged the boundary of the old run"),
        ({}, {"boundary_passed": None}, "not_comparable", "no oracle: nothing judged the boundary of the new run"),
        ({"implementation_version": "7.2.0"}, {}, "not_comparable", "both results name the same implementation version"),
        ({"answered_by": AnsweredBy(alternate=1)}, {}, "not_comparable", "the red run uses recorded events only"),
        ({"answered_by": AnsweredBy(effects=1)}, {}, "not_comparable", "the red run uses recorded events only"),
        ({"mode": "lenient"}, {}, "not_comparable", "the old run is lenient, which is no recorded run"),
        ({}, {"mode": "live"}, "not_comparable", "the new run is live, which is no recorded run"),
        ({}, fault("adapter_error"), "adapter_error", "the new run says adapter_error (why)"),
        (fault("adapter_error"), {}, "adapter_error", "the old run says adapter_error (why)"),
        ({"state": "started", "boundary_passed": None}, {}, "harness_defect", "the old run never ended: its manifest still says started"),
        ({}, {"state": "started", "boundary_passed": None}, "harness_defect", "the new run never ended: its manifest still says started"),
        ({}, {"guard": None}, "harness_defect", "the new run had no guard: nothing kept it from live calls"),
        ({"guard": GuardState(on=False, self_test=True)}, {}, "harness_defect", "the old run had no guard: nothing kept it from live calls"),
        ({}, {"guard": GuardState(on=True, self_test=False)}, "harness_defect", "the guard of the new run did not bite in its own test"),
        ({}, fault("live_call"), "live_call", "the new run says live_call (why)"),
        ({}, {"guard": GuardState(on=True, self_test=True, blocked=("connect",))}, "live_call", "the guard of the new run blocked 1 calls"),
        (fault("live_call"), fault("harness_defect"), "harness_defect", "the new run says harness_defect (why)"),
        ({}, fault("incomplete"), "incomplete", "the new run says incomplete (why)"),
        ({}, {"missed": (Missed(called="a", code="c", nearest=None, path=None, message=""),)}, "incomplete", "the new run made 1 calls that no recording answers"),
        ({"label": "non_replayable"}, {"label": "non_replayable"}, "non_replayable", "the old run says non_replayable"),
        ({}, fault("not_expressible"), "not_expressible", "the new run says not_expressible (why)"),
        ({"boundary_passed": True}, {}, "not_reproduced", "original implementation did not reproduce the incident"),
        ({}, {"boundary_passed": False}, "still_violates", "current implementation still violates the incident boundary"),
        ({}, {"interleavings": Interleavings(tried=6, failed=1)}, "still_violates", "current implementation still violates the incident boundary in 1 of 6 orders of the concurrent calls"),
        ({}, {"unconsumed": (LEFT,)}, "returned_early", "recorded evidence was not consumed by the current implementation: tools:refund.status"),
        ({}, {"label": "returned_early"}, "returned_early", "recorded evidence was not consumed by the current implementation"),
        ({}, fault("needs_review"), "needs_review", "the new run says needs_review (why)"),
        ({"unconsumed": (HARM,)}, {}, "needs_review", "the old implementation did not make recorded calls: tools:refund.create"),
        ({}, {"controls": {"success": "broken"}}, "needs_review", "control success is broken"),
        ({}, {"controls": {"success": "not_run"}}, "needs_review", "control success was not run"),
        ({}, {"controls": {}}, "needs_review", "no control stands beside the case: a blunt fix would look the same"),
        ({}, {"model": ModelUse(requested="b", recorded="a", compatibility=True)}, "compatibility", "the recorded model could not be used as it was"),
        ({}, {"lane": "provider"}, "compatibility", "a run that depends on a provider is a compatibility check"),
    ],
)  # fmt: skip
def test_the_first_label_that_fits_is_told(old: dict[str, Any], new: dict[str, Any], label: str, sentence: str) -> None:
    """S23 S24 S45 S47 S51 S55 S128: a defect of the harness is told before anything about the agent."""
    found = compare(replace(OLD, **old), replace(NEW, **new))
    assert found.label == label
    assert sentence in found.sentences
    assert found.exit_status == EXITS[label]


def test_harm_that_the_current_code_no_longer_does_is_no_early_return() -> None:
    """S29: a fixed path leaves the violation out, and must be able to turn green."""
    assert compare(OLD, replace(NEW, unconsumed=(HARM,))).label == "red_to_green"
    asked = UnconsumedCall(kind="llm", name="m-1", position=3, role=None)
    assert compare(OLD, replace(NEW, unconsumed=(HARM, asked))).label == "red_to_green"


def test_everything_else_that_was_found_is_told_beside_the_label() -> None:
    found = compare(replace(OLD, boundary_passed=True), replace(NEW, boundary_passed=False, unconsumed=(LEFT,)))
    assert found.label == "not_reproduced"
    assert [finding.label for finding in found.also] == ["still_violates", "returned_early"]


def test_results_that_stand_the_wrong_way_round_are_told_as_such() -> None:
    """What is said to be proved holds of both, and whoever mixed them up is told which comes first."""
    found = compare(replace(OLD, boundary_passed=True), replace(NEW, boundary_passed=False))
    assert found.notes[0].startswith("the two may be the wrong way round: OLD comes first")
    assert found.claimed.proved.startswith("that the affected implementation passes;")
    assert "as well" not in found.claimed.proved
    both = compare(replace(OLD, boundary_passed=True), NEW)
    assert both.claimed.proved.startswith("that the affected implementation passes as well:")
    for other in (both, compare(OLD, NEW), compare(OLD, replace(NEW, boundary_passed=False))):
        assert not any("wrong way round" in note for note in other.notes)


@pytest.mark.parametrize("missing", [("boundary_passed",), ("case_id", "fixture_hash")])
def test_what_lacks_a_member_is_not_comparable(missing: tuple[str, ...]) -> None:
    """S127: the words that the comparison of the article has for it."""
    partial = Partial(missing=missing)
    assert compare(partial, NEW).sentences == (f"old result missing fields: {list(missing)}",)
    assert compare(OLD, partial).sentences == (f"new result missing fields: {list(missing)}",)
    assert compare(partial, partial).label == "not_comparable"


def test_a_single_result_is_a_baseline() -> None:
    """S24."""
    found = compare(None, NEW)
    assert (found.label, found.exit_status) == ("baseline_only", 4)
    assert compare(None, replace(NEW, boundary_passed=False)).also[0].label == "still_violates"


def test_a_missing_red_is_declared_and_asks_for_more() -> None:
    """S57: trace evidence and approval; whatever the current code does is told beside it."""
    found = compare(None, replace(NEW, boundary_passed=False), missing_red="the image of 7.1.0 was deleted")
    assert found.label == "missing_red"
    assert found.sentences == (
        "there is no red run: the image of 7.1.0 was deleted",
        "a missing red run asks for stronger trace evidence and for the approval of a reviewer",
    )
    assert [finding.label for finding in found.also] == ["still_violates"]


@pytest.mark.parametrize("label", ["adapter_error", "harness_defect", "live_call", "incomplete", "needs_review"])
def test_a_run_that_says_why_it_has_no_verdict_does_not_lack_an_oracle(label: str) -> None:
    assert compare(OLD, replace(NEW, **fault(label))).label == label


def test_no_single_doubt_leaves_a_green() -> None:
    """A result is green only when nothing speaks against it; a run's own word is never outvoted by its verdict."""
    for label in LABELS:
        if label in {
            "red_to_green",
            "not_reproduced",
            "still_violates",
            "missing_red",
            "baseline_only",
            "compatibility",
        }:
            continue
        assert compare(OLD, replace(NEW, label=label)).label != "red_to_green", label
        assert (
            compare(OLD, replace(NEW, faults=(FaultLine(label=label, code="c", message=""),))).label != "red_to_green"
        )


# What the case and the register say.


def test_an_old_result_counts_for_a_version_that_is_listed_as_affected() -> None:
    """S45."""
    assert compare(OLD, NEW, case=on_record()).label == "red_to_green"
    found = compare(OLD, NEW, case=on_record(affected=("7.0.3",)))
    assert (found.label, found.sentences) == ("not_comparable", ("the old version is not listed as affected",))
    assert compare(OLD, NEW, case=on_record(affected=())).label == "red_to_green"


def test_results_about_other_bytes_than_the_case_has_now_are_not_compared() -> None:
    found = compare(OLD, NEW, case=on_record(fixture_hash="cd" * 32))
    assert found.sentences == ("the results are about other bytes than the case holds now",)


def test_the_lane_is_the_cases_word_where_the_case_is_at_hand() -> None:
    broken = replace(NEW, boundary_passed=False, lane="shadow")
    assert compare(OLD, broken).lane_status == 0
    assert compare(OLD, broken, case=on_record()).lane_status == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("state", ["broken", "not_run", None])
def test_a_gate_needs_a_control_of_each_kind_that_holds(kind: str, state: Any) -> None:
    """S54: success, explicit rejection, timeout, uncertain completion."""
    controls: dict[str, Any] = dict.fromkeys(KINDS, "held") | {kind: state}
    new = replace(NEW, controls={name: held for name, held in controls.items() if held})
    found = compare(OLD, new, case=on_record())
    assert found.label == "needs_review"
    assert f"a gate needs a control of the kind {kind} that holds, and there is none" in found.sentences


def test_the_kinds_are_those_that_controls_are_made_of() -> None:
    assert KINDS == told.KINDS  # two packages that never import each other


# Near misses.


def edited(**expected: Any) -> CaseOnRecord:
    known = on_record()
    fixture = copy.deepcopy(dict(known.fixture))
    fixture["expected"] |= expected
    return replace(known, fixture=fixture)


@pytest.mark.parametrize(
    ("case", "new", "sentence"),
    [
        (edited(prohibited_claims=["no", "it is DONE"]), {"outcome": {"text": "Yes, it is done."}}, "a prohibited claim stands word for word in the new outcome: expected.prohibited_claims[1]"),
        (edited(required_disclosures=[{"text": "Fees apply.", "exact": True}]), {}, "an exact disclosure is not in the new outcome: expected.required_disclosures[0]"),
        (edited(effects={"refund.create": {"min": 0, "max": 0}}), {}, "the accepted side effects of refund.create are not what the case expects: 1"),
        (edited(effects={"ticket.open": {"min": 1, "max": None}}), {}, "the accepted side effects of ticket.open are not what the case expects: 0"),
        (edited(authorization={"decision": "deny", "before_effects": True}), {"authorization": Authorization(decision="allow", before_effects=True)}, "the authorization decision of the new implementation is not the one that the case expects"),
        (edited(authorization={"decision": "deny", "before_effects": True}), {}, "the authorization decision of the new implementation is not the one that the case expects"),
        (None, {"authorization": Authorization(decision="allow", before_effects=False)}, "the new implementation changed state before it was authorized"),
        (None, {"effects": {"refund.create": Effect(calls=2, accepted=2)}, "served": ("tools:refund.status",)}, "the new implementation has more accepted side effects of refund.create: 1 -> 2"),
        (None, {"effects": {"refund.create": Effect(calls=1, accepted=1)}}, "the old implementation asks refund.status, the new one does not"),
    ],
)  # fmt: skip
def test_a_boundary_that_holds_beside_a_new_harm_needs_review(case: Any, new: dict[str, Any], sentence: str) -> None:
    """S50, S52, S126."""
    found = compare(OLD, replace(NEW, **new), case=case)
    assert (found.label, found.sentences) == ("needs_review", (sentence,))


def test_an_authorization_that_is_no_longer_asked_needs_review() -> None:
    old = replace(OLD, authorization=Authorization(decision="deny", before_effects=True))
    assert compare(old, NEW).sentences == (
        "the old implementation takes an authorization decision, the new one does not",
    )


def test_a_tool_whose_only_recorded_call_was_the_harm_may_be_left_out() -> None:
    new = replace(NEW, effects={"refund.status": Effect(calls=1)}, unconsumed=(HARM,))
    assert compare(OLD, new).label == "red_to_green"
    case = on_record()
    events = [{"tool": "refund.create", "role": "violation"}, {"tool": "refund.status", "role": "evidence"}]
    assert (
        compare(OLD, new, case=replace(case, fixture={**case.fixture, "tool_events": events})).label == "red_to_green"
    )


def test_a_path_that_approved_alternates_foresee_may_have_effects_of_its_own() -> None:
    """S29, S39: a correct fix must be able to turn green."""
    new = replace(NEW, effects={**NEW.effects, "ticket.open": Effect(calls=1, accepted=1)})
    assert compare(OLD, new).label == "needs_review"
    assert compare(OLD, replace(new, answered_by=AnsweredBy(recorded=3, alternate=1))).label == "red_to_green"
    assert compare(OLD, replace(new, answered_by=AnsweredBy(alternate=1, effects=1))).label == "needs_review"
    case = on_record()
    assert compare(OLD, new, case=replace(case, fixture={**case.fixture, "alternates": []})).label == "needs_review"
    foreseen = replace(case, fixture={**case.fixture, "alternates": [{"tool": "ticket.open"}]})
    assert compare(OLD, new, case=foreseen).label == "red_to_green"


# Controls.


def control(name: str, **edits: Any) -> Manifest:
    return replace(NEW, case_id=name, fixture_hash="ef" * 32, controls={}, **edits)


def test_everything_to_a_person_is_seen_in_the_controls() -> None:
    """S52: a handover on the incident may be the fix; one in every control is none."""
    over = {
        "refund.create": Effect(calls=1, accepted=1),
        "refund.status": Effect(calls=1),
        "agent.hand_over": Effect(calls=1),
    }
    new = replace(NEW, effects=over)
    plain, handed = control("success"), control("timeout", effects=over)
    assert compare(OLD, new, controls=(plain, handed)).label == "red_to_green"
    found = compare(OLD, new, controls=(handed, control("refusal", effects=over)))
    assert found.sentences == (
        "everything goes to a person: agent.hand_over is called on the incident and in every control",
    )


@pytest.mark.parametrize(
    ("edits", "state"),
    [
        ({}, "held"),
        ({"boundary_passed": False}, "broken"),
        ({"boundary_passed": None}, "not_run"),
        ({"state": "started"}, "not_run"),
        ({"guard": None}, "broken"),
        ({"unconsumed": (LEFT,)}, "broken"),
        ({"label": "returned_early"}, "broken"),
    ],
)
def test_each_control_is_told_held_or_broken(edits: dict[str, Any], state: str) -> None:
    """S41, S42."""
    found = compare(OLD, NEW, controls=(control("late", **edits),))
    assert found.controls == {**NEW.controls, "late": state}
    assert found.label == ("red_to_green" if state == "held" else "needs_review")


def test_a_control_of_another_implementation_shows_nothing() -> None:
    found = compare(OLD, NEW, controls=(control("late", implementation_version="6.0"),))
    assert found.sentences == ("a control was run with another implementation than the incident",)


# Variation of model-backed runs.

ALL = Policy(name="all", runs=3, needed=3)
MOST = Policy(name="at_least", runs=3, needed=2)
KEPT = (run(1), run(2), run(3))
MIXED = (run(1), run(2, passed=False), run(3))


@pytest.mark.parametrize(
    ("edits", "label"),
    [
        ({"policy": ALL, "runs": KEPT}, "red_to_green"),
        ({"policy": MOST, "runs": MIXED}, "red_to_green"),
        ({"policy": ALL, "runs": MIXED, "boundary_passed": False}, "still_violates"),
        ({"policy": None, "runs": KEPT}, "harness_defect"),
        ({"policy": ALL, "runs": KEPT[:2]}, "harness_defect"),
        ({"policy": MOST, "runs": (*MIXED, run(4))}, "harness_defect"),
        ({"policy": ALL, "runs": MIXED}, "harness_defect"),
        ({"policy": MOST, "runs": KEPT, "boundary_passed": False}, "harness_defect"),
        ({"policy": replace(ALL, needed=2), "runs": MIXED}, "harness_defect"),
        ({"policy": replace(MOST, needed=4), "runs": KEPT, "boundary_passed": False}, "harness_defect"),
        ({"policy": MOST, "runs": (*KEPT[:2], run(3, passed=None, label="live_call"))}, "live_call"),
    ],
)  # fmt: skip
def test_several_runs_count_by_a_declared_rule_and_are_all_kept(edits: dict[str, Any], label: str) -> None:
    """S43, S44: a retry until one answer passes destroys the evidence."""
    old_runs = tuple(replace(one, boundary_passed=False) for one in KEPT)
    old = replace(OLD, policy=edits["policy"], runs=old_runs if edits["policy"] else ())
    found = compare(old, replace(NEW, **edits))
    assert found.label == label


def test_the_variation_is_reported() -> None:
    old_runs = tuple(replace(one, boundary_passed=False) for one in KEPT)
    found = compare(replace(OLD, policy=MOST, runs=old_runs), replace(NEW, policy=MOST, runs=MIXED))
    assert "the new side was run 3 times with 2 different outcomes: 2 held, 2 were needed" in found.notes


def test_sides_under_different_policies_are_for_people() -> None:
    found = compare(OLD, replace(NEW, policy=ALL, runs=KEPT))
    assert found.sentences == ("the two sides were run under different policies of variation",)


# The minimal form, notes, exits.


def test_two_minimal_results_are_compared_and_what_is_unknown_is_said() -> None:
    known: dict[str, Any] = {"manifest_version": None, "lane": None, "mode": None, "state": "finished"}
    old = Manifest(case_id="c", fixture_hash="h", implementation_version="1", boundary_passed=False, **known)
    found = compare(old, replace(old, implementation_version="2", boundary_passed=True))
    assert (found.label, found.exit_status, found.lane) == ("red_to_green", 0, None)
    assert "of the new run nothing is known but its verdict: no guard, no calls, no controls" in found.notes


def test_what_is_no_fault_is_noted() -> None:
    new = replace(
        NEW,
        diverged=(Diverged(kind="llm", name="m", position=0, what="input"),),
        clock_reads=(ClockRead(call="time.time", place="agent.py:3", count=2),),
    )
    found = compare(OLD, new)
    assert found.label == "red_to_green"
    assert "the new run was served 1 recordings although its request differed" in found.notes
    assert "the new run read a real clock: time.time at agent.py:3, 2 times" in found.notes


def test_every_label_has_a_status_and_every_status_a_meaning() -> None:
    assert EXITS.keys() == set(LABELS)
    assert {*EXITS.values(), PROVIDER, 6} == MEANINGS.keys()
    for label, status in EXITS.items():
        assert label in MEANINGS[status]


@pytest.mark.parametrize("label", LABELS)
def test_lanes_end_apart(label: str) -> None:
    """S54, S58, S61: shadow never blocks, and an outage of a provider says nothing of the gate."""
    status = EXITS[label]
    assert in_lane(label, status, "shadow") == 0
    assert in_lane(label, status, "gate") == in_lane(label, status, None) == status
    assert in_lane(label, status, "provider") == (0 if label in {"compatibility", "red_to_green"} else PROVIDER)


def test_every_comparison_ends_with_what_it_claims() -> None:
    for label in LABELS:
        told = Comparison(label=label, sentences=()).claimed
        assert told.proved
        assert told.not_proved


def test_a_run_of_the_incident_itself_is_no_control() -> None:
    assert "a run of the incident itself was given as a control" in compare(OLD, NEW, controls=(NEW,)).sentences
