"""``extract-fixture audit``: which assertions have ever rejected anything, and which loops are silent on nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from extractor.checks.audit import Audited, table
from extractor.checks.rows import prune
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
"""


@click.command(help=_HELP)
@click.argument("store", metavar="[STORE]", type=options.FILE, default=DEFAULT_STORE)
@click.option("--days", metavar="N", type=click.IntRange(1, 36500), help="Look at runs of the last N days alone.")
@click.option(
    "--keep-days", metavar="N", type=click.IntRange(1, 36500), help="First forget runs that are more than N days old."
)
@options.as_json
def command(*, store: Path, days: int | None, keep_days: int | None, as_json: bool) -> None:
    """Roll the table where that is asked for, and print it."""
    console = Console(json=as_json)
    now = datetime.now(UTC)
    if keep_days is not None:
        prune(store, before=now - timedelta(days=keep_days))
    _tell(table(store, since=None if days is None else now - timedelta(days=days)), console)


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
