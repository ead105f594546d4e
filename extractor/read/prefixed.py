"""OTLP protobuf cut into records: messages behind a length (four bytes or a varint), or one bare message."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .frames import Broken, Cut, Finder, Form, Frame, Framing
from .inflate import ZSTD, unzstd_message
from .limits import Limits

_FIELD_1 = 0x0A  # resource_spans of a request
_INNER = (0x0A, 0x12, 0x1A)  # resource, scope_spans, schema_url
_VARINT_BYTES = 10


def framing_of(head: bytes, size: int | None) -> Framing | None:
    """Return how a binary file is cut, from its first bytes and its size where known; None when it is no OTLP."""
    if _is_message(head, 0, size):
        return bare
    length = int.from_bytes(head[:4], "big")
    inside = head[4:5] in {b"\x0a", b"{"} or head[4:8] == ZSTD
    if length and inside and (size is None or length <= size - 4):
        return big_endian
    length, offset = _varint(head, 0)
    if offset and length and _is_message(head, offset, offset + length) and (size is None or length <= size - offset):
        return delimited
    return None


def _is_message(data: bytes, offset: int, end: int | None) -> bool:
    if data[offset : offset + 1] != b"\x0a":
        return False
    length, start = _varint(data, offset + 1)
    if not start or not length or (end is not None and start + length > end):
        return False
    return data[start] in _INNER if start < len(data) else False


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    """Return the value and the offset behind it, which is 0 when there is no whole varint."""
    value = 0
    for index, byte in enumerate(data[offset : offset + _VARINT_BYTES]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value, offset + index + 1
    return 0, 0


class _Cursor:
    """Takes exact amounts out of chunks."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._buffer = b""
        self._at = 0
        self.offset = 0

    def take(self, size: int) -> bytes:
        """Return ``size`` bytes, fewer only at the end."""
        data = self.peek(size)
        self._at += len(data)
        self.offset += len(data)
        return data

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes and leave them."""
        missing = size - (len(self._buffer) - self._at)
        if missing > 0:
            parts = [self._buffer[self._at :]]
            while missing > 0 and (chunk := next(self._chunks, b"")):
                parts.append(chunk)
                missing -= len(chunk)
            self._buffer, self._at = b"".join(parts), 0
        return self._buffer[self._at : self._at + size]


def _length_of_big_endian(cursor: _Cursor) -> int | None:
    header = cursor.take(4)
    return int.from_bytes(header, "big") if len(header) == 4 else None


def _length_of_varint(cursor: _Cursor) -> int | None:
    length, size = _varint(cursor.peek(_VARINT_BYTES), 0)
    cursor.take(size)
    return length if size else None


def _prefixed(read_length: Callable[[_Cursor], int | None]) -> Framing:
    def cut(chunks: Iterator[bytes], finder: Finder | None, limits: Limits) -> Cut:
        cursor = _Cursor(chunks)
        number = 0
        while cursor.peek(1):
            number += 1
            length = read_length(cursor)
            if length is not None and length > limits.record_bytes:
                yield Broken(number=number, code="too_long")
                return
            start = cursor.offset
            data = b"" if length is None else cursor.take(length)
            if length is None or len(data) < length:
                yield Broken(number=number, code="truncated")
                return
            if length:
                yield from _message(data, number, start, finder, limits)

    return cut


big_endian = _prefixed(_length_of_big_endian)
"""Messages behind four bytes of length, as the collector's file exporter writes them; JSON and zstd inside too."""
delimited = _prefixed(_length_of_varint)
"""Messages behind a varint, as ``writeDelimitedTo`` writes them."""


def _message(data: bytes, number: int, start: int, finder: Finder | None, limits: Limits) -> Cut:
    end = start + len(data)
    compressed = data.startswith(ZSTD)
    plain = unzstd_message(data, limits) if compressed else data
    if plain is None:
        yield Broken(number=number, code="compression")
        return
    form: Form = "json" if plain[:1] == b"{" else "protobuf"
    if finder is None or finder.positions(form, plain):
        yield Frame(number=number, start=start, end=end, form=form, data=plain, compressed=compressed)


def bare(chunks: Iterator[bytes], finder: Finder | None, limits: Limits) -> Cut:
    """Yield each ResourceSpans of one message as a message of its own, which is what its bytes with tag are."""
    cursor = _Cursor(chunks)
    number = 0
    while header := cursor.peek(1 + _VARINT_BYTES):
        number += 1
        length, size = _varint(header, 1)
        if header[0] != _FIELD_1 or not size:
            yield Broken(number=number, code="syntax")
            return
        if length > limits.record_bytes:
            yield Broken(number=number, code="too_long")
            return
        start = cursor.offset
        data = cursor.take(size + length)
        if len(data) < size + length:
            yield Broken(number=number, code="truncated")
            return
        if finder is None or finder.positions("protobuf", data):
            yield Frame(number=number, start=start, end=cursor.offset, form="protobuf", data=data)
