"""One damaged file among several: no error where the trace stands whole in the others, and never silent."""

from __future__ import annotations

import gzip

import pytest

from extractor.errors import InputUnreadable, TraceNotFound
from extractor.model.config import Wanted
from extractor.read import Limits

from .build import OTHER, TRACE, lines, request, span
from .conftest import ReadBytes, codes, places

WHOLE = lines([request(span(1), span(2, parent=1), span(3, parent=2))])
ELSE = lines([request(span(1, trace_id=OTHER))])
ZEROS = bytes(8 << 20)


def corrupt(text: bytes) -> bytes:
    data = bytearray(gzip.compress(text))
    data[-6] ^= 0xFF  # the checksum, behind all that is delivered
    return bytes(data)


DAMAGED = {
    "checksum": corrupt(ELSE),
    "bomb": gzip.compress(ELSE + ZEROS),
    "parquet": b"PAR1" + bytes(40) + b"PAR1",
    "trailing bytes": gzip.compress(ELSE) + b"more",
}
LIMITS = Limits(ratio=100, ratio_from=1 << 20)


@pytest.mark.parametrize("kind", DAMAGED)
@pytest.mark.parametrize("first", [True, False])
def test_a_trace_that_is_whole_elsewhere_is_read_and_the_damage_told(
    read_bytes: ReadBytes, kind: str, first: bool
) -> None:
    files = [DAMAGED[kind], WHOLE] if first else [WHOLE, DAMAGED[kind]]
    reading = read_bytes(*files, limits=LIMITS)
    assert [one.name for one in reading.spans] == ["step 1", "step 2", "step 3"]
    assert places(reading.file_notes, "file_unreadable") == (f"file {1 if first else 2}",)
    assert codes(reading.span_notes)["file_unreadable"] == 1  # it may hold more of the trace


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_alone_is_an_error(read_bytes: ReadBytes, kind: str) -> None:
    with pytest.raises(InputUnreadable, match="file 1"):
        read_bytes(DAMAGED[kind], limits=LIMITS)


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_trace_that_is_not_found_is_an_error_of_the_damaged_file(read_bytes: ReadBytes, kind: str) -> None:
    with pytest.raises(InputUnreadable, match="file 2"):
        read_bytes(ELSE, DAMAGED[kind], limits=LIMITS)


@pytest.mark.parametrize(
    "part",
    [[span(2, parent=1), span(3, parent=2)], [span(1), span(3, parent=2)]],
    ids=["no root", "no parent"],
)
def test_a_trace_that_is_not_whole_elsewhere_is_an_error(read_bytes: ReadBytes, part: list[dict[str, object]]) -> None:
    text = lines([request(*part)])
    assert len(read_bytes(text, ELSE).spans) == 2
    with pytest.raises(InputUnreadable, match="file 2 holds corrupt gzip"):
        read_bytes(text, corrupt(ELSE))


def test_what_a_damaged_file_gave_before_it_broke_counts_for_nothing(read_bytes: ReadBytes) -> None:
    told = lines([request(span(2, parent=1, name="changed"), span(4, parent=1))])
    reading = read_bytes(corrupt(told), WHOLE)
    assert [one.name for one in reading.spans] == ["step 1", "step 2", "step 3"]
    with pytest.raises(InputUnreadable, match="file 2"):
        read_bytes(ELSE, corrupt(WHOLE))


@pytest.mark.parametrize(
    "wanted", [Wanted(trace_ids=(TRACE[:10],)), Wanted(sessions=("conv-7",))], ids=["a prefix", "a session"]
)
def test_what_only_all_files_can_answer_is_an_error(read_bytes: ReadBytes, wanted: Wanted) -> None:
    attributes = [{"key": "session.id", "value": {"stringValue": "conv-7"}}]
    text = lines([request(span(1, attributes=attributes))])
    assert len(read_bytes(text, ELSE, wanted=wanted).spans) == 1
    with pytest.raises(InputUnreadable, match="file 2"):
        read_bytes(text, corrupt(ELSE), wanted=wanted)


def test_without_damage_a_trace_that_is_not_found_is_not_found(read_bytes: ReadBytes) -> None:
    with pytest.raises(TraceNotFound):
        read_bytes(ELSE, ELSE)
