"""MLflow traces, OpenAI Agents items, Datadog LLM Observability events, Braintrust rows, DeepEval traces."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from extractor.model.config import Wanted
from extractor.model.span import Span
from extractor.read import survey

from ..build import START, TRACE
from ..conftest import ReadBytes, codes

Node = dict[str, Any]


def lines(*records: Node) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


def encoded(digits: str) -> str:
    return base64.b64encode(bytes.fromhex(digits)).decode()


def mlflow(version: int) -> Node:
    attributes = {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": '{"id": "A-7"}', "http.request.method": '"POST"'}
    event = {"name": "exception", "attributes": {"exception.message": "timed out"}}
    if version == 3:
        span = {
            "trace_id": encoded(TRACE),
            "span_id": encoded("00000000000000a2"),
            "parent_span_id": encoded("00000000000000a1"),
            "name": "issue_refund",
            "start_time_unix_nano": START + 1,
            "end_time_unix_nano": START + 2,
            "status": {"code": "STATUS_CODE_ERROR", "message": "timed out"},
            "attributes": attributes,
            "events": [event | {"time_unix_nano": START + 1}],
            "links": [],
        }
        root = span | {"span_id": encoded("00000000000000a1"), "parent_span_id": None, "name": "run", "events": []}
        info = {
            "trace_id": "tr-" + TRACE,
            "state": "ERROR",
            "trace_metadata": {"mlflow.trace.session": "chat-9", "mlflow.traceInputs": "{}"},
            "tags": {"mlflow.traceName": "refunds", "tenant": "acme"},
        }
    else:
        span = {
            "name": "issue_refund",
            "context": {"trace_id": "0x" + TRACE, "span_id": "0x00000000000000a2"},
            "parent_id": "0x00000000000000a1",
            "start_time": START + 1,
            "end_time": START + 2,
            "status_code": "ERROR",
            "status_message": "timed out",
            "attributes": attributes,
            "events": [event | {"timestamp": (START + 1) // 1000}],
        }
        root = span | {
            "context": {"trace_id": "0x" + TRACE, "span_id": "0x00000000000000a1"},
            "parent_id": None,
            "name": "run",
            "events": [],
        }
        info = {
            "request_id": "tr-" + TRACE,
            "status": "ERROR",
            "request_metadata": [{"key": "mlflow.trace.session", "value": "chat-9"}],
            "tags": [{"key": "mlflow.traceName", "value": "refunds"}, {"key": "tenant", "value": "acme"}],
        }
    return {"info": info, "data": {"spans": [root, span]}}


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("spelling", [TRACE, "tr-" + TRACE])
def test_mlflow_traces_of_both_versions(read_bytes: ReadBytes, version: int, spelling: str) -> None:
    root, call = read_bytes(lines(mlflow(version)), wanted=Wanted(trace_ids=(spelling,))).spans
    assert (root.trace_id, call.parent_id, root.parent_id) == (TRACE, "00000000000000a1", None)
    assert (call.start_ns, call.end_ns) == (START + 1, START + 2)
    assert (call.status_code, call.status_message) == ("error", "timed out")
    assert call.get("mlflow.spanType") == '"TOOL"'
    assert call.get("http.request.method") == "POST"
    assert [event.name for event in call.events] == ["exception"]
    assert (root.get("mlflow.trace.session"), root.get("mlflow.trace.name")) == ("chat-9", "refunds")
    assert (root.get("mlflow.tag.tenant"), root.get("mlflow.traceInputs")) == ("acme", None)


def test_rows_of_an_mlflow_search(read_bytes: ReadBytes) -> None:
    whole = mlflow(3)
    row = {"trace_id": "tr-" + TRACE, "trace": json.dumps(whole), "state": "ERROR", "spans": whole["data"]["spans"]}
    assert len(read_bytes(lines(row)).spans) == 2


def agents_item(number: int, kind: str, **members: Any) -> Node:
    return {
        "object": "trace.span",
        "id": f"span_{number:024x}",
        "trace_id": "trace_" + TRACE,
        "parent_id": None if number == 1 else f"span_{1:024x}",
        "started_at": f"2025-06-15T15:06:4{number}.000001+00:00",
        "ended_at": f"2025-06-15T15:06:4{number}.5+00:00",
        "span_data": {"type": kind, **members.pop("data", {})},
        "error": None,
    } | members


AGENTS = [
    {
        "object": "trace",
        "id": "trace_" + TRACE,
        "workflow_name": "refunds",
        "group_id": "chat-9",
        "metadata": {"user_id": "cus_1"},
    },
    agents_item(
        2,
        "function",
        data={"name": "issue_refund", "input": '{"id": "A-7"}', "output": "An error occurred"},
        error={"message": "Error running tool", "data": {"tool_name": "issue_refund"}},
    ),
    agents_item(3, "handoff", data={"from_agent": "triage", "to_agent": "refunds"}),
    agents_item(4, "guardrail", data={"name": "pii", "triggered": True}),
    agents_item(1, "agent", data={"name": "triage", "tools": ["issue_refund"]}),
]


@pytest.mark.parametrize("form", ["lines", "body"])
def test_items_of_the_agents_sdk(read_bytes: ReadBytes, form: str) -> None:
    data = lines(*AGENTS) if form == "lines" else json.dumps({"data": AGENTS}).encode()
    root, call, handoff, guard = read_bytes(data, wanted=Wanted(trace_ids=("trace_" + TRACE,))).spans
    assert {span.parent_id for span in (call, handoff, guard)} == {root.span_id}
    assert (root.get("session.id"), root.get("openai_agents.workflow_name")) == ("chat-9", "refunds")
    assert root.get("openai_agents.metadata.user_id") == "cus_1"
    assert (call.name, call.get("openai_agents.type")) == ("issue_refund", "function")
    assert (call.status_code, call.status_message) == ("error", "Error running tool")
    assert call.get("openai_agents.error.data") == {"tool_name": "issue_refund"}
    assert handoff.name == "triage -> refunds"
    assert guard.get("openai_agents.triggered") is True
    assert root.start_ns % 10**9 == 1_000


def datadog(number: int, kind: str, **members: Any) -> Node:
    return {
        "_dd": {"apm_trace_id": "ab" * 16},
        "trace_id": TRACE,
        "span_id": str(2**63 + number),
        "parent_id": "undefined" if number == 1 else str(2**63 + 1),
        "name": f"step {number}",
        "start_ns": START + number,
        "duration": 500,
        "status": "ok",
        "meta": {"span": {"kind": kind}, "input": {"value": "in"}, "output": {"value": "out"}},
        "metrics": {"input_tokens": 3},
        "tags": ["service:refund-agent", "user_id:cus_1", "env:prod"],
        "session_id": "chat-9",
    } | members


FAILED = {"error": {"type": "ReadTimeout", "message": "timed out", "stack": "Traceback ..."}, "span": {"kind": "tool"}}


@pytest.mark.parametrize("form", ["lines", "payload", "intake"])
def test_datadog_span_events(read_bytes: ReadBytes, form: str) -> None:
    nodes = [datadog(1, "agent"), datadog(2, "tool", status="error", meta=FAILED)]
    data = {
        "lines": lines(*nodes),
        "payload": json.dumps([{"_dd.stage": "raw", "event_type": "span", "spans": [node]} for node in nodes]).encode(),
        "intake": json.dumps({"data": {"type": "span", "attributes": {"ml_app": "x", "spans": nodes}}}).encode(),
    }[form]
    root, call = read_bytes(data).spans
    assert (root.span_id, root.parent_id) == (f"{2**63 + 1:016x}", None)
    assert (call.parent_id, call.start_ns, call.end_ns) == (root.span_id, START + 2, START + 502)
    assert root.get("datadog.meta.span.kind") == "agent"
    assert (root.get("datadog.meta.input.value"), root.get("datadog.metrics.input_tokens")) == ("in", 3)
    assert (root.get("session.id"), root.get("user.id")) == ("chat-9", "cus_1")
    assert dict(root.resource.attributes)["service.name"] == "refund-agent"
    assert (call.status_code, call.status_message) == ("error", "timed out")
    assert dict(call.events[0].attributes)["exception.type"] == "ReadTimeout"


def test_datadog_search_answers(read_bytes: ReadBytes) -> None:
    row = {
        "trace_id": TRACE,
        "span_id": "7",
        "parent_id": "undefined",
        "name": "step",
        "span_kind": "llm",
        "ml_app": "refunds",
        "start_ms": START // 10**6,
        "duration": 1500.0,
        "status": "ok",
        "input": {"value": "in"},
        "tags": [],
    }
    (span,) = read_bytes(json.dumps({"data": [{"id": "x", "type": "span", "attributes": row}]}).encode()).spans
    assert (span.start_ns, span.end_ns) == (START, START + 1500)
    assert (span.get("datadog.meta.span.kind"), span.get("datadog.meta.input.value")) == ("llm", "in")


def test_decimal_trace_ids_are_found_as_they_are_spelled(read_bytes: ReadBytes) -> None:
    data = lines(datadog(1, "agent", trace_id="12345678901234567890"))
    (span,) = read_bytes(data, wanted=Wanted(trace_ids=("12345678901234567890",))).spans
    assert span.trace_id.startswith("12345678901234567890")
    assert len(span.trace_id) == 32


def braintrust(number: int, **members: Any) -> Node:
    return {
        "id": f"row-{number}",
        "span_id": f"{number:016x}",
        "root_span_id": TRACE,
        "span_parents": None if number == 1 else [f"{1:016x}"],
        "span_attributes": {"type": "tool", "name": f"step {number}"},
        "metrics": {"start": 1750000000.1234567, "end": 1750000000.6234567},
        "metadata": {"session_id": "chat-9"},
        "input": {"id": "A-7"},
        "created": "2025-06-15T15:06:40Z",
        "log_id": "g",
    } | members


def test_braintrust_rows_and_their_seconds(read_bytes: ReadBytes) -> None:
    failing = 'Traceback (most recent call last):\n  File "x.py", line 1\nhttpx.ReadTimeout: timed out\n'
    root, call = read_bytes(lines(braintrust(1), braintrust(2, error=failing))).spans
    assert (root.start_ns, root.end_ns) == (1750000000123456700, 1750000000623456700)
    assert (call.parent_id, call.status_code, call.status_message) == (root.span_id, "error", "timed out")
    assert dict(call.events[0].attributes)["exception.type"] == "httpx.ReadTimeout"
    assert (root.get("braintrust.input"), root.get("braintrust.span_attributes.type")) == ({"id": "A-7"}, "tool")
    assert root.get("braintrust.metrics.start") is None


@pytest.mark.parametrize("turn", [1, -1])
def test_merge_rows_complete_what_was_logged_before(read_bytes: ReadBytes, turn: int, tmp_path: Any) -> None:
    begun = braintrust(2, metrics={"start": 1750000000.5}, output=None)
    ended = {
        "id": "row-2",
        "_is_merge": True,
        "span_id": begun["span_id"],
        "root_span_id": TRACE,
        "output": {"ok": True},
        "metrics": {"end": 1750000001.5, "tokens": 3},
        "metadata": {"more": 1},
    }
    rows = [braintrust(1), *[begun, ended][::turn]]
    span = read_bytes(lines(*rows)).spans[1]
    assert (span.name, span.start_ns, span.end_ns) == ("step 2", 1750000000500000000, 1750000001500000000)
    assert span.get("braintrust.output") == {"ok": True}
    assert (span.get("braintrust.metadata.session_id"), span.get("braintrust.metadata.more")) == ("chat-9", 1)
    (tmp_path / "rows").write_bytes(lines(*rows))
    (seen,) = survey([str(tmp_path / "rows")])
    assert (seen.spans, seen.sessions) == (2, ("chat-9",))


def test_deleted_rows_are_named(read_bytes: ReadBytes) -> None:
    found = read_bytes(lines(braintrust(1), braintrust(2, _object_delete=True)))
    assert (len(found.spans), codes(found.file_notes)["row_deleted"]) == (1, 1)


def test_deepeval_traces(read_bytes: ReadBytes) -> None:
    trace_id = "5b8efff7-9803-8103-d269-b633813fc60c"
    tool = {
        "uuid": "0d6c73e1-be16-436d-a905-b4108912fa93",
        "parentUuid": "0d6c73e1-be16-436d-a905-b4108912fa94",
        "name": "issue_refund",
        "status": "ERRORED",
        "error": "ReadTimeout: timed out",
        "type": "tool",
        "startTime": "2025-06-15T15:06:41Z",
        "endTime": "2025-06-15T15:06:42Z",
        "input": {"id": "A-7"},
    }
    root = {
        "uuid": "0d6c73e1-be16-436d-a905-b4108912fa94",
        "name": "flow",
        "status": "SUCCESS",
        "startTime": "2025-06-15T15:06:40Z",
        "endTime": "2025-06-15T15:06:43Z",
        "availableTools": ["issue_refund"],
    }
    whole = {"uuid": trace_id, "agentSpans": [root], "toolSpans": [tool], "llmSpans": [], "threadId": "chat-9"}
    first, call = read_bytes(json.dumps(whole).encode(), wanted=Wanted(trace_ids=(trace_id,))).spans
    assert (first.trace_id, call.parent_id) == (TRACE, first.span_id)
    assert (first.get("session.id"), first.get("deepeval.type")) == ("chat-9", "agent")
    assert first.get("deepeval.available_tools") == ["issue_refund"]
    assert (call.status_code, call.status_message) == ("error", "timed out")


def test_phoenix_rows_have_their_attributes_whole_again(read_bytes: ReadBytes) -> None:
    row = {
        "name": "chat",
        "span_kind": "LLM",
        "parent_id": None,
        "start_time": "2025-06-15T15:06:40.000Z",
        "end_time": "2025-06-15T15:06:41.000Z",
        "status_code": "ERROR",
        "status_message": "timed out",
        "events": [{"name": "exception", "timestamp": "2025-06-15T15:06:41Z", "attributes": {"exception.type": "T"}}],
        "context.span_id": "00000000000000a1",
        "context.trace_id": TRACE,
        "attributes.http": {"response": {"status_code": 200, "header": {"x-id": ["7"]}}, "route": None},
        "attributes.llm.token_count.prompt": 12.0,
        "attributes.llm.input_messages": [
            {"message.role": "user", "message.content": "hi", "message.tool_calls": [{"tool_call.id": "call_1"}]}
        ],
        "attributes.metadata": {"tenant": "acme"},
        "attributes.llm.system": None,
    }
    (span,) = read_bytes(lines(row)).spans
    assert isinstance(span, Span)
    assert span.attributes == (
        ("http.response.status_code", 200),
        ("http.response.header.x-id", ["7"]),
        ("llm.token_count.prompt", 12),
        ("llm.input_messages.0.message.role", "user"),
        ("llm.input_messages.0.message.content", "hi"),
        ("llm.input_messages.0.message.tool_calls.0.tool_call.id", "call_1"),
        ("metadata", {"tenant": "acme"}),
        ("openinference.span.kind", "LLM"),
    )
    assert (span.status_code, span.status_message, span.events[0].name) == ("error", "timed out", "exception")


def test_pages_of_phoenix(read_bytes: ReadBytes) -> None:
    plain = {
        "id": "relay",
        "name": "chat",
        "context": {"trace_id": TRACE, "span_id": "00000000000000a1"},
        "span_kind": "LLM",
        "parent_id": None,
        "start_time": "2025-06-15T15:06:40+00:00",
        "end_time": "2025-06-15T15:06:41+00:00",
        "status_code": "OK",
        "attributes": {"llm.model_name": "gpt-x"},
        "events": [],
    }
    nulls = {"array_value": None, "bool_value": None, "int_value": None}
    proto = {
        "trace_id": TRACE,
        "span_id": "00000000000000a2",
        "parent_span_id": "00000000000000a1",
        "name": "POST",
        "kind": "SPAN_KIND_CLIENT",
        "start_time_unix_nano": START,
        "end_time_unix_nano": START + 1,
        "status": {"code": 2, "message": None},
        "attributes": [{"key": "http.route", "value": nulls | {"string_value": "/x"}}],
        "events": None,
    }
    pages = [json.dumps({"data": [node], "next_cursor": None}, indent=1).encode() for node in (plain, proto)]
    by_id = {span.span_id: span for span in read_bytes(*pages).spans}
    assert by_id["00000000000000a1"].get("openinference.span.kind") == "LLM"
    assert by_id["00000000000000a1"].get("llm.model_name") == "gpt-x"
    assert by_id["00000000000000a2"].get("http.route") == "/x"
    assert (by_id["00000000000000a2"].kind, by_id["00000000000000a2"].status_code) == ("client", "error")
