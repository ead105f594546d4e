"""Which spans are kept, which are dropped, and what each decision says."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractor import ruleset
from extractor.errors import InputUnreadable, UsageError
from extractor.model.config import Override, RunConfig, Statement
from extractor.model.json import JsonValue
from extractor.model.selection import Decision, Selection
from extractor.model.trace import ModelCall, ToolCall, Trace
from extractor.select import explain, select
from extractor.select._boundary import Boundary
from extractor.select._facts import facts
from extractor.select._policy import policy
from extractor.select._walk import Walk

from .traces import ANSWER, HELLO, Builder, asks, message, refund_trace, retrieval, returns

RULES = ruleset.load()


def run(trace: Trace, config: RunConfig | None = None) -> Selection:
    return select(trace, RULES, config or RunConfig())


def reasons(selection: Selection) -> dict[str, Decision]:
    return {decision.span_id: decision for decision in selection.decisions}


def test_every_span_has_one_decision_with_a_reason_in_product_order() -> None:
    """S8: kept or dropped, each says why."""
    trace, _ = refund_trace()
    selection = run(trace)
    assert [decision.span_id for decision in selection.decisions] == [span.span_id for span in trace.spans]
    assert all(decision.reason for decision in selection.decisions)


def test_an_unneeded_call_and_its_request_are_dropped() -> None:
    """S8: more data is not more faithful."""
    trace, ids = refund_trace()
    told = reasons(run(trace))
    assert not told[ids["joke"]].kept
    assert told[ids["joke"]].reason == "no_flow"
    assert not told[ids["ask_joke"]].kept
    assert told[ids["metrics"]].reason == "unrelated"


def test_what_feeds_the_answer_is_kept_however_it_is_formatted() -> None:
    """The order's total 1250.0 is the answer's $1,250.00."""
    trace, ids = refund_trace()
    lookup = reasons(run(trace))[ids["lookup"]]
    assert lookup.kept
    assert lookup.reason == "value_flow"
    assert ids["answer"] in {flow.consumer for flow in lookup.flows}
    assert {flow.produced_at for flow in lookup.flows} == {"output[0][2]"}


def test_flows_quote_no_value() -> None:
    trace, _ = refund_trace()
    told = repr([decision.flows for decision in run(trace).decisions])
    assert "7741" not in told
    assert "1250" not in told


def test_the_turn_that_asked_for_a_kept_call_is_kept() -> None:
    trace, ids = refund_trace()
    kept = run(trace).kept
    assert {ids["ask_lookup"], ids["ask_refund"], ids["root"]} <= kept


def test_common_values_carry_no_flow() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 50)
    noise = ToolCall(name="get_flags", result=[True, 0, "ok", "gpt-4o"], has_result=True)
    tool = build.tool(1, 2, root, noise)
    build.model(3, 4, root, [HELLO], message("assistant", "ok: true, 0 errors with gpt-4o"))
    assert reasons(run(build.trace()))[tool].reason == "same_turn"


def test_what_most_acts_hold_carries_no_flow() -> None:
    """The session's own id is in every result; it says nothing of any of them."""
    build = Builder()
    root = build.step("other", "run", 0, 50)
    tools = [
        build.tool(at, at + 0.5, root, ToolCall(name="get_part", result={"id": "S-90017", "part": at}, has_result=True))
        for at in range(1, 15)
    ]
    build.model(30, 31, root, [HELLO], message("assistant", "Your session is S-90017."))
    told = reasons(run(build.trace()))
    assert {told[each].reason for each in tools} == {"same_turn"}


def test_the_names_of_tools_and_models_carry_no_flow() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 50)
    tool = build.tool(1, 2, root, ToolCall(name="get_part_v2", result={"by": "get_part_v2"}, has_result=True))
    build.model(3, 4, root, [HELLO], message("assistant", "I asked get_part_v2 with gpt-test."))
    assert reasons(run(build.trace()))[tool].reason == "same_turn"


def test_a_sentence_quoted_from_a_document_is_a_flow() -> None:
    build = Builder()
    text = "Parcels may be returned within thirty days of their delivery date."
    root = build.step("other", "run", 0, 50)
    found = build.step("retrieval", "search", 1, 2, root, retrieval=retrieval("returns", {"text": text}))
    other = build.step(
        "retrieval", "search", 3, 4, root, retrieval=retrieval("toys", {"text": "Toys are on floor two."})
    )
    build.model(5, 6, root, [HELLO], message("assistant", "We say: " + text.lower()))
    told = reasons(run(build.trace()))
    assert told[found].reason == "value_flow"
    assert not told[other].kept


