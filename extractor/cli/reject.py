"""``extract-fixture reject``: a person's no to a case."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from . import completing, deciding, options
from .console import Console


@click.command(
    epilog=options.examples('extract-fixture reject CASE --role privacy --reviewer "Rana Okafor" --reason @why.txt')
)
@click.argument(
    "case", metavar="[CASE]", required=False, type=click.Path(path_type=Path), shell_complete=completing.cases
)
@deciding.role
@deciding.reviewer
@click.option(
    "--reason", metavar="TEXT|@FILE", callback=options.typed, help="Why; it stays with the rejected case alone."
)
@deciding.key
@deciding.elsewhere
@options.as_json
@options.quiet
def command(
    *,
    case: Path | None,
    role: str | None,
    reviewer: str | None,
    reason: str | None,
    key: Path | None,
    as_json: bool,
    quiet: bool,
    **elsewhere: Unpack[deciding.Elsewhere],
) -> None:
    """Reject a case: it leaves quarantine, and what was said of it stays with it.

    One rejection is enough, in any role. Rejected cases are closed to others and to git, and expire like quarantine.
    """
    deciding.run(
        Console(json=as_json, quiet=quiet),
        case,
        elsewhere,
        role=role,
        reviewer=reviewer,
        decision="rejected",
        reason=reason,
        key=key,
        confirmations=None,
    )
