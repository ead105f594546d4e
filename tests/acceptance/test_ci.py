"""The workflow and the hooks that docs/audit.md hands out: its steps are run here, and each must fail alone (S62 S134 S140)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from extractor.cli.app import run

from .samples import options_of

ROOT = Path(__file__).parent.parent.parent
WORKFLOW = yaml.safe_load((ROOT / "docs" / "ci" / "incident-replays.yml").read_text("utf-8"))
JOB = WORKFLOW["jobs"]["replays"]
STEPS = {step["name"]: step for step in JOB["steps"] if "run" in step}
ASKED = ("Validation", "Checks", "Reproduction", "Regression", "Provenance", "Expiry")
CHECKS = """
def assert_refund(record, case):
    assert len(record.tool_calls) == 1
    assert record.tool_calls[0].arguments_parsed["amount_cents"] == case.amount_cents
"""


@pytest.fixture(scope="module")
def approved(tmp_path_factory):
    """A project with one approved sample case, checks, and the fixtures that test them."""
    place = tmp_path_factory.mktemp("approved") / "project"
    place.mkdir()
    key = place.parent / "workspace.key"
    key.write_text("extract-fixture-key-1:" + bytes(range(32)).hex() + "\n")
    key.chmod(0o600)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setenv("EXTRACT_FIXTURE_KEY_FILE", str(key))
        assert run([*options_of("refund-timeout"), "--quiet"]) == 0
        (case,) = (place / "fixtures" / "quarantine").glob("2*")
        assert run(["approve", str(case), "--role", "privacy", "--reviewer", "Rana Okafor"]) == 0
        owned = ["approve", str(case), "--role", "incident-owner", "--reviewer", "Ines Duarte", "--grade", "confirmed"]
        assert run(owned) == 0
        (place.parent / "over").mkdir()
        patch.chdir(place.parent / "over")
        assert run([*options_of("duplicate-shipment"), "--quiet"]) == 0
        (capture,) = (place.parent / "over").rglob("capture.json")
        told = json.loads(capture.read_text("utf-8"))
        capture.write_text(json.dumps(told | {"expires_at": "2020-01-01T00:00:00+00:00"}))
    (place / "shop_checks.py").write_text(CHECKS)
    (place / "pyproject.toml").write_text('[tool.extract-fixture.checks]\nmodule = "shop_checks"\n')
    for name, cents in (("reject", 42), ("accept", 4200)):
        folder = place / "evals" / "fixtures" / f"refund-{name}"
        folder.mkdir(parents=True)
        call = {"name": "issue_refund", "arguments": {"amount_cents": cents}}
        (folder / "record.json").write_text(json.dumps({"tool_calls": [call], "output": "Refunded."}))
        (folder / "case.yaml").write_text("input: Please refund it.\nexpectations:\n  amount_cents: 4200\n")
        (folder / "expect.yaml").write_text(f"verdict: {name}\nby: assert_refund\nreason: amount_cents\n")
        (folder / "README.md").write_text("What happened.\n")
    return place


@pytest.fixture
def job(approved, tmp_path):
    """The job in a copy of that project: each step's own script, run as the runner does, in a shell that stops at a fault."""
    place = tmp_path / "project"
    shutil.copytree(approved, place)
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    for name, command in (("python", '"$@"'), ("extract-fixture", '-m extractor "$@"')):
        (bin_ / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {command}\n')
        (bin_ / name).chmod(0o755)

    class Job:
        path = place
        env = dict(JOB["env"]) | {
            "AFFECTED": "sample_traces.replaying:refund_timeout_buggy",
            "CURRENT": "sample_traces.replaying:refund_timeout_fixed",
        }

        def step(self, name):
            environment = {each: value for each, value in os.environ.items() if not each.startswith(("PYTEST", "GIT"))}
            environment |= {
                "PATH": f"{bin_}:{os.environ['PATH']}",
                "PYTHONPATH": str(ROOT),
                "GITHUB_SHA": "0123456789abcdef",
                "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
            }
            script = re.sub(r"\$\{\{.*?\}\}", "", STEPS[name]["run"])
            assert script == STEPS[name]["run"], "an expression in a script is an injection: use env"
            self.done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", script],
                cwd=place,
                env=environment | self.env,
                capture_output=True,
                text=True,
                check=False,
            )
            return self.done.returncode

        def failing(self):
            return [name for name in ASKED if self.step(name) != 0]

        def case(self):
            (found,) = (place / "fixtures" / "approved").glob("2*")
            return found

    return Job()


@pytest.mark.nlp
def test_every_step_passes_on_a_sound_project_and_leaves_redacted_manifests_alone(job):
    assert job.failing() == []
    upload = next(step for step in JOB["steps"] if step.get("uses", "").startswith("actions/upload-artifact"))
    assert (upload["if"], upload["with"]["path"]) == ("always()", "artifacts/replays/*.json")
    manifests = sorted((job.path / "artifacts" / "replays").iterdir())
    assert [each.name.partition("--")[2] for each in manifests] == ["0123456789abcdef.json", "affected.json"]
    assert {json.loads(each.read_text("utf-8"))["case_id"] for each in manifests} == {job.case().name}


