"""Where the failure shows: what people, graders and the run itself say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from extractor import ruleset
from extractor.model.config import RunConfig, Statement
from extractor.model.json import JsonValue
from extractor.model.selection import Grade, Selection
from extractor.model.span import SpanEvent
from extractor.model.trace import ToolCall, Trace
from extractor.select import select

from .traces import HELLO, Builder, message, refund_trace

RULES = ruleset.load()


def run(trace: Trace, failure: str | None = None) -> Selection:
    return select(trace, RULES, RunConfig(statement=Statement(failure=failure)))


def graded(attributes: Mapping[str, JsonValue], *, event: str | None = None) -> str:
    """Return the boundary's reason when the first of two answers carries a mark."""
    return selected(attributes, event=event).boundary_reason


def selected(attributes: Mapping[str, JsonValue], *, event: str | None = None) -> Selection:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    marked = build.model(1, 2, root, [HELLO], message("assistant", "It is late."))
    span = build.steps[-1].span
    pairs = tuple(attributes.items())
    held = (
        replace(span, attributes=pairs)
        if event is None
        else replace(span, events=(SpanEvent(name=event, time_ns=span.start_ns, attributes=pairs),))
    )
    build.steps[-1] = replace(build.steps[-1], span=held)
    build.model(3, 4, root, [HELLO], message("assistant", "Bye."))
    selection = run(build.trace())
    assert (selection.boundary == marked) is (selection.boundary_reason == "grader")
    assert (selection.grade is not None) is (selection.boundary_reason == "grader")
    return selection


FAILING: dict[str, dict[str, JsonValue]] = {
    "GenAI": {"gen_ai.evaluation.name": "correct", "gen_ai.evaluation.score.label": "fail"},
    "GenAI score": {"gen_ai.evaluation.name": "correct", "gen_ai.evaluation.score.value": 0.1},
    "Phoenix": {"eval.correct.label": "incorrect", "eval.correct.score": 0},
    "Phoenix annotations": {"annotations": [{"name": "correct", "result": {"label": "incorrect", "score": 0}}]},
    "Langfuse": {"langfuse.observation.scores": '[{"name": "correct", "value": 0, "dataType": "BOOLEAN"}]'},
    "Langfuse category": {"langfuse.observation.scores": [{"name": "tone", "stringValue": "unsafe", "value": 1}]},
    "LangSmith": {"langsmith.feedback_stats": {"correct": {"n": 1, "avg": 0.0}}},
    "MLflow": {"mlflow.assessments": [{"assessment_name": "correct", "feedback": {"value": False}}]},
    "Braintrust": {"braintrust.scores": {"factuality": 0.2, "tone": 1}},
    "Inspect AI": {"inspect.score": {"value": "I", "answer": "late"}},
    "DeepEval": {"deepeval.metrics_data": [{"name": "faithful", "success": False, "score": 0.6}]},
}
PASSING: dict[str, dict[str, JsonValue]] = {
    "GenAI": {"gen_ai.evaluation.name": "correct", "gen_ai.evaluation.score.label": "pass"},
    "a label wins over a score": {"gen_ai.evaluation.score.label": "pass", "gen_ai.evaluation.score.value": 0.1},
    "Langfuse": {"langfuse.observation.scores": [{"name": "correct", "value": 1}]},
    "LangSmith counts": {"langsmith.feedback_stats": {"correct": {"n": 0, "avg": None}}},
    "MLflow": {"mlflow.assessments": [{"feedback": {"value": True}}]},
    "Braintrust": {"braintrust.scores": {"factuality": 0.9, "tone": None}},
    "Inspect AI": {"inspect.score": {"value": "C", "answer": "no"}},
    "DeepEval": {"deepeval.metrics_data": [{"success": True, "score": 0.2, "threshold": 0.1}]},
    "no grade": {"scoreboard": 0, "app.level": 0},
}


@pytest.mark.parametrize("name", FAILING)
def test_a_failing_grade_of_any_convention_points_to_its_span(name: str) -> None:
    assert graded(FAILING[name]) == "grader"


