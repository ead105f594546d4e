from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from extractor.loose.lines import Line, Source, holding, opened


class Arriving(io.BytesIO):
    """Gives a few bytes at a time, as a pipe does."""

    def __init__(self, content: bytes, piece: int) -> None:
        super().__init__(content)
        self._piece = piece

    def read1(self, size: int = -1) -> bytes:
        return self.read(self._piece)


CONTENT = st.lists(st.binary(max_size=20).filter(lambda data: data[:2] != b"\x1f\x8b"), max_size=8).map(b"\n".join)


@given(CONTENT.filter(lambda data: data[:4] != b"\x28\xb5\x2f\xfd"), st.integers(1, 30))
def test_lines_are_those_of_the_content_however_it_arrives(content, piece):
    found = [line for batch in Source(stream=Arriving(content, piece), file=None).batches() for line in batch]
    assert b"".join(line.data for line in found) == content
    assert [line.number for line in found] == list(range(1, len(found) + 1))
    assert all(b"\n" not in line.data[:-1] for line in found)
    assert all(content[line.start :].startswith(line.data) for line in found)


def test_lines_of_a_file_are_read_again_where_they_stand(tmp_path):
    file = tmp_path / "a"
    file.write_bytes(b"one\n\nthree\r\nlast")
    with opened(str(file)) as source, holding(source) as held:
        for batch in source.batches():
            for line in batch:
                held.add(line)
        assert [held.line(index).data for index in (3, 0, 2, 1)] == [b"last", b"one\n", b"three\r\n", b"\n"]
        assert len(held) == 4


def test_white_space_and_a_mark_of_order_fill_no_line():
    assert not Line(number=1, start=0, data=b"\xef\xbb\xbf \r\n").filled
    assert Line(number=1, start=0, data=b" 0\n").filled
