"""An agent that calls live, swallows, strays, or tampers ends failed, under the right label, whatever it answers (S26 S29 S55)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from extractor.replay import suite
from extractor.replay.case import load_case
from extractor.replay.results.exits import EXITS
from extractor.replay.suite import Implementation
from tests.replay.documents import call, case, folder

from .hostile_agents import AGENTS, well

ROOT = Path(__file__).parent.parent.parent
EVENTS = (
    call(1, "order.find", {"id": "O-1"}, {"state": "paid"}),
    call(2, "refund.find", {"id": "O-1"}, {"refund": None}),
)
CLAIMS = {"claims": {"prohibit": ["the refund is done"], "unless": []}}
THIRD = list(AGENTS)[::3]
DIES = """
import faulthandler

def affected(incident):
    for tool in ("order.find", "refund.find"):
        incident.call_tool(tool, {"id": "O-1"})
    return "The refund is done."

def agent(incident):
    faulthandler._sigsegv()
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*command, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment |= {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [sys.executable, "-m", *map(str, command)], capture_output=True, text=True, env=environment, check=False, **more
    )


@pytest.mark.parametrize("name", AGENTS)
def test_a_hostile_agent_ends_under_its_label(name):
    """S1 S55."""
    agent, label = AGENTS[name]
    told = suite.replay(case(*EVENTS, expected=CLAIMS), Implementation(agent=agent, version="v1"))
    assert (told.state, told.label) == ("finished", label), told.faults
    assert told.expect == "green"


def test_the_agent_that_does_nothing_of_this_passes():
    told = suite.replay(case(*EVENTS, expected=CLAIMS), Implementation(agent=well, version="v1"))
    assert (told.label, told.boundary_passed) == (None, True)


def test_through_pytest_each_fails_under_its_label(tmp_path):
    folder(tmp_path / "incidents", *EVENTS, expected=CLAIMS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_hostile.py").write_text(
        "import pytest\n"
        "from tests.acceptance.hostile_agents import AGENTS, well\n"
        f"@pytest.mark.parametrize('name', {[*THIRD, 'well']!r})\n"
        "def test_it(incident, name):\n"
        "    incident.run(AGENTS[name][0] if name in AGENTS else well)\n"
    )
    done = run(
        *("pytest", "-q", "-p", "extractor.pytest_plugin", "-p", "no:cacheprovider"), "--incident-report=report.json"
    )
    assert done.returncode == 1, done.stdout + done.stderr
    told = json.loads((tmp_path / "report.json").read_text("utf-8"))["cases"]
    found = {
        each["test"].partition("[")[2].rstrip("]").rpartition("2026-07-18-refund")[2].strip("-") or each["test"]: (
            each["outcome"],
            each["manifest"]["label"],
        )
        for each in told
    }
    assert found == {name: ("failed", AGENTS[name][1]) for name in THIRD} | {"well": ("passed", None)}


@pytest.mark.parametrize("name", THIRD)
def test_through_the_command_each_ends_with_the_status_of_its_label(name, tmp_path):
    place = folder(tmp_path, *EVENTS, expected=CLAIMS)
    module = "tests.acceptance.hostile_agents"
    done = run("extractor", "replay", place, "--entrypoint", f"{module}:{name}", "--version", "v1")
    label = AGENTS[name][1]
    assert done.returncode == EXITS[label], done.stdout + done.stderr
    (file,) = tmp_path.glob("artifacts/replays/*.json")
    assert json.loads(file.read_text("utf-8"))["label"] == label


def test_a_process_that_dies_leaves_a_manifest_that_was_begun_and_compare_says_so(tmp_path):
    place = folder(tmp_path, *EVENTS, expected=CLAIMS, lane="gate")
    (tmp_path / "dying.py").write_text(DIES)
    said = ("extractor", "replay", place, "--version")
    assert run(*said, "v1", "--entrypoint", "dying:affected", "--expect", "red").returncode == 0
    assert run(*said, "v2", "--entrypoint", "dying:agent").returncode != 0
    red, died = sorted(tmp_path.glob("artifacts/replays/*.json"))
    assert json.loads(died.read_text("utf-8"))["state"] == "started"
    compared = run("extractor", "compare", red, died)
    assert compared.returncode == EXITS["harness_defect"], compared.stdout
    assert "harness_defect" in compared.stdout


def test_code_laid_into_a_case_folder_is_neither_run_nor_accepted(tmp_path):
    place = folder(tmp_path / "incidents", *EVENTS, expected=CLAIMS)
    (place / "conftest.py").write_text("import pathlib; pathlib.Path('was-run').touch()")
    with pytest.raises(Exception, match="no code in it"):
        load_case(place)
    module = "tests.acceptance.hostile_agents"
    done = run("extractor", "replay", place, "--entrypoint", f"{module}:well", "--version", "v1")
    assert done.returncode != 0
    (tmp_path / "test_it.py").write_text("def test_it(incident): pass\n")
    assert run("pytest", "-q", "-p", "extractor.pytest_plugin").returncode != 0
    assert not list(tmp_path.rglob("was-run"))