@pytest.mark.parametrize(
    ("name", "grade"),
    [
        ("GenAI", ("correct", None, "fail")),
        ("GenAI score", ("correct", None, 0.1)),
        ("Phoenix", ("correct", None, "incorrect")),
        ("Phoenix annotations", ("correct", None, "incorrect")),
        ("Langfuse category", ("tone", None, "unsafe")),
        ("LangSmith", ("correct", None, 0.0)),
        ("MLflow", ("correct", None, False)),
        ("Braintrust", ("factuality", None, 0.2)),
        ("Inspect AI", (None, None, "I")),
        ("DeepEval", ("faithful", None, False)),
    ],
)
def test_a_grade_is_saved_as_evidence(name: str, grade: tuple[str | None, str | None, JsonValue]) -> None:
    """S20: who gave it, in which version, what it says."""
    found = selected(FAILING[name]).grade
    assert found is not None
    assert (found.name, found.version, found.result) == grade


def test_a_grade_tells_its_version() -> None:
    """S20."""
    for attributes in (
        {"eval.correct.label": "wrong", "eval.correct.version": "2026-05"},
        {"scores": [{"name": "correct", "version": "2026-05", "value": 0}]},
    ):
        found = selected(attributes).grade
        assert found is not None
        assert (found.name, found.version) == ("correct", "2026-05")


def test_prose_is_no_graders_name() -> None:
    long = "whether the agent told Ines what her order costs, and whether that was right, in the words of the policy"
    found = selected({"scores": [{"name": long, "value": 0}]}).grade
    assert found is not None
    assert found.name is None


def test_a_grade_of_the_whole_run_is_saved_where_the_boundary_has_none() -> None:
    """S20: it points nowhere, and is evidence all the same."""
    build = Builder()
    root = build.step("other", "run", 0, 90, attributes={"eval.helpful.label": "fail"})
    build.model(1, 2, root, [HELLO], message("assistant", "It is late."))
    selection = run(build.trace())
    assert (selection.boundary_reason, selection.grade) == (
        "last_answer",
        Grade(name="helpful", version=None, result="fail"),
    )


@pytest.mark.parametrize("name", PASSING)
def test_a_passing_grade_points_nowhere(name: str) -> None:
    assert graded(PASSING[name]) == "last_answer"


def test_an_evaluation_event_points_to_its_span() -> None:
    assert graded(FAILING["GenAI"], event="gen_ai.evaluation.result") == "grader"
    assert graded(PASSING["GenAI"], event="gen_ai.evaluation.result") == "last_answer"


def test_a_mark_on_the_evaluators_own_span_speaks_of_the_act_above_it() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    judged = build.model(1, 9, root, [HELLO], message("assistant", "It is late."))
    build.step("other", "correctness", 2, 3, judged, attributes={"eval.label": "incorrect"})
    build.model(10, 11, root, [HELLO], message("assistant", "Bye."))
    assert (run(build.trace()).boundary, run(build.trace()).boundary_reason) == (judged, "grader")


class TestStatements:
    def test_quoted_words_point_to_the_answer_that_said_them(self) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        said = build.model(1, 2, root, [HELLO], message("assistant", "Sorry. Your parcel  is at the moon now."))
        build.model(3, 4, root, [HELLO], message("assistant", "Bye."))
        selection = run(build.trace(), "The agent told her \u201cyour parcel is at the moon\u201d.")
        assert (selection.boundary, selection.boundary_reason) == (said, "failure_statement")

    def test_values_point_to_the_step_that_shares_most_of_them(self) -> None:
        trace, ids = refund_trace()
        selection = run(trace, "She was promised 1,250.00 although it had been sent back.")
        assert (selection.boundary, selection.boundary_reason) == (ids["answer"], "failure_statement")

    def test_what_names_nothing_points_nowhere(self) -> None:
        trace, _ = refund_trace()
        assert run(trace, "Something went wrong in the end.").boundary_reason == "last_answer"


