"""``extract-fixture audit``: the table (S93 S96), never-rejected first."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from extractor.checks.rows import Row, recording
from extractor.cli.app import run
from tests.replay.documents import call, folder

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
    assert out[4] == "3 assertions: 3 have rejected a run, 0 never have"
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


CHAPTER = """
def assert_refund(record, case):
    for call in record.tool_calls:
        assert call.name == "issue_refund"
        assert call.arguments_parsed["order_id"] == case.order_id
"""
MENDED = CHAPTER.replace("    for", "    assert len(record.tool_calls) == 1\n    for")


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A project with the chapter's module of checks, a run that called nothing and one that refunded."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    name = "checks_" + "".join(each for each in tmp_path.name if each.isalnum())
    expected = {"boundary": {"check": "assert_refund", "params": {"order_id": "O-1"}}}
    folder(tmp_path / "cases", case_id="2026-06-14-nothing", expected=expected)
    refund = call(1, "issue_refund", {"order_id": "O-1"}, {"ok": True})
    folder(tmp_path / "cases", refund, case_id="2026-06-14-refund", expected=expected)

    def made(source):
        (tmp_path / f"{name}.py").write_text(source)
        return name

    return made


def test_the_chapters_loop_is_named_in_its_source_and_on_the_run_that_called_nothing(shop, capsys):
    """S94 S95: two asserts in a loop that nothing counts before, and the record that passed through it."""
    name = shop(CHAPTER)
    assert run(["audit", "--loops", name, "--over", "cases"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in out[:2]] == [f"{name}.py:4", f"{name}.py:5"]
    assert out[2].endswith("assert_refund accepted 1 of them without it: 2026-06-14-nothing")
    assert out[2].startswith(f"{name}.py:3: the loop over record.tool_calls ran in 1 of 2 records")
    assert run(["audit", "--loops", f"{name}.py", "--json"]) == 1
    assert [(each["found_in"], each["line"], each["collection"]) for each in lines(capsys)] == [
        ("source", 4, "record.tool_calls"),
        ("source", 5, "record.tool_calls"),
    ]


def test_the_mended_check_has_no_such_loop(shop, capsys):
    assert run(["audit", "--loops", shop(MENDED), "--over", "cases"]) == 0
    assert "0 claims in loops that nothing counts before" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--over", "cases"], 2),
        (["--loops", "absent.checks"], 2),
        (["--loops", "absent.py"], 6),
        (["--loops", "NAME", "--over", "absent"], 2),
        (["--loops", "NAME.py", "--over", "cases"], 2),
    ],
)
def test_what_cannot_be_looked_at_is_no_result(shop, arguments, status):
    name = shop(MENDED)
    assert run(["audit", *(each.replace("NAME", name) for each in arguments)]) == status


def test_source_that_is_no_python_is_told_by_line_alone(shop, capsys):
    name = shop("secret = 'alice@shop.example\n")
    assert run(["audit", "--loops", name]) == 6
    told = capsys.readouterr().err
    assert "line 1" in told
    assert "alice" not in told
