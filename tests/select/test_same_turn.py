"""S24 S29: a strict replay meets every call that the agent makes itself in the boundary's turn, so the case holds it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from extractor import ruleset
from extractor.model.config import Limit, RunConfig
from extractor.model.json import JsonValue
from extractor.model.trace import Message, ToolCall
from extractor.select import select

from .traces import HELLO, Builder, asks, message

RULES = ruleset.load()
DONE = message("assistant", "It is done.")


def call(name: str, result: JsonValue = None, **members: JsonValue) -> ToolCall:
    return ToolCall(name=name, arguments=dict(members), result=result, has_result=True)


def told(build: Builder, config: RunConfig | None = None) -> dict[str, str]:
    selection = select(build.trace(), RULES, config or RunConfig())
    return {each.span_id: each.reason for each in selection.decisions}


def test_a_call_that_decided_by_a_bare_truth_is_kept_with_a_reason_of_its_own() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    shift = build.tool(1, 2, root, call("get_shift", {"on": True}, desk="x"))
    wire = build.client(1.2, 1.8, shift, "200")
    flags = build.step("other", "cache lookup", 3, 4, root)
    build.model(5, 6, root, [HELLO], DONE)
    reasons = told(build)
    assert reasons[shift] == "same_turn"
    assert (reasons[wire], reasons[flags]) == ("transport", "unrelated")


def test_what_a_dropped_turn_asked_for_is_not_met_and_what_a_kept_one_asked_for_is() -> None:
    """The script of the model's answers leaves a dropped turn out, and its request with it."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    both = Message(
        role="assistant",
        parts=(*asks("a", "send_card", {"to": "x"}).parts, *asks("b", "get_mood", {"of": "x"}).parts),
    )
    build.model(1, 2, root, [HELLO], both)
    build.tool(3, 4, root, ToolCall(name="send_card", call_id="a", arguments={"to": "x"}, result="", has_result=True))
    beside = ToolCall(name="get_mood", call_id="b", arguments={"of": "x"}, result="fine", has_result=True)
    mood = build.tool(5, 6, root, beside)
    joke = build.model(7, 8, root, [HELLO], asks("c", "find_joke", {}))
    told_joke = ToolCall(name="find_joke", call_id="c", arguments={}, result="ha", has_result=True)
    jest = build.tool(9, 10, root, told_joke)
    build.model(11, 12, root, [HELLO], DONE)
    reasons = told(build)
    assert reasons[mood] == "same_turn"
    assert (reasons[joke], reasons[jest]) == ("no_flow", "no_flow")


@pytest.mark.parametrize("separate", [False, True], ids=["in the model's input", "as a span of its own"])
def test_calls_of_earlier_turns_stay_dropped(separate: bool) -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    more = message("user", "And now?")
    before = build.tool(1, 2, root, call("get_shift", {"on": True}))
    build.model(3, 4, root, [HELLO], message("assistant", "One moment."))
    if separate:
        build.step("user_message", "user", 5, 5.5, root, model=None)
    now = build.tool(6, 7, root, call("get_queue", {"busy": False}))
    history: Sequence[Message] = [HELLO] if separate else [HELLO, message("assistant", "One moment."), more]
    build.model(8, 9, root, history, DONE)
    reasons = told(build)
    assert (reasons[before], reasons[now]) == ("no_flow", "same_turn")


def test_calls_of_another_agent_and_below_another_call_stay_dropped() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    mine = build.tool(1, 4, root, call("get_shift", {"on": True}))
    below = build.tool(2, 3, mine, call("read_rota", "x"))
    aside = build.step("other", "agent moderation", 5, 9, root)
    build.model(6, 7, aside, [message("user", "Is this rude?")], message("assistant", "No."))
    theirs = build.tool(8, 8.5, aside, call("get_wordlist", "x"))
    build.model(10, 11, root, [HELLO], DONE)
    reasons = told(build)
    assert reasons[mine] == "same_turn"
    assert {reasons[below], reasons[theirs]} == {"no_flow"}


def test_a_call_between_the_boundary_and_what_it_came_to_is_kept() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    said = build.model(1, 2, root, [HELLO], DONE)
    after = build.tool(3, 4, root, call("get_shift", {"on": True}))
    build.tool(5, 6, root, call("send_card", to="x"))
    assert told(build)[after] == "same_turn"
    # What follows another boundary's answer is not met on the way to it.
    build.model(7, 8, root, [HELLO, DONE, message("user", "And now?")], message("assistant", "Bye."))
    assert told(build, RunConfig(at=said))[after] == "after_boundary"


def test_a_bound_cuts_it_first() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    shift = build.tool(1, 2, root, call("get_shift", {"on": True}))
    build.tool(3, 4, root, call("get_order", {"total": 1250.0}, id="ORD-7741"))
    build.model(5, 6, root, [HELLO], message("assistant", "That was $1,250.00."))
    assert told(build)[shift] == "same_turn"
    assert told(build, RunConfig(at_most=Limit(number=3)))[shift] == "over_budget"
