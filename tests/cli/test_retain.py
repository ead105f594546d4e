from __future__ import annotations

import json

import pytest

from extractor.cli.app import run

from .conftest import TRACE


def test_flagged_failed_and_changing_traces_are_kept_with_why(here, export, capsys):
    """S108."""
    flagged = here / "tickets.txt"
    flagged.write_text(f"# of support\n{TRACE.upper()}\n")
    asked = ["retain", str(export), "--errors", "--side-effects", "--flagged", str(flagged), "--store", "kept"]
    assert run([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kept"] == told["written"] > 0
    lines = [json.loads(line) for line in (here / "kept" / "retained.jsonl").read_text().splitlines()]
    reasons = {line["trace_id"]: line["reasons"] for line in lines}
    assert reasons[TRACE] == ["errors", "side_effects", "flagged"]
    assert len(reasons) < told["traces"]
    # A case can be made of the copy.
    assert run(["--trace-id", TRACE, f"kept/{TRACE}.otlp.jsonl", "--quiet"]) == 0
    capsys.readouterr()
    assert run([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["written"] == 0


def test_a_flagged_trace_that_is_not_there_is_said(here, export, capsys):
    flagged = here / "tickets.jsonl"
    flagged.write_text(json.dumps({"trace_id": "ab" * 16}) + "\n")
    assert run(["retain", str(export), "--flagged", str(flagged), "--store", "kept"]) == 3
    assert "1 of the flagged traces are not in the sources" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["not-an-id", '{"trace": "x"}', "{"])
def test_a_list_of_another_form_is_named_by_its_line(here, export, capsys, line):
    flagged = here / "tickets.txt"
    flagged.write_text(line)
    assert run(["retain", str(export), "--flagged", str(flagged)]) == 6
    said = capsys.readouterr().err
    assert "line 1 of the list" in said
    assert "not-an-id" not in said


def test_nothing_asked_is_a_usage_error(here, export):
    assert run(["retain"]) == 2
    assert run(["retain", str(export)]) == 2


def test_the_arithmetic_is_told(here, capsys):
    """S109."""
    assert run(["retain", "--explain"]) == 0
    assert "0.886" in capsys.readouterr().out
    assert run(["retain", "--explain", "--rate", "0.5", "--occurrences", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["nothing_kept"] == 0.5


def test_purge_says_how_many_went(here, capsys):
    assert run(["retain", "--purge", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"purged": 0}
