"""The life of a case by command: key, approve, reject, register, retire, purge, export."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest

from extractor.cli.app import run
from extractor.replay.results.manifest import GuardState, Manifest
from extractor.replay.results.manifests import write_manifest

TOLD = (
    *("--failure", "The refund tool timed out before the payment service answered."),
    *("--prohibit", "The refund is complete."),
    *("--evidence-needed", "A receipt of the payment service."),
    *("--boundary", "no_unconfirmed_claim"),
    *("--incident", "INC-7"),
)


@pytest.fixture
def told(case, capsys):
    """The refund incident, with what people say of it."""
    assert run(["annotate", str(case), *TOLD, "--quiet"]) == 0
    capsys.readouterr()
    return case


def approve(case, role, reviewer, *more) -> int:
    graded = ("--grade", "confirmed") if role == "incident-owner" else ()
    return run(["approve", str(case), "--role", role, "--reviewer", reviewer, *graded, *more])


def test_the_register_says_four_facts_of_each_case_and_no_fifth(told, here, capsys):
    """S2 S56: from the manifests on disk, and only those about the case's bytes as they are."""
    fixture = json.loads((told / "fixture.json").read_text("utf-8"))
    red = Manifest(
        case_id=told.name,
        fixture_hash=hashlib.sha256((told / "fixture.json").read_bytes()).hexdigest(),
        implementation_version=fixture["workflow_version"] or "old",
        boundary_passed=False,
        state="finished",
        expect="red",
        guard=GuardState(on=True, self_test=True),
    )
    write_manifest(here / "artifacts" / "replays" / "red.json", red)
    assert run(["register", "--facts", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["cases"]
    assert row["facts"] == {
        "validates": "yes",
        "affected_reproduces": "yes",
        "current_passes": "not run",
        "controls_pass": "not run",
    }
    green = replace(red, implementation_version="new", boundary_passed=True, expect="green", controls={"a": "broken"})
    write_manifest(here / "elsewhere" / "green.json", green)
    (here / "elsewhere" / "note.json").write_text("[]")
    assert run(["register", "--facts", "--manifests", "elsewhere"]) == 0
    said = capsys.readouterr()
    for line in (
        "fixture validates: yes",
        "affected implementation reproduces: not run",
        "current implementation passes: yes",
        "controls pass: no",
    ):
        assert f"  {line}\n" in said.out
    assert "1 JSON files beside the manifests are none" in said.err
    assert run(["register", "--json"]) == 0
    assert "facts" not in json.loads(capsys.readouterr().out)["cases"][0]


@pytest.mark.nlp
def test_from_extraction_to_retirement(told, here, capsys):
    assert approve(told, "privacy", "Rana Okafor") == 0
    said = capsys.readouterr()
    assert "1 incident-owner" in said.out
    assert "UNSIGNED" in said.err
    assert run(["approve", str(told), "--role", "incident-owner", "--reviewer", "Ines Duarte"]) == 1
    assert "a grade says that this failed" in capsys.readouterr().err
    assert approve(told, "incident-owner", "Rana Okafor") == 1
    assert "must be different people" in capsys.readouterr().err
    assert approve(told, "incident-owner", "AI") == 1
    assert approve(told, "incident-owner", "Ines Duarte", "--json") == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["state"], made["missing"], made["faults"]) == ("approved", {}, [])
    name = told.name
    assert run(["validate", "--approved", "fixtures"]) == 0
    assert run(["register", "set", name, "--owner", "privacy=Rana Okafor", "--fixed-version", "4.2"]) == 0
    assert run(["register", "set", name, "--owner", "privacy=AI"]) == 1
    assert run(["export", "--pack", "pack"]) == 0
    assert sorted(path.name for path in (here / "pack" / name).iterdir()) == ["README.md", "fixture.json"]
    capsys.readouterr()
    assert run(["register", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["cases"]
    assert (row["case_id"], row["state"], row["owners"]) == (name, "approved", {"privacy": "Rana Okafor"})
    assert run(["retire", name, "--reason", "the refund tool is gone"]) == 0
    assert run(["register"]) == 0
    assert "the refund tool is gone" in capsys.readouterr().out
    # The trace's own id is in the restricted store alone.
    trace = b"6d383010fe32bfe09c943d88b718f3e3"
    holders = [p for p in (here / "fixtures").rglob("*") if p.is_file() and trace in p.read_bytes()]
    assert [p.parent.parent.name for p in holders] == ["restricted"]
    (here / "fixtures" / "retired" / name).rename(here / "aside")
    assert run(["register"]) == 1
    assert "gone without a record" in capsys.readouterr().err


@pytest.mark.nlp
def test_a_changed_case_ends_with_seven(told, here, capsys):
    (here / "fixtures" / "policy.toml").write_text("roles = { incident-owner = 1 }\n")
    assert approve(told, "incident-owner", "Ines Duarte") == 0
    approved = here / "fixtures" / "approved" / told.name
    assert run(["validate", "--approved", str(here / "fixtures"), str(approved)]) == 0
    (approved / "expect.yaml").write_text("verdict: accept\n")
    capsys.readouterr()
    assert run(["validate", "--approved", str(here / "fixtures" / "approved")]) == 7
    told_of = capsys.readouterr().err
    assert f"{told.name}: approvals/incident-owner.1.json: expect.yaml is not what" in told_of
    assert run(["validate", "--approved", str(here / "fixtures"), "--json"]) == 7
    assert json.loads(capsys.readouterr().out)["approved"] is False
    assert run(["register"]) == 7
    assert run(["export", "--pack", "pack"]) == 7
    assert not (here / "pack").exists()


@pytest.mark.nlp
def test_signed_over_a_packet_by_somebody_who_never_had_the_folder(told, here, capsys):
    assert run(["key", "new", "--signing", "--out", "ines"]) == 0
    line = (here / "ines.pub").read_text().strip()
    assert line in capsys.readouterr().out
    (here / "fixtures" / "policy.toml").write_text(
        f"unsigned = false\nroles = {{ incident-owner = 1 }}\n[people.'Ines Duarte']\nkeys = ['{line}']\n"
    )
    assert run(["review", str(told), "--packet", "packet"]) == 0
    over = [
        "approve",
        "--packet",
        "packet.json",
        "--out",
        "said.json",
        "--role",
        "incident-owner",
        "--grade",
        "confirmed",
    ]
    assert run([*over, "--reviewer", "Ines Duarte"]) == 0
    assert run(["approve", str(told), "--statement", "said.json"]) == 7
    (here / "said.json").unlink()
    assert run([*over, "--reviewer", "Ines Duarte", "--key", "ines"]) == 0
    assert run([*over, "--reviewer", "Ines Duarte", "--key", "ines"]) == 2
    capsys.readouterr()
    assert run(["approve", str(told), "--statement", "said.json"]) == 0
    said = capsys.readouterr()
    assert "approved" in said.out
    assert "UNSIGNED" not in said.err


@pytest.mark.nlp
def test_reject_needs_who_and_why(told, here, capsys):
    assert run(["reject", str(told), "--role", "qa", "--reviewer", "Jo Lind"]) == 2
    assert run(["reject", str(told), "--role", "qa", "--reviewer", "Jo Lind", "--reason", "seen before"]) == 0
    assert (here / "fixtures" / "rejected" / told.name).is_dir()
    assert run(["purge", "--dry-run", "--ttl", "0"]) == 0
    assert "would remove" in capsys.readouterr().out
    assert run(["purge", "--ttl", "0", "--json"]) == 0
    assert [one["place"] for one in json.loads(capsys.readouterr().out)["removed"]] == ["rejected"]
    assert run(["register", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cases"][0]["state"] == "purged"


@pytest.mark.nlp
def test_an_extracted_case_is_on_record(case, here, capsys):
    case.rename(here / "aside")
    assert run(["register"]) == 1
    assert "was in quarantine, and its folder is gone" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["approve"],
        ["approve", "x", "--role", "Zebra", "--reviewer", "Ines"],
        ["approve", "--role", "qa", "--reviewer", "Ines"],
        ["approve", "x", "--statement", "y", "--role", "qa"],
        ["approve", "--packet", "x", "--role", "qa", "--reviewer", "Ines"],
        ["approve", "x", "--role", "qa", "--reviewer", "\x1b[31m"],
        ["approve", "x", "--role", "dependency", "--reviewer", "Ines", "--acceptance", "1=Zebra"],
        ["retire", "x"],
        ["retire", "Zebra", "--reason", "y"],
        ["register", "--expired", "set", "x"],
        ["register", "set", "Zebra"],
        ["purge", "--ttl", "-1"],
        ["export"],
        ["validate"],
    ],
)
def test_a_wrong_command_line_is_told_without_its_values(arguments, here, capsys):
    (here / "fixtures").mkdir()
    assert run(arguments) == 2
    assert "Zebra" not in capsys.readouterr().err
