"""The weather agent (S85 S88 S137): its recorded runs as cases, and its three variants on each of them."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import sample_traces
from extractor.replay.faults import NothingRecorded
from extractor.replay.seam import ReplayError, ToolError, fixtures
from extractor.replay.session import Session
from extractor.replay.tools import Unconsumed
from sample_traces.weather.agent import NOTHING_LIVE, run, run_broken, run_handles

from .cases import extracted

ROOT = Path(sample_traces.__file__).parent
RUNS = tomllib.loads((ROOT / "seam.toml").read_text("utf-8"))

pytestmark = pytest.mark.nlp


@cache
def case_of(name):
    return extracted(ROOT / RUNS[name]["source"], **{key: RUNS[name][key] for key in RUNS[name] if key != "source"})


def replay(name, function):
    session = Session(case_of(name), version=function.__name__)
    with session:
        session.output = function(session.text)
    return session


def test_there_is_nothing_live_behind_the_sample():
    with pytest.raises(RuntimeError, match="no weather service"):
        run("What is the weather in Bergen?", NOTHING_LIVE)


@pytest.mark.parametrize("name", RUNS)
def test_each_recorded_run_replays_clean(name):
    case = case_of(name)
    function = getattr(importlib.import_module(RUNS[name]["agent"]), RUNS[name]["run"])
    with fixtures(case) as report:
        function(Session(case, version="any").text)
    assert report.clean, report.to_dict()
    assert report.served


def test_a_case_is_opened_by_its_folder(tmp_path):
    key, file = tmp_path / "key", ROOT / RUNS["weather-recaptured"]["source"]
    key.write_text("extract-fixture-key-1:" + bytes(range(32)).hex() + "\n")
    key.chmod(0o600)
    given = RUNS["weather-recaptured"]
    options = ["--trace-id", given["trace_id"], str(file), "--keep", "all", "--prohibit", *given["prohibit"]]
    options += ["--failure", given["failure"], "--evidence-needed", given["evidence_needed"]]
    done = subprocess.run(
        [sys.executable, "-m", "extractor", *options, "--out", str(tmp_path / "cases"), "--json"],
        env=os.environ | {"EXTRACT_FIXTURE_KEY_FILE": str(key)},
        cwd=ROOT.parent,
        capture_output=True,
        check=True,
    )
    with fixtures(json.loads(done.stdout)["path"]) as report:
        run("What is the weather in Bergen?")
    assert report.clean


def test_the_fixed_code_asks_for_what_the_bug_never_recorded():
    with pytest.raises(NothingRecorded, match="no recorded call for tools:get_weather, never a live call"):
        replay("weather", run)
    session = Session(case_of("weather"), version="run")
    with pytest.raises(NothingRecorded), session:
        run(session.text)
    assert session.label == "incomplete"


def test_after_a_recapture_the_broken_code_fails_on_the_missing_tool():
    assert replay("weather-recaptured", run).label is None
    session = Session(case_of("weather-recaptured"), version="run_broken")
    with pytest.raises(Unconsumed, match="get_weather"), session:
        session.output = run_broken(session.text)
    assert session.label == "returned_early"


def test_a_recorded_failure_is_handled_or_it_is_not():
    """S87."""
    handled = replay("weather-timeout", run_handles)
    assert "I do not know" in handled.output
    with pytest.raises(ToolError, match="no answer from the weather service") as caught:
        replay("weather-timeout", run)
    assert caught.value.error_class == "TimeoutError"


def test_the_report_says_what_the_broken_code_left_out():
    case = case_of("weather-recaptured")
    with fixtures(case) as report:
        run_broken(Session(case, version="any").text)
    assert report.unused == ["tools:get_weather ×1"]
    assert report.diverged == ["llm:example-large"]
    with pytest.raises(ReplayError) as caught, fixtures(case_of("weather")):
        run("What is the weather in Bergen?")
    assert (caught.value.reason, caught.value.key) == ("missing", "get_weather")
