"""S40: the instants just before and just after a limit, and what the recorded clock says there."""

from __future__ import annotations

import pytest

from extractor.model.json import pretty
from extractor.neighbours.instants import at, instants
from extractor.replay.case import case_of as replay_case
from extractor.schemas import schema_problems

from .replaying import agents, document, replayed

pytestmark = pytest.mark.nlp
HANDOFF, SENT = "handoff.create", "recovery.send_instructions"


@pytest.fixture
def recovery(standing_cases):
    """The recovery incident; its alternate answers the call that only a fixed path makes."""
    return document(standing_cases["recovery-dst"])


def planned(case):
    return {plan.name: plan.instant for plan in instants(case)}


def test_each_limit_has_an_instant_on_either_side(recovery):
    """S40 S41."""
    assert planned(recovery) == {
        "before-market-hours-closes": "2026-11-01T17:59:59-06:00",
        "at-market-hours-closes": "2026-11-01T18:00:00-06:00",
        "before-market-hours-opens": "2026-11-01T07:59:59-06:00",
        "at-market-hours-opens": "2026-11-01T08:00:00-06:00",
        "before-policy-rollout-valid-from": "2026-05-31T23:59:59-05:00",
        "at-policy-rollout-valid-from": "2026-06-01T00:00:00-05:00",
        "other-offset": "2026-10-31T17:29:56-05:00",
    }


def test_a_case_without_time_facts_has_only_what_its_own_clock_shows(standing_cases):
    assert planned(document(standing_cases["refund-timeout"])) == {}


@pytest.mark.parametrize(
    ("name", "action"),
    [("before-market-hours-closes", HANDOFF), ("at-market-hours-closes", SENT), ("before-market-hours-opens", SENT)],
)
def test_the_fixed_agent_holds_on_both_sides_and_one_action_always_does_not(recovery, name, action):
    made = at(recovery, planned(recovery)[name], action).document
    assert not schema_problems({**made, "expected": {**made["expected"], "prohibited_claims": ["x"]}}, "fixture")
    case = replay_case(pretty(made).encode())
    assert replayed(case, agents("recovery-dst")[1]).verdict.passed is True
    other = SENT if action == HANDOFF else HANDOFF
    wrong = at(recovery, planned(recovery)[name], other).document
    wrong["tool_events"] = [
        {**each, "role": "violation"} if each["tool"] == SENT else each for each in wrong["tool_events"]
    ]
    assert replayed(replay_case(pretty(wrong).encode()), agents("recovery-dst")[1]).verdict.passed is False


def test_the_recorded_clock_moves_in_its_own_spelling(recovery):
    made = at(recovery, "2026-11-01T18:00:00-06:00", None).document
    assert made["frozen_at"] == "2026-11-01T18:00:00-06:00"
    assert made["tool_events"][1]["arguments"]["at"] == "2026-11-02T00:00:00Z"
    assert made["tool_events"][2]["arguments"]["at"] == "2026-11-02T00:00:00Z"
    # The recorded offset is the defect: a local time is spelled by the zone's own rules.
    assert made["tool_events"][3]["arguments"]["local_time"] == "2026-11-01T18:00-06:00"
    clocks = [fact["value"] for fact in made["facts"] if fact["name"] == "clock"]
    assert clocks[0]["at"] == "2026-11-02T00:00:00Z"
    assert not [each for each in made["missing_evidence"] if each["field"] == "frozen_at"]


def test_what_is_right_there_people_say(recovery):
    unsaid = at(recovery, "2026-11-01T18:00:00-06:00", None).document
    assert unsaid["expected"]["prohibited_claims"] == []
    assert "action" not in unsaid["expected"]
    assert [each["role"] for each in unsaid["tool_events"]] == ["evidence"] * 3 + ["violation"]
    handed = at(recovery, "2026-11-01T17:59:59-06:00", HANDOFF).document
    assert handed["expected"]["action"] == HANDOFF
    assert [each["role"] for each in handed["tool_events"]] == ["evidence", "evidence", "evidence", "violation"]
