"""Parquet: rows as records, found by their id column, within bounds."""

from __future__ import annotations

import gzip
import io
import json
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.errors import InputUnreadable
from extractor.model.config import Wanted
from extractor.read import Limits, read, survey
from extractor.read.tables import shaped

from .build import OTHER, TRACE
from .conftest import ReadBytes, codes, places

MOMENT = datetime(2025, 6, 15, 15, 6, 40, tzinfo=UTC)
NS = 1_750_000_000_123_456_789


def parquet(table: pa.Table, **options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def flat(*trace_ids: str, **columns: Any) -> pa.Table:
    """Return a span table, one span a trace id given."""
    count = len(trace_ids)
    return pa.table(
        {
            "trace_id": list(trace_ids),
            "span_id": [f"{number:016x}" for number in range(1, count + 1)],
            "parent_span_id": [None] * count,
            "name": [f"step {number}" for number in range(1, count + 1)],
            "kind": ["SPAN_KIND_CLIENT"] * count,
            "start_time": pa.array([NS + number for number in range(count)], pa.timestamp("ns", "UTC")),
            "end_time": pa.array([NS + 500] * count, pa.timestamp("ns", "UTC")),
            "status_code": ["STATUS_CODE_ERROR"] * count,
            "status_message": ["timed out"] * count,
            "attributes": [json.dumps({"session.id": "chat-9", "n": number}) for number in range(count)],
            "resource_attributes": [[("service.name", "refund-agent")]] * count,
            "scope_name": ["agent.scope"] * count,
        }
        | columns,
        schema=None,
    )


def test_flat_span_tables(read_bytes: ReadBytes) -> None:
    found = read_bytes(parquet(flat(OTHER, TRACE, TRACE)))
    assert [(span.name, span.start_ns, span.end_ns) for span in found.spans] == [
        ("step 2", NS + 1, NS + 500),
        ("step 3", NS + 2, NS + 500),
    ]
    span = found.spans[0]
    assert (span.kind, span.status_code, span.status_message) == ("client", "error", "timed out")
    assert (span.get("session.id"), span.get("n"), span.scope.name) == ("chat-9", 1, "agent.scope")
    assert found.files[0].container == "span_json+parquet"
    assert found.files[0].ranges[0][0] == 4


def test_raw_ids_maps_and_numbers(read_bytes: ReadBytes) -> None:
    table = pa.table(
        {
            "trace_id": pa.array([bytes.fromhex(TRACE)], pa.binary(16)),
            "span_id": pa.array([bytes.fromhex("00000000000000a1")], pa.binary(8)),
            "name": pa.array([b"step"], pa.binary()),
            "kind": pa.array([3], pa.int32()),
            "start_time_unix_nano": pa.array([NS], pa.uint64()),
            "duration_time_unix_nano": pa.array([500], pa.duration("ns")),
            "attributes": pa.array([[("a", "1"), ("b", None)]], pa.map_(pa.string(), pa.string())),
            "resource": pa.array([{"attributes": {"service.name": "x"}}]),
            "links": pa.array([[{"trace_id": OTHER, "span_id": "00000000000000a2"}]]),
        }
    )
    (span,) = read_bytes(parquet(table)).spans
    assert (span.trace_id, span.span_id, span.name) == (TRACE, "00000000000000a1", "step")
    assert (span.start_ns, span.end_ns) == (NS, NS + 500)
    assert dict(span.attributes) == {"a": "1", "b": None}
    assert span.resource.attributes == (("service.name", "x"),)
    assert span.links[0].trace_id == OTHER


def test_members_that_are_null_in_a_union_of_structs_are_absent(read_bytes: ReadBytes) -> None:
    frame = pa.table(
        {
            "name": ["call one", "call two"],
            "context.trace_id": [TRACE, TRACE],
            "context.span_id": ["00000000000000a1", "00000000000000a2"],
            "parent_id": [None, "00000000000000a1"],
            "start_time": pa.array([MOMENT, MOMENT], pa.timestamp("ns", "UTC")),
            "end_time": pa.array([MOMENT, MOMENT], pa.timestamp("ns", "UTC")),
            "attributes.tool.parameters": [{"order": "A-7", "amount": None}, {"order": None, "amount": 3}],
            "attributes.http": [{"response": {"status_code": 200}}, None],
            "attributes.llm.token_count.prompt": [12.0, float("nan")],
            "attributes.llm.input_messages": [[{"message.role": "user", "message.content": "hi"}], None],
        }
    )
    found = read_bytes(parquet(frame))
    one, two = found.spans
    assert one.get("tool.parameters") == {"order": "A-7"}
    assert two.attributes == (("tool.parameters", {"amount": 3}),)
    assert one.get("http.response.status_code") == 200
    assert one.get("llm.token_count.prompt") == 12
    assert one.get("llm.input_messages.0.message.role") == "user"
    assert places(found.file_notes, "null_members_taken_as_absent") == ("file 1",)
    assert found.files[0].container == "phoenix+parquet"


def test_rows_of_vendors(read_bytes: ReadBytes) -> None:
    observations = pa.table(
        {
            "id": ["obs-1"],
            "trace_id": ["order-run/7"],
            "type": ["TOOL"],
            "parent_observation_id": pa.array([None], pa.string()),
            "start_time": pa.array([MOMENT], pa.timestamp("ms")),
            "end_time": pa.array([MOMENT], pa.timestamp("ms")),
            "name": ["issue_refund"],
            "metadata": pa.array(
                [[("attributes", '{"gen_ai.tool.name":"issue_refund"}')]], pa.map_(pa.string(), pa.string())
            ),
            "input": ['{"id":"A-7"}'],
        }
    )
    (span,) = read_bytes(parquet(observations), wanted=Wanted(trace_ids=("order-run/7",))).spans
    assert span.get("gen_ai.tool.name") == "issue_refund"
    assert span.get("langfuse.observation.input") == '{"id":"A-7"}'
    run = "01970000-0000-7000-8000-0000000000a1"
    runs = pa.table(
        {
            "id": [run],
            "trace_id": [run],
            "run_type": ["tool"],
            "name": ["issue_refund"],
            "dotted_order": ["20250615T150640123456Z" + run],
            "start_time": pa.array([MOMENT], pa.timestamp("us")),
            "end_time": pa.array([MOMENT], pa.timestamp("us")),
            "inputs": ['{"id": "A-7"}'],
            "outputs": ['{"output": {"tool_call_id": "call_1"}}'],
            "extra": ['{"metadata": {"thread_id": "chat-9"}}'],
            "tags": [["refund"]],
        }
    )
    (span,) = read_bytes(parquet(runs), wanted=Wanted(trace_ids=(run,))).spans
    assert span.get("gen_ai.prompt") == {"id": "A-7"}
    assert span.get("gen_ai.tool.call.id") == "call_1"
    assert span.get("langsmith.metadata.thread_id") == "chat-9"


def test_clickhouse_columns_keep_their_names_and_lose_their_text() -> None:
    row = {
        "TraceId": TRACE,
        "SpanName": "step",
        "SpanAttributes": '{"http.route": "/x"}',
        "ResourceAttributes": {"service.name": "x"},
        "EventsName": ["exception"],
        "EventsAttributes": ['{"exception.type": "T"}'],
        "Links.TraceId": [],
    }
    assert shaped(dict(row)) == {
        "TraceId": TRACE,
        "SpanName": "step",
        "SpanAttributes": {"http.route": "/x"},
        "ResourceAttributes": {"service.name": "x"},
        "Events.Name": ["exception"],
        "Events.Attributes": [{"exception.type": "T"}],
        "Links.TraceId": [],
    }


def damaged(data: bytes, group: int, column: str) -> bytes:
    """Return a file in whose row group the pages of one column are destroyed."""
    metadata = pq.ParquetFile(io.BytesIO(data)).metadata
    chunks = [metadata.row_group(group).column(index) for index in range(metadata.num_columns)]
    chunk = next(one for one in chunks if one.path_in_schema == column)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    return data[:start] + b"\xff" * chunk.total_compressed_size + data[start + chunk.total_compressed_size :]


@pytest.mark.parametrize("statistics", [True, False])
def test_only_the_row_group_of_the_trace_is_decoded(read_bytes: ReadBytes, statistics: bool) -> None:
    data = parquet(flat(OTHER, OTHER, TRACE, TRACE), row_group_size=2, write_statistics=statistics)
    data = damaged(data, 0, "attributes")
    if statistics:
        data = damaged(data, 0, "trace_id")
    assert [span.name for span in read_bytes(data).spans] == ["step 3", "step 4"]
    with pytest.raises(InputUnreadable, match="file 1 is damaged Parquet"):
        read_bytes(data, wanted=Wanted(trace_ids=(OTHER,)))


@pytest.mark.parametrize("asked", [TRACE[:9], TRACE.upper(), "tr-" + TRACE])
@pytest.mark.parametrize("spelled", [TRACE, TRACE.upper(), "W47/95gDgQPSabYzgT/GDA=="])
def test_ids_are_found_in_every_spelling(read_bytes: ReadBytes, asked: str, spelled: str) -> None:
    data = parquet(flat(OTHER, spelled, "0" * 31 + "1"), row_group_size=1)
    assert [span.trace_id for span in read_bytes(data, wanted=Wanted(trace_ids=(asked,))).spans] == [TRACE]


def test_a_session_in_any_column(read_bytes: ReadBytes) -> None:
    attributes = ['{"session.id": "chat-1"}', '{"session.id": "chat-2"}', "{}"]
    data = parquet(flat(TRACE, OTHER, OTHER, attributes=attributes))
    found = read_bytes(data, wanted=Wanted(sessions=("chat-2",)))
    assert [span.name for span in found.spans] == ["step 2", "step 3"]


def test_compressed_files_and_pipes(read_bytes: ReadBytes) -> None:
    data = parquet(flat(TRACE))
    assert read_bytes(gzip.compress(data)).files[0].container == "span_json+parquet+gzip"
    assert len(read(["-"], Wanted(trace_ids=(TRACE,)), stdin=io.BytesIO(data)).spans) == 1
    with pytest.raises(InputUnreadable, match="compressed Parquet of more than 100 bytes"):
        read_bytes(gzip.compress(data), limits=Limits(memory_bytes=100))


def test_a_trace_is_whole_whatever_its_files_and_however_it_is_asked_for(read_bytes: ReadBytes) -> None:
    line = {"trace_id": "order-run/7", "span_id": "a9", "name": "beside"}
    files = (parquet(flat("order-run/7", OTHER)), json.dumps(line).encode() + b"\n")
    by_name = read_bytes(*files, wanted=Wanted(trace_ids=("order-run/7",)))
    assert {span.name for span in by_name.spans} == {"step 1", "beside"}
    by_digits = read_bytes(*files, wanted=Wanted(trace_ids=(by_name.spans[0].trace_id,)))
    assert by_digits.spans == by_name.spans


def test_rows_of_no_trace_are_named_by_number(read_bytes: ReadBytes) -> None:
    found = read_bytes(parquet(flat(TRACE, "", TRACE)), parquet(flat(OTHER)))
    assert len(found.spans) == 2
    seen = read_bytes(parquet(flat(TRACE, "", TRACE)), wanted=Wanted(sessions=("chat-9",)))
    assert places(seen.file_notes, "no_ids") == ("file 1 record 2 item 1",)


def test_tables_of_something_else_are_left_at_their_beginning(read_bytes: ReadBytes, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(parquet(pa.table({"city": ["X"] * 5000})))
    (tmp_path / "b").write_bytes(parquet(flat(TRACE)))
    seen = survey([str(tmp_path)])
    assert codes(seen.file_notes) == {"record_not_recognised": 100, "table_not_recognised": 1}


def repeated(text: str, count: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array([text]))


def bombs() -> dict[str, bytes]:
    """Return small files that stand for very much."""
    many = 100_000
    one = flat(TRACE)
    items = pa.ListArray.from_arrays(pa.array([0, many], pa.int32()), repeated("x" * 100_000, many))
    zeros = pa.ListArray.from_arrays(pa.array([0, 70_000_000], pa.int32()), pa.array(bytearray(70_000_000), pa.int8()))
    rows = pa.table(
        {
            "trace_id": repeated(TRACE, many),
            "span_id": repeated("0" * 15 + "1", many),
            "name": repeated("x" * 100_000, many),
        }
    )
    return {
        "rows": parquet(rows, compression="zstd"),
        "items": parquet(one.append_column("items", items), compression="zstd"),
        "values": parquet(one.append_column("items", zeros), compression="zstd"),
        "text": parquet(flat(TRACE, name=["z" * 200_000_000]), compression="zstd", use_dictionary=False),
        "columns": parquet(pa.table({f"c{number}": [1] for number in range(10_001)})),
    }


def test_bombs_are_refused(read_bytes: ReadBytes) -> None:
    for data in bombs().values():
        with pytest.raises(InputUnreadable, match="beyond the bounds of an honest export"):
            read_bytes(data, wanted=Wanted(sessions=("nobody",)))


@pytest.mark.parametrize(
    "data",
    [b"PAR1", b"PAR1" + b"\0" * 8 + b"PAR1", b"PAR1" + b"\0\0\0\x01PAR1", b"PARE" + b"\0" * 20 + b"PARE"],
    ids=["magic", "empty", "footer", "encrypted"],
)
def test_what_only_looks_like_parquet(read_bytes: ReadBytes, data: bytes) -> None:
    with pytest.raises(InputUnreadable, match="file 1 is damaged Parquet"):
        read_bytes(data)


def test_a_file_cut_short(read_bytes: ReadBytes) -> None:
    data = parquet(flat(TRACE))
    with pytest.raises(InputUnreadable, match="file 1 is damaged Parquet"):
        read_bytes(data[: len(data) // 2])


@settings(max_examples=60)
@given(places=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=8))
def test_damage_anywhere_ends_in_spans_or_a_refusal(
    tmp_path_factory: pytest.TempPathFactory, places: list[tuple[float, int]]
) -> None:
    data = bytearray(parquet(flat(TRACE, OTHER), compression="zstd"))
    for where, byte in places:
        data[4 + int(where * (len(data) - 4))] = byte
    file = tmp_path_factory.mktemp("damage") / "x"
    file.write_bytes(data)
    with suppress(InputUnreadable):
        survey([str(file)])
