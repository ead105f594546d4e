"""``extract-fixture approve``: a person's yes to a case, in one role."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Unpack

import click

from extractor.review import Confirmations

from . import completing, deciding, options
from .console import Console

Grading = Literal["confirmed", "overruled"]


class Confirmed(deciding.Elsewhere):
    """The options by which a reviewer says more than yes."""

    confirm_rotated: bool
    accept_flag: tuple[str, ...]
    accept_residual: tuple[str, ...]
    grade: Grading | None
    acceptance: dict[str, str]
    cite: tuple[str, ...]


@click.command(
    epilog=options.examples('extract-fixture approve CASE --role privacy --reviewer "Rana Okafor" --key rana')
)
@click.argument(
    "case", metavar="[CASE]", required=False, type=click.Path(path_type=Path), shell_complete=completing.cases
)
@deciding.role
@deciding.reviewer
@deciding.key
@click.option("--confirm-rotated", is_flag=True, help="Every credential that stood in the trace has been rotated.")
@click.option(
    "--accept-flag", metavar="CATEGORY", multiple=True, help="This kind of sensitive text may stay; may repeat."
)
@click.option(
    "--accept-residual", metavar="PATH", multiple=True, help="What stands here is a word, no name; may repeat."
)
@click.option(
    "--grade",
    type=click.Choice(["confirmed", "overruled"]),
    help="Whether the grade that found the incident is right (incident-owner).",
)
@click.option(
    "--acceptance",
    metavar="N=before|after|unknown",
    multiple=True,
    callback=deciding.acceptances,
    help="When the dependency had accepted failed attempt N: before the failure, after it (dependency).",
)
@click.option(
    "--cite",
    metavar="PATH",
    multiple=True,
    help="The evidence, by field path or span id, of a case that no run was red on.",
)
@deciding.elsewhere
@options.as_json
@options.quiet
def command(
    *,
    case: Path | None,
    role: str | None,
    reviewer: str | None,
    key: Path | None,
    as_json: bool,
    quiet: bool,
    **given: Unpack[Confirmed],
) -> None:
    """Approve a case in one role.

    A statement over the bytes that the role answers for is put into the case; when the policy's roles are filled, the case
    moves from quarantine to approved. What the reviewer must confirm is asked for by name. Without a case at hand,
    --packet and --out make the statement alone, which --statement brings into the case.
    """
    deciding.run(
        Console(json=as_json, quiet=quiet),
        case,
        given,
        role=role,
        reviewer=reviewer,
        decision="approved",
        reason=None,
        key=key,
        confirmations=Confirmations(
            rotated=given["confirm_rotated"],
            flags=given["accept_flag"],
            residual=given["accept_residual"],
            grade=given["grade"],
            acceptance=given["acceptance"],
            cites=given["cite"],
        ),
    )
