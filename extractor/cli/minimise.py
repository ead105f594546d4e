"""``extract-fixture minimise``: all that a command does not need goes from a case on which it is red."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from extractor import minimise, ruleset, settings
from extractor.bulk.units import counted, size
from extractor.errors import UsageError
from extractor.model.json import JsonValue
from extractor.write import Stored, store

from . import options, summary
from .console import Console
from .keyring import workspace_key

TIMEOUT_S = 60.0
"""How long one run of the command may take, in seconds, if nothing else is said."""


@click.command(
    epilog=options.examples("extract-fixture minimise fixtures/quarantine/CASE -- pytest -q tests/test_refund.py")
)
@click.argument("case", metavar="CASE", type=click.Path(path_type=Path))
@click.argument("oracle", metavar="-- COMMAND…", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--match", metavar="TEXT", help="Red only while the command's output holds this text.")
@click.option(
    "--timeout",
    "timeout_s",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    default=TIMEOUT_S,
    help=f"How long one run may take; a smaller case that takes longer is not red.  [default: {TIMEOUT_S:g}]",
)
@click.option(
    "--journal",
    type=options.FILE,
    help="Where verdicts are remembered, as digests.  [default: .minimise-CASE_ID.jsonl beside the case]",
)
@click.option("--out", type=options.FOLDER, help="Write the smaller case there; the case stays as it is.")
@options.key_file
@options.as_json
@options.quiet
def command(
    *,
    case: Path,
    oracle: tuple[str, ...],
    match: str | None,
    timeout_s: float,
    journal: Path | None,
    out: Path | None,
    key_file: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Take from a red case all that a command does not need to stay red.

    COMMAND is a check or a test that ends with another status than 0 on CASE, a case in quarantine. It is run again and
    again, without a shell, on ever smaller cases: the variable EXTRACT_FIXTURE_CASE, and each argument {}, names the
    folder. Each of them is proved before. What is left is 1-minimal: without any single piece of evidence the command
    would no longer fail in this way. Asked again, nothing is run twice.
    """
    if match == "":
        raise UsageError("--match is empty")
    console = Console(json=as_json, quiet=quiet)
    project = settings.find(Path.cwd())
    key = workspace_key(key_file, project.key_file, console)
    judge = minimise.Oracle(command=oracle, environment=dict(os.environ), match=match, timeout_s=timeout_s)
    place = journal or minimise.journal_beside(case)
    with console.counting() as shown:
        watch = (
            (lambda runs, pieces: shown(f"{counted(runs, 'verdict')}, {counted(pieces, 'piece')} left"))
            if shown
            else minimise.nobody
        )
        made = minimise.minimise(case, judge, place, ruleset.load(project.rules), key, watch=watch)
    stored = store(
        made.fixture,
        made.capture,
        out or case.resolve().parent.parent,
        replace=out is None,
        act="minimised",
        at=datetime.now(UTC).replace(microsecond=0).isoformat(),
        counts=made.counts,
    )
    if as_json:
        console.data(_for_machines(made, stored))
    console.rows((*_account(made, judge.output_bytes), *summary.for_people(made.fixture, stored)))


def _account(made: minimise.Minimised, output_bytes: int) -> summary.Rows:
    """Return what was taken away, at which price, and what may be said of the rest."""
    return (
        ("pieces", f"{made.pieces_after} of {made.pieces_before} left"),
        ("bytes", f"{made.bytes_after} of {made.bytes_before} in fixture.json"),
        (
            "runs",
            f"{counted(made.runs, 'verdict')}, {made.repeated:,} of them from the journal; {size(output_bytes)} of output, not kept",
        ),
        *((("refused", f"{made.refused} smaller cases that failed a proof"),) if made.refused else ()),
        ("minimal", "1-minimal for this command: taking away any single piece makes it green, or red in another way"),
    )


def _for_machines(made: minimise.Minimised, stored: Stored) -> JsonValue:
    told = summary.for_machines(made.fixture, stored)
    minimised: JsonValue = {
        "pieces": {"before": made.pieces_before, "after": made.pieces_after},
        "bytes": {"before": made.bytes_before, "after": made.bytes_after},
        "runs": made.runs,
        "repeated": made.repeated,
        "refused": made.refused,
        "one_minimal": True,
    }
    return {**told, "minimised": minimised} if isinstance(told, dict) else minimised
