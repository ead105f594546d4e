"""The table of what assertions have done (S93 S96): one row an assertion, case and run, no value of a record in it."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from extractor.checks.audit import table
from extractor.checks.rows import Row, opened, prune, recording
from extractor.errors import InputUnreadable

NOON = datetime(2026, 6, 14, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def store(tmp_path):
    return tmp_path / "audit.sqlite"


def row(assertion="assert_refund", verdict="accepted", *, case="2026-06-14-refund", at=NOON, **told):
    return Row(assertion_id=assertion, case_id=case, record="record", verdict=verdict, at=at, **told)


def put(store, *rows):
    with recording(store) as sink:
        for each in rows:
            sink(each)


def told(store, **options):
    return [(each.assertion_id, each.runs, each.rejections, each.last_rejection_at) for each in table(store, **options)]


def test_the_table_counts_runs_and_rejections_and_keeps_the_last(store):
    """S93 S96."""
    put(store, row(), row(verdict="rejected", at=NOON + DAY), row(verdict="rejected", at=NOON + 2 * DAY))
    put(store, row(at=NOON + 3 * DAY))
    assert told(store) == [("assert_refund", 4, 2, NOON + 2 * DAY)]


def test_what_never_rejected_comes_first_what_never_ran_before_it_and_the_longest_silent_next(store):
    put(
        store,
        row("a", "rejected"),
        *(row("b", case=f"case-{n}") for n in range(2)),
        row("c"),
        row("d", "not_applicable"),
    )
    put(store, row("e", "rejected", at=NOON - DAY))
    assert [each[0] for each in told(store)] == ["d", "b", "c", "e", "a"]


def test_one_row_an_assertion_case_and_run_in_which_a_rejection_outlasts_the_rest(store):
    put(store, row(), row(verdict="rejected"), row(), row(verdict="error"))
    assert told(store) == [("assert_refund", 1, 1, NOON)]


def test_what_judged_nothing_is_listed_and_is_no_run(store):
    put(store, row("a", "not_applicable"), row("b", "error"))
    assert told(store) == [("a", 0, 0, None), ("b", 0, 0, None)]


def test_the_table_rolls(store):
    put(store, row(verdict="rejected", at=NOON - 200 * DAY), row(at=NOON), row("old", at=NOON - 200 * DAY))
    assert prune(store, before=NOON - 180 * DAY) == 2
    assert told(store) == [("assert_refund", 1, 0, None)]


def test_a_shorter_look_back_changes_nothing_in_the_store(store):
    put(store, row(verdict="rejected", at=NOON - 20 * DAY), row(at=NOON))
    assert told(store, since=NOON - DAY) == [("assert_refund", 1, 0, None)]
    assert told(store) == [("assert_refund", 2, 1, NOON - 20 * DAY)]


@pytest.mark.parametrize("reason", ["alice@shop.example", "Alice Brown", "x" * 101, "555-0100", "amount 42"])
def test_a_reason_that_names_no_property_is_not_kept(store, reason):
    put(store, row(verdict="rejected", reason=reason))
    assert reason.encode() not in store.read_bytes()


def test_a_reason_that_names_a_property_is_kept(store):
    put(store, row(verdict="rejected", reason="amount_cents"))
    assert table(store)[0].last_reason == "amount_cents"


@pytest.mark.parametrize("member", ["assertion_id", "case_id", "record"])
def test_an_id_of_a_second_line_or_of_none_is_refused(member):
    for text in ("", "a\nb", "x" * 501):
        members = {"assertion_id": "a", "case_id": "b", "record": "c"} | {member: text}
        with pytest.raises(ValueError, match=re.escape(member)):
            Row(**members, verdict="accepted", at=NOON)


def test_an_instant_without_offset_is_refused():
    with pytest.raises(ValueError, match="offset"):
        row(at=datetime(2026, 6, 14))  # noqa: DTZ001  # that is the fault


def test_rows_of_a_run_that_raised_are_kept(store):
    def broken():
        yield row()
        raise KeyError

    with pytest.raises(KeyError), recording(store) as sink:
        any(sink(each) for each in broken())
    assert told(store) == [("assert_refund", 1, 0, None)]


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from extractor.checks.rows import Row, recording

with recording(Path(sys.argv[1])) as sink:
    for n in range(500):
        told = {"case_id": f"{sys.argv[2]}-{n}", "record": "record", "at": datetime(2026, 6, 14, tzinfo=UTC)}
        sink(Row(assertion_id=f"check-{n}", verdict="rejected", **told))
"""


def test_several_processes_write_at_once(store):
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(store), f"case-{n}"]) for n in range(4)]
    assert [each.wait() for each in writers] == [0] * 4
    assert {each[1:3] for each in told(store)} == {(4, 4)}
    assert len(told(store)) == 500


def test_a_store_that_many_open_at_once_is_made_once(tmp_path):
    """Two looks at a file that another makes in between once read as a file that is none of ours."""

    def made(store: Path) -> list[None]:
        start = threading.Barrier(8)

        def make(_: int) -> None:
            start.wait()
            with opened(store, make=True):
                pass

        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(make, range(8)))

    for n in range(30):
        assert made(tmp_path / f"{n}.sqlite") == [None] * 8


def test_no_store_and_what_is_none_are_told_apart_from_an_empty_table(store):
    with pytest.raises(InputUnreadable):
        table(store)
    store.write_text("no database, and longer than a header of one would be, which is a hundred bytes or so" * 3)
    with pytest.raises(InputUnreadable):
        table(store)
    with pytest.raises(InputUnreadable):
        put(store, row())
    store.unlink()
    with sqlite3.connect(store) as other:
        other.execute("CREATE TABLE people (name TEXT)")
    with pytest.raises(InputUnreadable):
        put(store, row())
