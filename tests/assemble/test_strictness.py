"""Order and instants are kept only where they are part of the incident."""

from __future__ import annotations

from typing import Any

import pytest

from extractor.model.config import Override, RunConfig, Statement
from extractor.model.trace import ToolCall

from ..select.traces import Builder
from .test_timing import REFUND, document_of, local_deadline, remote_timeout

ALL = Override(keep=("all",))
LOOKED = ToolCall(name="get_order", arguments={"n": 1}, error="gave up")


def test_a_deadline_that_ended_a_write_needs_its_schedule() -> None:
    """S37."""
    build = Builder()
    local_deadline(build)
    assert document_of(build.trace())["timing"]["fidelity"] == "schedule"


def test_a_deadline_that_ended_some_other_look_up_needs_none() -> None:
    """S37: only where cancellation changed the outcome."""
    build = Builder()
    looked = build.tool(1, 305, None, LOOKED, error_type="TimeoutError")
    build.client(2, 300, looked, None)
    build.tool(400, 410, None, ToolCall(name="get_order", arguments={"n": 2}, result="ok", has_result=True))
    build.tool(500, 510, None, ToolCall(name="issue_refund", arguments={"n": 1}, result="ok", has_result=True))
    assert document_of(build.trace())["timing"]["fidelity"] == "event"


def test_a_look_up_where_the_failure_shows_needs_it() -> None:
    build = Builder()
    looked = build.tool(1, 305, None, LOOKED, error_type="TimeoutError")
    build.client(2, 300, looked, None)
    config = RunConfig(override=ALL, at=looked)
    assert document_of(build.trace(), config)["timing"]["fidelity"] == "schedule"


@pytest.mark.parametrize("mode", ["total", "per_key", "none"])
def test_people_may_choose_otherwise_and_it_is_recorded(mode: str) -> None:
    """S65."""
    build = Builder()
    remote_timeout(build)
    config = RunConfig(override=ALL, ordering=mode, fidelity="schedule")
    document = document_of(build.trace(), config)
    assert document["ordering"] == {"mode": mode, "reason": "chosen on the command line"}
    assert document["timing"] == {"fidelity": "schedule", "reason": "chosen on the command line"}


def test_attempts_that_overlap_are_not_put_in_a_false_order() -> None:
    """S71."""
    build = Builder()
    build.tool(1, 100, None, ToolCall(name="get_order", arguments={"n": 1}, result="ok", has_result=True))
    build.tool(10, 90, None, REFUND, error_type="HTTPError")
    build.tool(200, 210, None, ToolCall(name="get_order", arguments={"n": 2}, result="ok", has_result=True))
    assert [event["after"] for event in document_of(build.trace())["tool_events"]] == [[], [], [1, 2]]


def test_an_effect_needs_its_authorization_first() -> None:
    """S126."""
    build = Builder()
    remote_timeout(build)
    statement = Statement(authorization="allow", effects={"issue_refund": (1, 1), "issue_credit": (0, None)})
    expected: Any = document_of(build.trace(), RunConfig(override=ALL, statement=statement))["expected"]
    assert expected["authorization"] == {"decision": "allow", "before_effects": True}
    assert expected["effects"] == {"issue_refund": {"min": 1, "max": 1}, "issue_credit": {"min": 0, "max": None}}
