"""Tool calls: what was asked, what came back, why it failed, under which key."""

from __future__ import annotations

import pytest

from .conftest import codes, span, tool


def test_a_json_text_is_parsed_and_kept_beside_its_value(step):
    call = step(tool(arguments='{"amount": 10.10}', result='{"ok": true}')).tool
    assert call.name == "issue_refund"
    assert call.arguments == {"amount": 10.10}
    assert call.arguments["amount"].text == "10.10"
    assert call.arguments_text == '{"amount": 10.10}'
    assert (call.result, call.result_text, call.has_result) == ({"ok": True}, '{"ok": true}', True)


def test_structured_arguments_have_no_text(step):
    call = step(tool(arguments={"order_id": "ORD-1"})).tool
    assert (call.arguments, call.arguments_text) == ({"order_id": "ORD-1"}, None)


def test_a_plain_text_result_is_its_own_value(trace):
    told = trace(tool(arguments="{}", result="refunded"))
    assert (told.steps[0].tool.result, told.steps[0].tool.result_text) == ("refunded", "refunded")
    assert codes(told) == {}


def test_a_json_null_is_a_result(step):
    call = step(tool(arguments="{}", result="null")).tool
    assert (call.result, call.result_text, call.has_result) == (None, "null", True)


def test_broken_json_stays_text_and_is_noted_by_place(trace):
    told = trace(tool(arguments="{'order_id': 'ORD-1'}", result="done"))
    assert told.steps[0].tool.arguments == "{'order_id': 'ORD-1'}"
    (note,) = told.notes
    assert (note.code, note.count, note.places) == ("unparsed_json", 1, ("step 1 tool.arguments",))


@pytest.mark.parametrize(
    ("attributes", "events", "message", "kind", "text"),
    [
        ({"error.type": "httpx.ReadTimeout"}, [], "timed out", "httpx.ReadTimeout", "timed out"),
        (
            {"error.type": "ReadTimeout"},
            [("exception", {"exception.type": "E", "exception.message": "slow"})],
            "status",
            "ReadTimeout",
            "slow",
        ),
        (
            {},
            [("exception", {"exception.type": "TimeoutError", "exception.message": ""})],
            "TimeoutError: ",
            "TimeoutError",
            "TimeoutError: ",
        ),
        ({"error.type": "_OTHER"}, [("exception", {"exception.type": "Denied"})], "", "Denied", "Denied"),
        ({"error.type": "_OTHER"}, [], "", "_OTHER", "_OTHER"),
        ({}, [], "broken", None, "broken"),
        ({}, [], "", None, "error"),
    ],
)
def test_class_and_message_come_from_the_first_that_says_something(step, attributes, events, message, kind, text):
    failed = step(tool(arguments="{}", more=attributes, events=events, status_code="error", status_message=message))
    assert (failed.tool.error_type, failed.tool.error) == (kind, text)
    assert (failed.error_type, failed.error_message) == (kind, text)


def test_an_exception_without_result_fails_though_the_status_says_ok(step):
    events = [("exception", {"exception.type": "Denied", "exception.message": "not yours"})]
    assert step(tool(arguments="{}", events=events, status_code="ok")).tool.error == "not yours"


def test_an_exception_that_a_result_followed_was_handled(step):
    events = [("exception", {"exception.type": "Denied", "exception.message": "not yours"})]
    assert step(tool(arguments="{}", result="done", events=events)).tool.error is None


def test_absent_content_is_said_and_a_failed_call_owes_no_result(trace):
    silent, failed = tool(1), tool(2, arguments="{}", status_code="error", status_message="no")
    (note,) = trace(silent, failed).notes
    assert note.code == "content_not_captured"
    assert note.places == ("step 1 tool.arguments", "step 1 tool.result")


@pytest.mark.parametrize("name", ["idempotency_key", "idempotencyKey", "client_token"])
def test_the_key_stands_in_the_arguments(step, name):
    assert step(tool(arguments={"order": {"id": "ORD-1"}, name: "k-1"})).tool.idempotency_key == "k-1"


def test_an_outer_key_wins_over_an_inner_one(step):
    arguments = {"parent": {"idempotency_key": "inner"}, "idempotency_key": "outer"}
    assert step(tool(arguments=arguments)).tool.idempotency_key == "outer"


@pytest.mark.parametrize("header", ["idempotency-key", "idempotency_key"])
def test_else_the_key_is_that_of_the_client_span_below(trace, header):
    """S12: what was one key in the incident is one key in the case."""
    request = {"http.request.method": "POST", f"http.request.header.{header}": ["k-2"]}
    told = trace(tool(1, arguments="{}"), span(2, parent=1), span(3, request, parent=2, kind="client"))
    assert told.steps[0].tool.idempotency_key == "k-2"
    assert told.steps[2].dependency.idempotency_key == "k-2"


def test_a_key_below_another_tool_is_that_tools_own(trace):
    request = {"http.request.method": "POST", "http.request.header.idempotency-key": ["k-2"]}
    told = trace(tool(1, arguments="{}"), tool(2, parent=1), span(3, request, parent=2, kind="client"))
    assert told.steps[0].tool.idempotency_key is None
    assert told.steps[1].tool.idempotency_key == "k-2"


def test_a_sanitised_header_is_no_key(trace):
    request = {"http.request.method": "POST", "http.request.header.idempotency-key": ["[REDACTED]"]}
    told = trace(span(1, request, kind="client"))
    assert told.steps[0].dependency.idempotency_key is None
    assert codes(told) == {"masked_value": 1}


def test_a_masked_key_in_the_arguments_is_no_key(step):
    assert step(tool(arguments={"idempotency_key": "__REDACTED__"})).tool.idempotency_key is None


def test_arguments_and_result_in_span_events_are_read(step):
    events = [
        ("gen_ai.tool.message", {"content": '{"id": 1}', "id": "c1", "role": "tool"}),
        ("gen_ai.choice", {"message": '[{"text": "done"}]'}),
    ]
    call = step(tool(events=events)).tool
    assert (call.arguments, call.call_id, call.result) == ({"id": 1}, "c1", [{"text": "done"}])
