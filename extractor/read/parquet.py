"""Parquet as records: bounded batches of the row groups that can hold what is sought, by their id column first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from extractor.errors import InputUnreadable
from extractor.model.json import JsonValue

from . import columns
from .containers import ids
from .containers.interface import RefusedError
from .limits import Limits
from .locate import Needles

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MAGIC = b"PAR1"
ENCRYPTED = b"PARE"
_ID_COLUMNS = ("trace_id", "traceid", "context.trace_id", "root_span_id", "trace.trace_id", "request_id")
_HEX = re.compile(r"[0-9a-f]{32}")
_IDS_AT_ONCE = 1 << 16
_ROWS_AT_ONCE = 512
_BATCH_BYTES = 16 << 20
_BUFFER = 1 << 20
_FOOTER = 8  # its length and the magic
_MOST_KNOWN = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row: its number from 1, the ``[start, end)`` bytes of its row group, its trace id as written, its columns."""

    number: int
    start: int
    end: int
    trace_id: str
    record: dict[str, JsonValue] = field(repr=False)


def rows(
    file: pa.NativeFile, number: int, needles: Needles | None, limits: Limits, report: Callable[[str], None]
) -> Iterator[Row]:
    """Yield the rows that hold a wanted trace id, all of them without needles or when sessions are sought.

    Memory holds some pages of each column and one batch of rows. Raises `InputUnreadable` for damaged files and those
    that declare, or turn out, larger than honest exports.
    """
    import pyarrow as pa  # heavy, and only Parquet needs it

    try:
        yield from _Table(file, number, limits, report).rows(needles)
    except columns.TooManyItemsError:
        raise _too_large(number) from None
    except (pa.ArrowException, OSError, ValueError, OverflowError, IndexError, MemoryError, RecursionError):
        raise InputUnreadable(f"file {number} is damaged Parquet, or no Parquet at all") from None


def _too_large(number: int) -> InputUnreadable:
    return InputUnreadable(
        f"file {number} expands beyond the bounds of an honest export",
        hint="Parquet declares sizes and may repeat one value without end; this file exceeds the reader's bounds",
    )


