"""A Parquet file's own account of itself, read without trusting it: Thrift's compact protocol, the fields we judge by.

pyarrow reads the data, but some of its ways to the metadata end the process, not the call, where a field is damaged.
Source: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

_Value: TypeAlias = "bool | int | bytes | list[_Value] | dict[int, _Value] | None"

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_INTEGERS = frozenset({_I16, _I32, _I64})
_DEEPEST = 24
_NOTHING: dict[int, _Value] = {}  # shared: a byte of the file must not cost a mapping
_VARINT_BYTES = 10
_LONG_LIST = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One column of a row group: its place ``[start, end)`` in the file, what it declares, its least and greatest."""

    path: str
    start: int
    end: int
    values: int
    plain_bytes: int
    least: bytes | None = None
    greatest: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One row group."""

    rows: int
    chunks: tuple[Chunk, ...]

    @property
    def plain_bytes(self) -> int:
        """The size that the columns declare to have uncompressed."""
        return sum(chunk.plain_bytes for chunk in self.chunks)


def groups(footer: bytes) -> tuple[Group, ...]:
    """Return the row groups that a footer declares. Raises `ValueError` for one that is damaged."""
    root = _Reader(footer).struct(0)
    return tuple(_group(_struct(node)) for node in _list(root.get(4)))


def _group(node: dict[int, _Value]) -> Group:
    return Group(rows=_natural(node.get(3)), chunks=tuple(_chunk(_struct(child)) for child in _list(node.get(1))))


def _chunk(node: dict[int, _Value]) -> Chunk:
    meta = _struct(node.get(3))
    told = _struct(meta.get(12))
    pages = [_natural(offset) for offset in (meta.get(9), meta.get(11)) if offset]
    start = min(pages, default=0)
    return Chunk(
        path=b".".join(name for name in _list(meta.get(3)) if isinstance(name, bytes)).decode("utf-8"),
        start=start,
        end=start + _natural(meta.get(7)),
        values=_natural(meta.get(5)),
        plain_bytes=_natural(meta.get(6)),
        least=_bytes(told.get(6)),
        greatest=_bytes(told.get(5)),
    )


def _struct(value: _Value) -> dict[int, _Value]:
    return value if isinstance(value, dict) else {}


def _list(value: _Value) -> list[_Value]:
    return value if isinstance(value, list) else []


def _natural(value: _Value) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError
    return value


def _bytes(value: _Value) -> bytes | None:
    return value if isinstance(value, bytes) else None


class _Reader:
    """Reads values one after the other; never beyond the bytes it has, nor deeper than honest footers are."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def struct(self, depth: int) -> dict[int, _Value]:
        found: dict[int, _Value] = {}
        number = 0
        while header := self._byte():
            delta, kind = header >> 4, header & 15
            number = number + delta if delta else self._zigzag()
            found[number] = kind == _TRUE if kind in {_TRUE, _FALSE} else self._value(kind, depth + 1)
        return found or _NOTHING

    def _value(self, kind: int, depth: int) -> _Value:
        if depth > _DEEPEST:
            raise ValueError
        if kind in _INTEGERS:
            return self._zigzag()
        if kind == _BINARY:
            return self._take(self._varint())
        if kind == _STRUCT:
            return self.struct(depth)
        if kind in {_LIST, _SET}:
            return self._items(depth)
        if kind == _MAP:
            return self._pairs(depth)
        if kind in {_TRUE, _FALSE, _BYTE}:
            return self._byte()
        if kind == _DOUBLE:
            return self._take(8)
        raise ValueError

    def _items(self, depth: int) -> list[_Value]:
        header = self._byte()
        size, kind = header >> 4, header & 15
        if size == _LONG_LIST:
            size = self._varint()
        self._need(size)
        return [self._value(kind, depth + 1) for _ in range(size)]

    def _pairs(self, depth: int) -> _Value:
        """Read over a map, of which Parquet's footer has none that we judge by."""
        size = self._varint()
        kinds = self._byte() if size else 0
        self._need(2 * size)
        for _ in range(size):
            self._value(kinds >> 4, depth + 1)
            self._value(kinds & 15, depth + 1)
        return None

    def _need(self, size: int) -> None:
        if size > len(self._data) - self._at:
            raise ValueError

    def _take(self, size: int) -> bytes:
        self._need(size)
        self._at += size
        return self._data[self._at - size : self._at]

    def _byte(self) -> int:
        self._need(1)
        self._at += 1
        return self._data[self._at - 1]

    def _varint(self) -> int:
        value = 0
        for index in range(_VARINT_BYTES):
            byte = self._byte()
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                return value
        raise ValueError

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
