"""A test written by hand with the kit alone: no case folder, no plugin (S26 S28 S30 S42)."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from datetime import UTC, datetime

import pytest

from extractor.replay import FrozenClock, RecordedToolError, ScriptedTools, ToolEvent

UNKNOWN = "I do not know yet whether parcel P-7 has left."
LEFT = "Parcel P-7 left on 2026-03-28."


class Desk:
    """What is tested; ``trusting`` is the version that made the incident."""

    def __init__(self, tools: ScriptedTools, clock: FrozenClock, *, trusting: bool) -> None:
        self.tools, self.clock, self.trusting = tools, clock, trusting

    def answer(self) -> str:
        try:
            left = self.tools.call("parcel.status", {"parcel": "P-7"})["left"]
        except RecordedToolError:
            left = self.trusting
        return f"Parcel P-7 left on {self.clock.now():%Y-%m-%d}." if left else UNKNOWN


@pytest.fixture
def clock():
    return FrozenClock(datetime(2026, 3, 28, 23, 30, tzinfo=UTC))


def asked(outcome_type, **told):
    return ScriptedTools([ToolEvent("parcel.status", {"parcel": "P-7"}, outcome_type, **told)])


def test_a_recorded_timeout_parts_the_two_versions_where_a_weak_assertion_does_not(clock):
    answers = {}
    for trusting in (True, False):
        tools = asked("error", error="no answer in time")
        answers[trusting] = Desk(tools, clock, trusting=trusting).answer()
        tools.assert_consumed()
        assert tools.calls == [("parcel.status", {"parcel": "P-7"})]
    assert all(answers.values())  # `assert answer` is green on the incident itself
    assert answers == {True: LEFT, False: UNKNOWN}


def test_a_confirmed_parcel_is_reported(clock):
    tools = asked("result", value={"left": True})
    assert Desk(tools, clock, trusting=False).answer() == LEFT
    tools.assert_consumed()


def test_a_recorded_call_is_one_value_that_nothing_changes():
    """S27: tool, arguments, how it ended, value, error, in this order."""
    event = ToolEvent("parcel.status", {"parcel": "P-7"}, "error", None, "no answer in time")
    assert (event.tool, event.arguments, event.outcome_type, event.value) == (
        "parcel.status",
        {"parcel": "P-7"},
        "error",
        None,
    )
    with pytest.raises(FrozenInstanceError):
        event.error = "answered"
    with pytest.raises(RecordedToolError, match="no answer in time"):
        ScriptedTools([event]).call("parcel.status", {"parcel": "P-7"})


def test_words_without_the_call_do_not_pass():
    with pytest.raises(AssertionError, match=r"replay ended before recorded calls: \['parcel\.status'\]"):
        asked("error", error="no answer in time").assert_consumed()
