"""Files, folders, globs and pipes, told apart by content and named by position."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import threading
from pathlib import Path

import pytest

from extractor.errors import InputUnreadable
from extractor.model.config import Wanted
from extractor.read import Limits, read

from .build import TRACE, big_endian, lines, message, request, rich, span
from .conftest import codes, places

WANTED = Wanted(trace_ids=(TRACE,))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b" / "deep").mkdir(parents=True)
    (tmp_path / "a.jsonl").write_bytes(lines([request(span(1))]))
    (tmp_path / "b" / "notes.txt").write_text("Refund agent, export of June\n{not json}\n")
    (tmp_path / "b" / "deep" / "c.json").write_bytes(gzip.compress(lines([request(span(2))])))
    (tmp_path / "b" / "deep" / "d").write_bytes(big_endian([message(request(span(3)))]))
    (tmp_path / "b" / "empty.json").touch()
    return tmp_path


def test_a_folder_is_read_to_its_depth(folder: Path) -> None:
    reading = read([str(folder)], WANTED)
    assert len(reading.spans) == 3
    assert [file.name for file in reading.files] == ["a.jsonl", "c.json", "d"]
    assert places(reading.file_notes, "file_not_recognised") == ("file 5",)
    assert places(reading.file_notes, "file_empty") == ("file 4",)


def test_a_glob_is_expanded(folder: Path) -> None:
    assert len(read([str(folder / "**" / "*.json*")], WANTED).spans) == 2


def test_a_file_named_twice_is_read_once(folder: Path) -> None:
    reading = read([str(folder), str(folder / "a.jsonl"), str(folder / "b" / ".." / "a.jsonl")], WANTED)
    assert codes(reading.file_notes)["records_read"] == 3
    assert "duplicates_merged" not in codes(reading.file_notes)


def test_the_digest_is_of_the_bytes_as_stored(folder: Path) -> None:
    files = {file.name: file for file in read([str(folder)], WANTED).files}
    stored = (folder / "b" / "deep" / "c.json").read_bytes()
    assert files["c.json"].sha256 == hashlib.sha256(stored).hexdigest()


def test_standard_input_is_one_more_source(folder: Path) -> None:
    data = gzip.compress(lines([request(span(8))]))
    reading = read(["-", str(folder / "a.jsonl")], WANTED, stdin=io.BytesIO(data))
    assert len(reading.spans) == 2
    assert reading.files[0].name == "-"
    assert reading.files[0].sha256 == hashlib.sha256(data).hexdigest()


def test_standard_input_is_bounded() -> None:
    with pytest.raises(InputUnreadable, match="source 1 is a pipe of more than 100 bytes"):
        read(["-"], WANTED, stdin=io.BytesIO(lines(rich())), limits=Limits(memory_bytes=100))


def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(lines(rich()),))
    writer.start()
    reading = read([str(pipe)], WANTED)
    writer.join()
    assert len(reading.spans) == 5


@pytest.mark.parametrize("name", ["missing-canary.json", "missing-canary*.json", "empty-canary"])
def test_a_source_that_is_not_there_is_named_by_position(folder: Path, name: str) -> None:
    (folder / "empty-canary").mkdir()
    with pytest.raises(InputUnreadable, match="source 2") as caught:
        read([str(folder / "a.jsonl"), str(folder / name)], WANTED)
    assert "canary" not in str(caught.value)


def test_no_source_is_unreadable() -> None:
    with pytest.raises(InputUnreadable):
        read([], WANTED)


def test_progress_grows_to_the_total(folder: Path) -> None:
    seen: list[tuple[int, int]] = []

    class Listener:
        def advance(self, bytes_done: int, bytes_total: int) -> None:
            seen.append((bytes_done, bytes_total))

    read([str(folder)], WANTED, progress=Listener())
    total = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    assert seen[0] == (0, total)
    assert seen[-1] == (total, total)
    assert seen == sorted(seen)
