"""One call told by two instrumentations is one step; two attempts stay two."""

from __future__ import annotations

import json

import pytest

from extractor.model.span import Scope

from .conftest import span

GENAI, OTHER = Scope(name="agent.framework"), Scope(name="openinference.instrumentation")
WITHIN = {"start_ns": 1_100, "end_ns": 1_400}


def genai(number=1, *, arguments=None, call_id=None, **members):
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "issue_refund"}
    if arguments is not None:
        attributes["gen_ai.tool.call.arguments"] = json.dumps(arguments)
    if call_id is not None:
        attributes["gen_ai.tool.call.id"] = call_id
    return span(number, attributes, **{"scope": GENAI, **members})


def openinference(number=2, *, arguments=None, call_id=None, result=None, **members):
    attributes = {"openinference.span.kind": "TOOL", "tool.name": "issue_refund", "output.value": result}
    if arguments is not None:
        attributes |= {"input.value": json.dumps(arguments), "input.mime_type": "application/json"}
    if call_id is not None:
        attributes["tool.id"] = call_id
    return span(
        number, {key: value for key, value in attributes.items() if value is not None}, **{"scope": OTHER, **members}
    )


def kinds(told):
    return [step.kind for step in told.steps]


def codes(told):
    return {note.code: note.count for note in told.notes}


def test_the_outer_span_is_the_step_and_learns_what_the_inner_one_knew(trace):
    told = trace(
        genai(1, call_id="call_1"),
        span(2, parent=1, **WITHIN),
        openinference(3, parent=2, arguments={"order_id": "ORD-1", "idempotency_key": "k-1"}, result="done", **WITHIN),
    )
    assert kinds(told) == ["tool_call", "other", "other"]
    call = told.steps[0].tool
    assert (call.call_id, call.arguments, call.result) == (
        "call_1",
        {"order_id": "ORD-1", "idempotency_key": "k-1"},
        "done",
    )
    assert (call.idempotency_key, call.has_result) == ("k-1", True)
    assert codes(told)["told_twice"] == 1


def test_three_tellers_are_one_call(trace):
    wire = span(
        3, {"mcp.method.name": "tools/call", "gen_ai.tool.name": "issue_refund"}, parent=2, kind="client", **WITHIN
    )
    told = trace(genai(1, arguments={"a": 1}), openinference(2, parent=1, arguments={"a": 1}, **WITHIN), wire)
    assert kinds(told) == ["tool_call", "other", "other"]


def test_siblings_of_one_call_id_at_one_time_are_one(trace):
    told = trace(genai(1, call_id="call_1"), openinference(2, call_id="call_1", arguments={"a": 1}, **WITHIN))
    assert kinds(told) == ["tool_call", "other"]
    assert told.steps[0].tool.arguments == {"a": 1}


@pytest.mark.parametrize(
    "inner",
    [
        {"arguments": {"a": 2}},
        {"call_id": "call_2"},
        {"arguments": {"a": 1, "idempotency_key": "k-2"}},
        {"arguments": {"a": 1}, "scope": GENAI, "name": "x", "attributes_of": "genai"},
    ],
)
def test_what_differs_in_anything_said_stays_two(trace, inner):
    own = dict(inner)
    make = genai if own.pop("attributes_of", "") else openinference
    told = trace(genai(1, arguments={"a": 1}, call_id="call_1"), make(2, parent=1, **WITHIN, **own))
    assert kinds(told) == ["tool_call", "tool_call"]


def test_retries_one_after_the_other_stay_two(trace):
    later = {"start_ns": 2_000, "end_ns": 2_500}
    told = trace(genai(1, arguments={"a": 1}), openinference(2, arguments={"a": 1}, **later))
    assert kinds(told) == ["tool_call", "tool_call"]
    told = trace(genai(1, call_id="c", arguments={"a": 1}), openinference(2, call_id="c", arguments={"a": 1}, **later))
    assert kinds(told) == ["tool_call", "tool_call"]


def test_the_client_librarys_span_inside_a_frameworks_is_the_same_model_call(trace):
    outer = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "openai/gpt-x", "gen_ai.usage.input_tokens": 3}
    inner = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "gpt-x-2026-09-01",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Hi",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Hello",
    }
    told = trace(span(1, outer, scope=GENAI), span(2, inner, parent=1, scope=OTHER, **WITHIN))
    assert (
        kinds(told)
        == ["other" if step.model is None else "model_call" for step in told.steps]
        == ["model_call", "other"]
    )
    assert told.steps[0].model.input[0].parts[0].text == "Hi"
    assert told.steps[0].model.usage == {"input_tokens": 3}


def test_a_model_asked_within_another_models_call_stays_its_own(trace):
    def chat(number, text, **members):
        messages = json.dumps([{"role": "user", "parts": [{"type": "text", "content": text}]}])
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-x",
            "gen_ai.input.messages": messages,
        }
        return span(number, attributes, **members)

    told = trace(chat(1, "Refund it", scope=GENAI), chat(2, "Is this allowed?", parent=1, scope=OTHER, **WITHIN))
    assert kinds(told) == ["model_call", "model_call"]


def test_the_result_of_a_failed_call_is_not_taken_from_within(trace):
    failed = genai(1, status_code="error", status_message="timed out", end_ns=1_500)
    told = trace(failed, openinference(2, parent=1, result="done", **WITHIN))
    call = told.steps[0].tool
    assert (call.error, call.has_result) == ("timed out", False)
