"""Parquet's bytes at hand in any order: a file is read where it lies, a stream is held, within a bound."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from extractor.errors import InputUnreadable

from .limits import Limits
from .sources import Source

if TYPE_CHECKING:
    import pyarrow as pa


@contextmanager
def parquet_file(
    source: Source, compressed: str | None, stream: Iterator[bytes], limits: Limits
) -> Iterator[pa.NativeFile]:
    """Open a Parquet source. Raises `InputUnreadable` for streams beyond ``memory_bytes``."""
    import pyarrow as pa  # heavy, and only Parquet needs it

    if compressed is None and source.path is not None:
        with pa.OSFile(str(source.path)) as file:
            yield file
        return
    if compressed is None and source.stored is not None:
        with source.open() as stored:
            yield stored
        return
    held = bytearray()
    for chunk in stream:
        held += chunk
        if len(held) > limits.memory_bytes:
            raise InputUnreadable(
                f"file {source.number} is compressed Parquet of more than {limits.memory_bytes} bytes",
                hint="decompress it first: Parquet is read from its end, so that a stream must be held in memory",
            )
    with pa.BufferReader(pa.py_buffer(held)) as file:
        yield file