def test_every_attempt_of_a_kept_call_is_kept() -> None:
    """S39: a retry with the same key belongs to its first attempt."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    first = build.tool(1, 5, root, ToolCall(name="fetch", arguments={"a": 1}, idempotency_key="key-1", error="lost"))
    second = build.tool(
        6,
        9,
        root,
        ToolCall(name="fetch", arguments={"a": 2}, idempotency_key="key-1", result="R-9917", has_result=True),
    )
    build.model(10, 20, root, [HELLO], message("assistant", "It is R-9917."))
    told = reasons(run(build.trace()))
    assert told[second].reason == "value_flow"
    assert told[first].reason == "attempt"


def test_whatever_changed_something_is_kept() -> None:
    """S39 S50: side effects belong to the incident even when no answer mentions them."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    sent = build.tool(1, 2, root, ToolCall(name="send_certificate", arguments={"to": "x"}, result="", has_result=True))
    read = build.tool(3, 4, root, ToolCall(name="get_weather", arguments={"in": "x"}, result="rain", has_result=True))
    build.model(5, 6, root, [HELLO], message("assistant", "Anything else?"))
    told = reasons(run(build.trace()))
    assert told[sent].reason == "side_effect"
    assert told[read].reason == "same_turn"


def test_an_act_after_the_last_answer_is_its_consequence() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    build.model(1, 2, root, [HELLO], message("assistant", "I will transfer you."))
    ask = build.model(3, 4, root, [HELLO], asks("c", "transfer_to_human", {"why": "refund"}))
    act = build.tool(
        5,
        6,
        root,
        ToolCall(name="transfer_to_human", call_id="c", arguments={"why": "refund"}, result="", has_result=True),
    )
    told = reasons(run(build.trace()))
    assert told[act].reason == "consequence"
    assert told[ask].kept


def test_answers_that_the_user_replied_to_are_kept() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    heard = message("assistant", "Eleven kinds are on sale.")
    thought = message("assistant", "The user seems to be in a hurry.")
    spoken = build.model(1, 2, root, [HELLO], heard)
    private = build.model(3, 4, root, [message("user", "What mood?")], thought)
    history = [HELLO, heard, message("user", "Then cancel it.")]
    build.model(5, 6, root, history, message("assistant", "Done."))
    told = reasons(run(build.trace()))
    assert told[spoken].reason == "heard"
    assert not told[private].kept


def test_the_dependencys_side_of_a_kept_call_is_kept() -> None:
    """S34 S35: whether the dependency observed the attempt."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    tool = build.tool(1, 9, root, ToolCall(name="issue_refund", error="timed out"), error_type="ReadTimeout")
    client = build.client(2, 8, tool, None, error_type="ReadTimeout")
    wrapper = build.step("other", "proxy", 3, 8, client)
    server = build.server(4, 40, wrapper)
    model_http = build.client(50, 51, build.model(49, 52, root, [HELLO], message("assistant", "Sorry.")), "200")
    told = reasons(run(build.trace()))
    assert {told[each].reason for each in (client, wrapper, server)} == {"receipt"}
    assert told[model_http].reason == "transport"


def test_authorization_and_clock_and_budget_are_kept() -> None:
    """S7 S31 S34."""
    build = Builder()
    root = build.step("other", "run", 0, 90, attributes={"app.timeout_ms": 90})
    inner = build.step("other", "agent", 0.5, 80, root, attributes={"app.deadline_ms": 80})
    may = build.tool(1, 2, inner, ToolCall(name="check_permission", arguments={}, result=True, has_result=True))
    now = build.tool(3, 4, inner, ToolCall(name="get_current_time", arguments={}, result="10:00", has_result=True))
    build.tool(5, 6, inner, ToolCall(name="issue_refund", arguments={}, result="", has_result=True))
    build.model(7, 8, root, [HELLO], message("assistant", "Done."))
    told = reasons(run(build.trace()))
    assert (told[may].reason, told[now].reason, told[inner].reason) == ("authorization", "clock", "budget")


def test_where_content_was_not_captured_acts_are_kept() -> None:
    """Missing evidence of a flow is no evidence that there was none."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    silent = ModelCall(model="gpt-test", content_captured=False)
    turn = build.step("model_call", "chat", 1, 2, root, model=silent)
    tool = build.tool(3, 4, root, ToolCall(name="get_order"))
    build.step("model_call", "chat", 5, 6, root, model=silent)
    told = reasons(run(build.trace()))
    assert (told[turn].reason, told[tool].reason) == ("content_unknown", "content_unknown")