@pytest.mark.nlp
def test_a_case_that_is_not_whole_fails_validation_and_provenance_says_so_too(job):
    fixture = job.case() / "fixture.json"
    fixture.write_text(fixture.read_text("utf-8").replace('"schema_version"', '"schema"', 1))
    assert job.step("Validation") == 7
    (job.case() / "provenance.json").unlink()
    assert job.step("Validation") == 1
    assert job.step("Provenance") == 7
    assert job.step("Reproduction") == 6
    assert job.step("Regression") == 6


@pytest.mark.nlp
@pytest.mark.parametrize(
    ("spoil", "step", "status"),
    [
        ({"AFFECTED": "sample_traces.replaying:refund_timeout_fixed"}, "Reproduction", 10),
        ({"CURRENT": "sample_traces.replaying:refund_timeout_buggy"}, "Regression", 1),
    ],
    ids=["the affected version passes", "the current version fails"],
)
def test_reproduction_and_regression_fail_apart(job, spoil, step, status):
    """S62: a fixture that no longer starts red, and a regression, are two different faults."""
    job.env |= spoil
    assert job.failing() == [step]
    assert job.step(step) == status


@pytest.mark.nlp
def test_a_check_without_teeth_fails_the_checks_alone(job):
    vacuous = "def assert_refund(record, case):\n    for call in record.tool_calls:\n        assert call.name\n"
    (job.path / "shop_checks.py").write_text(vacuous)
    assert job.failing() == ["Checks"]
    assert job.step("Checks") == 1
    assert "the check has no teeth" in job.done.stdout


@pytest.mark.nlp
def test_an_approval_that_is_gone_fails_provenance_and_a_case_whose_time_is_over_expiry(job, approved):
    statements = sorted((job.case() / "approvals").iterdir())
    kept = statements[0].read_bytes()
    statements[0].unlink()
    assert job.failing() == ["Provenance"]
    statements[0].write_bytes(kept)
    over = approved.parent / "over" / "fixtures" / "quarantine"
    shutil.copytree(over, job.path / "fixtures" / "quarantine", dirs_exist_ok=True)
    assert job.failing() == ["Expiry"]
    assert "1 cases have an approval or a capture that has ended" in job.done.stderr


def test_a_provider_client_fails_the_run(job):
    """S134."""
    assert set(STEPS) - set(ASKED) == {"Install the replay extra alone", "No provider client is here"}
    (job.path / "litellm.py").write_text("")
    job.env["PYTHONPATH"] = str(job.path)
    assert job.step("No provider client is here") == 1
    assert "litellm" in job.done.stderr


def test_installing_takes_the_replay_extra_and_nothing_else(job, tmp_path):
    """The step is run with a pip that notes what it was asked for."""
    noted = tmp_path / "pip.txt"
    (tmp_path / "bin" / "python").write_text(
        f'#!/bin/sh\nif [ "$2" = pip ]; then echo "$@" >> {noted}; else exec "{sys.executable}" "$@"; fi\n'
    )
    (job.path / "requires.py").write_text("")
    extra = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]["replay"]
    metadata = job.path / "extract_fixture-0.dist-info"
    metadata.mkdir()
    lines = [f"Requires-Dist: {each}; extra == 'replay'" for each in extra]
    told = ["Metadata-Version: 2.3", "Name: extract-fixture", "Version: 0", "Requires-Dist: spacy>=3", *lines]
    (metadata / "METADATA").write_text("\n".join(told) + "\n")
    job.env["PYTHONPATH"] = str(job.path)
    assert job.step("Install the replay extra alone") == 0, job.done.stderr
    first, second = noted.read_text().splitlines()
    assert first == "-m pip install --no-deps extract-fixture"
    assert second == "-m pip install -r replay-extra.txt"
    assert (job.path / "replay-extra.txt").read_text().split() == extra
    assert not any(name in " ".join(extra) for name in ("openai", "anthropic", "spacy", "presidio"))


def test_every_question_is_asked_whatever_failed_before_it():
    assert [name for name in STEPS if name in ASKED] == [*ASKED]
    assert {STEPS[name]["if"] for name in ASKED} == {"${{ !cancelled() }}"}


def hooks():
    return {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}


@pytest.mark.nlp
def test_the_hooks_are_commands_that_hold_a_sound_project_and_stop_a_commit(job):
    """S111: both are deterministic; a grader has a lane of its own (S140)."""
    found = hooks()
    assert set(found) == {"validate", "check"}
    STEPS["hook validate"] = {"run": f"{found['validate']['entry']} fixtures/approved/*/fixture.json"}
    STEPS["hook check"] = {"run": " ".join([found["check"]["entry"], *found["check"]["args"]])}
    try:
        assert [job.step("hook validate"), job.step("hook check")] == [0, 0]
        (job.path / "shop_checks.py").write_text("def assert_refund(record, case):\n    assert record.output\n")
        assert job.step("hook check") == 1
    finally:
        del STEPS["hook validate"], STEPS["hook check"]