class TestAnswers:
    def test_a_refusal_after_an_error_that_a_later_look_up_hides(self) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        build.tool(1, 2, root, ToolCall(name="get_order", error="no such order"))
        refused = build.model(3, 4, root, [HELLO], message("assistant", "Unfortunately I cannot find it."))
        build.tool(5, 6, root, ToolCall(name="get_news", result="rain", has_result=True))
        build.model(7, 8, root, [HELLO], message("assistant", "It rains."))
        selection = run(build.trace())
        assert (selection.boundary, selection.boundary_reason) == (refused, "refusal_after_error")

    @pytest.mark.parametrize(
        "text",
        [
            "Your order has been refunded.",
            "I have successfully cancelled it.",
            "The parcel was already sent. Anything else?",
        ],
    )
    def test_an_act_that_no_call_did(self, text: str) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        build.tool(1, 2, root, ToolCall(name="get_order", result="R", has_result=True))
        claim = build.model(3, 4, root, [HELLO], message("assistant", text))
        build.model(5, 6, root, [HELLO], message("assistant", "Bye."))
        selection = run(build.trace())
        assert (selection.boundary, selection.boundary_reason) == (claim, "unsupported_claim")

    @pytest.mark.parametrize(
        "text",
        [
            "Your order has not been refunded.",
            "Has your order been refunded?",
            "Once it has been returned, I will refund it.",
            "I have found your order.",
            "Please refund it yourself.",
        ],
    )
    def test_no_act_is_claimed(self, text: str) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        build.model(3, 4, root, [HELLO], message("assistant", text))
        assert run(build.trace()).boundary_reason == "last_answer"

    def test_what_a_result_reports_as_done_is_no_claim(self) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        result: JsonValue = {"status": "cancelled", "at": "yesterday"}
        build.tool(1, 2, root, ToolCall(name="get_order", result=result, has_result=True))
        build.model(3, 4, root, [HELLO], message("assistant", "It has been cancelled yesterday."))
        assert run(build.trace()).boundary_reason == "last_answer"

    def test_a_difference_of_told_amounts_is_no_invention(self) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        build.tool(1, 2, root, ToolCall(name="get_prices", result=[53.48, 53.27, 84.2], has_result=True))
        build.model(3, 4, root, [HELLO], message("assistant", "That is $30.93 less, and $137.68 together."))
        assert run(build.trace()).boundary_reason == "last_answer"

    def test_an_id_that_nothing_told(self) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        result: JsonValue = {"order": "ORD-7741", "total": 84.2}
        build.tool(1, 2, root, ToolCall(name="get_order", result=result, has_result=True))
        build.model(3, 4, root, [HELLO], message("assistant", "ORD-7741 comes to $84.20."))
        claim = build.model(5, 6, root, [HELLO], message("assistant", "Its tracking number is TRK-99120."))
        build.model(7, 8, root, [HELLO], message("assistant", "Bye."))
        selection = run(build.trace())
        assert (selection.boundary, selection.boundary_reason) == (claim, "unsupported_claim")

    def test_an_amount_counts_in_the_last_answer_alone(self) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        build.tool(1, 2, root, ToolCall(name="get_order", result={"total": 84.2}, has_result=True))
        build.model(3, 4, root, [HELLO], message("assistant", "With postage $90.20."))
        last = build.model(5, 6, root, [HELLO], message("assistant", "You will get $480.20."))
        selection = run(build.trace())
        assert (selection.boundary, selection.boundary_reason) == (last, "unsupported_claim")
        assert selection.candidates == ()


def test_candidates_carry_their_reasons() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    build.tool(1, 2, root, ToolCall(name="issue_refund", error="lost"))
    claim = build.model(3, 4, root, [HELLO], message("assistant", "It has been refunded."))
    last = build.model(5, 6, root, [HELLO], message("assistant", "Bye."))
    selection = run(build.trace())
    assert selection.boundary_reason == "uncured_error"
    assert dict(zip(selection.candidates, selection.candidate_reasons, strict=True)) == {
        claim: "unsupported_claim",
        last: "last_answer",
    }


def test_guardrails_and_handoffs_before_the_boundary_are_kept() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 90)
    guard = build.step("guardrail", "moderation", 1, 2, root)
    handed = build.step("handoff", "to billing", 3, 4, root)
    build.model(5, 6, root, [HELLO], message("assistant", "Bye."))
    told = {each.span_id: each.reason for each in run(build.trace()).decisions}
    assert (told[guard], told[handed]) == ("authorization", "handoff")
