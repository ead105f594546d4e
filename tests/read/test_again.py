"""A trace whose records are known is read as one that was sought: the same spans, and the same notes about them."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest

from extractor import read
from extractor.errors import InputChanged
from extractor.model.config import Wanted
from extractor.read import again
from extractor.read.locate import Needles

from .build import OTHER, TRACE, every_container, lines, request, rich, span

LIMITS = read.Limits()
LINKED = {"links": [{"traceId": OTHER, "spanId": f"{9:016x}"}]}


def passed_over(file):
    sources = read.expand([str(file)], None, LIMITS)
    found = defaultdict(list)
    for record in read.pieces(sources, LIMITS):
        for trace_id, pieces in record.items():
            found[trace_id].extend(pieces)
    return sources, found


def both_ways(file):
    """Return the reading by pieces as the pass had them, and by places alone where a file can be sought."""
    sources, found = passed_over(file)
    records = read.Records(sources, LIMITS)

    def by_place(trace_id):
        for piece in found[trace_id]:
            yield from records.pieces(trace_id, piece.place) if piece.place.sought else [piece]

    return [read.reading_again(sources, LIMITS, TRACE, of) for of in (found.__getitem__, by_place)]


def same(found, expected):
    assert repr(found.spans) == repr(expected.spans)
    assert found.span_notes == expected.span_notes
    assert [(each.name, each.container, each.ranges, each.sha256) for each in found.files] == [
        (each.name, each.container, each.ranges, each.sha256) for each in expected.files
    ]


@pytest.mark.parametrize("name", CONTAINERS := every_container())
def test_every_container(tmp_path, name):
    file = tmp_path / "export"
    file.write_bytes(CONTAINERS[name])
    expected = read.read([str(file)], Wanted(trace_ids=(TRACE,)))
    for found in both_ways(file):
        same(found, expected)


@pytest.mark.parametrize("present", [True, False])
def test_linked_traces_and_records_that_others_share(tmp_path, present):
    other = [span(9, trace_id=OTHER, parent=None)] if present else []
    file = tmp_path / "export.jsonl"
    file.write_bytes(lines([request(span(1), *other, span(2, **LINKED)), request(span(3)), *rich()]))
    expected = read.read([str(file)], Wanted(trace_ids=(TRACE,)))
    for found in both_ways(file):
        same(found, expected)


@pytest.mark.parametrize("now", [span(1, trace_id=OTHER), span(1, name="tool.other"), span(4)])
def test_a_record_that_was_written_over_is_told(tmp_path, now):
    file = tmp_path / "export.jsonl"
    file.write_bytes(lines([request(span(1)), request(span(2))]))
    sources, found = passed_over(file)
    file.write_bytes(lines([request(now), request(span(2))]))
    records = read.Records(sources, LIMITS)
    with pytest.raises(InputChanged, match="file 1 changed while it was read"):
        records.pieces(TRACE, found[TRACE][0].place)


def test_a_file_that_only_grew_is_as_it_was(tmp_path):
    file = tmp_path / "export.jsonl"
    file.write_bytes(lines([request(span(1))]))
    sources, found = passed_over(file)
    file.write_bytes(lines([request(span(1)), request(span(2))]))
    assert read.Records(sources, LIMITS).pieces(TRACE, found[TRACE][0].place)


def test_few_records_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("extractor.read.again._KEPT", 1)
    file = tmp_path / "export.jsonl"
    file.write_bytes(b"\n".join(json.dumps(request(span(n))).encode() for n in range(1, 6)))
    expected = read.read([str(file)], Wanted(trace_ids=(TRACE,)))
    for found in both_ways(file):
        same(found, expected)


def test_a_record_of_many_traces_is_gone_through_once(tmp_path, monkeypatch):
    """Else it would be as often as it has traces: a document of an hour is one record."""
    digested = []
    digest = again._digest
    monkeypatch.setattr(again, "_digest", lambda data: digested.append(len(data)) or digest(data))
    (tmp_path / "hour").write_bytes(lines([request(*(span(1, trace_id=f"{n:032x}") for n in range(1, 40)))]))
    (found,) = read.pieces(read.expand([str(tmp_path / "hour")], None, read.Limits()), read.Limits())
    assert len(found) == 39
    assert all([each.trace_id for each in piece.spans] == [trace_id] for trace_id, (piece,) in found.items())
    assert len(digested) == 1


def test_what_seeks_many_ids_is_made_once_for_all_files_of_a_kind():
    needles = Needles(trace_ids=tuple(f"{n:02x}" * 16 for n in range(1, 40)))
    hexed, other = b'{"traceId": "' + b"a" * 32 + b'"}', b'{"traceId": "qqqqqqqqqqqqqqqqqqqqqg=="}'
    assert needles.finder(hexed) is needles.finder(hexed + b"another") is not needles.finder(other)
    assert needles.finder(hexed).positions("json", f'"other": "{"1A" * 16}"'.encode()) == [10]
