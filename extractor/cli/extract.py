"""``extract-fixture extract``, the default command: one trace in, one proved case out."""

from __future__ import annotations

import socket
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Unpack

import click

from extractor import pipeline, read, review, ruleset, settings, write
from extractor.errors import EvidenceMissing, UsageError

from . import options, request, summary
from .console import Console
from .keyring import workspace_key
from .scope import chosen

CAPTURE_DAYS = 30
"""How long capture.json, which leads back to the original trace, may stand."""


_selecting = options.join(
    click.option("--trace-id", metavar="ID", multiple=True, help="A trace; a unique prefix of 8 digits is enough."),
    click.option("--session", metavar="ID", multiple=True, help="Every trace of this conversation."),
    click.option("--at", metavar="SPAN", help="The span where the failure shows."),
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
        metavar="FOLDER",
        help="Where indexes stand, if not beside the exports.",
    ),
    click.option(
        "--evidence",
        type=options.FILE,
        multiple=True,
        help="Request records or connection logs that the trace lacks, as JSON lines.",
    ),
    click.option("--explain", is_flag=True, help="Say why each span was kept or dropped."),
)
_telling = options.join(
    click.option("--time-zone", metavar="ZONE", callback=options.zone, help="The user's zone, as in Europe/Berlin."),
    click.option("--locale", metavar="TAG", help="The user's locale, as in de-DE."),
    click.option("--frozen-at", metavar="INSTANT", callback=options.instant, help="When the decision was made."),
    click.option(
        "--ordering",
        type=click.Choice(["total", "per_key", "none"]),
        help="How strictly a replay keeps the order of calls.",
    ),
    click.option(
        "--fidelity",
        type=click.Choice(["event", "schedule"]),
        help="Whether a replay needs the instants, or their order is enough.",
    ),
    click.option(
        "--fact", metavar="NAME=JSON", multiple=True, callback=options.facts, help="What a decision or check reads."
    ),
)
_redacting = options.join(
    options.key_file,
    options.scope,
    options.scope_of,
    click.option(
        "--treat",
        metavar="PATH=word|name",
        multiple=True,
        callback=options.treatments,
        help="Settle an ambiguous value.",
    ),
    click.option(
        "--structural",
        is_flag=True,
        help="Replace every text by a placeholder: for what cannot be kept safely.",
    ),
    options.overlays,
    options.model,
)


@click.command()
@click.argument("sources", metavar="SOURCE…", nargs=-1, required=True)
@_selecting
@options.statement
@options.versions
@_telling
@_redacting
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
    made = pipeline.extract(reading, config, rules, key, occasion())
    stored = write.store(made.fixture, made.capture, out or project.out, replace=replace)
    review.enrol(out or project.out, stored.case_id)
    if explain:
        summary.explain(console, made.explained)
    if as_json:
        console.data(summary.for_machines(made.fixture, stored))
    console.rows(summary.for_people(made.fixture, stored))
    summary.warn_if_vague(console, config.statement)
    if not made.fixture.replayable:
        raise EvidenceMissing(
            "the case cannot be replayed: see missing_evidence", hint=f"extract-fixture show {stored.path}"
        )


def occasion() -> pipeline.Occasion:
    """Return where and when this run takes place."""
    now = datetime.now(UTC).replace(microsecond=0)
    return pipeline.Occasion(
        extracted_at=now.isoformat(),
        expires_at=(now + timedelta(days=CAPTURE_DAYS)).isoformat(),
        host=socket.gethostname(),
    )
