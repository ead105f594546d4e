"""What is set aside is noise without the process that wrote it."""

from __future__ import annotations

import pytest

from extractor.bulk import spill
from extractor.errors import InputUnreadable
from extractor.model.span import Span
from extractor.read import Piece, Place

SECRET = "ines.kaplan@example.com"


def piece(number=1):
    span = Span(
        trace_id="a" * 32, span_id=f"{number:016x}", parent_id=None, name=SECRET, kind="internal", start_ns=1, end_ns=2
    )
    place = Place(source=1, number=number, start=0, end=9, form="json", sought=False)
    return Piece(place=place, container="otlp_json+gzip", spans=(span,))


def test_pieces_come_back_as_they_were_and_the_file_holds_none_of_them(tmp_path):
    with spill.spilling(tmp_path) as aside:
        kept = [aside.put(piece(number)) for number in range(1, 4)]
        aside.flush()
        content = (tmp_path / spill.NAME).read_bytes()
        opened = spill.Opened(tmp_path, aside.key)
        assert [opened.piece(each) for each in reversed(kept)] == [piece(number) for number in (3, 2, 1)]
    assert SECRET.encode() not in content
    assert len(content) == kept[-1].end
    assert not (tmp_path / spill.NAME).exists()


def test_it_is_its_owners_alone_and_replaces_what_a_crash_left(tmp_path):
    (tmp_path / spill.NAME).write_bytes(b"left by a killed run")
    with spill.spilling(tmp_path) as aside:
        aside.flush()
        assert (tmp_path / spill.NAME).read_bytes() == b""
        assert (tmp_path / spill.NAME).stat().st_mode & 0o777 == 0o600
        assert "secret" not in repr(aside.key)


@pytest.mark.parametrize("fault", ["changed", "exchanged", "cut", "gone", "another key"])
def test_what_is_not_what_was_put_there_is_refused(tmp_path, fault):
    with spill.spilling(tmp_path) as aside:
        first, second = aside.put(piece(1)), aside.put(piece(2))
        aside.flush()
        file, key = tmp_path / spill.NAME, aside.key
        content = file.read_bytes()
        if fault == "changed":
            file.write_bytes(content[:5] + bytes([content[5] ^ 1]) + content[6:])
        elif fault == "exchanged":
            first = spill.Kept(second.start, second.end, first.number)
        elif fault == "cut":
            file.write_bytes(content[: first.end - 1])
        elif fault == "gone":
            file.unlink()
        else:
            key = spill.Key(bytes(32))
        with pytest.raises(InputUnreadable, match="set aside"):
            spill.Opened(tmp_path, key).piece(first)
