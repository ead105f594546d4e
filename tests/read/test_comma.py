"""Comma-separated exports: rows as records, JSON in cells read by those who know the column."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from extractor.errors import InputUnreadable
from extractor.model.config import Wanted
from extractor.read import Limits

from .build import OTHER, TRACE
from .conftest import ReadBytes, codes, places

FLAT = {
    "trace_id": TRACE,
    "span_id": "00000000000000a1",
    "parent_span_id": "",
    "name": "step, one",
    "start_time": "2025-06-15T15:06:40.000000001Z",
    "end_time": "2025-06-15T15:06:41Z",
    "status_code": "ERROR",
    "attributes": json.dumps({"session.id": "chat-9", "text": 'a "quoted"\nline'}, indent=1),
}


def table(*rows: dict[str, Any], delimiter: str = ",", end: str = "\n") -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_span_tables(read_bytes: ReadBytes, delimiter: str, end: str, mark: bytes) -> None:
    data = mark + table(FLAT | {"trace_id": OTHER}, FLAT, delimiter=delimiter, end=end)
    found = read_bytes(data)
    (span,) = found.spans
    assert (span.name, span.parent_id, span.status_code) == ("step, one", None, "error")
    assert span.get("text") == 'a "quoted"\nline'
    ((start, stop),) = found.files[0].ranges
    assert data[start:stop].startswith(TRACE.encode())
    assert stop == len(data)


def test_rows_of_vendors(read_bytes: ReadBytes) -> None:
    row = {
        "id": "obs-1",
        "traceId": "order-run/7",
        "type": "TOOL",
        "startTime": "2025-06-15T15:06:40.000Z",
        "endTime": "2025-06-15T15:06:41.000Z",
        "name": "issue_refund",
        "metadata": json.dumps({"attributes": {"gen_ai.tool.name": "issue_refund"}}),
    }
    (span,) = read_bytes(table(row), wanted=Wanted(trace_ids=("order-run/7",))).spans
    assert span.get("gen_ai.tool.name") == "issue_refund"


def test_a_row_with_other_cells_than_the_head_is_named(read_bytes: ReadBytes) -> None:
    data = table(FLAT) + f"{TRACE},too,few\n".encode()
    found = read_bytes(data)
    assert places(found.file_notes, "record_refused") == ("file 1 record 3 (cells)",)


@pytest.mark.parametrize("tail", [b'x,"never closed', b"\xff\xfe,b,c\n", b'"a"b,c\n'])
def test_a_table_that_breaks_off_is_named(read_bytes: ReadBytes, tail: bytes) -> None:
    found = read_bytes(table(FLAT) + tail)
    assert len(found.spans) == 1
    assert codes(found.file_notes)["record_refused"] == 1


def test_rows_are_bounded(read_bytes: ReadBytes) -> None:
    endless = table(FLAT) + b'"' + b"x\n" * 5_000
    found = read_bytes(endless, limits=Limits(record_bytes=4_000))
    assert places(found.file_notes, "record_refused") == ("file 1 record 3 (too_long)",)


@pytest.mark.parametrize("head", [b"a,b,c\n1,2,3\n", b"trace_id\nx\n", b"trace_id,span_id,{}\n"])
def test_other_tables_are_not_recognised(read_bytes: ReadBytes, head: bytes) -> None:
    with pytest.raises(InputUnreadable, match="file_not_recognised"):
        read_bytes(head)
