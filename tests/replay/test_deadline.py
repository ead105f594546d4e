"""A virtual budget: two time-outs with the same words end differently, and nothing waits (S33 S34 S35 S37)."""

from __future__ import annotations

import pytest

from extractor.replay.events import tool_event
from extractor.replay.faults import RecordedToolError
from extractor.replay.session import Session

from .documents import call, case

TIMEOUT = TimeoutError("tool timeout")


def session(event, *, fidelity="schedule"):
    return Session(case(event, timing={"fidelity": fidelity, "reason": "r"}), version="v")


def ended(incident):
    with pytest.raises(RecordedToolError) as caught:
        incident.call_tool("pay")
    return caught.value.ended_by


REMOTE = call(
    1,
    "pay",
    {},
    TIMEOUT,
    outcome={"ended_by": "remote_timeout"},
    timing={"deadline_ms": 9000, "dispatch_ms": 100, "receipt_ms": 120, "end_ms": 2100},
)
LOCAL = call(
    1, "pay", {}, TIMEOUT, outcome={"ended_by": "local_deadline"}, timing={"deadline_ms": 50, "dispatch_ms": 100}
)
LATE = call(
    1,
    "pay",
    {},
    TIMEOUT,
    outcome={"ended_by": "late_response", "value": {"paid": True}},
    timing={"deadline_ms": 1000, "dispatch_ms": 100, "receipt_ms": 120, "response_ms": 1500, "end_ms": 1000},
)


def test_a_remote_time_out_was_dispatched_and_seen_and_leaves_budget():
    """S33 S34."""
    incident = session(REMOTE)
    assert ended(incident) == "remote_timeout"
    told = incident.deadline.dispatches[0]
    assert (told.dispatched, told.received) == (True, True)
    assert incident.deadline.remaining_ms() == 6900


def test_a_budget_that_ended_before_dispatch_never_reached_the_dependency():
    """S33 S34."""
    incident = session(LOCAL)
    assert ended(incident) == "local_deadline"
    told = incident.deadline.dispatches[0]
    assert (told.dispatched, told.received) == (False, False)
    assert incident.deadline.expired


def test_a_late_result_is_handed_to_whoever_must_discard_it():
    """S35 S37."""
    incident, late = session(LATE), []
    incident.deadline.on_late(late.append)
    assert ended(incident) == "late_response"
    assert [event.value for event in late] == [{"paid": True}]
    assert incident.deadline.dispatches[0].late


def test_a_longer_budget_lets_the_same_response_arrive_in_time():
    incident = session(LATE)
    incident.deadline.start(5000)
    assert incident.call_tool("pay") == {"paid": True}
    assert incident.clock.monotonic() == 1.5


def test_where_order_of_cancellation_did_not_decide_attempts_take_no_time():
    """S37."""
    incident = session(REMOTE, fidelity="event")
    assert ended(incident) == "remote_timeout"
    assert incident.clock.monotonic() == 0


def test_without_a_receipt_nobody_says_that_the_dependency_did_not_see_it():
    """S35: its absence is not conclusive by itself."""
    event = tool_event(call(1, "pay", {}, TIMEOUT, timing={"dispatch_ms": 10, "end_ms": 20}))
    incident = session(call(1, "pay", {}, TIMEOUT, timing={"dispatch_ms": 10, "end_ms": 20}))
    ended(incident)
    assert event.timing["receipt_ms"] is None
    assert incident.deadline.dispatches[0].received is None
