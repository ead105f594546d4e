"""``extract-fixture register``: every case, where it stands, and who answers for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from extractor import review
from extractor.errors import ProvenanceInvalid, UsageError, ValidationFailed
from extractor.model.json import JsonValue
from extractor.replay.results.facts import Facts, facts_on_disk, manifests_in

from . import completing, options, stores
from .console import Console
from .near import Group


@click.group(cls=Group, invoke_without_command=True, epilog=options.examples("extract-fixture register --due"))
@click.option("--expired", is_flag=True, help="Only cases with a capture or an approval that has ended.")
@click.option(
    "--due", is_flag=True, help="Only cases that must be looked at again: rules, policy or time have moved on."
)
@click.option(
    "--facts",
    is_flag=True,
    help="Say of each case what its replays tell: it validates, the affected version reproduces, the current one passes, "
    "its controls pass.",
)
@click.option(
    "--manifests",
    metavar="DIR",
    type=options.FOLDER,
    default=Path("artifacts/replays"),
    show_default=True,
    help="With --facts: where the manifests of replays are.",
)
@stores.store
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    *,
    expired: bool,
    due: bool,
    facts: bool,
    manifests: Path,
    store: Path | None,
    as_json: bool,
) -> None:
    """List every case with its state, its people and its dates.

    The state is derived from the folders and their statements; the lines of register.jsonl say what should be there. Ends
    with 1 when a case has vanished from disk or from git's history without a record, with 7 when an approved one is not what
    people approved.
    """
    if ctx.invoked_subcommand is not None:
        if expired or due or facts or as_json:
            raise UsageError("options of the list do not go with set")
        ctx.obj = store
        return
    console = Console(json=as_json)
    found = review.register(stores.chosen(store))
    wanted = {label for label, on in (("expired", expired), ("review_due", due), ("needs_re_review", due)) if on}
    rows = [row for row in found.rows if not wanted or wanted & {*row.labels}]
    told = _facts(rows, manifests, console) if facts else {}
    if as_json:
        listed: list[JsonValue] = [{**row.members(), **_members(told.get(number))} for number, row in enumerate(rows)]
        console.data({"cases": listed, "problems": [*found.problems], "git_history": found.history_asked})
    else:
        _tell(rows, told, console)
        if not found.history_asked:
            console.say("git could not be asked whether a committed case has vanished")
    for line in (*found.problems, *found.unsound):
        console.note(line)
    if found.unsound:
        ctx.exit(ProvenanceInvalid.exit_status)
    if found.problems:
        ctx.exit(ValidationFailed.exit_status)


@command.command(
    "set",
    epilog=options.examples('extract-fixture register set CASE --owner privacy="Rana Okafor" --fixed-version 2.4.1'),
)
@click.argument("case", metavar="CASE", shell_complete=completing.cases)
@click.option("--owner", metavar="ROLE=NAME", multiple=True, help="Who answers for a role or a boundary; may repeat.")
@click.option("--author", metavar="NAME", help="Who made the case.")
@click.option("--affected-version", metavar="VERSION", callback=options.typed, help="The version that failed.")
@click.option("--fixed-version", metavar="VERSION", callback=options.typed, help="The version that holds the fix.")
@click.option("--covering-test", metavar="NODE", callback=options.typed, help="The test that holds the fix in place.")
@click.option("--red-run", type=options.FILE, help="The manifest of a replay on which the case was red.")
@stores.store
@options.quiet
@click.pass_context
def put(  # noqa: PLR0913 # each is a fact of its own
    ctx: click.Context,
    *,
    case: str,
    owner: tuple[str, ...],
    author: str | None,
    affected_version: str | None,
    fixed_version: str | None,
    covering_test: str | None,
    red_run: Path | None,
    store: Path | None,
    quiet: bool,
) -> None:
    """Put on record what people know of a case: owners, versions, the covering test, a red run.

    CASE is a folder or an id. What is not given stays as it is. The register is committed: it is no place for anything that
    the case itself may not hold.
    """
    folder = review.locate(stores.chosen(store or ctx.obj), case)
    given = review.Facts(
        owners=_owners(owner),
        author=review.person(author) if author else None,
        affected_version=affected_version,
        fixed_version=fixed_version,
        covering_test=covering_test,
        red=review.red_run(folder, red_run) if red_run else {},
    )
    review.put_on_record(folder, given)
    Console(quiet=quiet).rows((("case", review.state(folder).case_id), ("on record", ", ".join(given.members()))))


def _owners(pairs: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for position, pair in enumerate(pairs, start=1):
        role, _, name = pair.partition("=")
        if not role or role in found or not role.isprintable() or len(role) > 100:
            raise UsageError(f"--owner number {position} must be ROLE=NAME, once a role")
        found[role] = review.person(name)
    return found


def _facts(rows: list[review.Row], folder: Path, console: Console) -> dict[int, Facts]:
    """Return the four facts of each row; manifests of other bytes than the case has now tell nothing."""
    found, others = manifests_in(folder)
    if others:
        console.note(f"{others} JSON files beside the manifests are none")
    return {
        number: facts_on_disk(
            row.case_id,
            row.path,
            found,
            affected={version for version in (row.facts.affected_version, row.workflow_version) if version},
            fixed=row.facts.fixed_version,
        )
        for number, row in enumerate(rows)
    }


def _members(told: Facts | None) -> dict[str, JsonValue]:
    if told is None:
        return {}
    return {"facts": {name: value for name, value in asdict(told).items() if name != "case_id"}}


def _tell(rows: list[review.Row], told: Mapping[int, Facts], console: Console) -> None:
    for number, row in enumerate(rows):
        console.say(f"{row.case_id}  {row.state.replace('_', ' ')}")
        versions = (
            ("affected", row.facts.affected_version or row.workflow_version),
            ("fixed", row.facts.fixed_version),
        )
        said = (
            ("labels", ", ".join(row.labels).replace("_", " ")),
            ("incident", row.incident_id),
            ("owners", ", ".join(f"{role}: {name}" for role, name in row.facts.owners.items())),
            ("versions", ", ".join(f"{name} {version}" for name, version in versions if version)),
            ("test", row.facts.covering_test),
            ("approved", row.approved_at),
            ("expires", row.expires_at),
            ("review due", row.review_due_at),
            ("ended", row.ended_at),
            ("reason", row.reason),
            ("successor", row.successor),
        )
        for name, text in said:
            if text:
                console.say(f"  {name}: {text}")
        if number in told:
            four = told[number]
            console.say(f"  fixture validates: {four.validates}")
            console.say(f"  affected implementation reproduces: {four.affected_reproduces}")
            console.say(f"  current implementation passes: {four.current_passes}")
            console.say(f"  controls pass: {four.controls_pass}")
    if not rows:
        console.say("no case")
