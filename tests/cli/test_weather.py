"""After a fix, re-record: the story of the weather agent through the commands (S85 S88 S137)."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

import sample_traces
from extractor.cli.app import run

ROOT = Path(sample_traces.__file__).parent
RUNS = tomllib.loads((ROOT / "seam.toml").read_text("utf-8"))

pytestmark = pytest.mark.nlp


def options(name: str) -> list[str]:
    given = RUNS[name]
    named = ("incident", "failure", "evidence_needed", "workflow_version", "prompt_version", "time_zone", "locale")
    return [
        *("--trace-id", given["trace_id"], str(ROOT / given["source"]), "--quiet"),
        *(part for option in named for part in ("--" + option.replace("_", "-"), given[option])),
        *(part for claim in given["prohibit"] for part in ("--prohibit", claim)),
        # What decides is whether the tool was asked, not how the weather is worded.
        *("--action", "get_weather"),
    ]


def replay(case: Path, function: str, *more: str) -> int:
    return run(
        ["replay", str(case), "--entrypoint", f"sample_traces.weather.agent:{function}", "--version", function, *more]
    )


def test_the_recording_of_the_bug_cannot_answer_the_fix_and_its_recapture_can(here, capsys):
    """S85 S88 S137."""
    assert run(options("weather")) == 0
    (old,) = (here / "fixtures" / "quarantine").glob("2*")
    assert replay(old, "run_broken", "--expect", "red") == 0
    assert replay(old, "run") == 4
    assert "no recorded call for tools:get_weather, never a live call" in capsys.readouterr().out
    given = RUNS["weather-recaptured"]
    source = str(ROOT / given["source"])
    assert run(["recapture", str(old), "--trace-id", given["trace_id"], source, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["version"] == 2
    new = Path(told["path"])
    assert replay(new, "run") == 0
    assert replay(new, "run_broken") == 1
    manifest = json.loads((here / "artifacts" / "replays" / f"{new.name}--run_broken.json").read_text("utf-8"))
    assert (manifest["label"], manifest["boundary_passed"]) == ("returned_early", False)
    assert old.is_dir()
