"""Four facts of a case from its manifests, and no fifth (S56)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from extractor.replay.case import load_case
from extractor.replay.results.facts import facts_on_disk, manifests_in
from extractor.replay.results.manifest import AnsweredBy, GuardState, Manifest
from extractor.replay.results.manifests import write_manifest

from ..documents import call, folder

FIND = call(1, "order.find", {"id": "O-1"}, {"state": "paid"})


@pytest.fixture
def case(tmp_path) -> Path:
    return folder(tmp_path / "cases", FIND, workflow_version="refund-flow@12")


@pytest.fixture
def red(case) -> Manifest:
    return Manifest(
        case_id=case.name,
        fixture_hash=load_case(case).fixture_hash,
        implementation_version="refund-flow@12",
        boundary_passed=False,
        state="finished",
        expect="red",
        guard=GuardState(on=True, self_test=True),
    )


@pytest.fixture
def green(red) -> Manifest:
    return replace(
        red, implementation_version="v13", boundary_passed=True, expect="green", controls={"success": "held"}
    )


def four(case, *manifests, affected=("refund-flow@12",), fixed=None):
    told = facts_on_disk("2026-07-18-refund", case, manifests, affected=affected, fixed=fixed)
    return told.validates, told.affected_reproduces, told.current_passes, told.controls_pass


def test_each_fact_has_its_own_evidence(case, red, green):
    assert four(case) == ("yes", "not run", "not run", "not run")
    assert four(case, red) == ("yes", "yes", "not run", "not run")
    assert four(case, green) == ("yes", "not run", "yes", "yes")
    assert four(case, red, green) == ("yes", "yes", "yes", "yes")


@pytest.mark.parametrize(
    "edits",
    [
        {"boundary_passed": True},
        {"boundary_passed": None},
        {"label": "incomplete"},
        {"state": "started"},
        {"guard": None},
        {"answered_by": AnsweredBy(alternate=1)},
    ],
)
def test_a_red_run_that_shows_nothing_reproduces_nothing(case, red, green, edits):
    assert four(case, replace(red, **edits), green) == ("yes", "no", "yes", "yes")


@pytest.mark.parametrize(
    "edits",
    [
        {"boundary_passed": False},
        {"boundary_passed": None},
        {"label": "returned_early"},
        {"state": "started"},
        {"guard": GuardState(on=True, self_test=False)},
    ],
)
def test_a_green_run_with_anything_against_it_does_not_pass(case, red, green, edits):
    assert four(case, red, replace(green, **edits)) == ("yes", "yes", "no", "yes")


@pytest.mark.parametrize(
    ("held", "fact"),
    [({"success": "held", "timeout": "broken"}, "no"), ({"success": "not_run"}, "not run"), ({}, "not run")],
)
def test_controls(case, red, green, held, fact):
    assert four(case, red, replace(green, controls=held)) == ("yes", "yes", "yes", fact)


def test_a_control_beside_the_case_that_no_run_tells_of_was_not_run(case, green):
    folder(case / "controls", FIND, case_id="timeout", control_of=case.name)
    assert four(case, green) == ("yes", "not run", "yes", "not run")


def test_manifests_about_other_bytes_tell_nothing(case, red, green):
    assert four(case, replace(red, fixture_hash="ab" * 32), replace(green, case_id="other"))[1:] == ("not run",) * 3


def test_every_current_version_must_pass_unless_one_is_on_record(case, red, green):
    older = replace(green, implementation_version="v12.9", boundary_passed=False)
    assert four(case, red, older, green)[2] == "no"
    assert four(case, red, older, green, fixed="v13")[2] == "yes"
    assert four(case, red, older, fixed="v13")[2] == "not run"


def test_without_an_affected_version_on_record_runs_that_were_wanted_red_count(case, red, green):
    other = replace(red, implementation_version="something")
    assert four(case, other, green)[1] == "not run"
    assert four(case, other, green, affected=())[1] == "yes"


def test_a_case_that_does_not_load_has_no_other_facts(case, red, green):
    (case / "fixture.json").write_text("{}")
    assert four(case, red, green) == ("no", "not run", "not run", "not run")
    assert four(None, red, green) == ("not run", "not run", "not run", "not run")


def test_files_that_are_no_manifests_are_counted(tmp_path, red):
    write_manifest(tmp_path / "m" / "a.json", red)
    (tmp_path / "m" / "b.json").write_text("{}")
    (tmp_path / "m" / "c.json").write_text("no")
    (tmp_path / "m" / "d.txt").write_text("no")
    assert manifests_in(tmp_path / "m") == ([red], 2)
    assert manifests_in(tmp_path / "none") == ([], 0)
