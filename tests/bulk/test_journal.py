"""The journal of a run: what a crash cuts off is cut away, and the next run knows what is done."""

from __future__ import annotations

import json
import os

import pytest

from extractor.bulk import journal
from extractor.bulk.journal import Entry
from extractor.errors import UsageError


def entry(ref, outcome="written", **more):
    return Entry(trace_ref=ref, outcome=outcome, **more)


def test_a_run_that_is_resumed_knows_its_own_lines(tmp_path):
    with journal.opened(tmp_path, resume=False) as first:
        first.add(entry("a", case_id="c-a", signature="s", classes={"email": 2}, seconds=0.5))
        first.add(entry("b", "dead", stage="verify", code="leak_proof_failed"))
    with journal.opened(tmp_path, resume=True) as again:
        assert [each.trace_ref for each in again.of_run()] == ["a", "b"]
        assert again.is_done("b")
        assert again.of_run()[0].classes == {"email": 2}
    with journal.opened(tmp_path, resume=False) as other:
        assert other.of_run() == []
        assert not other.is_done("a")
        assert other.is_known("a")
        assert not other.is_known("b"), "what failed is tried again by another run"
        assert other.signatures() == {"a": "s"}


def test_half_a_line_is_cut_away(tmp_path):
    with journal.opened(tmp_path, resume=False) as first:
        first.add(entry("a"))
    file = tmp_path / journal.NAME
    with file.open("ab") as stream:
        stream.write(b'{"trace_ref": "b", "outc')
    with journal.opened(tmp_path, resume=True) as again:
        again.add(entry("b"))
        assert [each.trace_ref for each in again.of_run()] == ["a", "b"]
    assert file.read_bytes().count(b"\n") == 3


@pytest.mark.parametrize("bent", [{"outcome": "lost"}, {"run": "1"}, {"trace_ref": ["b"]}, {"classes": {"PERSON": "two"}},
                                  {"case_id": 7}, {"seconds": None}, {"replayable": "no"}])  # fmt: skip
def test_a_line_that_no_run_writes_says_nothing(bent, tmp_path):
    with journal.opened(tmp_path, resume=False) as first:
        first.add(entry("a"))
    file = tmp_path / journal.NAME
    with file.open("a") as stream:
        stream.write(json.dumps({**entry("b").members(), "run": 1, **bent}) + "\n")
        stream.write(json.dumps({**entry("c").members(), "run": 1, "of_a_later_version": True}) + "\n")
    with journal.opened(tmp_path, resume=True) as again:
        assert [each.trace_ref for each in again.of_run()] == ["a", "c"]


def test_the_last_word_on_a_trace_counts(tmp_path):
    with journal.opened(tmp_path, resume=False) as first:
        first.add(entry("a", "dead"))
        first.add(entry("b"))
    with journal.opened(tmp_path, resume=False) as second:
        second.add(entry("a", "superseded"))
    with journal.opened(tmp_path, resume=True) as again:
        assert [each.trace_ref for each in again.of_run()] == ["a"]
        assert again.is_known("a")


def test_resuming_where_nothing_was_begun_begins(tmp_path):
    with journal.opened(tmp_path, resume=True) as first:
        assert first.run == 1
        assert first.of_run() == []


def test_a_run_that_ended_is_not_resumed(tmp_path):
    with journal.opened(tmp_path, resume=True) as first:
        first.add(entry("a"))
        first.add(entry("b", "dead"))
    journal.end(tmp_path, first.run)
    with journal.opened(tmp_path, resume=True) as second:
        assert second.run == 2
        assert second.of_run() == [], "the report of a day tells of that day"
        assert second.is_known("a")
        assert not second.is_done("b"), "what failed is tried again"
        second.add(entry("b"))
    with journal.opened(tmp_path, resume=True) as again:
        assert (again.run, [each.trace_ref for each in again.of_run()]) == (2, ["b"])


def test_an_end_that_was_half_written_is_none(tmp_path):
    with journal.opened(tmp_path, resume=False) as first:
        first.add(entry("a"))
    journal.end(tmp_path, first.run)
    file = tmp_path / journal.NAME
    file.write_bytes(file.read_bytes()[:-2])
    with journal.opened(tmp_path, resume=True) as again:
        assert again.is_done("a")


def test_what_is_tried_again_stands_where_it_was_tried_last(tmp_path):
    with journal.opened(tmp_path, resume=False) as first:
        first.add(entry("a", "dead"))
    with journal.opened(tmp_path, resume=False) as second:
        second.add(entry("b"))
        second.add(entry("a"))
        assert [each.trace_ref for each in second.of_run()] == ["b", "a"]


def test_a_case_that_was_begun_is_known_to_be_in_doubt_until_it_has_a_line(tmp_path):
    with journal.opened(tmp_path, resume=False) as first:
        first.begin("a")
        first.begin("b")
        first.add(entry("b"))
    for resume in (True, False):
        with journal.opened(tmp_path, resume=resume) as again:
            assert (again.is_begun("a"), again.is_begun("b"), again.is_begun("c")) == (True, False, False)
    with journal.opened(tmp_path, resume=True) as again:
        again.add(entry("a"))
    with journal.opened(tmp_path, resume=True) as again:
        assert not again.is_begun("a")


def test_a_journal_that_the_disk_does_not_take_ends_the_run(tmp_path):
    with journal.opened(tmp_path, resume=False) as first:
        full = os.open("/dev/full", os.O_WRONLY)
        os.dup2(full, first._descriptor)
        os.close(full)
        with pytest.raises(UsageError, match="cannot be written"):
            first.begin("a")
        with pytest.raises(UsageError, match="cannot be written"):
            first.add(entry("a"))


def test_a_run_that_was_asked_for_something_else_is_not_gone_on_with(tmp_path):
    with journal.opened(tmp_path, resume=True, asked="one") as first:
        first.add(entry("a", "dead"))
    with journal.opened(tmp_path, resume=True, asked="one") as again:
        assert (again.run, again.is_done("a")) == (1, True)
    with journal.opened(tmp_path, resume=True, asked="two") as other:
        assert (other.run, other.is_done("a"), other.of_run()) == (2, False, [])
    with journal.opened(tmp_path, resume=True, asked="two") as again:
        assert again.run == 2
