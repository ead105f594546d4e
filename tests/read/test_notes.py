"""What the spans themselves show: duplicates and versions, holes, clocks and cuts."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest

from extractor.model.config import Wanted

from .build import OTHER, START, TRACE, attribute, lines, request, span
from .conftest import ReadBytes, codes, places


def test_identical_spans_are_merged_and_counted(read_bytes: ReadBytes) -> None:
    data = lines([request(span(1), span(2))])
    reading = read_bytes(data, data, data)
    assert len(reading.spans) == 2
    assert codes(reading.file_notes) == {"duplicates_merged": 4, "records_read": 3}
    assert reading.span_notes == ()


def test_versions_of_a_span_become_their_union_in_any_order(read_bytes: ReadBytes) -> None:
    event = {"name": "exception", "timeUnixNano": str(START), "attributes": []}
    versions = [
        span(2, endTimeUnixNano="0", attributes=[attribute("early", "stringValue", "x")], events=[event]),
        span(2, attributes=[attribute("late", "intValue", "1"), attribute("both", "boolValue", True)]),
        span(2, attributes=[attribute("both", "intValue", "1")], status={"code": 2, "message": "timed out"}),
    ]
    readings = [read_bytes(*(lines([request(span(1), one)]) for one in order)) for order in permutations(versions)]
    assert len({repr((reading.spans, reading.span_notes)) for reading in readings}) == 1
    merged = readings[0].spans[1]
    assert dict(merged.attributes) == {"late": 1, "both": True, "early": "x"}
    assert merged.get("both") is True
    assert (merged.status_code, merged.status_message) == ("error", "timed out")
    assert [one.name for one in merged.events] == ["exception"]
    assert merged.end_ns is not None
    assert places(readings[0].span_notes, "versions_merged") == ("span 2",)


@pytest.mark.parametrize(
    ("code", "members"),
    [
        ("orphan_span", {"parentSpanId": "00000000000000ff"}),
        ("clock_inversion", {"startTimeUnixNano": str(START)}),
        ("no_start_time", {"startTimeUnixNano": "0"}),
        ("no_end_time", {"endTimeUnixNano": "0"}),
        ("no_end_time", {"endTimeUnixNano": None}),
        ("end_before_start", {"endTimeUnixNano": str(START)}),
        ("dropped_attributes", {"droppedLinksCount": 3}),
        ("truncated_value", {"attributes": [attribute("x", "stringValue", '{"order": "ORD-10')]}),
        ("truncated_value", {"attributes": [attribute("x", "stringValue", "a long text[truncated]")]}),
        ("repeated_attribute", {"attributes": [attribute("x", "intValue", "1"), attribute("x", "intValue", "2")]}),
    ],
)
def test_each_fault_of_a_span_is_noted(read_bytes: ReadBytes, code: str, members: dict[str, Any]) -> None:
    reading = read_bytes(lines([request(span(1), span(2, **members))]))
    assert codes(reading.span_notes) == {code: 1}
    where = [number for number, one in enumerate(reading.spans, 1) if one.span_id.endswith("2")]
    assert places(reading.span_notes, code) == (f"span {where[0]}",)


@pytest.mark.parametrize("root", ["", "0000000000000000", None])
def test_every_spelling_of_a_root_is_one(read_bytes: ReadBytes, root: str | None) -> None:
    reading = read_bytes(lines([request(span(1, parentSpanId=root))]))
    assert reading.span_notes == ()


def test_a_trace_without_its_root_is_noted(read_bytes: ReadBytes) -> None:
    reading = read_bytes(lines([request(span(2), span(3, parent=2))]))
    assert codes(reading.span_notes) == {"missing_root": 1, "orphan_span": 1}


def test_notes_hold_no_text_of_the_trace(read_bytes: ReadBytes) -> None:
    reading = read_bytes(lines([request(span(2, name="canary-4471", parentSpanId="00000000000000ff"))]))
    assert "canary" not in repr(reading.span_notes)
    assert TRACE not in repr(reading.span_notes)


def row(trace_id: str, number: int, **members: Any) -> bytes:
    told = {
        "trace.trace_id": trace_id,
        "trace.span_id": f"{number:016x}",
        "name": "step",
        "time": "2026-06-01T00:00:00Z",
        "duration_ms": 1,
    }
    return json.dumps(told | members).encode() + b"\n"


def test_what_is_true_of_another_trace_is_not_told_of_this_one(read_bytes: ReadBytes) -> None:
    """Another trace may name this one, or this one have an id that is found by reading everything."""
    other = row(OTHER, 1, SampleRate=4, note=f"see {TRACE}")
    assert read_bytes(row(TRACE, 2) + other).span_notes == ()
    assert codes(read_bytes(row(TRACE, 2, SampleRate=4) + other).span_notes) == {"sampled_spans": 1}
    data = row("conversation-78", 2) + row("conversation-77", 1, SampleRate=4)
    spelled = read_bytes(data, wanted=Wanted(trace_ids=("conversation-78",)))
    by_id = read_bytes(data, wanted=Wanted(trace_ids=(spelled.spans[0].trace_id,)))
    assert (by_id.spans, by_id.span_notes) == (spelled.spans, spelled.span_notes)


def test_a_row_without_a_span_of_its_own_is_told_of_its_trace_and_no_other(read_bytes: ReadBytes) -> None:
    event = row(TRACE, 3, **{"meta.annotation_type": "span_event"})
    stranger = row(OTHER, 3, **{"meta.annotation_type": "span_event", "note": TRACE})
    assert codes(read_bytes(row(TRACE, 1) + event + stranger).span_notes) == {"annotation_row_not_joined": 1}
