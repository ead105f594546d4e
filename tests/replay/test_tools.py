"""Scripted tools: recorded outcomes for recorded calls, and for nothing else (S25 S26 S29 S39)."""

from __future__ import annotations

import asyncio

import pytest

from extractor.replay.events import ToolEvent, tool_event
from extractor.replay.faults import CallMismatch, NothingRecorded, RecordedToolError
from extractor.replay.ledger import Ledger
from extractor.replay.tools import ScriptedTools, Unconsumed

from .documents import call

FIND = ToolEvent("order.find", {"id": "O-1"}, "result", {"state": "paid"})
REFUND = ToolEvent("refund.create", {"id": "O-1", "cents": 100}, "error", error="no answer")


def events(*found):
    return [tool_event(each) for each in found]


def _fails(tools, made):
    """Make the calls until one is refused, and return the fault."""
    for tool, arguments in made:
        try:
            tools.call(tool, arguments)
        except CallMismatch as fault:
            return fault
    return None


def test_calls_are_answered_in_sequence_with_copies_of_their_own():
    tools = ScriptedTools([FIND, REFUND])
    first = tools.call("order.find", {"id": "O-1"})
    assert first == {"state": "paid"}
    first["state"] = "changed by the agent"
    assert FIND.value == {"state": "paid"}
    with pytest.raises(RecordedToolError, match="no answer"):
        tools.call("refund.create", {"cents": 100, "id": "O-1"})
    tools.assert_consumed()
    assert tools.calls == [("order.find", {"id": "O-1"}), ("refund.create", {"id": "O-1", "cents": 100})]


def test_a_lenient_recording_serves_what_is_due_of_the_tool_and_tells_the_difference():
    """S81: each recorded call once; a tool that is not due is answered by nobody."""
    ledger = Ledger()
    tools = ScriptedTools([FIND, REFUND], lenient=True, ledger=ledger)
    with pytest.raises(CallMismatch):
        tools.call("refund.create", {"id": "O-1", "cents": 1})
    assert tools.call("order.find", {"id": "O-2"}) == {"state": "paid"}
    with pytest.raises(CallMismatch):
        tools.call("order.find", {"id": "O-1"})
    with pytest.raises(RecordedToolError):
        tools.call("refund.create", {"id": "O-1", "cents": 100})
    assert [(each.name, each.position, each.what) for each in ledger.diverged] == [("order.find", 0, "arguments.id")]


@pytest.mark.parametrize(
    ("made", "message", "code"),
    [
        ([("refund.create", {"id": "O-1", "cents": 100})], "tool replay mismatch: expected order.find", "order"),
        ([("order.find", {"id": 1})], "tool replay mismatch: expected order.find", "mismatch"),
        ([("order.find", {"id": "O-1", "more": None})], "tool replay mismatch: expected order.find", "mismatch"),
        ([("order.find", {"id": "O-1"})] * 2, "tool replay mismatch: expected refund.create", "order"),
    ],
    ids=["reordered", "wrong type", "extra argument", "doubled"],
)
def test_another_call_than_the_one_due_is_a_mismatch_outside_exception(made, message, code):
    tools = ScriptedTools([FIND, REFUND])
    fault = _fails(tools, made)
    assert not isinstance(fault, Exception)
    assert fault.message.startswith(message)
    assert fault.code == code


def test_a_call_after_the_last_one_is_extra():
    tools = ScriptedTools([FIND])
    tools.call("order.find", {"id": "O-1"})
    with pytest.raises(CallMismatch, match=r"unexpected extra tool call: order\.find"):
        tools.call("order.find", {"id": "O-1"})


def test_a_tool_that_was_never_recorded_says_that_nothing_is_live():
    """S85: the label of a run that asks for what no recording can answer is incomplete."""
    tools = ScriptedTools([FIND])
    with pytest.raises(NothingRecorded, match=r"no recorded call for tools:mail\.send, never a live call") as caught:
        tools.call("mail.send", {})
    assert caught.value.label == "incomplete"


def test_a_mismatch_names_the_nearest_recording_the_first_difference_and_what_to_do():
    tools = ScriptedTools(events(call(1, "refund.create", {"order": {"id": "O-1", "cents": [1, 2]}}, {})))
    with pytest.raises(CallMismatch) as caught:
        tools.call("refund.create", {"order": {"id": "O-1", "cents": [1, 3]}})
    assert caught.value.nearest == "tool_events[0]"
    assert caught.value.path == "arguments.order.cents[1]"
    assert "what to do" in str(caught.value)


def test_a_swallowed_mismatch_is_raised_again_at_the_end():
    tools = ScriptedTools([FIND])
    with pytest.raises(CallMismatch):
        tools.call("order.find", {"id": "O-2"})
    tools.call("order.find", {"id": "O-1"})
    with pytest.raises(CallMismatch):
        tools.assert_consumed()


