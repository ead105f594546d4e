"""``extract-fixture compare``: red on the old code, green on the new, and what that proves."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import click

from extractor import review
from extractor.errors import InputUnreadable, UsageError, ValidationFailed
from extractor.model.json import JsonValue
from extractor.model.layout import FIXTURE, PLACES
from extractor.replay.fixture_check import MAX_BYTES, Unreadable, load
from extractor.replay.results.compare import CaseOnRecord, Comparison, compare
from extractor.replay.results.exits import MEANINGS
from extractor.replay.results.manifest import Manifest
from extractor.replay.results.manifests import Partial, read_manifest
from extractor.replay.results.matrix import CELLS, Matrix, matrix
from extractor.replay.structure import problems

from . import completing, options, proving, stores
from .console import Console

_LINES = "\n".join(f"{status:<3}{meaning}" for status, meaning in MEANINGS.items())
_HELP = f"""Compare the results of two replays: red on the old code, green on the new.

OLD is the manifest of the affected implementation, NEW that of the current one; NEW alone is a baseline. One label is printed,
the first that fits, with the sentences that say why, whatever else was found, and what is proved by it and what is not.

\b
Exit status:
{_LINES}
"""


@click.command(
    help=_HELP,
    epilog=options.examples(
        "extract-fixture compare artifacts/replays/CASE--2.4.0.json artifacts/replays/CASE--2.4.1.json"
    ),
)
@click.argument("manifests", metavar="[OLD] NEW", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--case",
    metavar="CASE",
    shell_complete=completing.cases,
    help="The case: its lane, its tools, what it expects, the versions it affects.",
)
@click.option(
    "--matrix",
    "cells",
    metavar="FILE FILE FILE FILE",
    nargs=4,
    type=options.FILE,
    help="Four manifests: original and current on the incident, original and current on a contract fixture.",
)
@click.option(
    "--control",
    "controls",
    multiple=True,
    type=options.FILE,
    help="The manifest of NEW's code on a control; may repeat.",
)
@click.option(
    "--missing-red",
    metavar="REASON|@FILE",
    callback=options.typed,
    help="Why the affected version can no longer be run.",
)
@options.by_lane
@stores.store
@options.as_json
@options.quiet
@click.pass_context
def command(  # noqa: PLR0913 # options that no configuration holds
    ctx: click.Context,
    *,
    manifests: tuple[Path, ...],
    case: str | None,
    cells: tuple[Path, Path, Path, Path] | None,
    controls: tuple[Path, ...],
    missing_red: str | None,
    by_lane: bool,
    store: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Read the manifests, compare them, tell what was found, and end with the label's status, or the lane's."""
    _refuse_contradictions(manifests, cells, controls, missing_red)
    on_record = _on_record(case, store) if case is not None else None
    console = Console(json=as_json, quiet=quiet)
    if cells:
        names = CELLS
        first, second, third, fourth = (
            read_manifest(path, name=f"{name}: the manifest") for path, name in zip(cells, names, strict=True)
        )
        table = matrix((first, second, third, fourth), case=on_record)
        status = _status(table.comparison, by_lane=by_lane)
        _tell(table.comparison, console, status, old=first, new=second, table=table)
        ctx.exit(status)
    new = read_manifest(manifests[-1], name="the new manifest")
    old = read_manifest(manifests[0], name="the old manifest") if len(manifests) == 2 else None
    runs = _controls(controls)
    comparison = compare(old, new, case=on_record, controls=runs, missing_red=missing_red)
    status = _status(comparison, by_lane=by_lane)
    _tell(comparison, console, status, old=old, new=new)
    ctx.exit(status)


def _status(comparison: Comparison, *, by_lane: bool) -> int:
    return comparison.lane_status if by_lane else comparison.exit_status


def _refuse_contradictions(
    manifests: tuple[Path, ...], cells: tuple[Path, ...] | None, controls: tuple[Path, ...], missing_red: str | None
) -> None:
    if cells and (manifests or controls or missing_red):
        raise UsageError("--matrix names all its manifests; OLD, NEW, --control and --missing-red do not go with it")
    if not cells and not 1 <= len(manifests) <= 2:
        raise UsageError("which results? name OLD and NEW, or NEW alone")
    if missing_red and len(manifests) == 2:
        raise UsageError("--missing-red says that there is no old result; one is given")
    for side, path in zip(("OLD", "NEW")[-len(manifests) :], manifests, strict=bool(manifests)):
        if path.is_dir():
            raise UsageError(
                f"{side} is a folder, no manifest",
                hint="OLD and NEW are manifests under artifacts/replays, which extract-fixture replay writes; --case names the case",
            )


def _controls(paths: tuple[Path, ...]) -> list[Manifest]:
    found = []
    for position, path in enumerate(paths, start=1):
        run = read_manifest(path, name=f"control {position}: the manifest")
        if isinstance(run, Partial):
            raise InputUnreadable(f"control {position}: the manifest lacks {list(run.missing)}")
        found.append(run)
    return found


