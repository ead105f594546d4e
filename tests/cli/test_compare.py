from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from extractor.cli.app import run
from extractor.replay.results.claims import NOT_PROVED
from extractor.replay.results.exits import MEANINGS
from extractor.replay.results.manifest import Effect, FirstDivergence, GuardState, Manifest
from extractor.replay.results.manifests import write_manifest

GOLDEN = (Path(__file__).parents[1] / "golden" / "complete_fixture.json").read_bytes()
FIXTURE = json.loads(GOLDEN)
OLD = Manifest(
    case_id=FIXTURE["case_id"],
    fixture_hash=hashlib.sha256(GOLDEN).hexdigest(),
    implementation_version=FIXTURE["workflow_version"],
    boundary_passed=False,
    state="finished",
    lane="gate",
    effects={"refund.create": Effect(calls=2, accepted=1, keys=1)},
    guard=GuardState(on=True, self_test=True),
)
NEW = replace(OLD, implementation_version="next", boundary_passed=True, controls={"success": "held"})


@pytest.fixture
def files(tmp_path):
    def write(**manifests):
        for name, manifest in manifests.items():
            write_manifest(tmp_path / f"{name}.json", manifest)
        return [str(tmp_path / f"{name}.json") for name in manifests]

    return write


@pytest.fixture
def folder(tmp_path):
    case = tmp_path / "approved" / FIXTURE["case_id"]
    case.mkdir(parents=True)
    (case / "fixture.json").write_bytes(GOLDEN)
    return case


def test_red_to_green_ends_with_zero_and_with_what_is_not_proved(files, capsys):
    """S51, S23: what makes results comparable is read before the verdict."""
    assert run(["compare", *files(old=OLD, new=NEW)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["label", "red_to_green"]
    assert lines[2].startswith("old    ")
    assert f"verified red-to-green replay {OLD.implementation_version} -> next" in lines
    assert "control success: held" in lines
    texts = "; ".join(text for text, of in NOT_PROVED if "comparison" in of)
    paragraphs = " ".join(line.strip() for line in lines)
    assert f" not proved: {texts} verdict: red_to_green: verified red-to-green replay" in paragraphs
    assert lines[-1].startswith("verdict: red_to_green: ")
    assert all(len(line) <= 100 for line in lines if "proved" in line)


def test_what_is_wrong_is_told_beside_the_label(files, capsys):
    new = replace(NEW, boundary_passed=False, controls={"success": "broken"})
    assert run(["compare", *files(old=OLD, new=new)]) == 1
    out = capsys.readouterr().out
    assert "current implementation still violates the incident boundary\n" in out
    assert "also needs_review: control success is broken\n" in out
    assert "control success: broken\n" in out


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        ({"boundary_passed": True}, {}, 10),
        ({"fixture_hash": "ab" * 32}, {}, 11),
        ({}, {"label": "adapter_error"}, 12),
        ({}, {"state": "started", "boundary_passed": None}, 13),
        ({}, {"label": "live_call"}, 14),
        ({}, {"label": "incomplete"}, 4),
        ({}, {"label": "incomplete", "lane": "shadow"}, 4),
        ({}, {"lane": "provider"}, 1),
        ({}, {"lane": "provider", "boundary_passed": False}, 1),
    ],
)
def test_each_ending_has_a_status_of_its_own(files, capsys, old, new, status):
    """S61, S62: lanes, and what is wrong with a run, can be told apart by the exit status."""
    assert run(["compare", *files(old=replace(OLD, **old), new=replace(NEW, **new))]) == status
    assert "label" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("new", "status"),
    [
        ({"lane": "shadow", "boundary_passed": False}, 0),
        ({"lane": "provider"}, 0),
        ({"lane": "provider", "boundary_passed": False}, 15),
        ({"lane": "gate", "boundary_passed": False}, 1),
    ],
)
def test_a_job_that_runs_one_lane_may_end_as_that_lane_wants_it(files, capsys, new, status):
    """S54 S58 S61: only when it is asked to, and it says the label all the same."""
    made = files(old=OLD, new=replace(NEW, **new))
    assert run(["compare", *made, "--by-lane", "--json"]) == status
    told = json.loads(capsys.readouterr().out)
    assert told["exit_status"] == status
    assert told["label"] == ("still_violates" if "boundary_passed" in new else "compatibility")


