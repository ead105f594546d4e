"""Spans a row each: Zipkin, ClickHouse, Phoenix, Honeycomb; envelopes and logs around them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import InputUnreadable
from extractor.model.config import Wanted
from extractor.model.span import Span
from extractor.read import survey

from ..build import OTHER, START, TRACE, attribute, big_endian, lines, message, request, span
from ..conftest import ReadBytes, codes

MICROS = START // 1_000
FIRST, SECOND = f"{1:016x}", f"{2:016x}"


def spans(read_bytes: ReadBytes, *documents: Any) -> tuple[Span, ...]:
    found: tuple[Span, ...] = read_bytes(*(json.dumps(one).encode() + b"\n" for one in documents)).spans
    return found


def zipkin(number: int, **members: Any) -> dict[str, Any]:
    return {
        "traceId": TRACE,
        "id": f"{number:016x}",
        "name": "issue_refund",
        "timestamp": MICROS + number,
        "duration": 250,
        "localEndpoint": {"serviceName": "refund-agent", "ipv4": "192.0.2.7"},
    } | members


@pytest.mark.parametrize("wrap", [lambda nodes: nodes, lambda nodes: [nodes], lambda nodes: nodes[0]])
def test_zipkin_lists_lists_of_lists_and_single_spans(read_bytes: ReadBytes, wrap: Any) -> None:
    first = spans(read_bytes, wrap([zipkin(1, kind="CLIENT"), zipkin(2, parentId=FIRST)]))[0]
    assert (first.kind, first.start_ns, first.end_ns) == ("client", (MICROS + 1) * 1_000, (MICROS + 251) * 1_000)
    assert first.resource.attributes == (("service.name", "refund-agent"),)
    assert first.attributes == (("net.host.ip", "192.0.2.7"),)


def test_both_sides_of_a_shared_zipkin_span_stay_apart(read_bytes: ReadBytes) -> None:
    server, client = sorted(
        spans(read_bytes, [zipkin(2, kind="CLIENT", parentId=FIRST), zipkin(2, kind="SERVER", shared=True)]),
        key=lambda one: one.kind,
        reverse=True,
    )
    assert server.span_id != client.span_id == SECOND
    assert server.parent_id == SECOND


@pytest.mark.parametrize(
    ("tags", "status", "text"),
    [
        ({"error": "true", "otel.status_code": "Error", "otel.status_description": "late"}, "error", "late"),
        ({"otel.status_code": "ERROR", "error": "timed out"}, "error", "timed out"),
        ({"otel.status_code": "Ok"}, "ok", ""),
        ({}, "unset", ""),
    ],
)
def test_zipkin_status_as_collector_and_python_write_it(
    read_bytes: ReadBytes, tags: Any, status: str, text: str
) -> None:
    (found,) = spans(read_bytes, [zipkin(1, tags=tags)])
    assert (found.status_code, found.status_message) == (status, text)


@pytest.mark.parametrize(
    "value", ['exception|{"exception.type":"ReadTimeout"}|0', '{"exception": {"exception.type": "ReadTimeout"}}']
)
def test_zipkin_annotations_are_events(read_bytes: ReadBytes, value: str) -> None:
    (found,) = spans(read_bytes, [zipkin(1, annotations=[{"timestamp": MICROS, "value": value}])])
    assert found.events[0].name == "exception"
    assert found.events[0].attributes == (("exception.type", "ReadTimeout"),)


def test_clickhouse_rows_with_nested_columns(read_bytes: ReadBytes) -> None:
    row = {
        "Timestamp": "2025-06-15 15:06:40.123456789", "TraceId": TRACE, "SpanId": FIRST, "ParentSpanId": "", "SpanName": "chat", "SpanKind": "Client",
        "ServiceName": "refund-agent", "ResourceAttributes": {"service.name": "refund-agent"}, "ScopeName": "agent", "SpanAttributes": {"n": "4"},
        "Duration": "250", "StatusCode": "STATUS_CODE_ERROR", "StatusMessage": "late", "Events.Timestamp": ["2025-06-15 15:06:40.2"],
        "Events.Name": ["exception"], "Events.Attributes": [{"exception.type": "T"}], "Links.TraceId": [OTHER], "Links.SpanId": [SECOND],
    }  # fmt: skip
    (found,) = spans(read_bytes, row)
    assert (found.start_ns, found.end_ns) == (1_750_000_000_123_456_789, 1_750_000_000_123_457_039)
    assert (found.kind, found.status_code, found.parent_id) == ("client", "error", None)
    assert found.attributes == (("n", "4"),)
    assert (found.events[0].name, found.links[0].trace_id) == ("exception", OTHER)


def test_phoenix_rows_get_their_dotted_names_back(read_bytes: ReadBytes) -> None:
    row = {
        "context.trace_id": TRACE, "context.span_id": FIRST, "parent_id": None, "name": "lookup_order", "span_kind": "TOOL",
        "start_time": "2025-06-15T15:06:40Z", "end_time": "2025-06-15T15:06:41Z", "status_code": "OK", "events": [],
        "attributes.llm.input_messages": [{"message.role": "user", "message.content": "hi"}], "attributes.http": {"request": {"method": "GET"}},
        "attributes.metadata": {"tenant": "t1"}, "attributes.output.value": None,
    }  # fmt: skip
    (found,) = spans(read_bytes, row)
    assert dict(found.attributes) == {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "hi",
        "http.request.method": "GET",
        "metadata": {"tenant": "t1"},
        "openinference.span.kind": "TOOL",
    }


def test_honeycomb_rows_keep_flat_fields_and_tell_of_sampling(read_bytes: ReadBytes) -> None:
    row = {
        "trace.trace_id": TRACE, "trace.span_id": FIRST, "name": "chat", "duration_ms": 0.25, "time": "2025-06-15T15:06:40Z",
        "service.name": "refund-agent", "error": True, "gen_ai.operation.name": "chat", "SampleRate": 4,
    }  # fmt: skip
    event = {"trace.trace_id": TRACE, "trace.span_id": FIRST, "meta.annotation_type": "span_event", "name": "x"}
    reading = read_bytes(lines([row, event]))
    (found,) = reading.spans
    assert ((found.end_ns or 0) - found.start_ns, found.status_code) == (250_000, "error")
    assert found.attributes == (("gen_ai.operation.name", "chat"),)
    assert {"sampled_spans": 1, "annotation_row_not_joined": 1}.items() <= codes(reading.file_notes).items()


@pytest.mark.parametrize("answer", ["batches", "trace", "result", "data"])
def test_answers_hold_requests_under_names_of_their_own(read_bytes: ReadBytes, answer: str) -> None:
    one = request(span(1), span(2))
    document = (
        {"batches": one["resourceSpans"]} if answer == "batches" else {answer: [one] if answer == "data" else one}
    )
    assert len(spans(read_bytes, document)) == 2


def test_partial_answers_and_further_pages_are_told(read_bytes: ReadBytes) -> None:
    document = {"trace": request(span(1)), "status": "PARTIAL", "next_cursor": "x"}
    assert {"partial_answer": 1, "further_pages": 1}.items() <= codes(
        read_bytes(json.dumps(document).encode()).file_notes
    ).items()


def log(number: int, name: str, **members: Any) -> dict[str, Any]:
    record = {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "timeUnixNano": str(START + 7),
        "attributes": [attribute("event.name", "stringValue", name)],
    } | members
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}


def test_logs_join_the_spans_that_they_name(read_bytes: ReadBytes) -> None:
    said = log(2, "gen_ai.user.message", body={"kvlistValue": {"values": [attribute("content", "stringValue", "Hi")]}})
    reading = read_bytes(lines([request(span(1), span(2))]), lines([said, log(9, "lost"), log(0, "of no span")]))
    (event,) = reading.spans[1].events
    assert (event.name, event.time_ns) == ("gen_ai.user.message", START + 7)
    assert ("content", "Hi") in event.attributes
    assert codes(reading.span_notes)["log_without_span"] == 1
    assert codes(reading.file_notes)["log_of_no_span"] == 1


def test_logs_in_protobuf_join_as_well(read_bytes: ReadBytes) -> None:
    from opentelemetry.proto.logs.v1.logs_pb2 import LogsData

    data = LogsData()
    record = data.resource_logs.add().scope_logs.add().log_records.add()
    record.trace_id, record.span_id = bytes.fromhex(TRACE), bytes.fromhex(FIRST)
    record.time_unix_nano, record.event_name = START, "gen_ai.choice"
    record.body.string_value = "done"
    reading = read_bytes(big_endian([message(request(span(1))), data.SerializeToString()]))
    (event,) = reading.spans[0].events
    assert (event.name, event.attributes) == ("gen_ai.choice", (("body", "done"),))


def test_logs_alone_are_no_trace(read_bytes: ReadBytes) -> None:
    with pytest.raises(InputUnreadable, match="no span"):
        read_bytes(lines([log(1, "gen_ai.choice")]))


def test_ids_of_other_services_are_digested_and_found_in_their_own_spelling(read_bytes: ReadBytes) -> None:
    nodes = [
        {"trace_id": "live-1", "span_id": "root", "name": "run", "start_time": START, "attributes": {}},
        {
            "trace_id": "live-1",
            "span_id": "tool",
            "parent_span_id": "root",
            "name": "t",
            "start_time": START + 1,
            "attributes": {},
        },
        {"trace_id": "live-2", "span_id": "root", "name": "other", "start_time": START, "attributes": {}},
    ]
    reading = read_bytes(lines(nodes), wanted=Wanted(trace_ids=("live-1",)))
    root, tool = reading.spans
    assert (len(root.trace_id), len(root.span_id), tool.parent_id) == (32, 16, root.span_id)
    assert codes(reading.file_notes)["foreign_ids"] == 2
    again = read_bytes(lines(nodes), wanted=Wanted(trace_ids=(root.trace_id,)))
    assert again.spans == reading.spans


def test_attributes_without_a_span_are_one_step(tmp_path: Path) -> None:
    file = tmp_path / "attributes.json"
    file.write_text(json.dumps({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "output": "x"}))
    found = survey([str(file)])
    assert [(one.spans, one.containers, one.problems) for one in found] == [
        (1, ("bare_attributes",), ("no_end_time", "no_start_time"))
    ]
    assert codes(found.file_notes) == {"no_ids": 1}


def test_text_of_the_javascript_console_is_refused_with_what_to_do(read_bytes: ReadBytes) -> None:
    text = (
        b"{\n  resource: {\n    attributes: { 'service.name': 'agent' }\n  },\n  traceId: '"
        + TRACE.encode()
        + b"'\n}\n"
    )
    with pytest.raises(InputUnreadable, match="file_javascript_text") as caught:
        read_bytes(text)
    assert "JSON.stringify" in (caught.value.hint or "")
