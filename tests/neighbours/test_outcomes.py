"""S42, S54: a case whose call ends otherwise, and what a sample's agents come to on it."""

from __future__ import annotations

import pytest

from extractor.errors import UsageError
from extractor.model.json import pretty
from extractor.neighbours.calls import call
from extractor.neighbours.outcomes import answered_otherwise
from extractor.neighbours.told import KINDS, Told
from extractor.replay.case import case_of as replay_case
from extractor.replay.faults import CallMismatch
from extractor.replay.fixture_check import structural_problems
from extractor.schemas import schema_problems
from sample_traces.agents import GAVE_UP

from .replaying import agents, document, replayed

pytestmark = pytest.mark.nlp
CONFIRMED = {"refund_id": "re_1", "status": "completed"}


@pytest.fixture
def refund(standing_cases):
    """The refund incident, with claims that a check can decide on."""
    found = document(standing_cases["refund-timeout"])
    claimed = {"prohibit": ["has been completed"], "unless": ["has not confirmed"]}
    return {**found, "expected": {**found["expected"], "claims": claimed}}


@pytest.fixture
def shipment(standing_cases):
    return document(standing_cases["duplicate-shipment"])


def control(case, kind, *, tool=None, told=None):
    about = call(case, {}, tool)
    return answered_otherwise(case, kind, about, told or Told()).document


def run(case, agent):
    return replayed(replay_case(pretty(case).encode()), agent)


def never_claims(request, seam):
    """A blunt fix: it asks for everything, and never says that anything is done."""
    agents("refund-timeout")[1](request, seam)
    return "We will write to you as soon as we know."


def test_the_success_control_catches_a_fix_that_never_claims(refund):
    made = control(refund, "success", told=Told(result=CONFIRMED, given=True))
    assert made["expected"]["required_disclosures"] == [
        {"text": "has been completed", "exact": True},
        {"text": "The money is on its way", "exact": True},
    ]
    assert "claims" not in made["expected"]
    for agent in agents("refund-timeout"):
        assert run(made, agent).verdict.passed is True
    found = run(made, never_claims).verdict
    assert (found.passed, found.check) == (False, "disclosures")


@pytest.mark.parametrize("kind", ["rejection", "timeout", "uncertain"])
def test_the_other_controls_hold_for_the_fix_and_break_for_the_incident(refund, kind):
    buggy, fixed = agents("refund-timeout")
    made = control(refund, kind)
    assert run(made, fixed).verdict.passed is True
    found = run(made, buggy).verdict
    assert (found.passed, found.check) == (False, "claims")


def test_a_tool_that_is_never_called_breaks_the_success_control(shipment):
    made = control(shipment, "success")
    for agent in agents("duplicate-shipment"):
        found = run(made, agent)
        assert (found.verdict.passed, found.effects.accepted("shipment.create")) == (True, 1)
    # The call that no early return may leave out.
    (event,) = [each for each in made["tool_events"] if each["tool"] == "shipment.create"]
    assert (event["role"], event["outcome"]["type"], event["side_effect"]) == ("evidence", "result", "accepted")
    with pytest.raises(AssertionError, match=r"shipment\.create"):
        run(made, lambda *_: GAVE_UP)


@pytest.mark.parametrize("kind", ["rejection", "timeout", "uncertain"])
def test_a_retry_is_under_one_key_however_often_a_version_tries(shipment, kind):
    buggy, fixed = agents("duplicate-shipment")
    made = control(shipment, kind)
    ended = run(made, fixed)
    assert ended.effects.calls("shipment.create") == 3
    assert len(ended.effects.counts()["shipment.create"].keys) == 1
    assert ended.effects.accepted("shipment.create") == 0
    with pytest.raises(CallMismatch):
        run(made, buggy)


def test_a_try_that_had_drawn_another_key_is_one_that_no_version_has_to_make(shipment):
    first, later = (each for each in control(shipment, "timeout")["tool_events"] if each["tool"] == "shipment.create")
    keys = [each["idempotency_key"] for each in shipment["tool_events"] if each["tool"] == "shipment.create"]
    assert keys[0] != keys[1]
    assert later["arguments"] == first["arguments"]
    assert later["idempotency_key"] == first["idempotency_key"] == keys[0]
    assert (first["role"], later["role"]) == ("evidence", "violation")


