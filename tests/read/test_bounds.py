"""Input keeps its bounds: of compressed data size, ratio, window, one layer; of any a line, and the file itself."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from extractor.errors import InputUnreadable
from extractor.model.config import Wanted
from extractor.read import Limits, read
from extractor.read.sources import Source

from .build import TRACE, lines, request, rich, span
from .conftest import ReadBytes, codes, places

TEXT = lines(rich())
ZEROS = bytes(8 << 20)


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_bomb_is_refused_by_ratio(read_bytes: ReadBytes, compress: object) -> None:
    assert callable(compress)
    with pytest.raises(InputUnreadable, match="file 1 expands"):
        read_bytes(compress(TEXT + ZEROS), limits=Limits(ratio=100, ratio_from=1 << 20))


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_bomb_is_refused_by_size(read_bytes: ReadBytes, compress: object) -> None:
    assert callable(compress)
    with pytest.raises(InputUnreadable, match="file 1 expands"):
        read_bytes(compress(TEXT + ZEROS), limits=Limits(output_bytes=1 << 20))


@pytest.mark.parametrize("inner", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("outer", [gzip.compress, zstandard.compress])
def test_two_layers_are_refused(read_bytes: ReadBytes, inner: object, outer: object) -> None:
    assert callable(inner)
    assert callable(outer)
    with pytest.raises(InputUnreadable, match="file 1 is compressed twice"):
        read_bytes(outer(inner(TEXT)))


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_bytes_behind_the_end_are_an_error(read_bytes: ReadBytes, compress: object) -> None:
    assert callable(compress)
    with pytest.raises(InputUnreadable, match="trailing bytes"):
        read_bytes(compress(TEXT) + b"more")


def test_corrupt_data_is_an_error(read_bytes: ReadBytes) -> None:
    data = bytearray(gzip.compress(TEXT))
    data[-6] ^= 0xFF
    with pytest.raises(InputUnreadable, match="corrupt gzip"):
        read_bytes(bytes(data))


def test_a_window_beyond_the_bound_is_refused(read_bytes: ReadBytes) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=24)
    writer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    data = writer.compress(TEXT + ZEROS + ZEROS + ZEROS) + writer.flush()
    with pytest.raises(InputUnreadable, match="too large a window"):
        read_bytes(data, limits=Limits(window_bytes=1 << 20))


def test_a_truncated_gzip_file_gives_what_it_holds(read_bytes: ReadBytes) -> None:
    text = lines([request(span(number)) for number in range(1, 400)])
    reading = read_bytes(gzip.compress(text)[:-300])
    assert 0 < len(reading.spans) < 399
    assert places(reading.file_notes, "file_truncated") == ("file 1",)


def test_a_bomb_inside_a_message_is_refused(read_bytes: ReadBytes) -> None:
    bomb = zstandard.compress(ZEROS)
    data = len(bomb).to_bytes(4, "big") + bomb
    reading = read_bytes(TEXT, data, limits=Limits(record_bytes=1 << 20))
    assert places(reading.file_notes, "record_refused") == ("file 2 record 1 (compression)",)


def test_a_length_beyond_the_bound_allocates_nothing(read_bytes: ReadBytes) -> None:
    data = gzip.compress(b"\x7f\xff\xff\xff\x0a" + bytes(200_000))
    reading = read_bytes(TEXT, data)
    assert places(reading.file_notes, "record_refused") == ("file 2 record 1 (too_long)",)


def test_one_endless_line_costs_itself_alone_and_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    limits = Limits(record_bytes=1 << 20)
    with file.open("wb") as out:
        out.write(lines([request(span(1))]) + b'{"a": "')
        out.seek(64 << 20, 1)  # a hole in the file: zeros that take no place
        out.write(b'"}\n' + lines([request(span(2))]))
    tracemalloc.start()
    reading = read([str(file)], Wanted(trace_ids=(TRACE,)), limits=limits)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(reading.spans) == 2
    assert places(reading.file_notes, "record_refused") == ("file 1 record 2 (too_long)",)
    assert peak < 32 << 20


@pytest.mark.parametrize("grown", [True, False])
def test_a_file_that_changes_while_it_is_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grown: bool
) -> None:
    file = tmp_path / "export.jsonl"
    content = lines([request(span(number)) for number in range(1, 4)])
    file.write_bytes(content)
    opened = Source.open

    def changing(source: Source) -> object:
        file.write_bytes(content + lines([request(span(9))]) if grown else content[: len(content) // 2])
        return opened(source)

    monkeypatch.setattr(Source, "open", changing)
    reading = read([str(file)], Wanted(trace_ids=(TRACE,)))
    assert codes(reading.file_notes)["file_changed_while_read"] == 1
    assert len(reading.spans) == (4 if grown else 1)
