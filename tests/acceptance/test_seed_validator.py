"""The checks that the format was founded on, stated anew here, and the file that states them for everybody else."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from extractor.cli.app import run
from extractor.model.layout import FIXTURE
from extractor.schemas import schema_problems

from .samples import INCIDENTS, ROOT, extracted

CHECK = ROOT / "extractor" / "replay" / "fixture_check.py"
NO_BOUNDARY = "expected.prohibited_claims must name the incident boundary"


def complaints(case: dict) -> list[str]:
    """Return what the first validator of the format would complain of."""
    needed = {"schema_version", "case_id", "incident_id", "workflow_version", "prompt_version", "frozen_at", "input"}
    if lacking := (needed | {"identity", "tool_events", "expected"}) - case.keys():
        return [f"missing top-level fields: {sorted(lacking)}"]
    found = []
    datetime.fromisoformat(case["frozen_at"])
    for index, event in enumerate(case["tool_events"]):
        if lacking := {"attempt", "tool", "arguments", "outcome"} - event.keys():
            found.append(f"tool_events[{index}] missing {sorted(lacking)}")
        elif event["outcome"]["type"] not in {"result", "error"}:
            found.append(f"tool_events[{index}] has unsupported outcome type")
    attempts = [event["attempt"] for event in case["tool_events"]]
    found += [f"duplicate tool attempt {one}" for one in attempts if attempts.count(one) > 1]
    if not case["expected"].get("prohibited_claims"):
        found.append(NO_BOUNDARY)
    return found


def checked(fixture: Path) -> tuple[int, str, str]:
    """Run the check by path, with no package installed and no environment read."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(CHECK), str(fixture)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_every_complete_sample_is_valid(case_of, name, tmp_path):
    """S15-S18."""
    fixture = case_of(name).fixture
    assert complaints(json.loads(fixture.files[FIXTURE])) == []
    (tmp_path / FIXTURE).write_bytes(fixture.files[FIXTURE])
    assert checked(tmp_path / FIXTURE) == (0, f"valid replay fixture: {fixture.case_id}\n", "")


def test_a_case_has_one_form_whatever_dialect_its_trace_spoke(case_of):
    """S14: one closed schema, the application's own, and no provider's."""
    assert len({about["dialect"] for about in INCIDENTS.values()}) > 1
    made = [json.loads(case_of(name).fixture.files[FIXTURE]) for name in INCIDENTS]
    assert len({tuple(document) for document in made}) == 1
    assert [schema_problems(document, "fixture") for document in made] == [()] * len(made)


def test_without_a_failure_statement_a_sample_is_incomplete(name, tmp_path, capsys):
    """S6 S17."""
    fixture = extracted(name, complete=False).fixture
    assert fixture.incomplete
    assert complaints(json.loads(fixture.files[FIXTURE])) == [NO_BOUNDARY]
    folder = tmp_path / fixture.case_id
    folder.mkdir()
    for file, content in fixture.files.items():
        (folder / file).write_bytes(content)
    assert checked(folder / FIXTURE) == (1, "", NO_BOUNDARY + "\n")
    assert run(["validate", str(folder)]) == 1
    out, err = capsys.readouterr()
    assert NO_BOUNDARY in err
    assert "valid replay fixture" not in out + err


@pytest.mark.parametrize("member", ["case_id", "frozen_at", "tool_events", "expected"])
def test_both_refuse_the_same_damage(case_of, member, tmp_path):
    document = json.loads(case_of("refund-timeout").fixture.files[FIXTURE])
    del document[member]
    (tmp_path / FIXTURE).write_text(json.dumps(document))
    status, out, err = checked(tmp_path / FIXTURE)
    assert (status, out) == (1, "")
    assert err.splitlines() == complaints(document)
