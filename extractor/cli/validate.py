"""``extract-fixture validate``: is a case whole, and does it fit its schema."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from extractor.bulk.units import counted
from extractor.errors import ProvenanceInvalid, UsageError
from extractor.model.json import JsonValue
from extractor.review import ApprovedCase, validate_approved
from extractor.schemas import NAMES, SchemaName, schema_text
from extractor.validate import CaseReport, ValidationReport, validate_case

from . import options
from .console import Console


@click.command(
    epilog=options.examples(
        "extract-fixture validate fixtures/quarantine/CASE", "extract-fixture validate --approved fixtures"
    )
)
@click.argument("paths", metavar="[PATH]…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--approved", type=options.FOLDER, help="Hold every approved case of a store to its approvals, too.")
@click.option(
    "--provenance", type=options.FOLDER, help="Where sidecars stand that are not beside their case: DIR/CASE_ID/."
)
@click.option(
    "--schema", type=click.Choice(NAMES), help="Print the JSON Schema of a file that we write, and validate nothing."
)
@options.as_json
@options.quiet
@click.pass_context
def command(
    ctx: click.Context,
    *,
    paths: tuple[Path, ...],
    approved: Path | None,
    provenance: Path | None,
    schema: SchemaName | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Check that cases are whole and fit their schema.

    PATH is a fixture.json, a case, or a folder of cases. A valid case is one that can be replayed; whether the incident
    is fixed is another question. A case that is whole and lacks what no replay can be judged without is non-replayable, and
    ends with 4: it says what is missing.

    --approved names a store or its folder of approved cases: a case that was changed, is not signed as the policy demands, or
    not approved by the people in the roles that it names, ends with 7.

    --schema is for other tools, which may hold what we write to it.
    """
    if schema is not None:
        if paths or approved is not None:
            raise UsageError("--schema prints a schema and validates nothing; name no case beside it")
        sys.stdout.write(schema_text(schema))
        return
    if not paths and approved is None:
        raise UsageError("what is to be validated? name a case, or --approved DIR")
    console = Console(json=as_json, quiet=quiet)
    judged = validate_approved(approved) if approved is not None else ()
    for case in judged:
        _tell_approved(case, console)
    if not paths:
        ctx.exit(_status(judged, 0))
    reports = [validate_case(path, provenance_dir=provenance) for path in paths]
    report = ValidationReport(cases=tuple(case for each in reports for case in each.cases))
    for one in report.cases:
        _tell(one, console, many=len(report.cases) > 1)
    if len(report.cases) > 1:
        valid = sum(case.valid for case in report.cases)
        console.say(f"{valid:,} of {counted(len(report.cases), 'case')} {'is' if valid == 1 else 'are'} valid")
    ctx.exit(_status(judged, report.exit_status))


def _status(judged: Sequence[ApprovedCase], status: int) -> int:
    return ProvenanceInvalid.exit_status if any(case.faults for case in judged) else status


def _tell_approved(case: ApprovedCase, console: Console) -> None:
    if console.json:
        labels: list[JsonValue] = [*case.state.labels] if case.state else []
        console.data({"case_id": case.name, "approved": not case.faults, "faults": [*case.faults], "labels": labels})
        return
    for fault in case.faults:
        console.note(f"{case.name}: {fault}")
    if not case.faults and case.state:
        note = f"  ({', '.join(case.state.labels).replace('_', ' ')})" if case.state.labels else ""
        console.say(f"approved: {case.name}{note}")


def _tell(case: CaseReport, console: Console, *, many: bool) -> None:
    if console.json:
        problems = [dict(asdict(problem)) for problem in case.problems]
        console.data(
            {
                "case_id": case.case_id,
                "valid": case.valid,
                "replayable": not case.lacks,
                "lacks": [*case.lacks],
                "provenance": case.provenance,
                "problems": [*problems],
            }
        )
        return
    for line in case.lines():
        if case.valid:
            console.say(line)
        else:
            console.note(f"{case.case_id or f'case {case.position}'}: {line}" if many else line)
