"""Parquet tables of spans, a row a record: only the wanted rows are decoded, in bounded batches."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from extractor.errors import InputUnreadable
from extractor.model.json import JsonValue

from .containers import ids
from .containers.interface import RefusedError, Report
from .limits import Limits
from .locate import Needles

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MAGIC = b"PAR1"
_ROWS = 256  # decoded at a time
_DEEPEST = 24  # levels of a nested column
_TRACE_COLUMNS = (
    "TraceId", "trace_id", "traceId", "traceID", "context.trace_id", "trace.trace_id", "root_span_id", "trace_id_hex",
)  # fmt: skip


def rows(
    file: BinaryIO, size: int, number: int, needles: Needles | None, limits: Limits, report: Report
) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """Yield row number, from 1, and the row as a JSON object; with needles only the rows of wanted traces where a column names them.

    Raises `InputUnreadable` for a damaged table and for one that would break a bound.
    """
    # Heavy, and most sources are JSON.
    import pyarrow as pa

    try:
        table = _opened(file, size, number, limits)
        column = next((name for name in _TRACE_COLUMNS if name in table.schema_arrow.names), None)
        first = 1
        for group in range(table.num_row_groups):
            count = table.metadata.row_group(group).num_rows
            wanted = None
            if needles is not None and not needles.sessions and column is not None:
                wanted = _matching(table, group, column, needles)
            if wanted is None or wanted:
                yield from _decoded(table, group, first, wanted, report)
            first += count
    except (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError):
        raise InputUnreadable(f"file {number} is a Parquet table that cannot be read") from None


def _opened(file: BinaryIO, size: int, number: int, limits: Limits) -> pq.ParquetFile:
    import pyarrow.parquet as pq

    table = pq.ParquetFile(file, memory_map=False)
    # Repeated long texts stay one in memory: a small file could unfold to any size otherwise.
    texts = [field.name for field in table.schema_arrow if _is_text(field.type)]
    file.seek(0)
    table = pq.ParquetFile(file, memory_map=False, read_dictionary=texts)
    if any(_depth(field.type) > _DEEPEST for field in table.schema_arrow):
        raise InputUnreadable(f"file {number} holds columns nested deeper than {_DEEPEST} levels")
    plain = sum(table.metadata.row_group(group).total_byte_size for group in range(table.num_row_groups))
    largest = max((table.metadata.row_group(g).total_byte_size for g in range(table.num_row_groups)), default=0)
    if largest > limits.document_bytes or plain > limits.output_bytes:
        raise InputUnreadable(f"file {number} holds a row group of more than {limits.document_bytes} bytes")
    if plain > limits.ratio_from and plain > limits.ratio * max(size, 1):
        raise InputUnreadable(f"file {number} would unfold more than {limits.ratio} times")
    return table


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind))


def _depth(kind: pa.DataType) -> int:
    return 1 + max((_depth(kind.field(index).type) for index in range(kind.num_fields)), default=0)


def _matching(table: pq.ParquetFile, group: int, column: str, needles: Needles) -> set[int]:
    """Return which rows of a group belong to a wanted trace, from the column of ids alone."""
    found: set[int] = set()
    position = 0
    for batch in table.iter_batches(batch_size=1 << 16, row_groups=[group], columns=[column], use_threads=False):
        for value in batch.column(0).to_pylist():
            if _is_wanted(_json(value), needles):
                found.add(position)
            position += 1
    return found


def _is_wanted(value: JsonValue, needles: Needles) -> bool:
    for read in (ids.trace_id, ids.foreign_trace_id):
        try:
            trace_id = read(value)
        except RefusedError:
            continue
        if trace_id.startswith(needles.trace_ids):
            return True
    return False


def _decoded(
    table: pq.ParquetFile, group: int, first: int, wanted: set[int] | None, report: Report
) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    position = 0
    for batch in table.iter_batches(batch_size=_ROWS, row_groups=[group], use_threads=False):
        for index in range(batch.num_rows):
            if wanted is None or position in wanted:
                yield first + position, _row(batch.slice(index, 1), report)
            position += 1


def _row(one: pa.RecordBatch, report: Report) -> dict[str, JsonValue]:
    names = one.schema.names
    if len(set(names)) != len(names):
        report("repeated_member")
    return {name: _json(_plain(column)) for name, column in zip(names, one.columns, strict=True)}


def _plain(column: pa.Array) -> object:
    """Return the one value of a column; times as integers of the column's own unit, which a datetime would round."""
    import pyarrow as pa

    kind = _timeless(column.type)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    elif kind != column.type:
        column = column.cast(kind)
    return column.to_pylist(maps_as_pydicts="lossy")[0]


def _timeless(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_timestamp(kind):
        return pa.int64()
    if pa.types.is_duration(kind):
        return pa.int64()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = kind.value_field.with_type(_timeless(kind.value_type))
        return pa.list_(inner) if pa.types.is_list(kind) else pa.large_list(inner)
    if pa.types.is_struct(kind):
        return pa.struct([kind.field(i).with_type(_timeless(kind.field(i).type)) for i in range(kind.num_fields)])
    return kind


def _json(value: object) -> JsonValue:
    """Return a decoded value as JSON: bytes in base64, no number where a column of numbers has a gap."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return None if math.isnan(value) else value
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case list() | tuple():
            return [_json(item) for item in value]
        case dict():
            return {str(key): _json(item) for key, item in value.items()}
    return str(value)
