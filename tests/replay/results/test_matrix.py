from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from extractor.replay.results.manifest import GuardState, Manifest
from extractor.replay.results.manifests import Partial
from extractor.replay.results.matrix import CELLS, CONTRACT_MEANS, INCIDENT_MEANS, matrix

CELL = Manifest(
    case_id="c-1",
    fixture_hash="ab" * 32,
    implementation_version="1",
    state="finished",
    lane="gate",
    guard=GuardState(on=True, self_test=True),
    controls={"success": "held"},
)


def cells(held: tuple[bool | None, ...], **last: Any) -> Any:
    versions, bytes_of = ("1", "2", "1", "2"), ("ab" * 32, "ab" * 32, "cd" * 32, "cd" * 32)
    made = [
        replace(CELL, implementation_version=version, fixture_hash=digest, boundary_passed=passed)
        for version, digest, passed in zip(versions, bytes_of, held, strict=True)
    ]
    return (*made[:3], replace(made[3], **last))


@pytest.mark.parametrize("held", [*product((False, True), repeat=4)])
def test_each_pattern_of_cells_has_its_meaning_and_one_pattern_is_green(held: tuple[bool, bool, bool, bool]) -> None:
    """S46: only the change between the cells on the incident's fixture isolates the fix."""
    found = matrix(cells(held))
    assert found.held == held
    assert found.meaning == (INCIDENT_MEANS[held[:2]], CONTRACT_MEANS[held[2:]])
    green = held[:2] == (False, True) and held[3]
    assert (found.comparison.label == "red_to_green") == green


def test_the_decisive_change_is_named() -> None:
    found = matrix(cells((False, True, True, True)))
    assert found.decisive == "original -> current on the incident fixture: red -> green"


@pytest.mark.parametrize(
    ("last", "label", "sentence"),
    [
        ({"boundary_passed": False}, "needs_review", "the current implementation fails on the contract fixture"),
        ({"boundary_passed": None}, "not_comparable", "no oracle: nothing judged the boundary of the current on contract run"),
        ({"fixture_hash": "ef" * 32}, "not_comparable", "the cells are not two fixtures, each run by both implementations"),
        ({"implementation_version": "3"}, "not_comparable", "the cells on the contract fixture are of other implementations"),
        ({"guard": None}, "harness_defect", "the current on contract run had no guard: nothing kept it from live calls"),
    ],
)  # fmt: skip
def test_cells_that_are_no_matrix_are_told(last: dict[str, Any], label: str, sentence: str) -> None:
    found = matrix(cells((False, True, True, True), **last)).comparison
    assert (found.label, found.sentences[0]) == (label, sentence)


def test_one_fixture_four_times_is_no_matrix() -> None:
    same = [replace(cell, fixture_hash="ab" * 32) for cell in cells((False, True, False, True))]
    assert matrix((same[0], same[1], same[2], same[3])).comparison.label == "not_comparable"


def test_a_cell_that_lacks_a_member_is_named() -> None:
    *others, _ = cells((False, True, True, True))
    found = matrix((others[0], others[1], others[2], Partial(missing=("case_id",))))
    assert found.comparison.sentences == ("current on contract result missing fields: ['case_id']",)
    assert found.meaning[1] == "a cell was not judged: its row says nothing"
    assert len(CELLS) == len(found.held)