@pytest.mark.parametrize(
    ("kind", "ended_by", "effect"),
    [
        ("rejection", "response", "rejected"),
        ("timeout", "remote_timeout", "none"),
        ("uncertain", "connection_error", "unknown"),
    ],
)
def test_each_kind_has_its_own_evidence(shipment, kind, ended_by, effect):
    """S54."""
    made = control(shipment, kind)
    tries = [each for each in made["tool_events"] if each["tool"] == "shipment.create"]
    assert {(each["outcome"]["ended_by"], each["side_effect"]) for each in tries} == {(ended_by, effect)}
    assert {each["outcome"]["type"] for each in tries} == {"error"}
    assert all((each["timing"]["response_ms"] is None) == (kind != "rejection") for each in tries)


def test_the_words_of_an_error_are_the_recorded_ones_where_it_ended_so(refund, shipment):
    recorded = refund["tool_events"][1]["outcome"]
    assert control(refund, "timeout")["tool_events"][1]["outcome"] == recorded
    assert control(shipment, "uncertain")["tool_events"][1]["outcome"] == shipment["tool_events"][1]["outcome"]


def test_the_model_reads_what_the_call_came_to(refund):
    def told(case):
        (part,) = [
            part
            for message in case["messages"]
            for part in message["parts"]
            if part["type"] == "tool_result" and part["call_id"] == "call_refund_1"
        ]
        return part["value"]

    assert told(control(refund, "success", told=Told(result=CONFIRMED, given=True))) == CONFIRMED
    assert told(control(refund, "rejection")) == {"error": "refund.create refused the request"}
    assert told(control(refund, "timeout")) == told(refund)


def test_a_success_answers_the_first_try_and_leaves_no_later_one(refund):
    made = control(refund, "success", told=Told(result=CONFIRMED, given=True))
    assert [each["attempt"] for each in made["tool_events"]] == [1, 2]
    assert [each["after"] for each in made["model_events"]] == [[], [1], [2]]
    assert made["final_output"] is None


def test_a_result_of_the_same_tool_is_used_before_none_is(refund, shipment):
    recorded = shipment["tool_events"][2]["outcome"]
    assert control(shipment, "success")["tool_events"][1]["outcome"] == recorded
    with pytest.raises(UsageError) as refused:
        control(refund, "success")
    assert "--result" in str(refused.value.hint)


def test_a_success_control_that_nothing_could_break_is_refused(refund):
    silent = {**refund, "final_output": "Good day.", "expected": {**refund["expected"], "effects": {}}}
    with pytest.raises(UsageError) as refused:
        control(silent, "success", tool="order.lookup")
    assert "--states" in str(refused.value.hint)
    made = control(silent, "success", tool="order.lookup", told=Told(states=("Skarn",)))
    assert made["expected"]["required_disclosures"] == [{"text": "Skarn", "exact": True}]
    assert made["expected"]["effects"] == {}


def test_the_recorded_harm_has_no_controls(standing_cases):
    case = document(standing_cases["foreign-order-refund"])
    case["tool_events"][-1]["role"] = "violation"
    with pytest.raises(UsageError, match="harm"):
        call(case, {}, None)
    assert call(case, {}, "order.get").first == 1


def test_the_boundary_of_the_sidecar_says_which_call(shipment):
    predicate = {
        "boundary": {"span_id": "s"},
        "selection": [{"span_id": "r", "becomes": "tool_events[2]"}, {"span_id": "s", "becomes": "tool_events[3]"}],
    }
    assert call(shipment, predicate, None).tool == "shipment.list"
    assert call(shipment, predicate, "shipment.create").tries == (1, 2)
    assert call(shipment, {}, None).tries == (1, 2)
    with pytest.raises(UsageError):
        call(shipment, predicate, "shipment.cancel")


def test_bounds_that_the_case_states_are_those_that_can_hold(shipment):
    bounded = {**shipment, "expected": {**shipment["expected"], "effects": {"shipment.create": {"min": 1, "max": 1}}}}
    bounds = {
        kind: control(bounded, kind)["expected"]["effects"]["shipment.create"]
        for kind in ("success", "rejection", "timeout")
    }
    none = {"min": 0, "max": 0}
    assert bounds == {"success": {"min": 1, "max": 1}, "rejection": none, "timeout": none}
    assert run(control(bounded, "uncertain"), agents("duplicate-shipment")[1]).verdict.passed is not False


@pytest.mark.parametrize("kind", KINDS)
def test_a_control_is_a_whole_fixture(shipment, kind):
    made = control(shipment, kind)
    assert not schema_problems(made, "fixture")
    assert not structural_problems(made)
    numbers = [each["attempt"] for each in made["tool_events"]]
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_claims_of_the_case_hold_in_every_control_that_confirms_nothing(refund):
    for kind in ("rejection", "timeout", "uncertain"):
        assert control(refund, kind)["expected"]["claims"] == refund["expected"]["claims"]
