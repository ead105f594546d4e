"""Where each trace stands: positions, counts and ids; no payload, whatever the sources are."""

from __future__ import annotations

import gzip
import json
import os
import resource
from contextlib import ExitStack
from functools import partial

import pytest

from extractor import read, ruleset
from extractor.bulk import plan, spill
from extractor.bulk.choosing import Choice, rule
from extractor.errors import InputUnreadable, UsageError
from extractor.model.span import LATEST_NS
from extractor.read import ledger
from extractor.redact import WorkspaceKey

RULES = ruleset.load(())
KEY = WorkspaceKey(material=b"k" * 32)
LIMITS = read.Limits()
A, B, C = "a" * 32, "b" * 32, "c" * 32


def span(trace_id, number, *, start=1_000, link=None, **status):
    made = {
        "traceId": trace_id,
        "spanId": f"{number:016x}",
        "name": "ask ines.kaplan@example.com",
        "startTimeUnixNano": str(start + number),
        "endTimeUnixNano": str(start + number + 5),
        "status": status,
    }
    return made | ({"links": [{"traceId": link, "spanId": f"{1:016x}"}]} if link else {})


def line(*spans):
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [*spans]}]}]}).encode() + b"\n"


CONTENT = line(span(A, 1), span(B, 2, code=2)) + line(span(A, 3, link=C)) + line(span(C, 4, start=9))


@pytest.fixture
def made(tmp_path):
    """Return what makes a plan of some contents."""

    def make(*contents, choice=None, indexed=False, limits=LIMITS):
        files = []
        for number, content in enumerate(contents):
            file = tmp_path / f"export{number}"
            file.write_bytes(content)
            files.append(str(file))
        if indexed:
            read.make_index(files)
        sources = read.expand(files, None, LIMITS)
        folder = tmp_path / "own"
        folder.mkdir(exist_ok=True)
        aside = make.stack.enter_context(spill.spilling(folder))
        return plan.make(sources, choice or Choice(RULES, KEY), folder, aside, limits=limits)

    with ExitStack() as stack:
        make.stack = stack
        yield make


def places(found, trace_id):
    return [(place.source, place.number, place.sought) for place, _ in found.where(trace_id)]


def test_every_trace_with_its_places_and_counts_by_start(made):
    found = made(CONTENT)
    assert [(each.trace_id, each.start_ns, each.spans, each.errors) for each in found.traces()] == [
        (C, 13, 1, 0),
        (A, 1001, 2, 0),
        (B, 1002, 1, 1),
    ]
    assert places(found, A) == [(1, 1, True), (1, 2, True)]
    assert places(found, B) == [(1, 1, True)]
    assert b"ines" not in found.path.read_bytes()
    assert found.path.stat().st_mode & 0o777 == 0o600


def test_what_is_compressed_is_set_aside(made):
    found = made(gzip.compress(CONTENT))
    (first, kept), _ = found.where(A)
    assert not first.sought
    assert kept is not None
    assert b"ines" not in (found.path.parent / spill.NAME).read_bytes()


@pytest.mark.parametrize("indexed", [False, True])
def test_a_list_alone_is_sought_with_what_it_links_to(made, indexed):
    choice = Choice(RULES, KEY, flagged=frozenset({A}))
    found = made(CONTENT, choice=choice, indexed=indexed)
    assert {each.trace_id for each in found.traces()} == {A, C}
    assert places(found, A) == [(1, 1, True), (1, 2, True)]
    assert places(found, C) == [(1, 3, True)]


def test_an_id_that_no_search_finds_costs_a_whole_pass(made):
    escaped = CONTENT.replace(A.encode(), b"\\u0061" + A[1:].encode())
    found = made(escaped, choice=Choice(RULES, KEY, flagged=frozenset({A})))
    assert {each.trace_id for each in found.traces()} == {A, B, C}


