"""An index finds a trace again at once, and is never believed when its export has changed."""

from __future__ import annotations

import gzip
import json
import os
import stat
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from extractor.errors import TraceNotFound, UsageError
from extractor.model.config import Wanted
from extractor.model.reading import Reading
from extractor.read import make_index, read
from extractor.read.scan import Scanner

from .build import OTHER, START, TRACE, attribute, big_endian, lines, message, request, span
from .conftest import codes

ONE, TWO = Wanted(trace_ids=(TRACE,)), Wanted(trace_ids=(OTHER,))


@pytest.fixture
def export(tmp_path: Path) -> Path:
    tool = [attribute("gen_ai.tool.name", "stringValue", "issue_refund")]
    requests = [
        request(span(1), span(2, trace_id=OTHER)),
        request(span(3, attributes=tool, status={"code": 2})),
        request(span(4, trace_id=OTHER)),
    ]
    file = tmp_path / "export.jsonl"
    file.write_bytes(lines(requests) + b"a log line\n")
    return file


@pytest.fixture
def whole_reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often a source was searched from end to end."""
    counted: list[int] = []
    search = Scanner._whole

    def counting(self: Scanner, source: Any, *rest: Any) -> Any:
        counted.append(source.number)
        return search(self, source, *rest)

    monkeypatch.setattr(Scanner, "_whole", counting)
    return counted


def tool_of(one: Any) -> tuple[str, str | None]:
    name = one.get("gen_ai.tool.name")
    return "", name if isinstance(name, str) else None


def test_a_trace_is_found_without_a_search_and_reads_the_same(export: Path, whole_reads: list[int]) -> None:
    before: Reading = read([str(export)], ONE)
    (made,) = make_index([str(export)], tell=tool_of)
    assert (made.path, made.traces) == (export.with_name("export.jsonl.efx"), 2)
    assert stat.S_IMODE(made.path.stat().st_mode) == 0o600
    whole_reads.clear()
    after = read([str(export)], ONE)
    assert whole_reads == []
    assert (after.spans, after.files, after.span_notes) == (before.spans, before.files, before.span_notes)
    assert codes(after.file_notes)["index_used"] == 1
    assert read([str(export)], Wanted(trace_ids=(TRACE[:9],))).spans == before.spans


@pytest.mark.parametrize("change", ["grown", "rewritten", "touched"])
def test_a_stale_index_is_told_and_not_used(export: Path, change: str) -> None:
    make_index([str(export)])
    content = export.read_bytes()
    if change == "grown":
        export.write_bytes(content + lines([request(span(5))]))
    elif change == "rewritten":
        export.write_bytes(content.replace(b"step 1", b"step 9"))
    else:
        os.utime(export, ns=(START, START))
    reading = read([str(export)], ONE)
    assert codes(reading.file_notes)["index_stale"] == 1
    assert len(reading.spans) == (3 if change == "grown" else 2)


def test_what_an_index_says_is_checked_on_the_record(export: Path) -> None:
    (made,) = make_index([str(export)])
    moved = export.stat().st_mtime_ns
    content = export.read_bytes()
    lying = content.replace(TRACE.encode(), OTHER.encode())
    export.write_bytes(lying)
    os.utime(export, ns=(moved, moved))
    with pytest.raises(TraceNotFound):
        read([str(export)], ONE)
    assert made.path.exists()


def test_only_new_lines_are_read_of_an_export_that_grew(export: Path) -> None:
    make_index([str(export)])
    more = lines([request(span(6))])
    with export.open("ab") as file:
        file.write(more)
    (made,) = make_index([str(export)])
    assert made.bytes_read == len(more)
    (again,) = make_index([str(export)])
    assert again.bytes_read == 0
    reading = read([str(export)], ONE)
    assert (len(reading.spans), codes(reading.file_notes)["index_used"]) == (3, 1)
    export.with_name("export.jsonl.efx").unlink()
    assert read([str(export)], ONE).files == reading.files


def test_an_index_can_stand_elsewhere_and_is_no_export(export: Path, tmp_path: Path) -> None:
    away = tmp_path / "indexes"
    away.mkdir()
    (made,) = make_index([str(export)], folder=away)
    assert made.path.parent == away
    assert codes(read([str(export)], ONE, index_folder=away).file_notes)["index_used"] == 1
    make_index([str(export)])
    assert len(read([str(export.parent)], ONE).files) == 1


@pytest.mark.parametrize("form", ["gzip", "protobuf"])
def test_other_containers_have_indexes_too(tmp_path: Path, form: str, whole_reads: list[int]) -> None:
    requests = [request(span(1)), request(span(2)), request(span(3, trace_id=OTHER))]
    content = gzip.compress(lines(requests)) if form == "gzip" else big_endian([message(one) for one in requests])
    file = tmp_path / "export"
    file.write_bytes(content)
    before = read([str(file)], ONE)
    make_index([str(file)])
    whole_reads.clear()
    assert read([str(file)], ONE).spans == before.spans
    assert len(whole_reads) == (form == "gzip")  # compressed bytes cannot be sought, but other files are left out
    whole_reads.clear()
    with pytest.raises(TraceNotFound):
        read([str(file)], Wanted(trace_ids=("ab" * 16,)))


def test_traces_come_as_a_parquet_table(export: Path, tmp_path: Path) -> None:
    table = tmp_path / "traces.parquet"
    make_index([str(export)], parquet=table, tell=tool_of)
    first, second = sorted(pq.read_table(table).to_pylist(), key=lambda row: str(row["trace_id"]))
    assert (first["trace_id"], first["spans"], first["errors"], first["tools"], first["file"]) == (
        TRACE,
        2,
        1,
        ["issue_refund"],
        "export.jsonl",
    )
    assert second["start_ns"] == START + 2_000_000


def test_a_broken_index_is_none(export: Path) -> None:
    export.with_name("export.jsonl.efx").write_bytes(b"no index")
    assert len(read([str(export)], ONE).spans) == 2


def test_a_folder_that_takes_no_file_is_a_usage_error(export: Path) -> None:
    with pytest.raises(UsageError, match="index cannot be written"):
        make_index([str(export)], folder=export.parent / "nowhere")


def test_a_named_container_is_taken_whatever_the_bytes_say(tmp_path: Path) -> None:
    row = {"traceId": TRACE, "id": f"{1:016x}", "name": "step", "timestamp": START // 1_000, "duration": 5}
    file = tmp_path / "rows.json"
    file.write_text(json.dumps([row]))
    (found,) = read([str(file)], ONE).files
    assert found.container == "zipkin"
    (found,) = read([str(file)], ONE, container="span_json").files
    assert found.container == "span_json"
    with pytest.raises(UsageError, match="there are otlp_json"):
        read([str(file)], ONE, container="parquett")


def test_a_start_beyond_what_tables_hold_is_the_latest_that_they_do(tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    file.write_bytes(lines([request(span(1, startTimeUnixNano=str(2**64 - 1)))]))
    make_index([str(file)], parquet=tmp_path / "table")
    assert pq.read_table(tmp_path / "table")["start_ns"].to_pylist() == [2**63 - 1]
