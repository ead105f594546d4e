"""``extract-fixture key``: the workspace key, and keys to sign with."""

from __future__ import annotations

import stat
from collections import Counter
from pathlib import Path

import click

from extractor import settings
from extractor.bulk.units import counted
from extractor.errors import WorkspaceKeyError
from extractor.redact.keys import create_key, load_key

from . import options
from .console import Console
from .keyring import default_place
from .near import Group
from .sidecars import key_id_of, sidecars_below


@click.group(
    cls=Group, epilog=options.examples("extract-fixture key new --out ~/.config/extract-fixture/workspace.key")
)
def command() -> None:
    """Make, name and check the workspace key; make a key to sign with."""


@command.command(
    epilog=options.examples(
        "extract-fixture key new --out ~/.config/extract-fixture/workspace.key",
        "extract-fixture key new --signing --out ~/.ssh/review",
    )
)
@click.option("--out", required=True, type=options.FILE, help="The file to make; it must not exist.")
@click.option("--signing", is_flag=True, help="Make a person's key for signing decisions, and FILE.pub beside it.")
@options.quiet
def new(*, out: Path, signing: bool, quiet: bool) -> None:
    """Make a key, readable by its owner alone (mode 0600).

    Who has the workspace key and the trace can relink a case; without it, the same value gets another pseudonym. Share it
    with your team as you share other secrets, and never commit it. A signing key is one person's own (ed25519, in
    OpenSSH's format); its public half goes into the policy.
    """
    console = Console(quiet=quiet)
    if signing:
        from extractor.review._keys import create_signing_key  # cryptography, for those who sign

        made = create_signing_key(out)
        console.rows((("key", f"{out} ({made.public.key_id})"), ("public", f"{out}.pub: {made.public_line}")))
        console.say("The private file is yours alone. The public line goes into policy.toml, under your name.")
        return
    key = create_key(out)
    console.rows((("key", f"{out} (id {key.key_id})"), ("next", f"export EXTRACT_FIXTURE_KEY_FILE={out}")))
    console.say("Team-mates need the same file. Never commit it.")


@command.command("id", epilog=options.examples("extract-fixture key id workspace.key"))
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@options.key_file
def name(*, file: Path | None, key_file: Path | None) -> None:
    """Print the id of a key: what sidecars call it. It tells nothing of the key."""
    Console().result(load_key(_chosen(file, key_file)).key_id)


@command.command(epilog=options.examples("extract-fixture key check --cases fixtures"))
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@options.key_file
@click.option(
    "--case",
    "case",
    metavar="CASE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A case, or its provenance.json; may repeat.",
)
@click.option(
    "--cases", multiple=True, type=options.FOLDER, help="A folder of cases, searched to any depth; may repeat."
)
@options.as_json
@options.quiet
@click.pass_context
def check(
    ctx: click.Context,
    *,
    file: Path | None,
    key_file: Path | None,
    case: tuple[Path, ...],
    cases: tuple[Path, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Say whether a key is fit for use, and which cases stand under another.

    Fit is a regular file that not everybody can read, with at least 32 bytes that are not trivial. Ends with 2 when the
    key is not fit, with 1 when a case stands under another key, with 7 for a sidecar that names none.
    """
    chosen = _chosen(file, key_file)
    key = load_key(chosen)
    found = Counter(key_id_of(path) for path in (*case, *(each for folder in cases for each in sidecars_below(folder))))
    others = {key_id: count for key_id, count in sorted(found.items()) if key_id != key.key_id}
    console = Console(json=as_json, quiet=quiet)
    if as_json:
        console.data(
            {
                "key_id": key.key_id,
                "mode": _mode(chosen),
                "bytes": len(key.material),
                "cases": found[key.key_id],
                "others": {**others},
            }
        )
    console.rows((("key", f"{key.key_id}, {len(key.material)} bytes, mode {_mode(chosen)}, fit for use"),))
    if case or cases:
        console.rows(
            (
                ("cases", f"{found[key.key_id]} under this key"),
                *(("other key", f"{key_id}: {count}") for key_id, count in others.items()),
            )
        )
    if others:
        console.note(f"{sum(others.values()):,} of {counted(found.total(), 'case')} under another key")
        ctx.exit(1)


def _chosen(file: Path | None, key_file: Path | None) -> Path:
    """Return the key file that a run would use. Raises `WorkspaceKeyError` when there is none."""
    chosen = file or key_file or settings.find(Path.cwd()).key_file
    if chosen is not None:
        return chosen
    if default_place().exists():
        return default_place()
    raise WorkspaceKeyError("no workspace key: name a file, or set EXTRACT_FIXTURE_KEY_FILE")


def _mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):04o}"
