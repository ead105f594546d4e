"""``extract-fixture annotate``: what people say of a quarantined case, added after extraction."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Unpack

import click

from extractor import annotation, ruleset, settings
from extractor.model.case import Fixture
from extractor.standing import owner_of
from extractor.write import Stored, store, store_controls

from . import options, request, summary
from .console import Console
from .keyring import workspace_key
from .view import CaseView


class Noted(request.Told):
    """The options of this command that go into the case."""

    workflow_version: str | None
    prompt_version: str | None


@click.command(
    epilog=options.examples(
        'extract-fixture annotate fixtures/quarantine/CASE --claim "the refund has been completed" --effects refund.create=1'
    )
)
@click.argument("case", metavar="CASE", type=click.Path(path_type=Path))
@options.statement
@options.versions
@options.key_file
@options.model
@options.quiet
def command(*, case: Path, key_file: Path | None, model: str | None, quiet: bool, **noted: Unpack[Noted]) -> None:
    """Say what went wrong and what must hold, in a quarantined case.

    CASE may be a control of one: CASE/controls/NAME.

    Only what is given is changed: expectations, incident and versions. The text is redacted like the trace's own, under
    the case's scope; what already stands in the case may be named as it stands there.
    """
    console = Console(quiet=quiet)
    project = settings.find(Path.cwd())
    key = workspace_key(key_file, project.key_file, console)
    base = project.config
    config = replace(
        base,
        workflow_version=noted["workflow_version"],
        prompt_version=noted["prompt_version"],
        nlp=base.nlp.using(model),
    )
    told = request.statement(noted)
    made = annotation.annotate(case, told, config, ruleset.load(project.rules), key)
    if (owner := owner_of(case)) is not None:
        stored = _beside(owner, case, made.fixture)
    else:
        stored = store(made.fixture, made.capture, case.resolve().parent.parent, replace=True, act="annotated")
    console.rows(summary.for_people(made.fixture, stored))
    summary.warn(console, told, CaseView.of(made.fixture.files))


def _beside(owner: Path, control: Path, fixture: Fixture) -> Stored:
    name = control.resolve().name
    at = datetime.now(UTC).replace(microsecond=0).isoformat()
    state = store_controls(owner, {name: fixture}, replace=True, act="annotated", at=at)[name]
    return Stored(case_id=fixture.case_id, path=control, state="unchanged" if state == "unchanged" else "replaced")
