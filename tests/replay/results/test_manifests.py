from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import InputUnreadable, ValidationFailed
from extractor.model.json import parse
from extractor.replay.results.labels import LABELS
from extractor.replay.results.manifest import (
    AnsweredBy,
    Authorization,
    Boundary,
    ClockRead,
    Diverged,
    Effect,
    FaultLine,
    FirstDivergence,
    GuardState,
    Interleavings,
    Manifest,
    Missed,
    ModelUse,
    Policy,
    RunOutcome,
    UnconsumedCall,
)
from extractor.replay.results.manifests import Partial, manifest_bytes, parse_manifest, read_manifest, write_manifest
from extractor.replay.structure import misfits
from extractor.schemas import load, schema_problems

CASE = "2026-03-02-refund-create-timeout-0a1b2c3d"
STARTED = Manifest(case_id=CASE, fixture_hash="ab" * 32, implementation_version="7.2.0")
FULL = replace(
    STARTED,
    boundary_passed=True,
    state="finished",
    lane="gate",
    expect="green",
    label="needs_review",
    boundary=Boundary(check="claims", reason="holds"),
    effects={"refund.create": Effect(calls=2, accepted=1, unknown=1, keys=1), "a": Effect(calls=1)},
    authorization=Authorization(decision="allow", before_effects=True),
    served=("tools:refund.create",),
    answered_by=AnsweredBy(recorded=2, alternate=1),
    unconsumed=(UnconsumedCall(kind="tools", name="refund.create", position=1, role="violation"),),
    missed=(Missed(called="tools:a", code="nothing_recorded", nearest=None, path=None, message="no recorded call"),),
    diverged=(Diverged(kind="llm", name="m", position=0, what="input"),),
    first_divergence=FirstDivergence(turn=1, called="tools:a", nearest=None, path=None, message="m", cure=None),
    faults=(FaultLine(label="needs_review", code="mismatch", message="another call was due"),),
    guard=GuardState(on=True, self_test=True, covers=("connect",), not_covered=("C",), blocked=()),
    clock_reads=(ClockRead(call="time.time", place="agent.py:3", count=2),),
    outcome={"b": 1.5, "a": ["held", {"z": 1, "y": None}]},
    turns=1,
    model=ModelUse(requested="m-2", recorded="m-1", compatibility=True),
    controls={"timeout": "held", "success": "not_run"},
    runs=(RunOutcome(outcome={"z": "held", "a": "held"}, boundary_passed=True),),
    policy=Policy(name="all", runs=1, needed=1),
    interleavings=Interleavings(tried=6, failed=0),
)


def test_what_is_written_is_read_back() -> None:
    assert parse_manifest(manifest_bytes(FULL)) == FULL
    assert parse_manifest(manifest_bytes(STARTED)) == STARTED


def test_the_members_are_the_schemas_in_its_order() -> None:
    schema: Any = load("manifest")
    full = schema["$defs"]["manifest"]
    assert [each.name for each in fields(Manifest)] == list(full["properties"]) == full["required"]
    assert schema["$defs"]["label"]["enum"] == [*LABELS, None]


def test_the_bytes_are_canonical() -> None:
    """Tools and controls come from wherever calls came from: sorted. An outcome stays in its own order."""
    text = manifest_bytes(FULL).decode()
    assert text.endswith("}\n")
    assert text.startswith('{\n  "manifest_version": "1",\n  "case_id": ')
    document: Any = json.loads(text)
    assert list(document["effects"]) == ["a", "refund.create"]
    assert list(document["controls"]) == ["success", "timeout"]
    assert list(document["outcome"]) == ["b", "a"]
    assert list(document["runs"][0]["outcome"]) == ["z", "a"]
    assert manifest_bytes(replace(FULL, effects=dict(reversed(FULL.effects.items())))) == manifest_bytes(FULL)


def test_a_manifest_that_forgets_to_end_has_not_ended() -> None:
    assert (STARTED.state, STARTED.boundary_passed, STARTED.guard) == ("started", None, None)


def test_a_file_is_replaced_in_one_step_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    place = tmp_path / "replays" / "case.json"
    write_manifest(place, STARTED)
    assert read_manifest(place) == STARTED
    write_manifest(place, FULL)
    assert read_manifest(place) == FULL
    assert [each.name for each in place.parent.iterdir()] == ["case.json"]


def test_a_write_that_fails_leaves_the_old_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "case.json"
    write_manifest(place, STARTED)

    def full(_descriptor: int) -> None:
        raise OSError("no space")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write_manifest(place, FULL)
    assert read_manifest(place) == STARTED
    assert [each.name for each in tmp_path.iterdir()] == ["case.json"]


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs symbolic links")
def test_a_link_in_the_way_is_replaced_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("untouched")
    (tmp_path / "case.json").symlink_to(other)
    write_manifest(tmp_path / "case.json", STARTED)
    assert other.read_text() == "untouched"
    assert read_manifest(tmp_path / "case.json") == STARTED


@pytest.mark.parametrize(
    ("manifest", "line"),
    [
        (replace(STARTED, case_id="../etc"), "manifest: case_id: pattern"),
        (replace(STARTED, label="fine"), "manifest: label: enum"),
        (replace(STARTED, effects={"Ana": Effect(calls=-1)}), "manifest: effects{0}.calls: minimum"),
        (replace(STARTED, outcome=float("nan")), "manifest: outcome: not_finite"),
    ],
)
def test_nothing_is_written_that_could_not_be_read(tmp_path: Path, manifest: Manifest, line: str) -> None:
    with pytest.raises(ValidationFailed) as raised:
        write_manifest(tmp_path / "a.json", manifest)
    assert raised.value.problems == (line,)
    assert list(tmp_path.iterdir()) == []