class _Table:
    def __init__(self, file: pa.NativeFile, number: int, limits: Limits, report: Callable[[str], None]) -> None:
        self._number = number
        self._limits = limits
        self._report = report
        self._size = file.size()
        self._check_footer(file)
        self._file = _opened(file)
        self._check_sizes()
        self._delivered = 0
        self._id_path = ""

    def _check_footer(self, file: pa.NativeFile) -> None:
        if self._size < len(MAGIC) + _FOOTER:
            raise ValueError
        file.seek(self._size - _FOOTER)
        tail = bytes(file.read(_FOOTER))
        file.seek(0)
        if tail[4:] != MAGIC:
            raise ValueError
        if int.from_bytes(tail[:4], "little") > self._limits.footer_bytes:
            raise _too_large(self._number)

    def _check_sizes(self) -> None:
        metadata = self._file.metadata
        total = 0
        for group in self._groups():
            for index in range(group.num_columns):
                column = group.column(index)
                total += max(column.total_uncompressed_size, 0)
                if column.num_values > self._limits.column_values or column.num_values < 0:
                    raise _too_large(self._number)
        limits = self._limits
        if metadata.num_columns > limits.columns or total > limits.output_bytes:
            raise _too_large(self._number)
        if total > limits.ratio_from and total > limits.ratio * self._size:
            raise _too_large(self._number)

    def _groups(self) -> Iterator[pq.RowGroupMetaData]:
        metadata = self._file.metadata
        return (metadata.row_group(index) for index in range(metadata.num_row_groups))

    def rows(self, needles: Needles | None) -> Iterator[Row]:
        id_column = _id_column(self._file.schema)
        self._id_path = "" if id_column is None else self._file.schema.column(id_column).path
        # A session may stand in any column, so that no column alone tells the rows.
        filtered = needles is not None and not needles.sessions and id_column is not None
        wanted = _Wanted(needles) if needles and filtered else None
        before = 0
        for index, group in enumerate(self._groups()):
            chosen = None
            if wanted is not None and id_column is not None:
                chosen = self._chosen(index, group, id_column, wanted)
            if chosen is None or chosen:
                yield from self._group(index, group, before, chosen)
            before += group.num_rows

    def _chosen(self, index: int, group: pq.RowGroupMetaData, id_column: int, wanted: _Wanted) -> set[int]:
        """Return the rows of a group whose id is wanted, reading that column alone, and only if it may hold one."""
        if wanted.excluded_by(group.column(id_column).statistics):
            return set()
        path = self._file.schema.column(id_column).path
        chosen: set[int] = set()
        at = 0
        for batch in self._file.iter_batches(_IDS_AT_ONCE, row_groups=[index], columns=[path], use_threads=False):
            values = columns.texts(batch.column(0))
            chosen.update(at + row for row, value in enumerate(values) if wanted.holds(value))
            at += len(values)
        return chosen

    def _group(self, index: int, group: pq.RowGroupMetaData, before: int, chosen: set[int] | None) -> Iterator[Row]:
        start, end = _extent(group)
        width = max(group.total_byte_size, 1) // max(group.num_rows, 1)
        size = max(1, min(_ROWS_AT_ONCE, _BATCH_BYTES // max(width, 1)))
        at = 0
        for batch in self._file.iter_batches(size, row_groups=[index], use_threads=False):
            length = batch.num_rows
            picked = range(length) if chosen is None else [row for row in range(length) if at + row in chosen]
            for first, last in _runs(picked):
                for row, record in enumerate(columns.rows(batch.slice(first, last - first), self._on_null), first):
                    self._count(record)
                    yield Row(
                        number=before + at + row + 1,
                        start=start,
                        end=end,
                        trace_id=_member(record, self._id_path),
                        record=record,
                    )
            at += length

    def _on_null(self) -> None:
        self._report("null_members_taken_as_absent")

    def _count(self, record: dict[str, JsonValue]) -> None:
        """Bound what rows hold together, as for any other compression: a dictionary repeats its values for nothing."""
        size = _characters(record)
        self._delivered += size
        if size > self._limits.record_bytes or self._delivered > self._limits.output_bytes:
            raise _too_large(self._number)
        if self._delivered > self._limits.ratio_from and self._delivered > self._limits.ratio * self._size:
            raise _too_large(self._number)


def _opened(file: pa.NativeFile) -> pq.ParquetFile:
    """Open a file so that text stays encoded by its dictionary: decoded, one page can become any amount of memory."""
    import pyarrow.parquet as pq  # heavy, and only Parquet needs it

    schema = pq.ParquetFile(file).schema
    paths = [schema.column(index) for index in range(len(schema))]
    text = [column.path for column in paths if column.physical_type == "BYTE_ARRAY"]
    return pq.ParquetFile(file, read_dictionary=text, buffer_size=_BUFFER, pre_buffer=False)


def _id_column(schema: pq.ParquetSchema) -> int | None:
    names = {schema.column(index).path.lower(): index for index in range(len(schema) - 1, -1, -1)}
    return next((names[name] for name in _ID_COLUMNS if name in names), None)


def _extent(group: pq.RowGroupMetaData) -> tuple[int, int]:
    starts, ends = [], []
    for index in range(group.num_columns):
        column = group.column(index)
        first = column.dictionary_page_offset or column.data_page_offset
        starts.append(min(first, column.data_page_offset))
        ends.append(starts[-1] + column.total_compressed_size)
    return (min(starts), max(ends)) if starts else (0, 0)


def _member(record: dict[str, JsonValue], path: str) -> str:
    value: JsonValue = record.get(path)
    if value is None:
        value = record
        for name in path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _runs(picked: range | list[int]) -> Iterator[tuple[int, int]]:
    """Yield ``[first, last)`` of neighbouring rows."""
    first = last = -1
    for row in picked:
        if row != last:
            if last > first:
                yield first, last
            first = row
        last = row + 1
    if last > first:
        yield first, last


def _characters(record: dict[str, JsonValue]) -> int:
    total = 0
    stack: list[JsonValue] = [record]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            total += len(node)
        elif isinstance(node, dict):
            total += 8 * len(node)
            stack.extend(node.values())
        elif isinstance(node, list):
            total += 8 * len(node)
            stack.extend(node)
    return total


class _Wanted:
    """Which ids of a column are sought; each distinct one is normalised once."""

    def __init__(self, needles: Needles) -> None:
        self._prefixes = needles.trace_ids
        self._known: dict[str, bool] = {}

    def holds(self, value: JsonValue) -> bool:
        if not isinstance(value, str):
            return False
        known = self._known.get(value)
        if known is None:
            known = self._normalised(value).startswith(self._prefixes)
            if len(self._known) < _MOST_KNOWN:
                self._known[value] = known
        return known

    def _normalised(self, value: str) -> str:
        try:
            return ids.foreign_trace_id(value)
        except RefusedError:
            return ""

    def excluded_by(self, statistics: pq.Statistics) -> bool:
        """Return whether a column's least and greatest value say that it holds none; only plain hex is judged so."""
        if statistics is None or not statistics.has_min_max:
            return False
        least, greatest = statistics.min, statistics.max
        if isinstance(least, bytes) and isinstance(greatest, bytes):
            least, greatest = (
                value.hex() if len(value) == 16 else value.decode("latin-1") for value in (least, greatest)
            )
        if not (isinstance(least, str) and isinstance(greatest, str)):
            return False
        if not (_HEX.fullmatch(least) and _HEX.fullmatch(greatest)):
            return False
        return not any(
            prefix.ljust(32, "f") >= least and prefix.ljust(32, "0") <= greatest for prefix in self._prefixes
        )
