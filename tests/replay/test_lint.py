"""Asserts on whole answers are named before any verdict (S55)."""

from __future__ import annotations

import pytest

from extractor.replay.lint import whole_answers


def found(*body, exact=(), signature="def test_it(incident):"):
    source = "\n".join([signature, *(f"    {line}" for line in body)]) + "\n"
    return [each.line for each in whole_answers(source, exact)]


@pytest.mark.parametrize(
    "body",
    [
        ["assert incident.output == 'Done.'"],
        ["assert 'Done.' == incident.output"],
        ["assert incident.output.strip().lower() == 'done.'"],
        ["assert agent(incident) == 'Done.'"],
        ["assert str(agent(incident.text)) == 'Done.'"],
        ["assert incident.effects and incident.output == 'Done.'"],
    ],
)
def test_the_whole_answer_is_compared_with_a_text(body):
    assert found(*body) == [2]


@pytest.mark.parametrize(
    "made",
    [
        "answer = agent(incident)",
        "answer = incident.output = agent(incident)",
        "answer: str = asyncio.run(agent(incident))",
        "answer = agent(text=incident.text)",
        "answer = incident.output",
    ],
)
def test_the_answer_has_a_name(made):
    assert found(made, "assert answer == 'Done.'") == [3]


def test_coroutines_too():
    assert found(
        "answer = await agent(incident)", "assert answer == 'x'", signature="async def test_it(incident):"
    ) == [3]


@pytest.mark.parametrize(
    "body",
    [
        ["assert 'Done' in incident.output"],
        ["assert 'refunded' not in agent(incident)"],
        ["assert incident.output != 'Done.'"],
        ["assert incident.call_tool('order.find') == 'paid'"],
        ["state = incident.call_tool('order.find')", "assert state == 'paid'"],
        ["assert incident.output.status == 'open'"],
        ["assert incident.output['status'] == 'open'"],
        ["assert len(incident.effects.calls) == 1"],
        ["assert incident.case.case_id == 'x'"],
    ],
)
def test_what_asserts_a_part_or_something_else_is_left_alone(body):
    assert found(*body) == []


def test_an_exact_disclosure_of_the_case_may_be_wanted():
    line = "assert incident.output == 'I cannot confirm it.'"
    assert found(line, exact={"I cannot confirm it."}) == []
    assert found(line, exact={"Another one."}) == [2]


def test_other_tests_and_what_is_no_python_say_nothing():
    assert found("assert agent() == 'x'", signature="def test_it(agent):") == []
    assert whole_answers("def test_it(incident:\n") == []


def test_the_text_itself_is_not_repeated():
    (only,) = whole_answers("def test_it(incident):\n    assert incident.output == 'Canary.'\n")
    assert "Canary" not in str(only)
    assert "test_it" in str(only)
