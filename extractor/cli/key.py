"""``extract-fixture key``: the workspace key."""

from __future__ import annotations

from pathlib import Path

import click

from extractor.redact.keys import create_key

from . import options
from .console import Console


@click.group()
def command() -> None:
    """Make the workspace key."""


@command.command()
@click.option("--out", required=True, type=options.FILE, help="The file to make; it must not exist.")
@options.quiet
def new(*, out: Path, quiet: bool) -> None:
    """Make a key, readable by its owner alone (mode 0600).

    Who has the key and the trace can relink a case; without it, the same value gets another pseudonym. Share it with
    your team as you share other secrets, and never commit it.
    """
    key = create_key(out)
    console = Console(quiet=quiet)
    console.rows((("key", f"{out} (id {key.key_id})"), ("next", f"export EXTRACT_FIXTURE_KEY_FILE={out}")))
    console.say("Team-mates need the same file. Never commit it.")
