"""What a run came to: for people, for tables, for a browser; no value and no trace id in any of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from extractor.bulk import written
from extractor.bulk.journal import Entry
from extractor.bulk.page import page
from extractor.bulk.reports import Report
from extractor.bulk.run import Passed, Run
from extractor.bulk.telling import Signature
from extractor.model.reading import Note

REFUND = "uncured_error / refund / Timeout / - / unknown"


def entry(number, outcome="written", **more):
    return Entry(run=1, trace_ref=f"{number:032x}", outcome=outcome, **more)


def case(number, outcome="written", **more):
    told = {
        "signature": REFUND,
        "classes": {"email": 2, "person": 1},
        "residuals": 3,
        "spans": 4,
        "source_bytes": 1_500_000,
    }
    return entry(number, outcome, **{"case_id": f"c-{number}", "seconds": 0.5, **told, **more})


@pytest.fixture
def finished():
    return Run(
        number=3,
        began="2026-12-03T03:15:00+00:00",
        workers=2,
        rules_sha256="0" * 64,
        traces=13,
        passed=Passed(known=5, over_limit=2, absent=1),
        entries=(
            case(1, replayable=True),
            case(2, residuals=9),
            entry(3, "dead", stage="verify", code="leak_proof_failed", place="file 1 record 17"),
            case(4, "kept_back", replayable=True, residuals=100),
            case(5, "standing", case_id="c-5", replayable=True, residuals=100),
            case(
                6, "superseded", signature="last_answer / <b>mail</b> / - / - / none", residuals=0, classes={"email": 1}
            ),
        ),
        notes=(
            Note(code="record_refused", count=2, places=("file 1 record 4 (<script>)",)),
            Note(code="records_read", count=9),
        ),
        damaged=0,
        peak=300_000_000,
        seconds={"reading": 7300.0, "converting": 2.0},
    )


@pytest.fixture
def report(finished):
    return Report.of(finished, exit_status=5)


def test_the_counts_add_up_in_every_form(report, tmp_path):
    written.write(report, tmp_path / "report")
    told = json.loads((tmp_path / "report" / written.JSON).read_text())
    assert told["outcomes"] == {"dead": 1, "kept_back": 1, "standing": 1, "superseded": 1, "written": 2}
    assert told["failures"] == [
        {"stage": "verify", "code": "leak_proof_failed", "count": 1, "places": ["file 1 record 17"]}
    ]
    assert told["passed"]["known"] == 5
    assert told["run"] == {
        "number": 3, "began": "2026-12-03T03:15:00+00:00", "resumed": False, "engine": "local", "workers": 2,
        "tool": "0.1.0", "rules_sha256": "0" * 64,
    }  # fmt: skip
    table = pq.read_table(tmp_path / "report" / written.TABLE).to_pylist()
    assert [each["outcome"] for each in table] == [each.outcome for each in report.entries]
    assert dict(table[0]["classes"]) == {"email": 2, "person": 1}
    assert [json.loads(each)["place"] for each in (tmp_path / "report" / written.DEAD).read_text().splitlines()] == [
        "file 1 record 17"
    ]
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "report").iterdir()} == {0o600}
    written.write(report, tmp_path / "report")


def test_what_is_counted_of_cases_is_counted_of_those_that_stand_for_people_to_read(report):
    told = report.members()
    assert (told["cases"], told["replayable"], told["residuals"]) == (3, 1, 12)
    assert told["classes"] == {"email": 5, "person": 2}
    assert told["to_read"] == [{"case_id": "c-2", "residuals": 9}, {"case_id": "c-1", "residuals": 3}]
    assert told["kinds"][0] == {
        "signature": REFUND, "made": 2, "kept_back": 1, "standing": 1, "cases": ["c-1", "c-2"],
    }  # fmt: skip


@pytest.mark.parametrize(("traces", "unaccounted"), [(13, 0), (15, 2), (12, 0)])
def test_a_trace_without_an_outcome_or_a_reason_is_told(finished, traces, unaccounted):
    report = Report.of(replace(finished, traces=traces), exit_status=0)
    assert report.members()["unaccounted"] == unaccounted
    assert ("unaccounted" in dict(report.lines())) == (unaccounted > 0)
    assert ("not to be trusted" in page(report)) == (unaccounted > 0)


def test_rates_are_those_of_what_was_converted_since_the_run_was_resumed(finished):
    whole = Report.of(finished, exit_status=0).members()
    assert whole["per_second"] == {"traces": 3.0, "source_bytes": 3_750_000}
    resumed = Report.of(replace(finished, resumed_after=4), exit_status=0).members()
    assert resumed["per_second"] == {"traces": 1.0, "source_bytes": 1_500_000}
    assert resumed["seconds"]["converting, all workers"] == 1.0
    assert resumed["run"]["resumed"]
    nothing = Report.of(replace(finished, resumed_after=6), exit_status=0)
    assert nothing.members()["per_second"] is None
    assert "in a second" not in page(nothing)


def test_each_way_of_failing_is_named_however_often_another_one_is(finished):
    dead = [
        entry(n, "dead", stage="verify", code="leak_proof_failed", place=f"file 1 record {n}") for n in range(1, 500)
    ]
    dead.append(entry(600, "dead", stage="read", code="worker_died", place="file 2 record 1"))
    report = Report.of(replace(finished, entries=tuple(dead)), exit_status=5)
    first, second = report.members()["failures"]
    assert (first["count"], first["places"][:2], len(first["places"])) == (
        499,
        ["file 1 record 1", "file 1 record 2"],
        20,
    )
    assert (second["code"], second["places"]) == ("worker_died", ["file 2 record 1"])
    shown = page(report)
    assert "file 1 record 1, file 1 record 2, file 1 record 3 and 496 more" in shown
    assert "file 2 record 1" in shown
    assert "And 300 more, in dead.jsonl" in shown


def test_the_page_says_all_of_it_and_runs_nothing(report):
    shown = page(report)
    for words in (
        "13 traces in the sources, 3 cases in quarantine, 1 failure.", "Exit status 5: a proof failed", "Run 3, of 2026-12-03T03:15",
        "2 workers", "verify: leak_proof_failed", "for whoever owns redaction", "file 1 record 17", "known already",
        "over --limit, left for another run", "flagged, and not in the sources", "record refused", REFUND,
        "email", "1 of 3 cases can be replayed", "12 tokens stand", "300.0 MB", "3.00", "2 h 1 min", "not anonymous",
    ):  # fmt: skip
        assert words in shown, words
    assert "<script" not in shown
    assert "<b>" not in shown
    assert "records read" not in shown, "what lost nothing is no loss"
    assert "default-src 'none'" in shown


def test_people_see_counts_and_where_the_first_failures_are(report):
    told = dict(report.lines())
    assert told["written"] == "2"
    assert told["not read"] == "record_refused 2 (file 1 record 4 (<script>))"
    assert told["replayable"] == "1 of 3 cases"


def test_a_signature_is_one_line_whatever_a_tool_is_called():
    said = Signature(
        boundary="b", tool="a\n9 x  all is well\x1b[2K", error="e" * 9_000, ended_by=None, side_effect="\u2028"
    )
    text = said.text()
    assert text.isprintable()
    assert len(text) < 400
    assert text.startswith("b / a\\u{a}9 x  all is well")