def test_a_turn_that_repeats_another_word_for_word_is_a_repeated_history() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    joke = message("assistant", "A parcel walks in.")
    build.model(1, 2, root, [HELLO], joke)
    again = build.model(1.5, 2, root, [HELLO], joke)
    build.model(3, 4, root, [HELLO], message("assistant", "Bye."))
    assert reasons(run(build.trace()))[again].reason == "repeated_history"


def test_a_span_with_a_version_is_kept_once_a_version() -> None:
    """S7: workflow, prompt and policy versions."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    first = build.step("other", "load policy", 1, 2, root, attributes={"app.policy.version": "12"})
    again = build.step("other", "load policy", 3, 4, root, attributes={"app.policy.version": "12"})
    build.model(5, 6, root, [HELLO], ANSWER)
    told = reasons(run(build.trace()))
    assert told[first].reason == "version"
    assert not told[again].kept


def test_acts_on_the_same_resource_are_kept() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    asked: JsonValue = {"order_id": "ORD-7741"}
    hold = build.tool(1, 2, root, ToolCall(name="release_hold", arguments=asked, result="", has_result=True))
    build.tool(3, 4, root, ToolCall(name="issue_refund", arguments=asked, result="re-5521", has_result=True))
    build.model(5, 6, root, [HELLO], message("assistant", "Refund re-5521 is on its way."))
    assert reasons(run(build.trace()))[hold].reason == "same_resource"


def test_a_look_at_what_a_change_made_is_kept() -> None:
    """S39: a later read that shows the object proves that the effect took place."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    made: JsonValue = {"shipment_id": "shp_120702", "state": "created"}
    build.tool(1, 2, root, ToolCall(name="create_shipment", arguments={"n": 1}, result=made, has_result=True))
    listed: JsonValue = [{"shipment_id": "shp_120701"}, {"shipment_id": "shp_120702"}]
    look = build.tool(3, 4, root, ToolCall(name="list_shipments", arguments={}, result=listed, has_result=True))
    again = build.tool(5, 6, root, ToolCall(name="show_shipments", arguments={}, result=listed, has_result=True))
    build.model(7, 8, root, [HELLO], message("assistant", "It is on its way."))
    told = reasons(run(build.trace()))
    assert told[look].reason == "effect_shown"
    assert told[again].reason == "same_turn"


def test_requests_of_other_tools_with_equal_arguments_are_no_repetition() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    asked: JsonValue = {"order_id": "ORD-7741"}
    build.model(1, 2, root, [HELLO], asks("a", "get_order", asked))
    other = build.model(3, 4, root, [HELLO], asks("b", "list_parcels", asked))
    build.model(5, 6, root, [HELLO], message("assistant", "Bye."))
    assert reasons(run(build.trace()))[other].reason == "no_flow"


def test_the_transports_other_tries_are_kept() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    first = build.client(1, 2, root, "503", error_type="503")
    second = build.client(3, 4, root, "200")
    told = reasons(run(build.trace(), RunConfig(at=second)))
    assert told[first].reason == "attempt"


def test_a_figure_that_no_result_holds_keeps_the_results_it_was_gathered_from() -> None:
    """A count is the agent's own: eleven entries say nothing of 11."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    earlier = build.tool(1, 2, root, ToolCall(name="get_news", arguments={}, result="rain", has_result=True))
    build.model(3, 4, root, [HELLO], message("assistant", "How may I help?"))
    listed = build.tool(5, 6, root, ToolCall(name="list_shirts", arguments={}, result=["red", "blue"], has_result=True))
    counted = build.model(7, 8, root, [HELLO], message("assistant", "There are 3 kinds."))
    told = reasons(run(build.trace(), RunConfig(at=counted)))
    assert told[listed].reason == "gathered"
    assert told[earlier].reason == "same_turn"


def test_an_answer_that_the_user_heard_keeps_where_its_figures_came_from() -> None:
    """A wrong sum in an early answer is the failure's cause, though the last answer says nothing of it."""
    build = Builder()
    root = build.step("other", "run", 0, 90)
    total = build.tool(1, 2, root, ToolCall(name="calculate", arguments={"x": "a"}, result=1127.69, has_result=True))
    heard = message("assistant", "That makes $1,127.69.")
    build.model(3, 4, root, [HELLO], heard)
    build.model(5, 6, root, [HELLO, heard, message("user", "Too much.")], message("assistant", "I am sorry."))
    assert reasons(run(build.trace()))[total].reason == "value_flow"


