"""From the export of a race to a case, and from the case to every interleaving of the buggy and the fixed agent (S71)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from extractor import pipeline
from extractor.model.layout import FIXTURE
from extractor.read import read
from extractor.replay.case import case_of
from extractor.replay.faults import NotExpressible
from extractor.replay.racing.explore import drive, explore
from extractor.replay.racing.schedule import Schedule
from extractor.replay.session import Session
from sample_traces.racing_refund.replay import buggy, fixed

from .samples import KEY, OCCASION, RULES, config_of, source_of

NAME = "racing-refund"


@pytest.fixture(scope="module")
def recorded():
    config = config_of(NAME)
    statement = replace(config.statement, violations=("5",), effects={"refund.create": (1, 1)})
    config = replace(config, statement=statement)
    extraction = pipeline.extract(read([str(source_of(NAME))], config.wanted), config, RULES, KEY, OCCASION)
    return json.loads(extraction.fixture.files[FIXTURE])


@pytest.fixture(scope="module")
def case(recorded):
    """With what the refund service says of the order once it has paid."""
    find, create = (
        next(e for e in recorded["tool_events"] if e["tool"] == f"refund.{verb}") for verb in ("find", "create")
    )
    alternate = {
        "tool": "refund.find",
        "arguments": find["arguments"],
        "outcome": {"type": "result", "value": find["outcome"]["value"] | {"refund": create["outcome"]["value"]}},
        "side_effect": "none",
        "reason": "once a refund of the order was accepted, the service finds it",
        "synthetic": True,
    }
    return case_of(json.dumps(recorded | {"alternates": [alternate]}).encode())


def running(case, agent, **options):
    def run(schedule):
        with Session(case, version=agent.__name__, schedule=schedule, **options) as session:
            session.output = agent(session)
        return session

    return run


def test_overlapping_spans_leave_the_case_a_partial_order(recorded):
    assert [(e["tool"], e["after"]) for e in recorded["tool_events"]] == [
        ("order.lookup", []),
        ("refund.find", [1]),
        ("refund.find", [1]),
        ("refund.create", [2]),
        ("refund.create", [2, 3]),
    ]


def test_the_affected_version_repeats_the_harm_in_the_recorded_order(case):
    session = drive(running(case, buggy, expect="red"), Schedule())
    assert session.effects.accepted("refund.create") == 2
    assert session.verdict.passed is False
    assert session.label is None


def test_the_buggy_agent_refunds_twice_in_every_interleaving_in_which_both_look_first(case):
    """S71."""
    exploration = explore(running(case, buggy))
    assert exploration.exhausted
    assert (exploration.tried, exploration.failed) == (6, 4)
    assert exploration.interleavings[0].failure == "refund.create has 2 accepted side effects, at most 1 may be"


def test_the_fixed_agent_refunds_once_in_every_interleaving(case):
    run = running(case, fixed)
    exploration = explore(run)
    assert (exploration.tried, exploration.failed, exploration.label) == (6, 0, None)
    assert {
        drive(run, Schedule(each.choices)).effects.accepted("refund.create") for each in exploration.interleavings
    } == {1}


def test_without_a_schedule_the_fixed_agent_is_not_green(case):
    with pytest.raises(NotExpressible):
        running(case, fixed)(None)
