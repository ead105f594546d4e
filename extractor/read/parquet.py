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
from .footer import Group, groups
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
        self._groups = groups(self._footer(file))
        self._check_sizes()
        self._file = _opened(file)
        self._delivered = 0
        self._id_path = ""

    def _footer(self, file: pa.NativeFile) -> bytes:
        if self._size < len(MAGIC) + _FOOTER:
            raise ValueError
        file.seek(self._size - _FOOTER)
        tail = bytes(file.read(_FOOTER))
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or length > self._size - _FOOTER:
            raise ValueError
        if length > self._limits.footer_bytes:
            raise _too_large(self._number)
        file.seek(self._size - _FOOTER - length)
        footer = bytes(file.read(length))
        file.seek(0)
        return footer

    def _check_sizes(self) -> None:
        limits = self._limits
        total = sum(group.plain_bytes for group in self._groups)
        if (
            total > limits.output_bytes
            or (total > limits.ratio_from and total > limits.ratio * self._size)
            or any(len(group.chunks) > limits.columns for group in self._groups)
            or any(chunk.values > limits.column_values for group in self._groups for chunk in group.chunks)
        ):
            raise _too_large(self._number)

    def rows(self, needles: Needles | None) -> Iterator[Row]:
        id_path = _id_path(self._file.schema)
        self._id_path = id_path or ""
        # A session may stand in any column, so that no column alone tells the rows.
        filtered = needles is not None and not needles.sessions and id_path is not None
        wanted = _Wanted(needles) if needles and filtered else None
        before = 0
        for index, group in enumerate(self._groups):
            chosen = None if wanted is None else self._chosen(index, group, wanted)
            if chosen is None or chosen:
                yield from self._group(index, group, before, chosen)
            before += group.rows

    def _chosen(self, index: int, group: Group, wanted: _Wanted) -> set[int]:
        """Return the rows of a group whose id is wanted, reading that column alone, and only if it may hold one."""
        chunk = next((chunk for chunk in group.chunks if chunk.path == self._id_path), None)
        if chunk is not None and wanted.excluded_by(chunk.least, chunk.greatest):
            return set()
        chosen: set[int] = set()
        at = 0
        for batch in self._file.iter_batches(
            _IDS_AT_ONCE, row_groups=[index], columns=[self._id_path], use_threads=False
        ):
            values = columns.texts(batch.column(0))
            chosen.update(at + row for row, value in enumerate(values) if wanted.holds(value))
            at += len(values)
        return chosen

    def _group(self, index: int, group: Group, before: int, chosen: set[int] | None) -> Iterator[Row]:
        start = min((chunk.start for chunk in group.chunks), default=0)
        end = max((chunk.end for chunk in group.chunks), default=0)
        width = max(group.plain_bytes // max(group.rows, 1), 1)
        size = max(1, min(_ROWS_AT_ONCE, _BATCH_BYTES // width))
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


def _id_path(schema: pq.ParquetSchema) -> str | None:
    paths = [schema.column(index).path for index in range(len(schema))]
    return next((path for name in _ID_COLUMNS for path in paths if path.lower() == name), None)


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

    def excluded_by(self, least: bytes | None, greatest: bytes | None) -> bool:
        """Return whether a column's least and greatest value say that it holds none; only plain ids are judged so."""
        if least is None or greatest is None:
            return False
        low, high = (value.hex() if len(value) == 16 else value.decode("latin-1") for value in (least, greatest))
        if not (_HEX.fullmatch(low) and _HEX.fullmatch(high)):
            return False
        return not any(prefix.ljust(32, "f") >= low and prefix.ljust(32, "0") <= high for prefix in self._prefixes)