def test_groups_are_followed_once_however_many_members_they_have() -> None:
    """Polls with equal arguments, updates of one resource, tries of one request: each is one group."""
    build = Builder()
    root = build.step("other", "run", 0, 9_000)
    asked: JsonValue = {"order_id": "ORD-7741"}
    for at in range(300):
        build.tool(at, at + 0.1, root, ToolCall(name="get_status", arguments={}, result="R-9917", has_result=True))
        build.tool(at + 0.2, at + 0.3, root, ToolCall(name="update_order", arguments=asked, has_result=True))
        build.client(at + 0.4, at + 0.5, root, "503", error_type="503")
    build.model(8_000, 8_001, root, [HELLO], message("assistant", "It is R-9917."))
    trace = build.trace()
    ground = facts(trace, policy(RULES))
    walk = Walk(ground, policy(RULES), Boundary(index=len(trace.steps) - 1, reason="last_answer"))
    asked_for: list[int] = []
    keep = walk._keep
    walk._keep = lambda index, reason, distance: (asked_for.append(index), keep(index, reason, distance))[1]  # type: ignore[method-assign, func-returns-value]
    walk.run()
    assert len(asked_for) < 6 * len(trace.steps)


class TestBoundary:
    def test_it_is_the_last_answer_when_nothing_else_speaks(self) -> None:
        trace, ids = refund_trace()
        selection = run(trace)
        assert (selection.boundary, selection.boundary_reason) == (ids["answer"], "last_answer")

    @pytest.mark.parametrize("nickname", ["refund", "joke"])
    def test_at_takes_a_span_id_or_a_unique_name(self, nickname: str) -> None:
        trace, ids = refund_trace()
        tool = {"refund": "issue_refund", "joke": "find_joke"}[nickname]
        for at in (ids[nickname], tool, f"execute_tool {tool}"):
            selection = run(trace, RunConfig(at=at))
            assert (selection.boundary, selection.boundary_reason) == (ids[nickname], "at_option")

    @pytest.mark.parametrize("at", ["chat gpt-test", "no such span"])
    def test_at_refuses_what_is_not_one_span_without_quoting_it(self, at: str) -> None:
        trace, _ = refund_trace()
        with pytest.raises(UsageError) as refused:
            run(trace, RunConfig(at=at))
        assert at not in str(refused.value)

    def test_spans_after_the_boundary_are_dropped_but_for_the_answer_it_led_to(self) -> None:
        """S38: a refund that timed out does its harm in the answer that claims it."""
        build = Builder()
        root = build.step("other", "run", 0, 90)
        lost = build.tool(1, 2, root, ToolCall(name="issue_refund", arguments={"n": 1}, error="timed out"))
        claim = build.model(3, 4, root, [HELLO], message("assistant", "It is done."))
        later = build.tool(5, 6, root, ToolCall(name="send_mail", arguments={"to": "x"}, result="", has_result=True))
        told = reasons(run(build.trace()))
        assert (told[lost].reason, told[claim].reason, told[later].reason) == (
            "boundary",
            "consequence",
            "after_boundary",
        )

    def test_a_tool_named_in_the_failure_statement_is_the_boundary(self) -> None:
        trace, ids = refund_trace()
        statement = Statement(failure="Issue refund was called although the order was not delivered")
        selection = run(trace, RunConfig(statement=statement))
        assert (selection.boundary, selection.boundary_reason) == (ids["refund"], "failure_statement")

    def test_a_grader_points_to_a_span_below_the_root_and_a_mark_on_the_root_to_none(self) -> None:
        """S20: a label is evidence of where to look."""
        build = Builder()
        root = build.step("other", "run", 0, 90, attributes={"eval.reward": 0.0})
        marked = build.model(1, 2, root, [HELLO], message("assistant", "Wrong."))
        build.steps[-1] = replace(
            build.steps[-1], span=replace(build.steps[-1].span, attributes=(("eval.label", "incorrect"),))
        )
        build.model(3, 4, root, [HELLO], ANSWER)
        selection = run(build.trace())
        assert (selection.boundary, selection.boundary_reason) == (marked, "grader")

    def test_the_first_error_that_nothing_cured_wins_and_the_others_are_candidates(self) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        build.tool(1, 2, root, ToolCall(name="issue_refund", arguments={"n": 1}, error="lost"))
        build.tool(3, 4, root, ToolCall(name="issue_refund", arguments={"n": 1}, result="ok", has_result=True))
        build.tool(5, 6, root, ToolCall(name="get_order", error="no such order"))
        first = build.tool(7, 8, root, ToolCall(name="cancel_order", error="not pending"))
        other = build.tool(9, 10, root, ToolCall(name="send_mail", error="refused"))
        build.tool(11, 12, root, ToolCall(name="get_order", result="R", has_result=True))
        selection = run(build.trace())
        assert (selection.boundary, selection.boundary_reason) == (first, "uncured_error")
        assert selection.candidates == (other,)

    def test_a_trace_without_words_ends_at_its_last_act(self) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        tool = build.tool(1, 5, root, ToolCall(name="issue_refund"))
        build.step("other", "http send", 2, 3, build.client(2, 5, tool, None))
        assert run(build.trace()).boundary == tool


