"""``extract-fixture extract``, the default command: one trace in, one proved case out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Unpack

import click

from extractor import making, read, ruleset, settings
from extractor.errors import UsageError
from extractor.scope import chosen

from . import options, request, summary
from .console import Console
from .keyring import workspace_key
from .made import tell

_selecting = options.join(
    click.option("--trace-id", metavar="ID", multiple=True, help="A trace; a unique prefix of 8 digits is enough."),
    click.option("--session", metavar="ID", multiple=True, help="Every trace of this conversation."),
    options.at,
    click.option("--keep", metavar="SPAN", multiple=True, help="Keep these spans: ids, names, kinds or all."),
    click.option("--drop", metavar="SPAN", multiple=True, help="Drop these spans: ids, names or kinds."),
    click.option(
        "--at-most",
        metavar="N|N%",
        callback=options.limit,
        help="Keep no more than so many spans, most decisive first.",
    ),
    options.container,
    click.option(
        "--index",
        "index_folder",
        type=click.Path(file_okay=False, exists=True, path_type=Path),
        metavar="DIR",
        help="Where indexes stand, if not beside the exports.",
    ),
    options.evidence,
    click.option("--explain", is_flag=True, help="Say why each span was kept or dropped."),
)


@click.command(
    epilog=options.examples(
        "extract-fixture --trace-id 6d383010 export.jsonl --out fixtures",
        "extract-fixture --trace-id 6d383010 exports --incident INC-2041 --failure @what-happened.txt",
    )
)
@options.sources
@_selecting
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
    sources: tuple[str, ...],
    explain: bool,
    container: str | None,
    index_folder: Path | None,
    evidence: tuple[Path, ...],
    key_file: Path | None,
    scope: str | None,
    scope_of: Path | None,
    overlays: tuple[Path, ...],
    out: Path | None,
    replace: bool,
    as_json: bool,
    quiet: bool,
    **asked: Unpack[request.Asked],
) -> None:
    """Turn one trace into a proved case (the default command).

    SOURCE is a file, a folder, a glob, or - for standard input; spans of the trace are gathered from all of them.
    Nothing is written unless every proof on the bytes to be written holds.
    """
    if not asked["trace_id"] and not asked["session"]:
        raise UsageError(
            "which trace? --trace-id or --session is needed",
            hint="extract-fixture inspect SOURCE says which traces there are",
        )
    console = Console(json=as_json, quiet=quiet)
    project = settings.find(Path.cwd())
    key = workspace_key(key_file, project.key_file, console)
    config = request.config(asked, project, chosen(scope, scope_of, key, project.config.scope))
    rules = ruleset.load((*project.rules, *overlays))
    with console.progress("reading") as progress:
        reading = read.read(
            sources,
            config.wanted,
            progress=progress,
            stdin=sys.stdin.buffer,
            index_folder=index_folder,
            container=container,
        )
    reading = read.with_evidence(reading, evidence)
    run = making.Run(config=config, rules=rules, key=key, store=out or project.out, replace=replace)
    made = making.made(reading, run)
    if explain:
        summary.explain(console, made.explained)
    tell(console, made, config.statement)
