"""A file read in parts is read as a whole, wherever the cuts fall; no cluster is needed to see that."""

from __future__ import annotations

import gzip
import json

import pytest

from extractor.bulk.spark.parts import Part, count_newlines, hits, numbered, parts, tasks
from extractor.bulk.spark.rows import told
from extractor.bulk.spark.scan import Needed, Reader, records, seen
from extractor.read import Heard, Limits, expand
from extractor.read.scan import Scanner
from tests.spark import export
from tests.spark.export import Incident, incidents

LIMITS = Limits()


def none(_span):
    return 0


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    files = export.write(tmp_path_factory.mktemp("parts") / "spans")
    return expand(files, None, LIMITS)


def cut_at(sources, part_bytes):
    cut = parts(sources, LIMITS, part_bytes)
    return numbered(cut, lambda part: count_newlines(sources[part.source - 1], part))


def shown(found):
    return [(hit.source.number, hit.container, hit.frame, hit.spans, hit.attachments) for hit in found]


@pytest.mark.parametrize("part_bytes", [1, 7, 100, 1_000, 4_096, 20_000, 1 << 30])
def test_parts_hold_every_record_once_with_its_number_and_its_place(sources, part_bytes):
    source = sources[0]
    whole, in_parts = Heard(shown=99), Heard(shown=99)
    expected = shown(Scanner(sources=(source,), limits=LIMITS, ledger=whole).hits(None))
    cut = cut_at([source], part_bytes)
    assert len(cut) == (-(-source.size // part_bytes) if part_bytes < source.size else 1)
    scanner = Scanner(sources=(source,), limits=LIMITS, ledger=in_parts)
    found = [hit for part in cut for hit in shown(hits(scanner, source, part, None))]
    assert found == expected
    assert in_parts.notes() == whole.notes()


def test_only_files_of_lines_are_cut(sources, tmp_path):
    assert {part.source for part in parts(sources, LIMITS, 500) if part.end is not None} == {1}
    comma = tmp_path / "spans.csv"
    comma.write_text("trace_id,span_id,name,start_time\n" + "ab,cd,ef,1\n" * 200)
    packed = tmp_path / "lines.gz"
    packed.write_bytes(gzip.compress(sources[0].path.read_bytes()))
    assert parts(expand([str(comma), str(packed), "/dev/null"], None, LIMITS), LIMITS, 500) == [
        Part(source=1, size=comma.stat().st_size),
        Part(source=2, size=packed.stat().st_size),
        Part(source=3, size=0),
    ]


def test_a_file_that_cannot_be_opened_is_a_part_that_says_so(tmp_path):
    (tmp_path / "spans.jsonl").write_text("{}\n" * 1_000)
    sources = expand([str(tmp_path / "spans.jsonl")], None, LIMITS)
    (tmp_path / "spans.jsonl").unlink()
    (part,) = parts(sources, LIMITS, 100)
    found, notes = seen(Reader(sources=sources), part, none)
    assert (found, [note.code for note in notes]) == ([], ["file_unreadable"])


def test_a_file_of_lines_that_grew_is_noted_and_what_it_gained_is_left(sources, tmp_path):
    file = tmp_path / "grows.jsonl"
    file.write_bytes(sources[0].path.read_bytes())
    mine = expand([str(file)], None, LIMITS)
    cut = cut_at(mine, 2_000)
    before = [seen(Reader(sources=mine), part, none)[0] for part in cut]
    with file.open("ab") as opened:
        opened.write(sources[0].path.read_bytes())
    after = [seen(Reader(sources=mine), part, none) for part in cut]
    assert [found for found, _ in after] == before
    assert "file_changed_while_read" in {note.code for _, notes in after for note in notes}


def test_tasks_are_of_like_size_and_hold_every_part_once(sources):
    cut = cut_at(sources, 3_000)
    for least in (1, 2, 5, 100):
        dealt = tasks(cut, least, 10_000)
        assert sorted((part for task in dealt for part in task), key=repr) == sorted(cut, key=repr)
        assert len(dealt) >= min(least, len(cut))
    loads = [sum(part.size for part in task) for task in tasks(cut, 5, 10_000)]
    assert max(loads) - min(loads) <= max(part.size for part in cut)


@pytest.mark.parametrize("unspelled", [False, True])
def test_what_is_handed_on_is_what_was_seen(sources, unspelled):
    reader = Reader(sources=sources)
    wanted = {one.trace_id: (f"{number:03}",) for number, one in enumerate(incidents()) if number % 5 == 0}
    counted, given = {}, {}
    for part in cut_at(sources, 2_000):
        for one in seen(reader, part, none)[0]:
            counted[one.trace_id] = counted.get(one.trace_id, 0) + one.records
        for key, trace_id, _, piece in records(reader, part, Needed(groups=wanted, unspelled=unspelled)):
            assert wanted[trace_id] == (key,)
            given.setdefault(trace_id, set()).add((piece.place.source, piece.place.number))
    assert {trace_id: len(places) for trace_id, places in given.items()} == {
        trace_id: counted[trace_id] for trace_id in wanted
    }


def test_an_id_that_its_record_spells_in_a_way_of_its_own_is_noticed(tmp_path):
    """Escapes are such a way: no search of bytes finds them."""
    lines = (tmp_path / "spans.jsonl", tmp_path / "escaped.jsonl")
    own = Incident(3).trace_id
    text = '{"traceId": "%s", "spanId": "%s", "name": "chat", "startTimeUnixNano": "1", "endTimeUnixNano": "2"}\n'
    lines[0].write_text(text % (own, "01" * 8))
    lines[1].write_text(text % ("".join(f"\\u{ord(digit):04x}" for digit in own), "02" * 8))
    sources = expand([str(line) for line in lines], None, LIMITS)
    found = [seen(Reader(sources=sources), Part(source=number, size=1), none)[0] for number in (1, 2)]
    assert [(one.trace_id, one.unspelled) for (one,) in found] == [(own, False), (own, True)]


def test_a_time_beyond_what_arrow_holds_is_the_latest_that_it_does(tmp_path):
    late = {"traceId": "a" * 32, "spanId": "b" * 16, "name": "late", "startTimeUnixNano": str(2**64 - 1)}
    (tmp_path / "late.jsonl").write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [late]}]}]}) + "\n")
    sources = expand([str(tmp_path / "late.jsonl")], None, LIMITS)
    (part,) = cut_at(sources, 1 << 20)
    found, notes = seen(Reader(sources=sources), part, none)
    assert told(1, found, notes).to_pylist()[0]["start_ns"] == 2**63 - 1
