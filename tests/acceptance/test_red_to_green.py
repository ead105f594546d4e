"""Red on the old code, green on the new, on the same bytes: the sample incidents through the commands (S22 S42 S45 S51)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from extractor.cli.app import run

from .samples import options_of

pytestmark = pytest.mark.nlp

INCIDENTS = ("refund-timeout", "duplicate-shipment", "recovery-dst", "foreign-order-refund")


class Project:
    """An empty project folder with a key, and the cases that are made in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cases: dict[str, Path] = {}

    def case(self, name: str) -> Path:
        if name not in self.cases:
            before = set(self.folder.glob("fixtures/quarantine/2*"))
            assert run([*options_of(name), "--quiet"]) == 0
            (self.cases[name],) = set(self.folder.glob("fixtures/quarantine/2*")) - before
        return self.cases[name]

    def replay(self, case: Path, entry: str, *more: str, version: str | None = None) -> int:
        named = version or entry
        return run(["replay", str(case), "--entrypoint", f"sample_traces.replaying:{entry}", "--version", named, *more])

    def manifest(self, case: Path, version: str) -> str:
        return str(self.folder / "artifacts" / "replays" / f"{case.name}--{version}.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("project")


@pytest.fixture(scope="module")
def kept(folder):
    return Project(folder)


@pytest.fixture
def project(kept, folder, monkeypatch):
    key = folder / "key"
    key.write_text("extract-fixture-key-1:" + bytes(range(32)).hex() + "\n")
    key.chmod(0o600)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("EXTRACT_FIXTURE_KEY_FILE", str(key))
    return kept


@pytest.mark.parametrize("name", INCIDENTS)
def test_each_incident_goes_from_red_to_green(project, name, capsys):
    """S2 S5 S45 S51: facts frozen, the invariant judged, the old code red before the new one counts."""
    case, entry = project.case(name), name.replace("-", "_")
    affected = json.loads((case / "fixture.json").read_bytes())["workflow_version"]
    assert project.replay(case, f"{entry}_buggy", "--expect", "red", version=affected) == 0
    assert project.replay(case, f"{entry}_fixed") == 0
    old, new = project.manifest(case, affected), project.manifest(case, f"{entry}_fixed")
    before, after = (json.loads(Path(each).read_bytes()) for each in (old, new))
    assert before["fixture_hash"] == after["fixture_hash"]
    assert (before["boundary_passed"], after["boundary_passed"]) == (False, True)
    assert before["answered_by"]["alternate"] == before["answered_by"]["effects"] == 0
    capsys.readouterr()
    assert run(["compare", old, new, "--case", str(case)]) == 0
    told = capsys.readouterr().out
    assert "red_to_green" in told
    assert f"verified red-to-green replay {affected} -> {entry}_fixed" in told
    assert "that the incident is closed" in " ".join(told.split()).partition(" not proved: ")[2]


def test_the_success_control_holds_for_the_fix_and_catches_a_blunt_one(project, capsys):
    """S41 S42: never to claim anything is no fix."""
    case = project.case("refund-timeout")
    result = '{"status": "completed", "refund_id": "re_1"}'
    assert run(["controls", str(case), "--kind", "success", "--kind", "rejection", "--result", result]) == 0
    assert project.replay(case, "refund_timeout_fixed", "--controls", version="fixed") == 0
    assert project.replay(case, "never_claims", "--controls") == 1
    blunt = json.loads(Path(project.manifest(case, "never_claims")).read_bytes())
    assert blunt["boundary_passed"] is True
    assert "broken" in blunt["controls"].values()
    assert project.replay(case, "refund_timeout_buggy", "--expect", "red", version="refund-flow@12") == 0
    capsys.readouterr()
    old, new = project.manifest(case, "refund-flow@12"), project.manifest(case, "never_claims")
    assert run(["compare", old, new]) == 1
    assert "needs_review" in capsys.readouterr().out


def test_an_early_return_never_came_to_the_incident(project):
    """S24."""
    case = project.case("refund-timeout")
    assert project.replay(case, "returns_early") == 1
    told = json.loads(Path(project.manifest(case, "returns_early")).read_bytes())
    assert (told["label"], told["boundary_passed"]) == ("returned_early", True)


def test_a_changed_fixture_is_no_transition(project, capsys):
    """S23: two values about different bytes are not comparable."""
    case = project.case("refund-timeout")
    assert project.replay(case, "refund_timeout_buggy", "--expect", "red", version="refund-flow@12") == 0
    assert project.replay(case, "refund_timeout_fixed", version="fixed") == 0
    new = Path(project.manifest(case, "fixed"))
    other = new.with_name("other.json")
    other.write_text(new.read_text("utf-8").replace(json.loads(new.read_bytes())["fixture_hash"], "0" * 64), "utf-8")
    capsys.readouterr()
    assert run(["compare", project.manifest(case, "refund-flow@12"), str(other)]) == 11
    assert "results are not comparable: case or fixture hash changed" in capsys.readouterr().out


def test_an_affected_version_that_passes_shows_nothing(project):
    """S45: calling that fixed would be circular."""
    case = project.case("refund-timeout")
    assert project.replay(case, "refund_timeout_fixed", "--expect", "red", version="not-affected") == 10


def test_the_weak_test_would_pass_the_original_incident(project):
    """S42: that there is an answer says nothing; the boundary does."""
    case = project.case("refund-timeout")
    assert project.replay(case, "refund_timeout_buggy", version="as-if-fixed") == 1
    told = json.loads(Path(project.manifest(case, "as-if-fixed")).read_bytes())
    assert told["outcome"]
    assert told["boundary_passed"] is False
