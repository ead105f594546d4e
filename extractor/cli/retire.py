"""``extract-fixture retire``: an approved case that is needed no more."""

from __future__ import annotations

from pathlib import Path

import click

from extractor import review

from . import completing, options, stores
from .console import Console


@click.command(
    epilog=options.examples('extract-fixture retire CASE --reason "The tool is gone." --successor NEXT_CASE')
)
@click.argument("case", metavar="CASE", shell_complete=completing.cases)
@click.option("--reason", metavar="TEXT|@FILE", required=True, callback=options.typed, help="Why; it is committed.")
@click.option("--successor", metavar="CASE_ID", help="The case that takes its place.")
@stores.store
@options.as_json
@options.quiet
def command(*, case: str, reason: str, successor: str | None, store: Path | None, as_json: bool, quiet: bool) -> None:
    """Retire an approved case, with a reason and, where one takes its place, a successor.

    CASE is a folder or an id. The folder moves to the retired ones and stays there: nothing that was approved is lost.
    """
    console = Console(json=as_json, quiet=quiet)
    folder = review.retire(review.locate(stores.chosen(store), case), reason=reason, successor=successor)
    found = review.state(folder)
    if as_json:
        console.data({"case_id": found.case_id, "state": found.name, "path": str(folder), "successor": successor})
    console.rows((("case", f"{found.case_id}  ({found.name})"), ("path", str(folder))))
