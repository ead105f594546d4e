"""One span object a line: what SDK consoles and home-made exporters write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from extractor.model.config import Wanted
from extractor.model.span import Span
from extractor.read import read, survey

from ..build import TRACE, lines, request, span
from ..conftest import ReadBytes, codes

PYTHON_CONSOLE = {
    "name": "lookup_order",
    "context": {"trace_id": f"0x{TRACE}", "span_id": "0x00000000000000a2", "trace_state": "[]"},
    "kind": "SpanKind.CLIENT",
    "parent_id": "0x00000000000000a1",
    "start_time": "2025-06-15T15:06:40.000001Z",
    "end_time": "2025-06-15T17:06:40.250000+02:00",
    "status": {"status_code": "ERROR", "description": "timed out"},
    "attributes": {"session.id": "s1", "amount": 10.10, "count": 3, "tags": ["a", "b"], "ok": True},
    "events": [{"name": "exception", "timestamp": "2025-06-15T15:06:40.2Z", "attributes": {"exception.type": "T"}}],
    "links": [{"context": {"trace_id": f"0x{TRACE}", "span_id": "0x00000000000000a1"}, "attributes": {}}],
    "resource": {"attributes": {"service.name": "refund-agent"}, "schema_url": ""},
}
JAVASCRIPT_CONSOLE = {
    "resource": {"attributes": {"service.name": "refund-agent"}},
    "instrumentationScope": {"name": "ai"},
    "traceId": TRACE,
    "parentSpanContext": {"traceId": TRACE, "spanId": "00000000000000a1"},
    "name": "ai.toolCall",
    "id": "00000000000000a2",
    "kind": 2,
    "timestamp": 1750000000000001,
    "duration": 99282.147,
    "attributes": {"ai.toolCall.name": "lookup_order"},
    "status": {"code": 2, "message": "timed out"},
    "events": [{"name": "exception", "attributes": {}, "time": [1750000000, 200000000]}],
}


def _span(read_bytes: ReadBytes, node: object) -> Span:
    (found,) = read_bytes(json.dumps(node).encode() + b"\n").spans
    return found


def test_the_python_console_form_is_read(read_bytes: ReadBytes) -> None:
    span = _span(read_bytes, PYTHON_CONSOLE)
    assert (span.trace_id, span.span_id, span.parent_id) == (TRACE, "00000000000000a2", "00000000000000a1")
    assert (span.start_ns, span.end_ns) == (1_750_000_000_000_001_000, 1_750_000_000_250_000_000)
    assert (span.kind, span.status_code, span.status_message) == ("client", "error", "timed out")
    assert span.get("amount") == 10.1
    assert type(span.get("amount")) is float
    assert span.get("tags") == ["a", "b"]
    assert span.events[0].time_ns == 1_750_000_000_200_000_000
    assert span.links[0].span_id == "00000000000000a1"
    assert span.trace_state == ""
    assert span.resource.attributes == (("service.name", "refund-agent"),)


def test_the_javascript_console_form_is_read(read_bytes: ReadBytes) -> None:
    span = _span(read_bytes, JAVASCRIPT_CONSOLE)
    assert (span.span_id, span.parent_id, span.kind) == ("00000000000000a2", "00000000000000a1", "client")
    assert (span.start_ns, span.end_ns) == (1_750_000_000_000_001_000, 1_750_000_000_099_283_147)
    assert (span.scope.name, span.status_code) == ("ai", "error")
    assert span.events[0].time_ns == 1_750_000_000_200_000_000


def test_concatenated_pretty_objects_are_read(read_bytes: ReadBytes) -> None:
    other = PYTHON_CONSOLE | {"context": {"trace_id": TRACE, "span_id": "00000000000000a3"}}
    data = json.dumps(PYTHON_CONSOLE, indent=4) + "\n" + json.dumps(other, indent=4)
    assert len(read_bytes(data.encode()).spans) == 2


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (1750000000, 1_750_000_000_000_000_000),
        (1750000000.25, 1_750_000_000_250_000_000),
        ("1750000000.123456789", 1_750_000_000_123_456_789),
        (1750000000123, 1_750_000_000_123_000_000),
        (1750000000123456, 1_750_000_000_123_456_000),
        (1750000000123456789, 1_750_000_000_123_456_789),
        ("1750000000123456789", 1_750_000_000_123_456_789),
        ([1750000000, 5], 1_750_000_000_000_000_005),
        ("2025-06-15 15:06:40.123456789", 1_750_000_000_123_456_789),
        ("2025-06-15T15:06:40Z", 1_750_000_000_000_000_000),
        ("2025-06-15T11:06:40-0400", 1_750_000_000_000_000_000),
        ("2025-13-45T15:06:40Z", 0),
        ("1e99999999", 0),
        (-5, 0),
        (True, 0),
        ({"low": 1}, 0),
        (None, 0),
    ],
)
def test_times_are_read_in_any_spelling(read_bytes: ReadBytes, start: object, expected: int) -> None:
    node = {"trace_id": TRACE, "span_id": "00000000000000a2", "name": "x", "start_time": start}
    assert _span(read_bytes, node).start_ns == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(0, "unspecified"), (2, "server"), (99, "unspecified"), ("SPAN_KIND_PRODUCER", "producer"), ("Client", "client")],
)
def test_kinds_are_read_as_number_or_name(read_bytes: ReadBytes, kind: object, expected: str) -> None:
    node = {"traceId": TRACE, "spanId": "00000000000000a2", "name": "x", "kind": kind}
    assert _span(read_bytes, node).kind == expected


def test_numbers_beyond_a_double_become_text(read_bytes: ReadBytes) -> None:
    text = f'{{"trace_id": "{TRACE}", "span_id": "00000000000000a2", "attributes": {{"a": 1e999, "b": NaN}}}}\n'
    (span,) = read_bytes(text.encode()).spans
    assert span.attributes == (("a", "Infinity"), ("b", "NaN"))


@pytest.mark.parametrize("missing", [None, "", "0" * 32])
def test_a_span_of_no_trace_stands_alone_and_is_told(tmp_path: Path, missing: str | None) -> None:
    file = tmp_path / "export.jsonl"
    file.write_bytes(lines([request(span(1, traceId=missing, spanId="0" * 16), span(2, traceId=missing))]))
    found = survey([str(file)])
    assert [one.spans for one in found] == [1, 1]
    assert codes(found.file_notes) == {"no_ids": 2}
    (first, _) = found
    assert len(read([str(file)], Wanted(trace_ids=(first.trace_id,))).spans) == 1
