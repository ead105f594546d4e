"""``extract-fixture redact``: any JSON, JSON lines or text through the engine, format kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from extractor import ruleset, settings
from extractor.errors import InputUnreadable, UsageError
from extractor.loose import Engine, Redaction, Teller, opened
from extractor.model.layout import FIXTURE
from extractor.scope import chosen
from extractor.validate import vouched

from . import completing, options
from .console import Console
from .keyring import workspace_key
from .sink import sink
from .told import writer


@click.command(
    epilog=options.examples(
        "extract-fixture redact ticket.json --out ticket.redacted.json",
        "kubectl logs agent | extract-fixture redact --explain",
    )
)
@click.argument("source", metavar="[FILE|CASE|-]", default="-", shell_complete=completing.files)
@options.key_file
@options.scope
@options.scope_of
@click.option("--joint", is_flag=True, help="JSON lines belong together: equal values get equal pseudonyms.")
@click.option("--explain", is_flag=True, help="Tell each replacement on standard error: place, class, rule, no value.")
@click.option("--json", "as_json", is_flag=True, help="Tell it as JSON, one object a line.")
@options.overlays
@options.model
@click.option("--out", type=options.FILE, help="Where to write; the file must not exist.  [default: standard output]")
def command(  # noqa: PLR0913 # options that no configuration holds
    *,
    source: str,
    key_file: Path | None,
    scope: str | None,
    scope_of: Path | None,
    joint: bool,
    explain: bool,
    as_json: bool,
    overlays: tuple[Path, ...],
    model: str | None,
    out: Path | None,
) -> None:
    """Redact any JSON, JSON lines or text.

    What is plain, gzip or zstd comes out plain; one value a line stays one a line, read and written line by line. An
    OTLP/JSON export is scoped by trace and keeps its trace and span ids; other JSON lines are scoped by line. The
    output is not proved as a case is, and holds no list of what to look at.

    --explain gives places by position: [2] is an item, {1} the value of the second member, key after it that member's
    name, <0.1> a decoded part of a text; then the characters from start to before end.

    A file is read twice where lines belong together; what cannot be read twice waits on disk, encrypted under a key
    that only memory holds, up to 64 GiB. Memory holds some lines; of an export what is known of each trace between its
    first line and its last, and the distinct resources; with --joint every distinct identifier and sentence. A single
    line may have 256 MiB, one document or text 512 MiB.

    A broken line ends the run with 6: with --out nothing is written then, on standard output the lines before it are.
    A case, or its fixture.json, whose sidecar vouches for its bytes comes out unchanged.
    """
    if as_json and not explain:
        raise UsageError("--json says how --explain tells; the output keeps its own form")
    console = Console(json=out is None)
    unchanged = _vouched(source)
    if unchanged is not None:
        with sink(out) as write:
            write(unchanged.decode("utf-8"))
        console.note("unchanged: the sidecar beside it vouches for these bytes")
        return
    project = settings.find(Path.cwd())
    key = workspace_key(key_file, project.key_file, console)
    base = project.config
    taken = chosen(scope, scope_of, key, "case")
    engine = Engine(
        rules=ruleset.load((*project.rules, *overlays)),
        config=replace(base, nlp=base.nlp.using(model)),
        key=key,
        name=None if taken.name == "case" else taken.name,
        teller=Teller(writer(json=as_json)) if explain else None,
    )
    with sink(out) as write:
        redaction = Redaction(engine, write, joint=joint)
        with opened(_file_of(source)) as lines:
            redaction.run(lines)
    if redaction.not_finite:
        console.note(
            f"numbers that are not finite became texts in {len(redaction.not_finite)} lines, first in line "
            f"{min(redaction.not_finite)}"
        )


def _vouched(source: str) -> bytes | None:
    """Return the bytes of one of our fixtures that its sidecar vouches for; None for all else, looks notwithstanding."""
    path = Path(_file_of(source))
    return vouched(path) if source != "-" and path.name == FIXTURE else None


def _file_of(source: str) -> str:
    """Return the file to read: of a case, its fixture. Raises `InputUnreadable` for a folder that is none."""
    try:
        if source == "-" or not Path(source).is_dir():
            return source
    except ValueError:  # a NUL in the name
        raise InputUnreadable(
            "the source cannot be read", hint="name a file that is there, or - for standard input"
        ) from None
    return str(Path(source) / FIXTURE)
