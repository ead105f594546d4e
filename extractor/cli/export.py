"""``extract-fixture export``: approved cases for elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from extractor import review

from . import options, stores
from .console import Console


@click.command()
@click.option("--pack", "out", required=True, type=options.FOLDER, help="The folder to make; it must not exist.")
@stores.store
@options.as_json
@options.quiet
def command(*, out: Path, store: Path | None, as_json: bool, quiet: bool) -> None:
    """Write what continuous integration needs of the approved cases.

    Content, expectations and controls, with a list of digests; no capture, no reference to traces, no names of people. Ends
    with 7, and writes nothing, when any approved case is not what people approved.
    """
    console = Console(json=as_json, quiet=quiet)
    count = review.pack(stores.chosen(store), out)
    if as_json:
        console.data({"path": str(out), "cases": count})
    console.rows((("pack", str(out)), ("cases", str(count))))