class TestOverrides:
    def test_keep_all_keeps_every_span_and_says_so(self) -> None:
        trace, ids = refund_trace()
        selection = run(trace, RunConfig(override=Override(keep=("all",))))
        assert len(selection.kept) == len(trace.spans)
        told = reasons(selection)
        assert told[ids["joke"]].overridden
        assert told[ids["joke"]].reason == "override_keep"
        assert not told[ids["answer"]].overridden

    def test_the_more_exact_word_wins(self) -> None:
        trace, ids = refund_trace()
        override = Override(keep=("find_joke", ids["lookup"]), drop=("all", "tool_call"))
        assert run(trace, RunConfig(override=override)).kept == {ids["answer"], ids["joke"], ids["lookup"]}

    def test_the_boundary_stays(self) -> None:
        trace, ids = refund_trace()
        with pytest.raises(UsageError, match="--drop names the boundary"):
            run(trace, RunConfig(override=Override(drop=(ids["answer"],))))
        assert ids["answer"] in run(trace, RunConfig(override=Override(drop=("all",)))).kept

    def test_an_override_that_fits_nothing_is_refused_without_quoting_it(self) -> None:
        trace, _ = refund_trace()
        with pytest.raises(UsageError) as refused:
            run(trace, RunConfig(override=Override(drop=("lookup", "nobody@example.com"))))
        assert "nobody" not in str(refused.value)


class TestExplain:
    def test_it_shows_every_span_once_below_its_parent(self) -> None:
        trace, ids = refund_trace()
        lines = explain(trace, run(trace)).lines
        assert sorted(line.span_id for line in lines) == sorted(span.span_id for span in trace.spans)
        assert [(line.span_id, line.depth) for line in lines][:2] == [(ids["root"], 0), (ids["ask_lookup"], 1)]

    def test_a_cycle_of_parents_is_shown_too(self) -> None:
        build = Builder()
        first = build.step("other", "a", 0, 1, f"{2:016x}")
        second = build.step("other", "b", 1, 2, first)
        trace = build.trace()
        assert {line.span_id for line in explain(trace, run(trace)).lines} == {first, second}


def test_a_trace_without_spans_is_refused() -> None:
    trace, _ = refund_trace()
    with pytest.raises(InputUnreadable):
        run(replace(trace, spans=(), steps=()))


def test_calls_that_stand_only_in_messages_feed_the_answer_through_their_turn() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    ask = asks("c", "get_order", {"order_id": "ORD-7741"})
    turn = build.model(1, 2, root, [HELLO], ask)
    build.model(
        3, 4, root, [HELLO, ask, returns("c", {"eta": "2026-03-09"})], message("assistant", "By March 9, 2026.")
    )
    told = reasons(run(build.trace()))
    assert told[turn].reason == "value_flow"


@settings(max_examples=40)
@given(seed=st.integers(), drop=st.sets(st.integers(0, 8), max_size=6))
def test_decisions_depend_on_the_spans_alone(seed: int, drop: set[int]) -> None:
    """Whatever spans are lost, every one left is decided, the boundary is kept, and a second run says the same."""
    trace, _ = refund_trace()
    left = [step for index, step in enumerate(trace.steps) if index not in drop]
    random.Random(seed).shuffle(left)
    steps = tuple(sorted(left, key=lambda step: step.span.order))
    smaller = replace(trace, steps=steps, spans=tuple(step.span for step in steps))
    selection = run(smaller)
    assert selection == run(smaller)
    assert selection.boundary in selection.kept
    assert len(selection.decisions) == len(steps)


def test_the_dependencys_side_is_kept_where_it_stands_beside_the_call() -> None:
    """Some frameworks leave HTTP spans below the run; a filter orphans the server's."""
    build = Builder()
    root = build.step("other", "run", 0, 900)
    refund = ToolCall(name="issue_refund", arguments={"n": 1}, idempotency_key="k", error="timed out")
    build.tool(1, 402, root, refund, error_type="ReadTimeout")
    client = build.client(2, 400, root, None, error_type="ReadTimeout")
    server = build.server(3, 1200, client)
    reasons = {each.span_id: (each.kept, each.reason) for each in select(build.trace(), RULES, RunConfig()).decisions}
    assert reasons[client] == reasons[server] == (True, "receipt")
