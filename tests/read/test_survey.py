"""What `inspect` says of the traces in an export."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractor.errors import InputUnreadable
from extractor.model.reading import TraceSummary
from extractor.read import survey

from .build import OTHER, START, TRACE, attribute, big_endian, lines, message, request, span
from .conftest import codes


def test_each_trace_is_summed_up_once(tmp_path: Path) -> None:
    tool = [attribute("gen_ai.tool.name", "stringValue", "issue_refund"), attribute("session.id", "stringValue", "s1")]
    first = request(span(1), span(2, attributes=tool, status={"code": 2}), span(3, trace_id=OTHER, parent=99))
    (tmp_path / "a").write_bytes(lines([first]) + b"oops\n")
    (tmp_path / "b").write_bytes(big_endian([message(first)]))
    found = survey([str(tmp_path)], tell=lambda one: ("", "issue_refund" if one.get("gen_ai.tool.name") else None))
    assert list(found) == [
        TraceSummary(
            trace_id=TRACE,
            spans=2,
            start="2025-06-15T15:06:40.001Z",
            duration_ms=1,
            errors=1,
            tools=("issue_refund",),
            containers=("otlp_json", "otlp_proto"),
            sessions=("s1",),
        ),
        TraceSummary(
            trace_id=OTHER,
            spans=1,
            start="2025-06-15T15:06:40.003Z",
            duration_ms=0,
            errors=0,
            containers=("otlp_json", "otlp_proto"),
            problems=("missing_root", "orphan_span"),
        ),
    ]
    assert codes(found.file_notes) == {"record_refused": 1}


def test_a_time_beyond_the_calendar_does_not_stop_it(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(lines([request(span(1, startTimeUnixNano=str(2**64 - 1)))]))
    summary = next(iter(survey([str(tmp_path)])))
    assert summary.start.startswith("2554-")


def test_clock_inversions_are_problems(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(lines([request(span(1), span(2, startTimeUnixNano=str(START)))]))
    assert next(iter(survey([str(tmp_path)]))).problems == ("clock_inversion",)


def test_an_export_without_spans_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("nothing here\n")
    with pytest.raises(InputUnreadable, match="file_not_recognised 1"):
        survey([str(tmp_path)])
