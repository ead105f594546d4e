"""The four facts of a case that is not yet a gate (S56), from its replays; there is no fifth that sums them up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from extractor.errors import ExtractFixtureError, InputUnreadable

from ..case import load_case
from .findings import evidence, soundness
from .manifest import Held, Manifest
from .manifests import read_manifest

__all__ = ["Fact", "Facts", "controls_pass", "facts_on_disk", "manifests_in", "passes", "reproduces"]

Fact: TypeAlias = Literal["yes", "no", "not run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Whether a case validates, is red on the affected implementation, green on the current one, and its controls pass."""

    case_id: str
    validates: Fact
    affected_reproduces: Fact = "not run"
    current_passes: Fact = "not run"
    controls_pass: Fact = "not run"  # noqa: S105 # a fact, no password


def reproduces(runs: Sequence[Manifest]) -> Fact:
    """Say whether each run violated the boundary, by recorded answers alone and with nothing against it."""
    return _all(
        run.boundary_passed is False
        and not (run.answered_by.alternate or run.answered_by.effects)
        and run.label is None
        and not any(soundness("old", run))
        for run in runs
    )


def passes(runs: Sequence[Manifest]) -> Fact:
    """Say whether each run held the boundary, with nothing at all against it."""
    return _all(
        run.boundary_passed is True and run.label is None and not evidence(run) and not any(soundness("new", run))
        for run in runs
    )


def controls_pass(held: Mapping[str, Held]) -> Fact:
    """Say whether every control was held; ``not run`` where one was not, or where there is none."""
    if "broken" in held.values():
        return "no"
    return "yes" if held and set(held.values()) == {"held"} else "not run"


def manifests_in(folder: Path) -> tuple[list[Manifest], int]:
    """Return the manifests of a folder by name, and how many of its JSON files are none; no folder holds none."""
    found, others = [], 0
    for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        try:
            told = read_manifest(file)
        except InputUnreadable:
            others += 1
            continue
        if isinstance(told, Manifest):
            found.append(told)
        else:
            others += 1
    return found, others


def facts_on_disk(
    case_id: str, folder: Path | None, manifests: Iterable[Manifest], *, affected: Collection[str], fixed: str | None
) -> Facts:
    """Return the facts of the case in ``folder`` (None: it stands nowhere) that manifests about its very bytes tell.

    ``affected`` are the versions listed as affected; with none listed, runs that were wanted red count. ``fixed`` is the
    current version; without it every version that is not affected is, and all of them must pass.
    """
    if folder is None:
        return Facts(case_id=case_id, validates="not run")
    try:
        case = load_case(folder)
    except ExtractFixtureError:
        return Facts(case_id=case_id, validates="no")
    mine = [each for each in manifests if (each.case_id, each.fixture_hash) == (case.case_id, case.fixture_hash)]
    red = [each for each in mine if (each.implementation_version in affected if affected else each.expect == "red")]
    others = [each for each in mine if each not in red and each.expect != "red"]
    green = [each for each in others if fixed is None or each.implementation_version == fixed]
    names: dict[str, Held] = {name: "not_run" for name, _ in case.control_folders()}
    return Facts(
        case_id=case_id,
        validates="yes",
        affected_reproduces=reproduces(red),
        current_passes=passes(green),
        controls_pass=_worst([controls_pass({**names, **each.controls}) for each in green]),
    )


def _worst(facts: Sequence[Fact]) -> Fact:
    return "no" if "no" in facts else "yes" if facts and set(facts) == {"yes"} else "not run"


def _all(told: Iterable[bool]) -> Fact:
    verdicts = list(told)
    return "not run" if not verdicts else "yes" if all(verdicts) else "no"