def test_recorded_calls_that_did_not_come_fail_by_their_own_name():
    """S26 S29."""
    with pytest.raises(Unconsumed, match=r"replay ended before recorded calls: \['order.find', 'refund.create'\]"):
        ScriptedTools([FIND, REFUND]).assert_consumed()


@pytest.mark.parametrize(
    ("recorded", "called", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        ("1", 1, False),
        ([1, 2], (1, 2), True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        (None, "null", False),
        ('{"a":1}', {"a": 1}, False),
    ],
)
def test_arguments_are_compared_by_type_and_value(recorded, called, same):
    tools = ScriptedTools([ToolEvent("t", {"x": recorded}, "result", 1)])
    if same:
        assert tools.call("t", {"x": called}) == 1
    else:
        with pytest.raises(CallMismatch):
            tools.call("t", {"x": called})


def test_an_argument_that_is_no_json_is_told_by_its_type_alone():
    with pytest.raises(CallMismatch, match="a value of type object") as caught:
        ScriptedTools([FIND]).call("order.find", {"id": object()})
    assert caught.value.code == "not_json"


KEYED = (
    call(1, "ship", {"o": "O-1", "key": "k1"}, ConnectionError("reset"), idempotency_key="k1", side_effect="accepted"),
    call(
        2,
        "ship",
        {"o": "O-1", "key": "k2"},
        {"id": "s2"},
        idempotency_key="k2",
        side_effect="accepted",
        logical_call=1,
        role="violation",
    ),
    call(3, "ship.list", {"o": "O-1"}, ["s1", "s2"]),
)


def test_idempotency_keys_are_compared_by_their_relation():
    """S12 S132: what the keys are called says nothing, that they are two says everything."""
    tools = ScriptedTools(events(*KEYED))
    with pytest.raises(RecordedToolError):
        tools.call("ship", {"o": "O-1", "key": "drawn-a"})
    assert tools.call("ship", {"o": "O-1", "key": "drawn-b"}) == {"id": "s2"}
    tools.call("ship.list", {"o": "O-1"})
    tools.assert_consumed()
    assert tools.effects.accepted("ship") == 2


def test_a_retry_with_the_accepted_key_gets_the_recorded_result_and_is_no_second_effect():
    """S39: the fixed version reuses its key; the recorded harm is not made, and what follows it still comes."""
    tools = ScriptedTools(events(*KEYED))
    with pytest.raises(RecordedToolError):
        tools.call("ship", {"o": "O-1", "key": "drawn-a"})
    assert tools.call("ship", {"o": "O-1", "key": "drawn-a"}) == {"id": "s2"}
    tools.call("ship.list", {"o": "O-1"})
    tools.assert_consumed()
    assert tools.effects.accepted("ship") == 1
    assert tools.effects.calls("ship") == 2


def test_a_third_key_is_a_second_effect_and_counted():
    tools = ScriptedTools(events(*KEYED))
    with pytest.raises(RecordedToolError):
        tools.call("ship", {"o": "O-1", "key": "a"})
    for key in ("b", "c"):
        tools.call("ship", {"o": "O-1", "key": key})
    assert tools.effects.accepted("ship") == 3


def test_the_affected_version_is_served_recorded_calls_alone():
    alternate = ToolEvent("mail.send", {}, "result", True)
    tools = ScriptedTools(events(*KEYED), alternates=[alternate], recorded_only=True)
    with pytest.raises(NothingRecorded):
        tools.call("mail.send", {})
    with pytest.raises(RecordedToolError):
        tools.call("ship", {"o": "O-1", "key": "a"})
    with pytest.raises(CallMismatch):
        tools.call("ship", {"o": "O-1", "key": "a"})


def test_a_key_that_keeps_evidence_from_coming_says_how_to_mark_the_harm():
    unmarked = [KEYED[0], KEYED[1] | {"role": "evidence"}, KEYED[2]]
    tools = ScriptedTools(events(*unmarked))
    with pytest.raises(RecordedToolError):
        tools.call("ship", {"o": "O-1", "key": "a"})
    with pytest.raises(CallMismatch, match="annotate CASE --violation 2"):
        tools.call("ship", {"o": "O-1", "key": "a"})


def test_an_alternate_answers_a_call_of_the_fixed_path_once():
    tools = ScriptedTools([FIND], alternates=[ToolEvent("mail.send", {"to": "desk"}, "result", True)])
    assert tools.call("mail.send", {"to": "desk"}) is True
    with pytest.raises(NothingRecorded):
        tools.call("mail.send", {"to": "desk"})


PARALLEL = (
    call(1, "a", {}, 1),
    call(2, "b", {}, 2, after=[1]),
    call(3, "c", {}, 3, after=[1]),
    call(4, "d", {}, 4, after=[2, 3]),
)


@pytest.mark.parametrize("made", ["abcd", "acbd"])
def test_calls_that_overlapped_may_come_either_way_round(made):
    tools = ScriptedTools(events(*PARALLEL))
    for tool in made:
        tools.call(tool)
    tools.assert_consumed()


@pytest.mark.parametrize("made", ["bacd", "abdc"])
def test_calls_that_followed_each_other_may_not(made):
    tools = ScriptedTools(events(*PARALLEL))
    assert _fails(tools, [(tool, {}) for tool in made])


@pytest.mark.parametrize(
    ("ordering", "fits"), [("total", False), ("per_key", True), ("none", True)], ids=["total", "per key", "none"]
)
def test_how_strict_the_order_is_is_the_cases_choice(ordering, fits):
    """S65: the order within one logical call always holds, between calls only where it did the damage."""
    script = events(
        call(1, "a", {"n": 1}, 1, logical_call=1),
        call(2, "b", {"n": 1}, 2, logical_call=2),
        call(3, "b", {"n": 2}, 3, logical_call=2),
    )
    tools = ScriptedTools(script, ordering=ordering)
    made = [("b", 1), ("b", 2), ("a", 1)]
    if fits:
        for tool, n in made:
            tools.call(tool, {"n": n})
        tools.assert_consumed()
    else:
        with pytest.raises(CallMismatch):
            tools.call(*made[0][:1], {"n": 1})


def test_within_one_logical_call_the_order_holds():
    script = events(
        call(1, "b", {"n": 1}, 2, logical_call=2),
        call(2, "b", {"n": 2}, 3, logical_call=2),
    )
    with pytest.raises(CallMismatch):
        ScriptedTools(script, ordering="per_key").call("b", {"n": 2})


def test_agents_that_await_their_tools_get_the_same():
    tools = ScriptedTools([FIND])
    assert asyncio.run(tools.acall("order.find", {"id": "O-1"})) == {"state": "paid"}


def test_an_error_without_words_is_an_error_all_the_same():
    with pytest.raises(RecordedToolError, match="recorded tool error"):
        ScriptedTools([ToolEvent("t", {}, "error", error="")]).call("t")


@pytest.mark.parametrize(
    ("ended_by", "retryable"),
    [("remote_timeout", True), ("local_deadline", False), ("response", None), (None, None)],
)
def test_a_recorded_error_tells_its_class_what_ended_it_and_whether_a_retry_could_help(ended_by, retryable):
    """S33."""
    told = {"outcome": {"ended_by": ended_by}} if ended_by else {}
    tools = ScriptedTools(events(call(1, "t", {}, TimeoutError("late"), **told)))
    with pytest.raises(RecordedToolError) as caught:
        tools.call("t")
    assert (caught.value.error_class, caught.value.ended_by) == ("TimeoutError", ended_by)
    assert caught.value.retryable is retryable


ONE_KEY = {"order": "O-1", "header": {"key": "K"}, "body": {"key": "K"}}


@pytest.mark.parametrize(
    ("arguments", "served"),
    [
        ({"order": "O-1", "header": {"key": "new"}, "body": {"key": "new"}}, True),
        ({"order": "O-1", "header": {"key": "new"}, "body": {"key": "other"}}, False),
        ({"order": "O-1", "header": {"key": ""}, "body": {"key": ""}}, False),
    ],
)
def test_a_key_is_one_text_at_all_its_places_in_a_call(arguments, served):
    tools = ScriptedTools([ToolEvent("refund", ONE_KEY, "result", {"ok": True}, idempotency_key="K")])
    if served:
        assert tools.call("refund", arguments) == {"ok": True}
        return
    with pytest.raises(CallMismatch):
        tools.call("refund", arguments)


@pytest.mark.parametrize("order", ["O-1", "O-2"])
def test_a_key_that_names_the_order_hides_no_call_on_another_one(order):
    """Its relation says nothing there: any other order would fit it."""
    tools = ScriptedTools(
        [
            ToolEvent("order.find", {"id": "O-1"}, "result", {"state": "paid"}),
            ToolEvent("refund", {"order": "O-1", "key": "O-1"}, "result", {"ok": True}, idempotency_key="O-1"),
        ]
    )
    tools.call("order.find", {"id": "O-1"})
    if order == "O-1":
        assert tools.call("refund", {"order": order, "key": order}) == {"ok": True}
        return
    with pytest.raises(CallMismatch):
        tools.call("refund", {"order": order, "key": order})
