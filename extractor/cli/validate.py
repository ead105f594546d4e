"""``extract-fixture validate``: is a case whole, and does it fit its schema."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from extractor.validate import CaseReport, ValidationReport, validate_case

from . import options
from .console import Console


@click.command()
@click.argument("paths", metavar="PATH…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--provenance", type=options.FOLDER, help="Where sidecars stand that are not beside their case: DIR/CASE_ID/."
)
@options.as_json
@options.quiet
@click.pass_context
def command(
    ctx: click.Context, *, paths: tuple[Path, ...], provenance: Path | None, as_json: bool, quiet: bool
) -> None:
    """Check that cases are whole and fit their schema.

    PATH is a fixture.json, a case, or a folder of cases. A valid case is one that can be replayed; whether the incident
    is fixed is another question.
    """
    console = Console(json=as_json, quiet=quiet)
    reports = [validate_case(path, provenance_dir=provenance) for path in paths]
    report = ValidationReport(cases=tuple(case for each in reports for case in each.cases))
    for case in report.cases:
        _tell(case, console, many=len(report.cases) > 1)
    if len(report.cases) > 1:
        valid = sum(not case.problems for case in report.cases)
        console.say(f"{valid} of {len(report.cases)} cases are valid")
    ctx.exit(report.exit_status)


def _tell(case: CaseReport, console: Console, *, many: bool) -> None:
    if console.json:
        problems = [dict(asdict(problem)) for problem in case.problems]
        console.data(
            {"case_id": case.case_id, "valid": not problems, "provenance": case.provenance, "problems": [*problems]}
        )
        return
    for line in case.lines():
        if not case.problems:
            console.say(line)
        else:
            console.note(f"{case.case_id or f'case {case.position}'}: {line}" if many else line)
