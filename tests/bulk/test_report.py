"""What a run came to: for people, for tables, for a browser; no value and no trace id in any of it."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

from extractor.bulk import written
from extractor.bulk.journal import Entry
from extractor.bulk.page import page, size
from extractor.bulk.reports import Report
from extractor.bulk.run import Passed, Run
from extractor.model.reading import Note


def entry(number, outcome="written", **more):
    return Entry(run=1, trace_ref=f"{number:032x}", outcome=outcome, **more)


@pytest.fixture
def report():
    made = [
        entry(n, case_id=f"c-{n}", signature="uncured_error / refund", classes={"email": 2, "name": 1}, replayable=n == 1,
              residuals=3, spans=4, source_bytes=1_500_000, seconds=0.5)
        for n in (1, 2)
    ]  # fmt: skip
    dead = [entry(3, "dead", stage="verify", code="leak_proof_failed", place="file 1 record 17")]
    notes = (
        Note(code="record_refused", count=2, places=("file 1 record 4 (<script>)",)),
        Note(code="records_read", count=9),
    )
    passed = Passed(known=5, over_limit=2, absent=1)
    run = Run(
        traces=11,
        passed=passed,
        entries=(*made, *dead),
        notes=notes,
        damaged=0,
        peak=300_000_000,
        seconds={"converting": 2.0},
    )
    return Report.of(run, exit_status=5)


def test_the_counts_add_up_in_every_form(report, tmp_path):
    written.write(report, tmp_path / "report")
    told = json.loads((tmp_path / "report" / written.JSON).read_text())
    assert told["outcomes"] == {"dead": 1, "written": 2}
    assert told["failures"] == [{"stage": "verify", "code": "leak_proof_failed", "count": 1}]
    assert told["classes"] == {"email": 4, "name": 2}
    assert (told["replayable"], told["residuals"], told["passed"]["known"]) == (1, 6, 5)
    table = pq.read_table(tmp_path / "report" / written.TABLE).to_pylist()
    assert [each["outcome"] for each in table] == ["written", "written", "dead"]
    assert dict(table[0]["classes"]) == {"email": 2, "name": 1}
    assert [json.loads(each)["place"] for each in (tmp_path / "report" / written.DEAD).read_text().splitlines()] == [
        "file 1 record 17"
    ]
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "report").iterdir()} == {0o600}
    written.write(report, tmp_path / "report")


def test_the_page_says_all_of_it_and_runs_nothing(report):
    shown = page(report)
    for words in (
        "11 traces in the sources, 2 cases, 1 failures", "verify: leak_proof_failed", "file 1 record 17", "known already",
        "over --limit, left for another run", "flagged, and not in the sources", "record_refused", "uncured_error / refund",
        "email", "1 of 2 cases can be replayed", "300.0 MB", "1.50", "not anonymous",
    ):  # fmt: skip
        assert words in shown, words
    assert "<script" not in shown
    assert "records_read" not in shown, "what lost nothing is no loss"
    assert "default-src 'none'" in shown


def test_people_see_counts_and_where_the_first_failures_are(report):
    told = dict(report.lines())
    assert told["written"] == "2"
    assert told["not read"] == "record_refused 2 (file 1 record 4 (<script>))"


@pytest.mark.parametrize(
    ("number", "told"), [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (2.05e9, "2.0 GB"), (9e15, "9,000.0 TB")]
)
def test_bytes_in_peoples_units(number, told):
    assert size(number) == told