def test_for_machines_one_object_tells_all(files, capsys):
    stray = FirstDivergence(
        turn=1, called="tools:a", nearest="tool_events[0]", path="arguments.id", message="m", cure=None
    )
    new = replace(NEW, boundary_passed=False, first_divergence=stray)
    assert run(["compare", *files(old=OLD, new=new), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["label"], told["lane"], told["exit_status"]) == ("still_violates", "gate", 1)
    assert told["old"]["boundary_passed"] is False
    assert told["notes"][0] == "first divergence of the new run: m (tools:a, tool_events[0], arguments.id)"
    assert told["controls"] == {"success": "held"}
    assert "matrix" not in told
    assert told["not_proved"]


def test_a_result_alone_is_a_baseline_or_lacks_its_red(files, capsys):
    """S24, S57."""
    (new,) = files(new=NEW)
    assert run(["compare", new]) == 4
    assert "baseline_only" in capsys.readouterr().out
    assert run(["compare", new, "--missing-red", "the image is gone"]) == 4
    out = capsys.readouterr().out
    assert "there is no red run: the image is gone" in out
    assert "stronger trace evidence" in out


def test_what_lacks_a_member_is_told_in_the_agreed_words(tmp_path, files, capsys):
    """S127."""
    (new,) = files(new=NEW)
    (tmp_path / "partial.json").write_text(json.dumps({"case_id": "c", "boundary_passed": False}))
    assert run(["compare", str(tmp_path / "partial.json"), new]) == 11
    assert "old result missing fields: ['fixture_hash', 'implementation_version']\n" in capsys.readouterr().out


def test_an_unreadable_manifest_ends_with_6_and_is_not_quoted(tmp_path, files, capsys):
    (new,) = files(new=NEW)
    (tmp_path / "broken.json").write_text('{"canary')
    assert run(["compare", str(tmp_path / "broken.json"), new]) == 6
    assert capsys.readouterr().err == "error: the old manifest is not JSON: syntax\n"


@pytest.mark.parametrize("place", [0, 1])
def test_a_case_folder_is_no_manifest_and_the_error_says_where_manifests_are(files, folder, capsys, place):
    (new,) = files(new=NEW)
    given = [new]
    given.insert(place, str(folder))
    assert run(["compare", *given]) == 2
    told = capsys.readouterr().err
    assert f"error: {('OLD', 'NEW')[place]} is a folder" in told
    assert "OLD and NEW are manifests under artifacts/replays, which extract-fixture replay writes" in told


def test_a_case_that_cannot_be_judged_shows_no_boundary(files, capsys):
    assert run(["compare", *files(old=OLD, new=replace(NEW, label="non_replayable"))]) == 4
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[-2:] for line in told if line[0] in ("old", "new")] == [["boundary", "broken"], ["not", "judged"]]


@pytest.mark.parametrize(
    "arguments", [[], ["a", "b", "c"], ["a", "b", "--missing-red", "x"], ["a", "--matrix", "a", "b", "c", "d"]]
)
def test_contradictions_are_usage(arguments, capsys):
    assert run(["compare", *arguments]) == 2


def test_the_case_says_lane_and_affected_versions(files, folder, capsys):
    """S45: a folder in a store; its workflow version, and what the register lists."""
    results = files(old=OLD, new=NEW)
    assert run(["compare", *results, "--case", str(folder), "--by-lane"]) == 0
    assert json.loads(GOLDEN)["lane"] == "shadow"
    told = capsys.readouterr().out
    assert told.splitlines()[1].split() == ["lane", "shadow"]
    other = files(old=replace(OLD, implementation_version="6.9"), new=NEW)
    run(["compare", *other, "--case", str(folder), "--json"])
    assert json.loads(capsys.readouterr().out)["sentences"][0] == "the old version is not listed as affected"
    line = {
        "at": "2026-03-02T10:00:00Z",
        "event": "set",
        "case_id": FIXTURE["case_id"],
        "facts": {"affected_version": "6.9"},
    }
    (folder.parent.parent / "register.jsonl").write_text(json.dumps(line) + "\n")
    run(["compare", *other, "--case", str(folder), "--json"])
    assert "not listed" not in capsys.readouterr().out


def test_a_case_that_is_not_there_or_not_whole_is_told(files, folder, capsys):
    results = files(old=OLD, new=NEW)
    assert run(["compare", *results, "--case", "none", "--store", str(folder.parent.parent)]) == 2
    (folder / "fixture.json").write_text("{}")
    assert run(["compare", *results, "--case", str(folder)]) == 1
    (folder / "fixture.json").write_text("{")
    assert run(["compare", *results, "--case", str(folder)]) == 6


def test_controls_are_told_held_or_broken(files, capsys):
    """S41."""
    late = replace(NEW, case_id="late", boundary_passed=False)
    old, new, control = files(old=OLD, new=NEW, late=late)
    assert run(["compare", old, new, "--control", control]) == 1
    assert "control late: broken\n" in capsys.readouterr().out
    Path(control).write_text("{}")
    assert run(["compare", old, new, "--control", control]) == 6


def test_a_matrix_is_shown_as_a_table_with_the_decisive_change(files, capsys):
    """S46."""
    contract = {"fixture_hash": "cd" * 32, "boundary_passed": True}
    names = files(a=OLD, b=NEW, c=replace(OLD, **contract), d=replace(NEW, **contract))
    assert run(["compare", "--matrix", *names]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("                    original    current")
    assert lines[at + 1 : at + 4] == [
        "incident fixture    red         green",
        "contract fixture    green       green",
        "decisive: original -> current on the incident fixture: red -> green",
    ]
    assert run(["compare", "--matrix", *names, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["matrix"]
    assert told["cells"] == {
        "original_on_incident": False,
        "current_on_incident": True,
        "original_on_contract": True,
        "current_on_contract": True,
    }


def test_the_help_and_the_page_name_every_status(capsys):
    assert run(["compare", "--help"]) == 0
    told = capsys.readouterr().out
    page = (Path(__file__).parents[2] / "docs" / "compare.md").read_text("utf-8")
    for status, meaning in MEANINGS.items():
        assert f"  {status:<3}{meaning}" in told
        assert f"| {status} | {meaning} |" in page
