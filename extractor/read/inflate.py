"""Stored bytes to plain bytes, chunk by chunk: gzip and zstd, one layer, bounded in size and in ratio."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Iterator
from typing import BinaryIO

from extractor.errors import InputUnreadable

from .limits import Limits

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
_OUTPUT = 1 << 20


class CountedFile:
    """A file that knows how far it was read, for progress and for the ratio bound."""

    def __init__(self, file: BinaryIO, advance: Callable[[int], None], number: int) -> None:
        self._file = file
        self._advance = advance
        self._number = number
        self.consumed = 0

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` bytes. Raises `InputUnreadable` when the device fails."""
        try:
            data = self._file.read(size)
        except OSError:
            raise InputUnreadable(f"file {self._number} cannot be read") from None
        self.consumed += len(data)
        self._advance(len(data))
        return data


def compression(first: bytes) -> str | None:
    """Return gzip or zstd as the first bytes say it, None for anything else."""
    if first.startswith(GZIP):
        return "gzip"
    return "zstd" if first.startswith(ZSTD) else None


def chunks(
    file: CountedFile, number: int, limits: Limits, report: Callable[[str], None]
) -> tuple[str | None, Generator[bytes]]:
    """Return the compression found and the plain bytes in chunks.

    ``report`` gets ``file_truncated`` when a gzip stream ends early: what came before is still delivered.
    The iterator raises `InputUnreadable` for corrupt data, trailing bytes and broken bounds.
    """
    first = file.read(limits.chunk_bytes)
    found = compression(first)
    stored = _stored(file, first, limits.chunk_bytes)
    if found == "gzip":
        return found, _bounded(_gunzip(stored, number, report), file, number, limits)
    if found == "zstd":
        return found, _bounded(_unzstd(_Joined(first, file), number, limits), file, number, limits)
    return None, stored


def unzstd_message(data: bytes, limits: Limits) -> bytes | None:
    """Return one zstd-compressed message, None when it is corrupt or larger than ``record_bytes``."""
    import zstandard  # heavy, and most sources are not compressed so

    reader = zstandard.ZstdDecompressor(max_window_size=limits.window_bytes).stream_reader(data)
    try:
        plain = reader.read(limits.record_bytes + 1)
    except zstandard.ZstdError:
        return None
    return plain if len(plain) <= limits.record_bytes else None


def _stored(file: CountedFile, first: bytes, size: int) -> Generator[bytes]:
    data = first
    while data:
        yield data
        data = file.read(size)


def _gunzip(stored: Iterator[bytes], number: int, report: Callable[[str], None]) -> Generator[bytes]:
    member = zlib.decompressobj(wbits=31)
    open_member = False
    for data in stored:
        rest = data
        while rest:
            if not open_member:
                rest = rest.lstrip(b"\0")  # tape blocks are padded with zeros; gzip itself accepts that
                if not rest:
                    break
                member, open_member = zlib.decompressobj(wbits=31), True
            try:
                plain = member.decompress(rest, _OUTPUT)
            except zlib.error:
                raise InputUnreadable(f"file {number} holds corrupt gzip data or trailing bytes") from None
            if plain:
                yield plain
            if member.eof:
                rest, open_member = member.unused_data, False
            else:
                rest = member.unconsumed_tail
    if open_member:
        report("file_truncated")


class _Joined:
    """The first bytes, already read, and the rest of the file as one readable."""

    def __init__(self, first: bytes, file: CountedFile) -> None:
        self._first = first
        self._file = file

    def read(self, size: int) -> bytes:
        if self._first:
            data, self._first = self._first[:size], self._first[size:]
            return data
        return self._file.read(size)


def _unzstd(file: _Joined, number: int, limits: Limits) -> Generator[bytes]:
    import zstandard  # heavy, and most sources are not compressed so

    decompressor = zstandard.ZstdDecompressor(max_window_size=limits.window_bytes)
    reader = decompressor.stream_reader(file, read_across_frames=True)  # type: ignore[arg-type]  # read() is all it calls
    while True:
        try:
            plain = reader.read(_OUTPUT)
        except zstandard.ZstdError:
            raise InputUnreadable(
                f"file {number} holds corrupt zstd data, trailing bytes or too large a window"
            ) from None
        if not plain:
            return
        yield plain


def _bounded(plain: Iterator[bytes], file: CountedFile, number: int, limits: Limits) -> Generator[bytes]:
    written = 0
    for data in plain:
        if not written and compression(data):
            raise InputUnreadable(f"file {number} is compressed twice")
        written += len(data)
        if written > limits.output_bytes or (written > limits.ratio_from and written > limits.ratio * file.consumed):
            raise InputUnreadable(f"file {number} expands beyond the bounds of an honest export")
        yield data