def _on_record(name: str, store: Path | None) -> CaseOnRecord:
    """Return what the case and the register say; a folder need not stand in a store, and is then on no record."""
    given = Path(name)
    folder = given.resolve() if (given / FIXTURE).is_file() else review.locate(stores.chosen(store), name)
    try:
        with (folder / FIXTURE).open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
        fixture = load(content)
    except (OSError, Unreadable):
        raise InputUnreadable("the case has no fixture.json that can be read") from None
    told = problems(fixture)  # type: ignore[arg-type]  # what JSON gives
    if told or not isinstance(fixture, dict):
        raise ValidationFailed(told)
    listed = {str(fixture["workflow_version"])} if fixture["workflow_version"] else set()
    if folder.parent.name in PLACES:
        listed |= {version for version in (review.facts_of(folder).affected_version,) if version}
    return CaseOnRecord(
        case_id=str(fixture["case_id"]),
        fixture_hash=hashlib.sha256(content).hexdigest(),
        lane=_lane(fixture["lane"]),
        affected=tuple(sorted(listed)),
        fixture=fixture,
    )


def _lane(value: object) -> Literal["shadow", "gate", "provider"]:
    # The schema has said that it is one of three.
    return "shadow" if value == "shadow" else "provider" if value == "provider" else "gate"


def _tell(
    comparison: Comparison,
    console: Console,
    status: int,
    *,
    old: Manifest | Partial | None,
    new: Manifest | Partial,
    table: Matrix | None = None,
) -> None:
    if console.json:
        console.data({**_members(comparison, old, new, table), "exit_status": status})
        return
    console.rows((("label", comparison.label), ("lane", comparison.lane or "not known"), *_results(old, new)))
    for sentence in comparison.sentences:
        console.say(sentence)
    for finding in comparison.also:
        console.say(f"also {finding.label}: {finding.sentence}")
    if table is not None:
        _tell_table(table, console)
    for name, state in comparison.controls.items():
        console.say(f"control {name}: {state.replace('_', ' ')}")
    for line in (*_divergence(new), *comparison.notes):
        console.say(f"note: {line}")
    proving.end(console, [comparison.claimed], [f"{comparison.label}: {'; '.join(comparison.sentences)}"])


def _results(old: Manifest | Partial | None, new: Manifest | Partial) -> Iterator[tuple[str, str]]:
    """Yield what makes results comparable, before any verdict is read."""
    for side, run in (("old", old), ("new", new)):
        if isinstance(run, Manifest):
            verdict = {True: "held", False: "broken", None: "not judged"}[run.judged]
            yield side, f"{run.case_id}  {run.fixture_hash[:12]}  {run.implementation_version}  boundary {verdict}"


def _tell_table(table: Matrix, console: Console) -> None:
    words = {True: "green", False: "red", None: "not judged"}
    console.say(f"{'':<20}{'original':<12}current")
    console.say(f"{'incident fixture':<20}{words[table.held[0]]:<12}{words[table.held[1]]}")
    console.say(f"{'contract fixture':<20}{words[table.held[2]]:<12}{words[table.held[3]]}")
    console.say(f"decisive: {table.decisive}")
    for line in table.meaning:
        console.say(line)


def _divergence(new: Manifest | Partial) -> Iterator[str]:
    if isinstance(new, Partial) or new.first_divergence is None:
        return
    first = new.first_divergence
    where = ", ".join(text for text in (first.called, first.nearest, first.path) if text)
    yield f"first divergence of the new run: {first.message}" + (f" ({where})" if where else "")


def _members(
    comparison: Comparison, old: Manifest | Partial | None, new: Manifest | Partial, table: Matrix | None
) -> dict[str, JsonValue]:
    data: dict[str, JsonValue] = {
        "label": comparison.label,
        "exit_status": comparison.exit_status,
        "lane": comparison.lane,
        "sentences": [*comparison.sentences],
        "also": [{"label": finding.label, "sentence": finding.sentence} for finding in comparison.also],
        "old": _four(old),
        "new": _four(new),
        "controls": _states(comparison.controls),
        "notes": [*_divergence(new), *comparison.notes],
        "proved": comparison.claimed.proved,
        "not_proved": [*comparison.claimed.not_proved],
    }
    if table is not None:
        data["matrix"] = {
            "cells": dict(zip((name.replace(" ", "_") for name in CELLS), table.held, strict=True)),
            "decisive": table.decisive,
            "meaning": [*table.meaning],
        }
    return data


def _four(run: Manifest | Partial | None) -> dict[str, JsonValue] | None:
    if not isinstance(run, Manifest):
        return None
    return {
        "case_id": run.case_id,
        "fixture_hash": run.fixture_hash,
        "implementation_version": run.implementation_version,
        "boundary_passed": run.boundary_passed,
    }


def _states(controls: Mapping[str, str]) -> dict[str, JsonValue]:
    return dict(controls)
