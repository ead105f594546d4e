"""``--at-most``: the most decisive spans first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from extractor import ruleset
from extractor.model.config import Limit, Override, RunConfig
from extractor.model.selection import Selection
from extractor.model.trace import ToolCall, Trace
from extractor.select import select

from .traces import HELLO, Builder, asks, message, refund_trace

RULES = ruleset.load()


def run(trace: Trace, limit: Limit, override: Override | None = None) -> Selection:
    return select(trace, RULES, RunConfig(at_most=limit, override=override or Override()))


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_no_more_are_kept_than_asked_and_the_first_is_the_boundary(number: int) -> None:
    trace, ids = refund_trace()
    selection = run(trace, Limit(number=number))
    assert len(selection.kept) == number
    assert ids["answer"] in selection.kept


def test_the_most_decisive_come_first() -> None:
    """The boundary, its path, what changed something and who asked for it, then what fed the answer."""
    trace, ids = refund_trace()
    order = ["answer", "root", "refund", "ask_refund", "lookup", "ask_lookup"]
    for number in range(1, len(order) + 1):
        kept = run(trace, Limit(number=number)).kept
        assert kept == {ids[name] for name in order[:number]}


def test_what_is_cut_says_so_and_keeps_its_distance() -> None:
    trace, ids = refund_trace()
    decisions = {each.span_id: each for each in run(trace, Limit(number=4)).decisions}
    cut = decisions[ids["lookup"]]
    assert (cut.kept, cut.reason, cut.distance, cut.flows) == (False, "over_budget", 1, ())
    assert decisions[ids["joke"]].reason == "no_flow"


def test_a_percentage_is_of_the_traces_spans_rounded_down_and_never_nothing() -> None:
    trace, _ = refund_trace()
    assert len(trace.spans) == 9
    assert [len(run(trace, Limit(number=each, percent=True)).kept) for each in (1, 40, 60, 100)] == [1, 3, 5, 6]


def test_what_people_keep_is_never_cut() -> None:
    trace, ids = refund_trace()
    kept = run(trace, Limit(number=1), Override(keep=("find_joke",))).kept
    assert kept == {ids["answer"], ids["joke"]}


def test_of_equals_the_earlier_one_is_kept() -> None:
    """The first wrong step carries those after it."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    sent = [
        build.tool(at, at + 1, root, ToolCall(name="send_mail", arguments={"to": str(at)}, result="", has_result=True))
        for at in (1, 3, 5)
    ]
    answer = build.model(7, 8, root, [HELLO], message("assistant", "All are sent."))
    assert run(build.trace(), Limit(number=4)).kept == {root, answer, *sent[:2]}


def test_a_turn_that_speaks_while_it_asks_is_kept_like_an_answer() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    request = asks("c", "get_order", {"which": "last"})
    words = message("assistant", "I can return all of it; let me see the order first.")
    spoken = build.model(1, 2, root, [HELLO], replace(words, parts=(*words.parts, *request.parts)))
    build.tool(
        3,
        4,
        root,
        ToolCall(name="get_order", call_id="c", arguments={"which": "last"}, result="R-9917", has_result=True),
    )
    build.model(5, 6, root, [HELLO], message("assistant", "It is R-9917."))
    decisions = {each.span_id: each for each in run(build.trace(), Limit(number=9)).decisions}
    assert decisions[spoken].reason == "announced"


def test_a_change_ranks_as_a_change_though_it_was_found_by_its_values() -> None:
    """What a refund returned feeds the answer: that makes it no lesser act."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    read = build.tool(1, 2, root, ToolCall(name="get_order", arguments={}, result="R-9917", has_result=True))
    sent = build.tool(3, 4, root, ToolCall(name="issue_refund", arguments={}, result="re-5521", has_result=True))
    answer = build.model(5, 6, root, [HELLO], message("assistant", "re-5521 is for R-9917."))
    selection = run(build.trace(), Limit(number=3))
    assert selection.kept == {root, sent, answer}
    assert {each.reason for each in selection.decisions if each.span_id == sent} == {"value_flow"}
    assert read not in selection.kept
