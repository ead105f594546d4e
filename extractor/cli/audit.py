"""``extract-fixture audit``: which assertions have ever rejected anything, and which loops are silent on nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from extractor.checks.audit import Audited, table
from extractor.checks.loops import VacuousLoop, source_of, vacuous
from extractor.checks.rows import prune
from extractor.checks.runs import runs_below
from extractor.checks.silent import SilentLoop, silent
from extractor.errors import InputUnreadable, UsageError, ValidationFailed
from extractor.model.json import JsonValue
from extractor.replay.claims import claimed

from . import options
from .console import Console

DEFAULT_STORE = Path("artifacts/audit.sqlite")
_HELP = """Say of each assertion how often it judged and rejected; first those that never have.

STORE is what `check` and `pytest --audit-asserts` fill (default: artifacts/audit.sqlite). An assertion that never rejected
guards what has not regressed, or cannot fail: the table does not tell which, a fixture or a mutation does.

\b
extract-fixture audit
extract-fixture audit artifacts/audit.sqlite --keep-days 180 --json
extract-fixture audit --loops shop.checks --over fixtures/approved

With `--loops` no table is read: every assert of a module that stands in a loop, or in `all` of a list, is named by file and
line where nothing before it says how many there are; such an assert passes where there is nothing to loop over. `--over` runs
the module's checks over the records of cases, and names each loop that never ran in a record which its check accepted.

\b
Exit status:
0   the table was printed; no such loop was found
1   a loop was found
2   usage
6   there is no table; a module or case cannot be read
"""


@click.command(help=_HELP)
@click.argument("store", metavar="[STORE]", type=options.FILE, default=DEFAULT_STORE)
@click.option("--days", metavar="N", type=click.IntRange(1, 36500), help="Look at runs of the last N days alone.")
@click.option(
    "--keep-days", metavar="N", type=click.IntRange(1, 36500), help="First forget runs that are more than N days old."
)
@click.option(
    "--loops", "modules", metavar="MODULE", multiple=True, help="Look for loops in this module or file; may repeat."
)
@click.option(
    "--over",
    metavar="CASES",
    multiple=True,
    type=click.Path(path_type=Path),
    help="With --loops: also run the modules' checks over these cases; may repeat.",
)
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    *,
    store: Path,
    days: int | None,
    keep_days: int | None,
    modules: tuple[str, ...],
    over: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Roll the table where that is asked for, and print it; or look for loops."""
    console = Console(json=as_json)
    if over and not modules:
        raise UsageError("--over goes with --loops MODULE: the checks of which module are to be watched?")
    if modules:
        ctx.exit(ValidationFailed.exit_status if _loops(modules, over, console) else 0)
    now = datetime.now(UTC)
    if keep_days is not None:
        prune(store, before=now - timedelta(days=keep_days))
    _tell(table(store, since=None if days is None else now - timedelta(days=days)), console)


def _loops(modules: Sequence[str], over: Sequence[Path], console: Console) -> int:
    """Tell every loop found; return how many."""
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    named: list[VacuousLoop] = []
    for module in modules:
        file, content = source_of(module)
        try:
            named += vacuous(content, file)
        except ValueError as fault:
            raise InputUnreadable(str(fault)) from None
    watched: tuple[SilentLoop, ...] = ()
    if over:
        if any(module.endswith(".py") for module in modules):
            raise UsageError("--over runs the checks of modules: name them as Python imports them")
        watched = silent(modules, runs_below(over))
    for kind, found in (("source", named), ("records", watched)):
        for each in found:
            if console.json:
                members: dict[str, JsonValue] = {"found_in": kind, **asdict(each)}
                console.data(members)
            console.say(each.text())
    console.say(
        f"{len(named)} claims in loops that nothing counts before"
        + (f"; {len(watched)} loops that did not run in records that were accepted" if over else "")
    )
    return len(named) + len(watched)


def _tell(rows: Sequence[Audited], console: Console) -> None:
    if console.json:
        for each in rows:
            console.data(_members(each))
        return
    heads = ("assertion_id", "runs", "rejections", "last_rejection_at", "place")
    lines = [
        heads,
        *((each.assertion_id, str(each.runs), str(each.rejections), _last(each), each.place or "") for each in rows),
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    for line in lines:
        cells = (
            text.rjust(width) if column in (1, 2) else text.ljust(width)
            for column, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        console.say("  ".join(cells).rstrip())
    never = sum(not each.rejections for each in rows)
    console.say(f"{len(rows)} assertions: {len(rows) - never} have rejected a run, {never} never have")
    told = claimed("check", "audited")
    console.say(f"proved: {told.proved}")
    for text in told.not_proved:
        console.say(f"not proved: {text}")


def _last(row: Audited) -> str:
    return "never" if row.last_rejection_at is None else row.last_rejection_at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _members(row: Audited) -> dict[str, JsonValue]:
    return {
        "assertion_id": row.assertion_id,
        "runs": row.runs,
        "rejections": row.rejections,
        "last_rejection_at": None if row.last_rejection_at is None else row.last_rejection_at.isoformat(),
        "last_reason": row.last_reason,
        "place": row.place,
    }
