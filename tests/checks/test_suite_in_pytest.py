"""A suite's own test file: three lines with ours, or the harness that a team has, over the same folders."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import extractor

CHECKS = """
def assert_refund(record, case):
    assert len(record.tool_calls) == 1
    assert record.tool_calls[0].arguments_parsed["amount_cents"] == case.amount_cents
"""
SHORT = """
import pytest
from extractor.checks import Suite

SUITE = Suite.at("refunds")

@pytest.mark.parametrize("fixture", SUITE.folders, ids=lambda folder: folder.name)
def test_fixture(fixture):
    SUITE.hold(fixture)
"""
OWN = """
from pathlib import Path

import pytest
import yaml
from extractor.checks import RunRecord, load_case, run_all_checks

FOLDERS = sorted(Path("refunds").iterdir())

@pytest.mark.parametrize("fixture", FOLDERS, ids=lambda folder: folder.name)
def test_fixture(fixture):
    record = RunRecord.from_json((fixture / "record.json").read_text())
    expect = yaml.safe_load((fixture / "expect.yaml").read_text())
    result = run_all_checks(record, load_case(fixture / "case.yaml"))
    if expect["verdict"] == "accept":
        assert result.passed, f"good run rejected by {result.failed_check}"
        return
    assert not result.passed, "fixture was accepted; the check has no teeth"
    assert result.failed_check == expect["by"], f"rejected by {result.failed_check}, expected {expect['by']}"
"""


def run(folder, harness, checks):
    (folder / "pyproject.toml").write_text('[tool.extract-fixture.checks]\nmodule = "refund_checks"\n')
    (folder / "refund_checks.py").write_text(checks)
    (folder / "test_refunds.py").write_text(harness)
    environment = os.environ | {
        "PYTHONPATH": str(Path(extractor.__file__).parent.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "test_refunds.py"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def project(suite_folder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    suite_folder.rename(folder / "refunds")
    return folder


@pytest.mark.parametrize("harness", [SHORT, OWN])
def test_fixtures_are_tests_by_the_names_of_their_folders(project, harness):
    """S99."""
    done = run(project, harness, CHECKS)
    assert done.returncode == 0, done.stdout
    named = [line.partition("[")[2].partition("]")[0] for line in done.stdout.splitlines() if "::test_fixture[" in line]
    assert named == ["refund-accept", "refund-reject"]


@pytest.mark.parametrize("harness", [SHORT, OWN])
@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ("def assert_refund(record, case):\n    pass\n", "fixture was accepted; the check has no teeth"),
        ("def assert_refund(record, case):\n    assert False\n", "good run rejected by assert_refund"),
        (CHECKS.replace("assert_refund", "assert_money"), "rejected by assert_money, expected assert_refund"),
    ],
)
def test_what_does_not_hold_fails_in_the_same_words(project, harness, checks, said):
    """S99."""
    done = run(project, harness, checks)
    assert done.returncode == 1
    assert said in done.stdout
