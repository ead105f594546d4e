"""The sample incidents, replayed with the very agents that made and mended them (S24 S28 S29 S38 S39 S51).

Agents are not bent to fit: they get the recorded answers through their own seam, and nothing else.
"""

from __future__ import annotations

import importlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from extractor.annotation import annotate
from extractor.model.config import RunConfig, Statement
from extractor.model.layout import FIXTURE
from extractor.replay.case import ReplayCase, case_of
from extractor.replay.faults import ReplayFault
from extractor.replay.session import Session
from extractor.write import store
from sample_traces.replaying import request, seam
from tests.acceptance.samples import INCIDENTS, KEY, RULES, extracted

DECIDED = {
    "refund-timeout": "claims",
    "duplicate-shipment": "effects",
    "recovery-dst": "effects",
    "foreign-order-refund": "ownership",
}


@cache
def case(name: str) -> ReplayCase:
    return case_of(extracted(name).fixture.files[FIXTURE])


def replayed(name: str, version: str, *, of: ReplayCase | None = None, **given: Any) -> Session:
    agent = importlib.import_module(INCIDENTS[name]["agent"])
    with Session(of or case(name), version=version, **given) as session:
        session.output = getattr(agent, version)(request(session), seam(session))
    return session


def test_every_sample_is_judged() -> None:
    # A race has no single run: tests/acceptance/test_race.py tries every order of its calls.
    assert DECIDED.keys() == INCIDENTS.keys() - {"racing-refund"}


@pytest.mark.parametrize("expect", [None, "red"])
@pytest.mark.parametrize("name", DECIDED)
def test_the_agent_that_failed_fails_again_by_recorded_answers_alone(name: str, expect: Any) -> None:
    """S2 S28."""
    session = replayed(name, "run_buggy", expect=expect)
    session.hold()
    assert session.verdict is not None
    assert (session.verdict.passed, session.verdict.check) == (False, DECIDED[name])
    assert session.tools.unconsumed() == []
    assert session.model.unconsumed() == []
    assert set(session.ledger.answered_by) == {"recorded"}


@pytest.mark.parametrize("expect", [None, "green"])
@pytest.mark.parametrize("name", DECIDED)
def test_the_agent_that_was_mended_passes(name: str, expect: Any) -> None:
    """S28."""
    session = replayed(name, "run_fixed", expect=expect)
    session.hold()
    assert session.verdict is not None
    assert session.verdict.passed is True
    assert session.label is None
    assert {event.role for _, event in session.tools.unconsumed()} <= {"violation"}
    assert session.model.unconsumed() == []


def test_only_the_fix_that_calls_another_tool_is_answered_by_people() -> None:
    assert replayed("recovery-dst", "run_fixed").ledger.answered_by["alternate"] == 1
    assert replayed("duplicate-shipment", "run_fixed").ledger.answered_by["effects"] == 1


@pytest.mark.parametrize("name", ["recovery-dst", "duplicate-shipment"])
def test_a_red_run_is_served_nothing_that_was_not_recorded(name: str) -> None:
    with pytest.raises(ReplayFault):
        replayed(name, "run_fixed", expect="red")


def test_what_is_told_of_a_case_that_stands_replays_as_well(tmp_path: Path) -> None:
    """People see pseudonyms alone, and name with them what the fix will call."""
    name, made = "recovery-dst", extracted("recovery-dst", complete=False)
    stored = store(made.fixture, made.capture, tmp_path, replace=False).path
    harm = json.loads((stored / FIXTURE).read_bytes())["tool_events"][-1]
    answer = {
        "tool": "handoff.create",
        "arguments": {each: harm["arguments"][each] for each in ("account_id", "policy_version")}
        | {"queue": "recovery"},
        "outcome": {"type": "result", "value": {"status": "queued"}},
        "side_effect": "accepted",
    }
    told = Statement(
        prohibit=("self-service instructions while the recovery team is at work",),
        violations=("recovery.send_instructions",),
        action="handoff.create",
        alternates=(answer,),
    )
    case = case_of(annotate(stored, told, RunConfig(), RULES, KEY).fixture.files[FIXTURE])
    for version, passed in (("run_buggy", False), ("run_fixed", True)):
        session = replayed(name, version, of=case)
        session.hold()
        assert session.verdict is not None
        assert session.verdict.passed is passed
