"""``extract-fixture recapture``: the next version of a case, from a trace of the fixed code."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace as changed
from datetime import UTC, datetime
from pathlib import Path

import click

from extractor import neighbours, pipeline, read, review, ruleset, settings, write
from extractor.making import occasion
from extractor.model.config import RunConfig, Statement, Wanted
from extractor.model.json import JsonValue
from extractor.model.layout import FIXTURE, PLACES, QUARANTINE
from extractor.scope import taken_over

from . import options, summary
from .console import Console
from .keyring import workspace_key
from .show import case_files
from .view import CaseView, members, text


@click.command(
    epilog=options.examples("extract-fixture recapture fixtures/approved/CASE --trace-id 32d5467d fixed.jsonl")
)
@click.argument("case", metavar="CASE", type=click.Path(path_type=Path))
@options.sources
@click.option("--trace-id", metavar="ID", multiple=True, required=True, help="A trace of the fixed code.")
@options.at
@options.container
@options.evidence
@click.option("--frozen-at", metavar="INSTANT", callback=options.instant, help="When the decision was made.")
@options.versions
@options.key_file
@options.overlays
@options.model
@click.option("--out", type=options.FOLDER, help="Where cases are kept.  [default: the store of CASE]")
@click.option("--replace", is_flag=True, help="Write over a case of this id that has other content.")
@options.as_json
@options.quiet
def command(  # noqa: PLR0913 # options that no configuration holds
    *,
    case: Path,
    sources: tuple[str, ...],
    trace_id: tuple[str, ...],
    at: str | None,
    container: str | None,
    evidence: tuple[Path, ...],
    frozen_at: str | None,
    workflow_version: str | None,
    prompt_version: str | None,
    key_file: Path | None,
    overlays: tuple[Path, ...],
    model: str | None,
    out: Path | None,
    replace: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make the next version of a case from a trace of the fixed code.

    The trace must hold the same words of the user. It is extracted under the scope of CASE, and takes over its incident and
    what it expects. CASE stays as it is: the affected code is still red on it. Only its folder and its key are needed.
    """
    console = Console(json=as_json, quiet=quiet)
    project = settings.find(Path.cwd())
    key = workspace_key(key_file, project.key_file, console)
    scope = taken_over(case, key)
    old = CaseView.of(case_files(case))
    base = _config(project.config, old)
    config = changed(
        base,
        wanted=Wanted(trace_ids=trace_id),
        at=at,
        frozen_at=frozen_at,
        workflow_version=workflow_version or base.workflow_version,
        prompt_version=prompt_version or base.prompt_version,
        scope=scope.name,
        scope_of=scope.of,
        nlp=base.nlp.using(model),
    )
    rules = ruleset.load((*project.rules, *overlays))
    with console.progress("reading") as progress:
        reading = read.read(sources, config.wanted, progress=progress, stdin=sys.stdin.buffer, container=container)
    made = pipeline.extract(read.with_evidence(reading, evidence), config, rules, key, occasion())
    fixture = neighbours.recapture(old.fixture, old.predicate, made, rules, key)
    store = out or _store(case) or project.out
    stored = write.store(fixture, made.capture, store, replace=replace, act="recaptured")
    review.enrol(store, stored.case_id)
    if stored.state != "unchanged":
        _note(case, stored.case_id, fixture.files[FIXTURE])
    version = text(members(CaseView.of(fixture.files).predicate.get("recapture")).get("version"))
    if as_json:
        told = summary.for_machines(fixture, stored)
        versions: dict[str, JsonValue] = {"recapture_of": old.case_id, "version": int(version)}
        console.data({**told, **versions} if isinstance(told, dict) else versions)
    console.rows((("version", f"{version} of {old.case_id}, which stays"), *summary.for_people(fixture, stored)))
    if not fixture.replayable:
        raise summary.cannot_be_replayed(fixture, stored.path)


def _config(base: RunConfig, old: CaseView) -> RunConfig:
    """Return the project's configuration with the user's own zone and language; what is expected is taken over later."""
    return changed(
        base,
        statement=Statement(),
        time_zone=text(old.fixture.get("time_zone")) or base.time_zone,
        locale=text(old.fixture.get("locale")) or base.locale,
    )


def _store(case: Path) -> Path | None:
    """Return the store that a case stands in, None where it stands in none."""
    place = case.resolve().parent
    return place.parent if place.name in PLACES and (place.parent / QUARANTINE).is_dir() else None


def _note(case: Path, successor: str, fixture: bytes) -> None:
    """Say in the history of the old version what it was recaptured as: it is superseded by nothing."""
    folder = case.resolve()
    if (store := _store(case)) is None:
        return
    line: dict[str, JsonValue] = {
        "at": datetime.now(UTC).replace(microsecond=0).isoformat(),
        "event": "recaptured_as",
        "case_id": successor,
        "fixture_sha256": hashlib.sha256(fixture).hexdigest(),
    }
    with write.shelves(store) as held:
        held.note(folder.parent.name, folder.name, line)
