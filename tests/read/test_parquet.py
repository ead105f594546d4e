"""Tables of spans: typed columns, only the wanted rows, bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from extractor.errors import InputUnreadable, TraceNotFound
from extractor.model.config import Wanted
from extractor.read import Limits, parquet, read, survey

from .build import OTHER, START, TRACE

FIRST, SECOND = f"{1:016x}", f"{2:016x}"


@pytest.fixture
def table(tmp_path: Path) -> Any:
    def write(columns: dict[str, Any], **options: Any) -> str:
        file = tmp_path / "spans.bin"
        pq.write_table(pa.table(columns), file, **options)
        return str(file)

    return write


def collector_rows(traces: list[str]) -> dict[str, Any]:
    size = len(traces)
    return {
        "Timestamp": pa.array([START + number for number in range(size)], pa.timestamp("ns", "UTC")),
        "TraceId": traces,
        "SpanId": [f"{number + 1:016x}" for number in range(size)],
        "ParentSpanId": [""] * size,
        "SpanName": ["chat"] * size,
        "Duration": pa.array([250] * size, pa.uint64()),
        "SpanAttributes": pa.array([[("n", "4")]] * size, pa.map_(pa.string(), pa.string())),
        "ResourceAttributes": ['{"service.name":"refund-agent"}'] * size,
        "EventsTimestamp": pa.array([[START]] * size, pa.list_(pa.timestamp("ns", "UTC"))),
        "EventsName": [["exception"]] * size,
    }


def test_nanoseconds_maps_and_nested_columns_are_read(table: Any) -> None:
    (span,) = read([table(collector_rows([TRACE]))], Wanted(trace_ids=(TRACE,))).spans
    assert (span.start_ns, span.end_ns) == (START, START + 250)
    assert (span.attributes, span.resource.attributes) == ((("n", "4"),), (("service.name", "refund-agent"),))
    assert [(event.name, event.time_ns) for event in span.events] == [("exception", START)]


def test_one_trace_costs_its_rows_alone(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[object] = []
    row = parquet._row
    monkeypatch.setattr(parquet, "_row", lambda one, report: decoded.append(one) or row(one, report))
    name = table(collector_rows([OTHER] * 500 + [TRACE, OTHER, TRACE]), row_group_size=200)
    assert len(read([name], Wanted(trace_ids=(TRACE,))).spans) == 2
    assert len(decoded) == 2


def test_ids_as_bytes_are_the_same_ids(table: Any) -> None:
    columns = collector_rows([TRACE]) | {
        "TraceId": pa.array([bytes.fromhex(TRACE)], pa.binary(16)),
        "SpanId": pa.array([bytes.fromhex(FIRST)], pa.binary(8)),
    }
    (span,) = read([table(columns)], Wanted(trace_ids=(TRACE,))).spans
    assert (span.trace_id, span.span_id) == (TRACE, FIRST)


def test_a_data_frame_of_phoenix_leaves_absent_attributes_out(table: Any) -> None:
    columns = {
        "context.trace_id": [TRACE, TRACE],
        "context.span_id": [FIRST, SECOND],
        "parent_id": [None, FIRST],
        "name": ["agent", "look"],
        "start_time": pa.array([START, START + 1], pa.timestamp("ns", "UTC")),
        "end_time": pa.array([START + 5, START + 4], pa.timestamp("ns", "UTC")),
        "attributes.tool": [{"name": None, "args": None}, {"name": "look", "args": {"a": 1}}],
        "attributes.llm.token_count.prompt": [float("nan"), 3.0],
    }
    agent, look = read([table(columns)], Wanted(trace_ids=(TRACE,))).spans
    assert (agent.attributes, look.start_ns) == ((), START + 1)
    assert dict(look.attributes) == {"tool.name": "look", "tool.args.a": 1, "llm.token_count.prompt": 3.0}


def test_an_id_that_is_not_in_the_table_is_not_found(table: Any) -> None:
    with pytest.raises(TraceNotFound, match="among the 1 trace"):
        read([table(collector_rows([OTHER]))], Wanted(trace_ids=(TRACE,)))


def test_a_table_of_anything_else_holds_no_span(table: Any) -> None:
    with pytest.raises(InputUnreadable, match="record_not_recognised 2"):
        survey([table({"a": [1, 2], "b": ["x", "y"]})])


@pytest.mark.parametrize("cut", [4, 200, -9])
def test_a_damaged_table_is_refused(table: Any, tmp_path: Path, cut: int) -> None:
    content = Path(table(collector_rows([TRACE] * 5))).read_bytes()
    broken = tmp_path / "broken"
    broken.write_bytes(content[:cut])
    with pytest.raises(InputUnreadable, match="Parquet table that cannot be read"):
        survey([str(broken)])


def test_a_small_table_that_unfolds_without_end_is_refused(table: Any) -> None:
    name = table(
        {"TraceId": [TRACE] * 3, "SpanId": [FIRST] * 3, "SpanName": ["x" * 2_000_000] * 3},
        use_dictionary=False,
        compression="zstd",
    )
    with pytest.raises(InputUnreadable, match="unfold more than"):
        survey([name], limits=Limits(ratio=100, ratio_from=1 << 20))
    with pytest.raises(InputUnreadable, match="row group"):
        survey([name], limits=Limits(document_bytes=1 << 20))


def test_columns_nested_beyond_the_bound_are_refused(table: Any) -> None:
    deep: Any = 1
    for _ in range(30):
        deep = {"a": deep}
    with pytest.raises(InputUnreadable, match="nested deeper"):
        survey([table({"TraceId": [TRACE], "SpanId": [FIRST], "x": [deep]})])