def test_bits_of_rules_are_gathered_over_records(made):
    choice = Choice(RULES, KEY, where=[rule("error")])
    found = made(CONTENT, choice=choice)
    assert {each.trace_id: choice.takes(each.trace_id, each.start_ns, each.bits) for each in found.traces()} == {
        A: False,
        B: True,
        C: False,
    }


def test_a_damaged_source_gives_nothing_and_is_known(made):
    bomb, limits = gzip.compress(CONTENT * 40), read.Limits(ratio=2, ratio_from=1_000)
    found = made(line(span(B, 7)), bomb, limits=limits)
    assert found.damaged == {2}
    assert places(found, B) == [(1, 1, True)]
    assert places(found, A) == []
    with pytest.raises(InputUnreadable):
        made(bomb, limits=limits)


def test_what_a_damaged_source_told_before_it_broke_counts_for_no_trace(made):
    """Neither is a trace there of which nothing else tells, nor does it choose one, or say when it began."""
    packed = gzip.compress((CONTENT + line(span(B, 9, start=1, code=2)) + b" " * 100 + b"\n") * 20_000)
    choice = Choice(RULES, KEY, where=[rule("error")])
    found = made(line(span(B, 7)), packed[:-4] + b"junk", choice=choice)
    assert found.damaged == {2}
    (known,) = found.traces()
    assert (known.trace_id, known.start_ns, known.spans, known.errors, known.bits) == (B, 1007, 1, 0, 0)


def test_a_source_that_has_gone_costs_no_other(made, tmp_path, monkeypatch):
    digest = plan._digest
    monkeypatch.setattr(plan, "_digest", lambda source: gone(source) if source.number == 2 else digest(source))

    def gone(source):
        source.path.unlink()
        return digest(source)

    found = made(line(span(B, 7)), line(span(A, 8)))
    assert found.damaged == {2}
    assert [each.trace_id for each in found.traces()] == [B]
    assert "file_unreadable" in {note.code for note in found.notes}
    assert set(found.sources()) == {1}


def test_what_is_wrong_with_every_record_is_counted_and_not_held(made, monkeypatch):
    """Memory must not follow the export's length, whatever there is to say of its records."""
    monkeypatch.setattr(ledger, "_HELD", 40)
    row = {"trace.trace_id": A, "name": "step", "time": "2026-06-01T00:00:00Z", "duration_ms": 1, "SampleRate": 4}
    content = b"".join(json.dumps(row | {"trace.span_id": f"{n:016x}"}).encode() + b"\n" for n in range(1, 101))
    (note,) = made(content).notes
    assert (note.code, note.count) == ("sampled_spans", 100)
    assert note.places[:2] == ("file 1 record 1 item 1", "file 1 record 2 item 1")
    held = ledger.Heard(shown=3)
    for number in range(1, 101):
        held.add("sampled_spans", file=1, record=number)
        assert held.taken(1, number)
    assert len(held._places["sampled_spans"]) == 40


def test_names_that_are_no_unicode_and_times_beyond_64_bits_are_planned(tmp_path):
    odd = tmp_path / os.fsdecode(b"\xff.jsonl")
    odd.write_bytes(line(span(A, 1, start=2**64 - 100)) + line(span(B, 1)))
    with spill.spilling(tmp_path) as aside:
        found = plan.make(read.expand([str(odd)], None, LIMITS), Choice(RULES, KEY), tmp_path, aside, limits=LIMITS)
    assert [(each.trace_id, each.start_ns, each.end_ns) for each in found.traces()] == [
        (B, 1001, 1006),
        (A, LATEST_NS, LATEST_NS),
    ]


@pytest.fixture
def full_disk():
    """Let no file grow beyond some bytes, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("pack", [bytes, partial(gzip.compress, compresslevel=1)])
def test_a_full_disk_is_told_as_one(made, full_disk, pack):
    content = b"".join(line(span(f"{number:032x}", number)) for number in range(1, 60))
    with pytest.raises(UsageError, match="cannot be written"):
        made(pack(content)[:8_000] if pack is bytes else pack(content))
