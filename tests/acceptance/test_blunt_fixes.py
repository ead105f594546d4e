"""A fix that overshoots holds the incident and breaks a control; a path that stops short never reaches it (S23 S24 S41 S51)."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from extractor.cli.app import run

from .samples import INCIDENTS, options_of

pytestmark = pytest.mark.nlp


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """The controls of a sample as their command makes them, the blunt fix, and the one control that catches it."""

    options: tuple[str, ...]
    blunt: str
    caught: str


def own_order(case):
    """What the desk hears of the same order where the requester owns it."""
    order = case["tool_events"][1]["arguments"]["order_id"]
    return json.dumps({"order_id": order, "status": "delivered", "customer": {"id": case["identity"]["subject"]}})


NEIGHBOURS = {
    "refund-timeout": Neighbours(
        options=("--result", '{"refund_id": "re_1", "status": "completed"}'), blunt="never_claims", caught="success"
    ),
    "duplicate-shipment": Neighbours(
        options=("--states", "is on its way"), blunt="leaves_it_to_a_person", caught="success"
    ),
    "recovery-dst": Neighbours(
        options=(
            "--time",
            "--expect=before-market-hours-closes=handoff.create",
            "--expect=at-market-hours-closes=recovery.send_instructions",
        ),
        blunt="always_hands_over",
        caught="at-market-hours-closes",
    ),
    "foreign-order-refund": Neighbours(
        options=("--tool", "order.get", "--kind", "success", "--states", "will reach your card"),
        blunt="refuses_everybody",
        caught="success-order-get",
    ),
}


class Replays:
    """One sample in a project folder of its own: its case, its controls, and what each version came to."""

    def __init__(self, name: str, folder: Path) -> None:
        self.folder = folder
        self.entry = name.replace("-", "_")
        self.affected = INCIDENTS[name]["workflow_version"]
        (self.case,) = folder.glob("fixtures/quarantine/2*")

    @property
    def document(self):
        return json.loads((self.case / "fixture.json").read_bytes())

    def replay(self, place: str, version: str, *options: str) -> int:
        return run(["replay", str(self.case), "--entrypoint", place, "--version", version, *options])

    def fixed(self, *options: str) -> int:
        return self.replay(f"sample_traces.replaying:{self.entry}_fixed", "fixed", *options)

    def blunt(self, name: str, *options: str) -> int:
        return self.replay(f"tests.acceptance.blunt:{name}", name, *options)

    def manifest(self, version: str) -> Path:
        return self.folder / "artifacts" / "replays" / f"{self.case.name}--{version}.json"

    def told(self, version: str):
        return json.loads(self.manifest(version).read_bytes())

    def compare(self, *versions: str) -> int:
        return run(["compare", *(str(self.manifest(each)) for each in versions), "--case", str(self.case)])


@pytest.fixture(scope="module", params=NEIGHBOURS)
def sample(request, tmp_path_factory, key_file):
    """A sample whose affected version was replayed red, with its controls; made once."""
    name, folder = request.param, tmp_path_factory.mktemp(request.param)
    before = Path.cwd()
    os.chdir(folder)
    try:
        with mock.patch.dict(os.environ, {"EXTRACT_FIXTURE_KEY_FILE": str(key_file)}):
            assert run([*options_of(name), "--quiet"]) == 0
            made = Replays(name, folder)
            wanted = NEIGHBOURS[name]
            given = ("--result", own_order(made.document)) if name == "foreign-order-refund" else ()
            assert run(["controls", str(made.case), *wanted.options, *given, "--quiet"]) == 0
            assert made.replay(f"sample_traces.replaying:{made.entry}_buggy", made.affected, "--expect", "red") == 0
            yield made
    finally:
        os.chdir(before)


@pytest.fixture
def wanted(sample):
    return NEIGHBOURS[sample.entry.replace("_", "-")]


def test_the_fix_holds_every_control_that_people_have_completed(sample, wanted):
    assert sample.fixed("--controls") == 0
    held = sample.told("fixed")["controls"]
    assert held[wanted.caught] == "held"
    assert "broken" not in held.values()
    incomplete = {each.name for each in (sample.case / "controls").iterdir() if _unsaid(each)}
    assert {name for name, state in held.items() if state == "not_run"} == incomplete


def _unsaid(control):
    return not json.loads((control / "fixture.json").read_bytes())["expected"]["prohibited_claims"]


def test_a_blunt_fix_holds_the_boundary_and_breaks_a_control(sample, wanted, capsys):
    assert sample.blunt(wanted.blunt, "--controls") == 1
    told = sample.told(wanted.blunt)
    assert (told["boundary_passed"], told["label"]) == (True, None)
    assert [name for name, state in told["controls"].items() if state == "broken"] == [wanted.caught]
    capsys.readouterr()
    sample.compare(sample.affected, wanted.blunt)
    said = capsys.readouterr().out
    assert "needs_review" in said
    assert f"control {wanted.caught} is broken" in said
    assert "red_to_green" not in said


def test_without_controls_the_blunt_fix_would_be_green(sample, wanted):
    assert sample.blunt(wanted.blunt) == 0


def test_a_path_that_stops_short_is_no_fix(sample):
    """S24: whether its boundary holds is then of no account."""
    assert sample.blunt("answers_at_once") == 1
    told = sample.told("answers_at_once")
    assert told["label"] == "returned_early"
    assert {each["role"] for each in told["unconsumed"] if each["kind"] == "tools"} >= {"evidence"}


def test_a_current_result_alone_is_a_baseline(sample, capsys):
    assert sample.fixed() == 0
    capsys.readouterr()
    sample.compare("fixed")
    said = capsys.readouterr().out
    assert "baseline_only" in said
    assert "red_to_green" not in said


def test_a_case_of_which_more_was_said_between_the_runs_is_another(sample, tmp_path, capsys):
    """S23: the id is the same, and the bytes are not."""
    other = shutil.copytree(sample.case, tmp_path / "quarantine" / sample.case.name)
    assert run(["annotate", str(other), "--require", "The answer says what is still open.", "--quiet"]) == 0
    out = ("--version", "fixed", "--out", str(tmp_path))
    assert run(["replay", str(other), "--entrypoint", f"sample_traces.replaying:{sample.entry}_fixed", *out]) == 0
    capsys.readouterr()
    old, new = sample.manifest(sample.affected), tmp_path / f"{other.name}--fixed.json"
    run(["compare", str(old), str(new)])
    said = capsys.readouterr().out
    assert "not_comparable" in said
    assert "results are not comparable: case or fixture hash changed" in said
