"""Original and current implementation, on the incident's fixture and on a safe contract fixture of today's world.

One change decides: original to current on the same incident fixture. The other cells say whether the world has moved, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from .compare import CaseOnRecord, Comparison, compare, missing_fields
from .findings import Finding, soundness
from .manifest import Manifest
from .manifests import Partial

__all__ = ["CELLS", "CONTRACT_MEANS", "INCIDENT_MEANS", "Matrix", "matrix"]

CELLS: Final = ("original on incident", "current on incident", "original on contract", "current on contract")
Pair: TypeAlias = tuple[bool, bool]

INCIDENT_MEANS: Final[Mapping[Pair, str]] = {
    (
        False,
        True,
    ): "on the incident only the implementation changed, and red became green: this isolates the proposed fix",
    (False, False): "on the incident both fail: the proposed change is no fix",
    (
        True,
        False,
    ): "on the incident the original holds and the current one fails: the change is a regression, or cells are swapped",
    (True, True): (
        "on the incident both hold: the original does not reproduce it, so the fixture, the version or the evidence is wrong, "
        "and nothing is shown of a fix"
    ),
}
"""What the two cells on the incident's fixture mean, by whether original and current held."""

CONTRACT_MEANS: Final[Mapping[Pair, str]] = {
    (True, True): "on today's contract both hold: no drift of the world explains the change",
    (False, True): "on today's contract the original fails as well, and the current one holds",
    (True, False): "on today's contract the current one fails where the original holds: it breaks what works",
    (
        False,
        False,
    ): "on today's contract both fail: the contract fixture or the environment is at fault, or another failure is open",
}
"""What the two cells on the contract fixture mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The four cells: ``held`` in the order of `CELLS` (None: not judged), what they mean, and the one decisive change."""

    held: tuple[bool | None, bool | None, bool | None, bool | None]
    decisive: str
    meaning: tuple[str, ...]
    comparison: Comparison


def matrix(
    results: tuple[Manifest | Partial, Manifest | Partial, Manifest | Partial, Manifest | Partial],
    *,
    case: CaseOnRecord | None = None,
) -> Matrix:
    """Compare four results, in the order of `CELLS`."""
    verdicts = [None if isinstance(one, Partial) else one.boundary_passed for one in results]
    held = (verdicts[0], verdicts[1], verdicts[2], verdicts[3])
    comparison = compare(results[0], results[1], case=case, found=tuple(_found(results)))
    return Matrix(
        held=held,
        decisive=f"original -> current on the incident fixture: {_colour(held[0])} -> {_colour(held[1])}",
        meaning=tuple(_meaning(held)),
        comparison=comparison,
    )


def _meaning(held: tuple[bool | None, ...]) -> Iterator[str]:
    for means, (first, second) in ((INCIDENT_MEANS, held[:2]), (CONTRACT_MEANS, held[2:])):
        if first is not None and second is not None:
            yield means[first, second]
        else:
            yield "a cell was not judged: its row says nothing"


def _found(results: tuple[Manifest | Partial, ...]) -> Iterator[Finding]:
    for name, one in zip(CELLS[2:], results[2:], strict=True):
        if isinstance(one, Partial):
            yield missing_fields(name, one)
        else:
            yield from soundness(name, one)
    cells = [one for one in results if isinstance(one, Manifest)]
    if len(cells) != len(results):
        return
    versions, bytes_of = [one.implementation_version for one in cells], [one.fixture_hash for one in cells]
    if versions[:2] != versions[2:]:
        yield Finding(label="not_comparable", sentence="the cells on the contract fixture are of other implementations")
    if bytes_of[2] != bytes_of[3] or bytes_of[1] == bytes_of[3]:
        yield Finding(
            label="not_comparable", sentence="the cells are not two fixtures, each run by both implementations"
        )
    if cells[3].boundary_passed is False:
        yield Finding(label="needs_review", sentence="the current implementation fails on the contract fixture")


def _colour(held: bool | None) -> str:
    return {True: "green", False: "red", None: "not judged"}[held]
