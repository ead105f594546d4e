"""OTLP as JavaScript has it in memory, dumped: ids as bytes, 64-bit numbers in halves; and home-made ids."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..build import START, TRACE, attribute, request, span
from ..conftest import ReadBytes, codes


def buffer(digits: str) -> dict[str, Any]:
    return {"type": "Buffer", "data": list(bytes.fromhex(digits))}


def by_index(digits: str) -> dict[str, Any]:
    return {str(index): byte for index, byte in enumerate(bytes.fromhex(digits))}


def halves(number: int) -> dict[str, Any]:
    """Return 64 bits as two signed halves."""
    low, high = number & 0xFFFFFFFF, number >> 32 & 0xFFFFFFFF
    return {"low": low - (low >> 31 << 32), "high": high - (high >> 31 << 32), "unsigned": False}


@pytest.mark.parametrize("spelled", [buffer, by_index])
def test_bytes_and_halves_are_what_they_stand_for(read_bytes: ReadBytes, spelled: Any) -> None:
    node = span(2) | {
        "traceId": spelled(TRACE),
        "spanId": spelled("00000000000000a2"),
        "parentSpanId": spelled("00000000000000a1"),
        "startTimeUnixNano": halves(START + 7),
        "attributes": [attribute("low", "intValue", halves(-5)), attribute("big", "intValue", halves(2**53 + 1))],
    }
    (found,) = read_bytes(json.dumps(request(node)).encode()).spans
    assert (found.trace_id, found.span_id, found.parent_id) == (TRACE, "00000000000000a2", "00000000000000a1")
    assert found.start_ns == START + 7
    assert found.attributes == (("low", -5), ("big", 2**53 + 1))


@pytest.mark.parametrize("data", [[1, 2], [256] * 16, ["x"] * 16, None])
def test_bytes_that_are_no_id_are_refused(read_bytes: ReadBytes, data: Any) -> None:
    odd = span(2) | {"traceId": {"type": "Buffer", "data": data}}
    found = read_bytes(json.dumps(request(span(1), odd)).encode())
    assert codes(found.file_notes)["span_refused"] == 1


def test_home_made_spans_may_have_ids_of_any_text(read_bytes: ReadBytes) -> None:
    nodes = [
        {"trace_id": TRACE, "span_id": "agent-1", "parent_id": None, "name": "agent"},
        {"trace_id": TRACE, "span_id": "tool-1", "parent_id": "agent-1", "name": "tool"},
    ]
    spans = {one.name: one for one in read_bytes(json.dumps(nodes).encode()).spans}
    assert spans["tool"].parent_id == spans["agent"].span_id


def test_requests_by_the_specification_may_not(read_bytes: ReadBytes) -> None:
    found = read_bytes(json.dumps(request(span(1), span(2, spanId="agent-1"))).encode())
    assert codes(found.file_notes)["span_refused"] == 1