MINIMAL = {"case_id": "c", "fixture_hash": "h", "implementation_version": "v", "boundary_passed": False}


def test_the_minimal_form_is_read_and_what_else_it_says_is_ignored() -> None:
    """S51: four members are enough for a comparison; nothing else of such a run is known."""
    found = parse_manifest(json.dumps({**MINIMAL, "grade": 3, "label": "fine"}).encode())
    assert isinstance(found, Manifest)
    assert found.minimal
    assert (found.lane, found.mode, found.guard, found.state, found.label) == (None, None, None, "finished", None)
    assert found.members() == MINIMAL


def test_a_manifest_of_ours_has_no_other_members() -> None:
    document = {**FULL.members(), "grade": 3}
    with pytest.raises(InputUnreadable, match="document: additionalProperties"):
        parse_manifest(json.dumps(document).encode())


@pytest.mark.parametrize("member", sorted(MINIMAL))
@pytest.mark.parametrize("whole", [MINIMAL, FULL.members()], ids=["minimal", "full"])
def test_what_a_comparison_needs_is_named_when_it_is_missing(whole: dict[str, Any], member: str) -> None:
    """S127."""
    document = {name: value for name, value in whole.items() if name != member}
    assert parse_manifest(json.dumps(document).encode()) == Partial(missing=(member,))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "new is not JSON: syntax"),
        (b"[]", "new must be a JSON object"),
        (b'{"case_id": "a", "case_id": "b"}', "new is not JSON: duplicate_member"),
        (json.dumps({**MINIMAL, "boundary_passed": "yes"}).encode(), "new does not fit its schema:\n  boundary_passed: type"),
        (json.dumps({**MINIMAL, "manifest_version": "2"}).encode(), "manifest_version: const"),
    ],
)  # fmt: skip
def test_what_is_no_manifest_is_told_without_quoting_it(content: bytes, message: str) -> None:
    with pytest.raises(InputUnreadable) as raised:
        parse_manifest(content, name="new")
    assert message in raised.value.message


def test_a_file_that_is_not_there_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(InputUnreadable, match="old manifest cannot be read"):
        read_manifest(tmp_path / "none.json", name="old manifest")


STRANGE: tuple[Any, ...] = (None, True, 0, -1, 1.0, 1.5, "", "x", "gate", [], {}, [1], {"x": 1}, "2", LABELS[0])


def test_mutated_manifests_are_judged_as_jsonschema_judges_them() -> None:
    def places(node: Any) -> list[tuple[Any, Any]]:
        steps = list(node.items() if isinstance(node, dict) else enumerate(node))
        inner = [found for _, child in steps if isinstance(child, (dict, list)) for found in places(child)]
        return [*((node, step) for step, _ in steps), *inner]

    invalid = 0
    whole = (FULL.members(), STARTED.members(), MINIMAL)
    for seed in range(2000):
        draw = random.Random(seed)
        document = copy.deepcopy(whole[seed % 3])
        node, step = draw.choice(places(document))
        kind = draw.randrange(3)
        if kind == 0:
            node.pop(step)
        elif kind == 1 and isinstance(node, dict):
            node[draw.choice((*FULL.members(), "surprise"))] = draw.choice(STRANGE)
        else:
            node[step] = draw.choice(STRANGE)
        expected = schema_problems(parse(json.dumps(document)), "manifest")
        assert sorted(misfits(parse(json.dumps(document)), "manifest")) == sorted(expected), seed
        invalid += bool(expected)
    assert 200 < invalid < 1800


SCRIPT = """
import json, sys
results = [json.load(open(name, encoding="utf-8")) for name in sys.argv[1:]]
for side, result in zip(("old", "new"), results):
    absent = sorted({"case_id", "fixture_hash", "implementation_version", "boundary_passed"} - set(result))
    if absent:
        sys.exit(f"{side} result missing fields: {absent}")
first, second = results
if (first["case_id"], first["fixture_hash"]) != (second["case_id"], second["fixture_hash"]):
    sys.exit("results are not comparable: case or fixture hash changed")
if first["boundary_passed"]:
    sys.exit("original implementation did not reproduce the incident")
if not second["boundary_passed"]:
    sys.exit("current implementation still violates the incident boundary")
print("verified red-to-green replay", first["implementation_version"], "->", second["implementation_version"])
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ({"boundary_passed": False}, {}, "verified red-to-green replay 7.1.0 -> 7.2.0"),
        ({"boundary_passed": True}, {}, "original implementation did not reproduce the incident"),
        ({"boundary_passed": False}, {"boundary_passed": False}, "current implementation still violates the incident boundary"),
        ({"boundary_passed": False, "fixture_hash": "cd" * 32}, {}, "results are not comparable: case or fixture hash changed"),
    ],
)  # fmt: skip
def test_a_comparison_that_knows_four_members_reads_our_manifests(
    tmp_path: Path, old: dict[str, Any], new: dict[str, Any], told: str
) -> None:
    """S51: a script over the standard library, which knows nothing of us."""
    write_manifest(tmp_path / "old.json", replace(FULL, implementation_version="7.1.0", **old))
    write_manifest(tmp_path / "new.json", replace(FULL, **new))
    command = [sys.executable, "-I", "-c", SCRIPT, str(tmp_path / "old.json"), str(tmp_path / "new.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout or done.stderr).strip() == told
    assert done.returncode == (0 if told.startswith("verified") else 1)
