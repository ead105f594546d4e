"""Lines cut out of chunks: whatever the chunks, the same records at the same places."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractor.read.ahead import ahead
from extractor.read.frames import Broken, Frame
from extractor.read.limits import Limits
from extractor.read.text import lines

LINES = st.lists(
    st.one_of(
        st.integers(0, 60).map(lambda size: b'{"a": "' + b"x" * size + b'"}'),
        st.sampled_from(
            [b"", b" ", b"{", b"log line", b'{"needle": 1}', b'{"needle": 1', b"[1]", b"\r", b'{"a": 1}\r']
        ),
    ),
    max_size=120,
)


class Needle:
    def positions(self, _form: str, data: bytes) -> list[int]:
        return [index for index in range(len(data)) if data.startswith(b"needle", index)]


def cut(text: bytes, size: int, finder: Needle | None) -> list[tuple[object, ...]]:
    chunks = (text[start : start + size] for start in range(0, len(text), size))
    found: list[tuple[object, ...]] = []
    for item in lines(chunks, finder, Limits()):
        if isinstance(item, Frame):
            assert text[item.start : item.end] == item.data
            found.append((item.number, item.data))
        else:
            found.append((item.number, item.code))
    return found


@given(LINES, st.integers(1, 5_000), st.booleans(), st.booleans())
@settings(max_examples=300)
def test_chunks_do_not_matter(rows: list[bytes], size: int, sought: bool, ended: bool) -> None:
    text = b"\n".join(rows) + b"\n" * ended
    finder = Needle() if sought else None
    expected = []
    for number, row in enumerate(text.split(b"\n"), 1):
        data = row.strip(b" \t\r\n")
        whole = data[:1] + data[-1:] in (b"{}", b"[]")
        if data and (finder is None or b"needle" in row or not whole):
            expected.append((number, data))
    assert cut(text, size, finder) == expected


@pytest.mark.parametrize("size", [1 << 16, 1 << 20])
def test_many_short_lines_are_told_apart(size: int) -> None:
    rows = [b'{"n": %d}' % number for number in range(40_000)]
    rows[17_000], rows[31_000] = b'{"needle": 1}', b"half a li"
    assert cut(b"\n".join(rows), size, Needle()) == [(17_001, b'{"needle": 1}'), (31_001, b"half a li")]


def test_a_line_beyond_the_bound_costs_itself_alone() -> None:
    text = b'{"a": 1}\n{"b": "' + b"x" * 1_000 + b'"}\n{"c": 1}\n'
    chunks = (text[start : start + 100] for start in range(0, len(text), 100))
    found = list(lines(chunks, None, Limits(record_bytes=500)))
    assert [(item.number, isinstance(item, Broken)) for item in found] == [(1, False), (2, True), (3, False)]
    assert isinstance(found[2], Frame)
    assert text[found[2].start : found[2].end] == b'{"c": 1}'


def test_what_fetching_raises_is_raised_in_its_place() -> None:
    def failing() -> object:
        yield b"one"
        raise OSError

    fetched = ahead(failing())  # type: ignore[arg-type]
    assert next(fetched) == b"one"
    with pytest.raises(OSError):  # it has no text
        next(fetched)


def test_a_reader_that_stops_ends_the_fetching() -> None:
    taken = []

    def endless() -> object:
        while True:
            taken.append(1)
            yield b"x"

    fetched = ahead(endless())  # type: ignore[arg-type]
    assert next(fetched) == b"x"
    fetched.close()
    count = len(taken)
    assert count < 10
    assert len(taken) == count
