"""Jaeger's JSON in all its places: API, UI, storage, model dumps."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from extractor.model.config import Wanted
from extractor.model.reading import Reading
from extractor.model.span import Span

from ..build import START, TRACE
from ..conftest import ReadBytes, codes

MICROS = START // 1_000


def tag(key: str, value: Any, kind: str = "string") -> dict[str, Any]:
    return {"key": key, "type": kind, "value": value}


def node(number: int, **members: Any) -> dict[str, Any]:
    return {
        "traceID": TRACE,
        "spanID": f"{number:016x}",
        "operationName": f"step {number}",
        "startTime": MICROS + number,
        "duration": 250,
        "processID": "p1",
        "tags": [tag("span.kind", "client")],
        "logs": [],
    } | members


def trace(*spans: dict[str, Any], **members: Any) -> dict[str, Any]:
    processes = {"p1": {"serviceName": "refund-agent", "tags": [tag("service.version", "3.1")]}}
    return {"traceID": TRACE, "spans": list(spans), "processes": processes} | members


def parent(number: int, kind: str = "CHILD_OF", trace_id: str = TRACE) -> dict[str, Any]:
    return {"refType": kind, "traceID": trace_id, "spanID": f"{number:016x}"}


def read_json(read_bytes: ReadBytes, document: Any) -> Reading:
    reading: Reading = read_bytes(json.dumps(document).encode())
    return reading


def only(reading: Reading) -> Span:
    (span,) = reading.spans
    return span


@pytest.mark.parametrize(
    "wrap", [lambda one: {"data": [one], "total": 0, "errors": None}, lambda one: one, lambda one: [one]]
)
def test_answers_downloads_and_single_traces_are_read(read_bytes: ReadBytes, wrap: Any) -> None:
    document = trace(node(1), node(2, references=[parent(1), parent(9, "FOLLOWS_FROM")]))
    first, second = read_json(read_bytes, wrap(document)).spans
    assert (first.parent_id, second.parent_id) == (None, f"{1:016x}")
    assert (second.start_ns, second.end_ns) == ((MICROS + 2) * 1_000, (MICROS + 252) * 1_000)
    assert [link.span_id for link in second.links] == [f"{9:016x}"]
    assert first.resource.attributes == (("service.name", "refund-agent"), ("service.version", "3.1"))
    assert first.kind == "client"
    assert first.attributes == ()


def test_fields_of_opentelemetry_leave_the_tags(read_bytes: ReadBytes) -> None:
    tags = [
        tag("otel.status_code", "ERROR"), tag("otel.status_description", "timed out"), tag("error", True, "bool"),
        tag("otel.scope.name", "agent"), tag("otel.scope.version", "2"), tag("w3c.tracestate", "a=b"), tag("amount", 4599, "int64"),
        tag("big", str(2**60 + 1), "int64"), tag("rate", 0.5, "float64"), tag("raw", "00ff", "binary"),
    ]  # fmt: skip
    span = only(read_json(read_bytes, trace(node(1, tags=tags))))
    assert (span.status_code, span.status_message, span.trace_state) == ("error", "timed out", "a=b")
    assert (span.scope.name, span.scope.version) == ("agent", "2")
    assert span.attributes == (("amount", 4599), ("big", 2**60 + 1), ("rate", 0.5), ("raw", "AP8="))


def test_logs_become_events_named_by_their_field(read_bytes: ReadBytes) -> None:
    log = {"timestamp": MICROS + 5, "fields": [tag("event", "exception"), tag("exception.type", "ReadTimeout")]}
    (event,) = only(read_json(read_bytes, trace(node(1, logs=[log])))).events
    assert (event.name, event.time_ns) == ("exception", (MICROS + 5) * 1_000)
    assert event.attributes == (("exception.type", "ReadTimeout"),)


def test_ids_without_leading_zeros_are_padded(read_bytes: ReadBytes) -> None:
    short = node(1, traceID="ab12", spanID="1f", references=[])
    span = only(read_bytes(json.dumps(trace(short)).encode(), wanted=Wanted(trace_ids=("ab12".zfill(32),))))
    assert (span.trace_id, span.span_id) == ("ab12".zfill(32), "1f".zfill(16))


def test_what_the_server_says_of_its_data_is_told(read_bytes: ReadBytes) -> None:
    moved = node(1, warnings=["clock skew adjustment disabled; not applying calculated delta of 5ms"])
    reading = read_json(read_bytes, {"data": [trace(moved, warnings=["trace is incomplete"])]})
    assert codes(reading.file_notes) | {"times_adjusted_by_server": 1, "server_warning": 1} == codes(reading.file_notes)


def test_a_stored_document_carries_its_process(read_bytes: ReadBytes) -> None:
    stored = node(1, process={"serviceName": "api", "tags": []})
    stored.pop("processID")
    assert only(read_json(read_bytes, stored)).resource.attributes == (("service.name", "api"),)


def test_the_dump_of_the_domain_model_is_read(read_bytes: ReadBytes) -> None:
    encoded = base64.b64encode(bytes.fromhex(TRACE)).decode()
    spans = [
        {
            "traceId": encoded,
            "spanId": base64.b64encode((7).to_bytes(8, "big")).decode(),
            "operationName": "get",
            "references": [{"traceId": encoded, "spanId": base64.b64encode((1).to_bytes(8, "big")).decode()}],
            "startTime": "2025-06-15T15:06:40.5Z",
            "duration": "22938000ns",
            "tags": [{"key": "port", "vType": "INT64", "vInt64": 53931}, {"key": "no", "vType": "BOOL"}],
            "process": {"serviceName": "api"},
        }
    ]
    span = only(read_json(read_bytes, {"spans": spans}))
    assert (span.span_id, span.parent_id) == (f"{7:016x}", f"{1:016x}")
    assert (span.end_ns or 0) - span.start_ns == 22_938_000
    assert span.attributes == (("port", 53931), ("no", False))


def test_the_dump_of_a_thrift_batch_is_read(read_bytes: ReadBytes) -> None:
    high, low = int(TRACE[:16], 16), int(TRACE[16:], 16) - 2**64
    batch = {
        "process": {"serviceName": "api"},
        "spans": [
            {
                "traceIdHigh": high,
                "traceIdLow": low,
                "spanId": 7,
                "parentSpanId": 1,
                "operationName": "get",
                "startTime": MICROS,
                "duration": 5,
            }
        ],
    }
    span = only(read_json(read_bytes, batch))
    assert (span.trace_id, span.span_id, span.parent_id) == (TRACE, f"{7:016x}", f"{1:016x}")


def test_a_span_with_a_duration_that_is_none_is_refused_and_named(read_bytes: ReadBytes) -> None:
    reading = read_json(read_bytes, trace(node(1), node(2, duration="invalid")))
    assert len(reading.spans) == 1
    assert codes(reading.file_notes)["span_refused"] == 1


@pytest.mark.parametrize(
    ("code", "unknown"),
    [("malformed_kind", tag("span.kind", "broker")), ("malformed_status", tag("otel.status_code", "FAILED"))],
)
def test_a_kind_or_status_of_no_convention_is_said(read_bytes: ReadBytes, code: str, unknown: dict[str, Any]) -> None:
    reading = read_json(read_bytes, trace(node(1, tags=[unknown])))
    assert codes(reading.file_notes)[code] == 1
    assert (only(reading).kind, only(reading).status_code) == ("unspecified", "unset")


def test_a_known_kind_and_status_say_nothing(read_bytes: ReadBytes) -> None:
    reading = read_json(read_bytes, trace(node(1, tags=[tag("span.kind", "Client"), tag("otel.status_code", "Error")])))
    assert not {"malformed_kind", "malformed_status"} & set(codes(reading.file_notes))
    assert (only(reading).kind, only(reading).status_code) == ("client", "error")
