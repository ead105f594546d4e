"""``extract-fixture purge``: what is past its time goes, with a record."""

from __future__ import annotations

from pathlib import Path

import click

from extractor import review
from extractor.model.json import JsonValue

from . import options, stores
from .console import Console


@click.command(epilog=options.examples("extract-fixture purge --dry-run"))
@click.option(
    "--ttl", "days", metavar="DAYS", type=click.IntRange(min=0), help="Also what was extracted this many days ago."
)
@click.option("--dry-run", is_flag=True, help="Say what would go, and leave it.")
@stores.store
@options.as_json
@options.quiet
def command(*, days: int | None, dry_run: bool, store: Path | None, as_json: bool, quiet: bool) -> None:
    """Remove expired cases from quarantine and from the rejected ones, and expired captures of approved cases.

    Each has its own end, in its capture.json. Every removal is put on record. Approved and retired cases stay.
    """
    console = Console(json=as_json, quiet=quiet)
    gone = review.purge(stores.chosen(store), ttl_days=days, dry_run=dry_run)
    if as_json:
        rows: list[JsonValue] = [
            {"case_id": one.case_id, "place": one.place, "expired_at": one.expired_at} for one in gone
        ]
        console.data({"removed": [] if dry_run else rows, "due": rows if dry_run else []})
        return
    for one in gone:
        console.say(
            f"{'would remove' if dry_run else 'removed'}: {one.case_id} ({one.place}, expired {one.expired_at})"
        )
    if not gone:
        console.say("nothing is past its time")
