"""``extract-fixture import``: another tool's recording becomes a case, through redaction and every proof."""

from __future__ import annotations

import io
import sys
from dataclasses import replace as with_
from pathlib import Path
from typing import Unpack

import click

from extractor import making, read, ruleset, settings
from extractor.errors import InputUnreadable, UsageError
from extractor.model.config import Override, Wanted
from extractor.scope import chosen

from . import completing, options, request
from .console import Console
from .keyring import workspace_key
from .made import tell

_MOST = 256 << 20  # bytes of a recording on standard input


@click.command("import", epilog=options.examples("extract-fixture import bundle.json --from tracely"))
@click.argument("bundle", metavar="BUNDLE", shell_complete=completing.files)
@click.option(
    "--from",
    "form",
    type=click.Choice(["tracely"]),
    default="tracely",
    show_default=True,
    help="Whose recording it is.",
)
@options.statement
@options.versions
@options.circumstances
@options.redacting
@click.option("--out", type=options.FOLDER, help="Where cases are kept.  [default: fixtures]")
@click.option("--replace", is_flag=True, help="Write over a case of this id that has other content.")
@options.as_json
@options.quiet
def command(  # noqa: PLR0913 # options that no configuration holds
    *,
    bundle: str,
    form: str,
    key_file: Path | None,
    scope: str | None,
    scope_of: Path | None,
    overlays: tuple[Path, ...],
    out: Path | None,
    replace: bool,
    as_json: bool,
    quiet: bool,
    **asked: Unpack[request.AskedOfRecording],
) -> None:
    """Turn another tool's recording into a proved case, in quarantine.

    BUNDLE is a file, or - for standard input: a fixture bundle of Tracely (version 1 or 2) or a case artifact. Every call of
    it is kept, and redacted like a trace: a recording holds what production held. What it does not say (times, the order
    between tools and model, arguments in version 1) is in missing_evidence; without arguments a case cannot be replayed,
    which ends with 4.
    """
    console = Console(json=as_json, quiet=quiet)
    project = settings.find(Path.cwd())
    key = workspace_key(key_file, project.key_file, console)
    recording = sys.stdin.buffer.read(_MOST + 1) if bundle == "-" else b""
    if len(recording) > _MOST:
        raise InputUnreadable(f"a recording on standard input holds more than {_MOST >> 20} MiB")
    traces = read.survey((bundle,), stdin=io.BytesIO(recording), container=form).traces
    if len(traces) != 1:
        raise UsageError(
            f"the source holds {len(traces)} recordings, and one becomes a case",
            hint="extract-fixture --trace-id ID SOURCE takes one of many; `inspect` lists them",
        )
    config = request.config(
        {**asked, "trace_id": (), "session": (), "at": None, "keep": (), "drop": (), "at_most": None},
        project,
        chosen(scope, scope_of, key, project.config.scope),
    )
    # Somebody chose these calls already: what the walk over a trace would leave out was recorded to be replayed.
    config = with_(config, wanted=Wanted(trace_ids=(traces[0].trace_id,)), override=Override(keep=("all",)))
    reading = read.read((bundle,), config.wanted, stdin=io.BytesIO(recording), container=form)
    rules = ruleset.load((*project.rules, *overlays))
    run = making.Run(config=config, rules=rules, key=key, store=out or project.out, replace=replace)
    tell(console, making.made(reading, run), config.statement)
