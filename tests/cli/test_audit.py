"""``extract-fixture audit``: the table (S93 S96), never-rejected first."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from extractor.checks.rows import Row, recording
from extractor.cli.app import run

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "artifacts" / "audit.sqlite"
    with recording(file) as sink:
        for days, assertion, verdict in (
            (0, "assert_refund", "rejected"),
            (0, "assert_tone", "accepted"),
            (300, "assert_tone", "rejected"),
            (300, "assert_gone", "rejected"),
        ):
            at = NOW - timedelta(days=days)
            sink(Row(assertion_id=assertion, case_id="case", record="record", verdict=verdict, at=at))
    return file


def lines(capsys):
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_table_stands_where_checks_put_it(store, capsys):
    assert run(["audit"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["assertion_id", "runs", "rejections", "last_rejection_at", "place"]
    assert out[1].split()[:3] == ["assert_gone", "1", "1"]
    assert out[-1] == "verdict: 3 assertions: 3 rejected a run, 0 never did"
    assert "proved: which assertions have rejected a run; of those that never have, not that they can" in out
    assert any("the incident is closed" in line for line in out)


def test_json_holds_the_four_members_of_the_table_first(store, capsys):
    assert run(["audit", str(store), "--json", "--days", "30"]) == 0
    found = lines(capsys)
    assert [list(each)[:4] for each in found] == [["assertion_id", "runs", "rejections", "last_rejection_at"]] * 2
    assert [(each["assertion_id"], each["rejections"], each["last_rejection_at"]) for each in found] == [
        ("assert_tone", 0, None),
        ("assert_refund", 1, NOW.isoformat()),
    ]


def test_the_age_of_the_store_is_bounded(store, capsys):
    assert run(["audit", "--keep-days", "30", "--json"]) == 0
    assert [each["runs"] for each in lines(capsys)] == [1, 1]
    assert run(["audit", "--json"]) == 0
    assert [each["assertion_id"] for each in lines(capsys)] == ["assert_tone", "assert_refund"]


def test_no_store_is_no_empty_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["audit"]) == 6
    assert not (tmp_path / "artifacts").exists()
