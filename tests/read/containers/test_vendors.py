"""What services export in shapes of their own: ids, times, parents, content and context."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from extractor.model.config import Wanted
from extractor.model.reading import Reading
from extractor.read import survey

from ..build import START, TRACE, lines
from ..conftest import ReadBytes, codes

FIRST, SECOND = f"{1:016x}", f"{2:016x}"
BEGIN, END = "2025-06-15T15:06:40.000001Z", "2025-06-15T15:06:41Z"
UUID = "01a22e64-c73d-7514-852f-9c0a6efc4aea"
CHILD = "01a22e64-c745-7430-ad77-241ea0b9626f"


def one_trace(read_bytes: ReadBytes, document: Any, trace_id: str) -> Reading:
    reading: Reading = read_bytes(json.dumps(document).encode() + b"\n", wanted=Wanted(trace_ids=(trace_id,)))
    return reading


def observation(**members: Any) -> dict[str, Any]:
    return {
        "id": FIRST, "traceId": "order-run-7", "type": "TOOL", "name": "lookup_order", "startTime": BEGIN, "endTime": END, "level": "ERROR",
        "statusMessage": "timed out", "input": {"order_id": "ORD-1"}, "output": '{"status": "late"}', "metadata": {"attempt": "2"}, "parentObservationId": None,
    } | members  # fmt: skip


def test_a_langfuse_download_is_a_trace_with_its_context(read_bytes: ReadBytes) -> None:
    trace = {
        "id": "order-run-7",
        "timestamp": BEGIN,
        "sessionId": "s-1",
        "userId": "u-1",
        "name": "refund",
        "bookmarked": False,
    }
    document = {
        "trace": trace,
        "observations": [observation(), observation(id=SECOND, parentObservationId=FIRST, level="DEFAULT")],
    }
    root, child = one_trace(read_bytes, document, "order-run-7").spans
    assert (root.status_code, root.status_message, child.status_code) == ("error", "timed out", "unset")
    assert child.parent_id == root.span_id
    assert {
        "langfuse.observation.type": "tool",
        "langfuse.observation.input": {"order_id": "ORD-1"},
        "langfuse.observation.output": {"status": "late"},
        "langfuse.observation.metadata.attempt": "2",
        "session.id": "s-1",
        "user.id": "u-1",
    }.items() <= dict(root.attributes).items()
    assert child.get("session.id") is None


def test_langfuse_rows_restore_what_an_otel_span_had(read_bytes: ReadBytes) -> None:
    metadata = {
        "attributes": {"gen_ai.tool.name": "lookup_order", "langfuse.observation.type": "tool"},
        "resourceAttributes": {"service.name": "refund-agent"},
        "scope": {"name": "langfuse-sdk", "version": "3"},
    }
    row = {
        "id": FIRST, "trace_id": TRACE, "type": "SPAN", "start_time": "2025-06-15 15:06:40.001", "end_time": None, "parent_observation_id": None,
        "metadata": json.dumps(metadata), "usage_details": {"input": 3},
    }  # fmt: skip
    (found,) = read_bytes(lines([row])).spans
    assert (found.scope.name, found.resource.attributes) == ("langfuse-sdk", (("service.name", "refund-agent"),))
    assert found.get("gen_ai.tool.name") == "lookup_order"
    assert found.get("langfuse.observation.type") == "tool"
    assert found.get("langfuse.observation.usage_details") == {"input": 3}
    assert found.end_ns is None


def run(**members: Any) -> dict[str, Any]:
    return {
        "id": UUID, "trace_id": UUID, "name": "refund_flow", "run_type": "chain", "start_time": BEGIN, "end_time": END, "inputs": {"q": "hi"},
        "outputs": {"a": "ok"}, "error": None, "extra": {"metadata": {"thread_id": "s-1"}}, "dotted_order": f"20250615T150640000001Z{UUID}",
    } | members  # fmt: skip


def nested() -> dict[str, Any]:
    order = f"20250615T150640000001Z{UUID}.20250615T150640000002Z{CHILD}"
    return run(
        id=CHILD,
        run_type="tool",
        name="lookup_order",
        error="ReadTimeout('late')",
        dotted_order=order,
        extra={"tool_call_id": "call_1"},
    )


@pytest.mark.parametrize("shape", ["lines", "tree", "batch"])
def test_langsmith_runs_lines_trees_and_batches(read_bytes: ReadBytes, shape: str) -> None:
    documents = {
        "lines": [run(), nested()],
        "tree": [run(child_runs=[nested() | {"trace_id": None}])],
        "batch": [
            {
                "post": [run(outputs=None, end_time=None), nested()],
                "patch": [{"dotted_order": run()["dotted_order"], "outputs": {"a": "ok"}, "end_time": END}],
            }
        ],
    }[shape]
    root, tool = read_bytes(lines(documents), wanted=Wanted(trace_ids=(UUID,))).spans
    assert (root.parent_id, tool.parent_id) == (None, root.span_id)
    assert (root.get("gen_ai.prompt"), root.get("gen_ai.completion")) == ({"q": "hi"}, {"a": "ok"})
    assert root.end_ns == 1_750_000_001_000_000_000
    assert (tool.status_code, tool.status_message) == ("error", "ReadTimeout('late')")
    assert tool.get("gen_ai.tool.call.id") == "call_1"
    assert root.get("langsmith.metadata.thread_id") == "s-1"


def test_langsmith_content_that_lies_elsewhere_is_told(read_bytes: ReadBytes) -> None:
    reading = one_trace(read_bytes, run(inputs=None, inputs_s3_urls={"ROOT": {"presigned_url": "x"}}), UUID)
    assert codes(reading.file_notes)["external_content"] == 1


def test_mlflow_traces_are_decoded_once_and_carry_their_info(read_bytes: ReadBytes) -> None:
    def encoded(digits: str) -> str:
        return base64.b64encode(bytes.fromhex(digits)).decode()

    spans = [
        {
            "trace_id": encoded(TRACE), "span_id": encoded(FIRST), "parent_span_id": None, "name": "refund_agent", "start_time_unix_nano": START + 1,
            "end_time_unix_nano": START + 2, "status": {"code": "STATUS_CODE_ERROR"}, "attributes": {"mlflow.spanType": '"TOOL"', "mlflow.spanInputs": '{"a": 1}'},
        }
    ]  # fmt: skip
    info = {
        "trace_id": "tr-" + TRACE,
        "trace_metadata": {"mlflow.trace.session": "s-1"},
        "state": "OK",
        "tags": {"tenant": "t1"},
    }
    (found,) = one_trace(read_bytes, {"info": info, "data": {"spans": spans}}, "tr-" + TRACE).spans
    assert (found.trace_id, found.start_ns, found.status_code) == (TRACE, START + 1, "error")
    assert (found.get("mlflow.spanType"), found.get("mlflow.spanInputs")) == ("TOOL", {"a": 1})
    assert (found.get("mlflow.trace.session"), found.get("mlflow.trace.tag.tenant")) == ("s-1", "t1")


@pytest.mark.parametrize("body", [True, False])
def test_openai_agents_items_as_lines_and_as_a_body(read_bytes: ReadBytes, body: bool) -> None:
    items = [
        {"object": "trace", "id": "trace_" + TRACE, "workflow_name": "refund_flow", "group_id": "s-1", "metadata": {"user_id": "u-1"}},
        {
            "object": "trace.span", "id": "span_" + "ab" * 12, "trace_id": "trace_" + TRACE, "parent_id": None, "started_at": BEGIN, "ended_at": END,
            "span_data": {"type": "function", "name": "lookup_order", "input": '{"a": 1}', "output": None}, "error": {"message": "Error running tool", "data": {"error": "late"}},
        },
    ]  # fmt: skip
    content = json.dumps({"data": items}).encode() if body else lines(items)
    (found,) = read_bytes(content).spans
    assert (found.name, found.status_code, found.status_message) == ("lookup_order", "error", "Error running tool")
    assert found.get("openai_agents.input") == '{"a": 1}'
    assert found.get("openai_agents.error.data") == {"error": "late"}
    assert (found.get("session.id"), found.get("user.id")) == ("s-1", "u-1")


@pytest.mark.parametrize("shape", ["payload", "line", "search"])
def test_datadog_payloads_lines_and_answers(read_bytes: ReadBytes, shape: str) -> None:
    node = {
        "trace_id": TRACE, "span_id": "17502103400871995681", "parent_id": "undefined", "name": "lookup_order", "start_ns": START, "duration": 250, "status": "error",
        "meta": {"span": {"kind": "tool"}, "input": {"value": '{"a": 1}'}, "error": {"type": "ReadTimeout", "message": "late"}, "metadata": {}},
        "metrics": {"input_tokens": 3}, "tags": ["service:refund-agent", "tenant:t1"], "session_id": "s-1",
    }  # fmt: skip
    document: Any = {
        "payload": [{"event_type": "span", "spans": [node]}],
        "line": node,
        "search": {"data": [{"type": "span", "attributes": node}]},
    }[shape]
    (found,) = one_trace(read_bytes, document, TRACE).spans
    assert (found.parent_id, found.end_ns, found.status_code, found.status_message) == (
        None,
        START + 250,
        "error",
        "late",
    )
    assert {
        "datadog.span.kind": "tool",
        "datadog.input.value": '{"a": 1}',
        "datadog.error.type": "ReadTimeout",
        "session.id": "s-1",
    }.items() <= dict(found.attributes).items()
    assert found.resource.attributes == (("service.name", "refund-agent"),)


def test_braintrust_rows_of_one_span_are_folded(read_bytes: ReadBytes) -> None:
    row = {
        "id": "r1", "span_id": FIRST, "root_span_id": TRACE, "span_parents": None, "span_attributes": {"type": "tool", "name": "lookup_order"},
        "metrics": {"start": 1750000000.123456}, "input": {"a": 1}, "metadata": {"session_id": "s-1"},
    }  # fmt: skip
    later = {
        "id": "r1",
        "span_id": FIRST,
        "root_span_id": TRACE,
        "_is_merge": True,
        "output": "ok",
        "metrics": {"end": 1750000001.5},
        "error": "late",
    }
    (found,) = read_bytes(lines([row, later])).spans
    assert (found.start_ns, found.end_ns) == (1_750_000_000_123_456_000, 1_750_000_001_500_000_000)
    assert {
        "braintrust.type": "tool",
        "braintrust.input": {"a": 1},
        "braintrust.output": "ok",
        "session.id": "s-1",
    }.items() <= dict(found.attributes).items()
    assert (found.name, found.status_code) == ("lookup_order", "error")


def test_deepeval_lists_spans_by_kind(read_bytes: ReadBytes) -> None:
    agent = {
        "uuid": UUID,
        "name": "agent",
        "type": "agent",
        "status": "SUCCESS",
        "startTime": BEGIN,
        "endTime": END,
        "input": {"q": "hi"},
    }
    tool = {
        "uuid": CHILD,
        "parentUuid": UUID,
        "name": "look",
        "type": "tool",
        "status": "ERRORED",
        "startTime": END,
        "endTime": END,
    }
    document = {
        "uuid": "9c0a6efc-4aea-4514-852f-01a22e64c73d",
        "agentSpans": [agent],
        "toolSpans": [tool],
        "threadId": "s-1",
    }
    first, second = one_trace(read_bytes, document, str(document["uuid"])).spans
    assert (second.parent_id, second.status_code, first.get("session.id")) == (first.span_id, "error", "s-1")
    assert first.get("deepeval.input") == {"q": "hi"}


def test_inspect_ai_events_are_steps_below_their_span(tmp_path: Any) -> None:
    events = [
        {"event": "span_begin", "id": "a1", "span_id": "a1", "timestamp": BEGIN, "name": "solve", "type": "solver"},
        {
            "event": "tool",
            "id": "call_1",
            "span_id": "a1",
            "timestamp": BEGIN,
            "completed": END,
            "function": "look",
            "arguments": {"a": "attachment://9"},
            "result": "x",
        },
    ]
    sample = {"id": 1, "epoch": 1, "uuid": "Sample1", "events": events, "attachments": {"9": "a long text"}}
    file = tmp_path / "log.json"
    file.write_text(json.dumps({"version": 2, "eval": {"run_id": "r"}, "plan": {}, "samples": [sample]}))
    (found,) = survey([str(file)])
    assert (found.spans, found.containers, found.problems) == (2, ("inspect_ai",), ())


def test_one_broken_row_costs_itself_alone(read_bytes: ReadBytes) -> None:
    reading = read_bytes(lines([observation(traceId=TRACE), observation(traceId=TRACE, id=["x"])]))
    assert len(reading.spans) == 1
    assert codes(reading.file_notes)["span_refused"] == 1
