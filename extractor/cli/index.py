"""``extract-fixture index``: index exports, so that a trace in them is found at once."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from extractor import normalise, read, ruleset, settings
from extractor.bulk.units import counted, size

from . import options
from .console import Console
from .inspect import told


@click.command(epilog=options.examples("extract-fixture index exports"))
@options.sources
@click.option(
    "--out",
    type=click.Path(file_okay=False, exists=True, path_type=Path),
    metavar="DIR",
    help="Put indexes there, not beside the exports.",
)
@click.option(
    "--parquet",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the traces of all exports as one Parquet table as well.",
)
@options.as_json
@options.quiet
def command(*, sources: tuple[str, ...], out: Path | None, parquet: Path | None, as_json: bool, quiet: bool) -> None:
    """Index exports, so that a trace in them is found at once.

    SOURCE is a file, a folder or a glob. Each file gets NAME.efx; later runs read only what a file has grown by. An index
    holds trace ids, places, start times and tool names, and is ignored when its export has changed.
    """
    console = Console(json=as_json, quiet=quiet)
    with console.progress("indexing") as progress:
        speech = normalise.speech(ruleset.load(settings.find(Path.cwd()).rules))
        made = read.make_index(sources, folder=out, parquet=parquet, progress=progress, tell=partial(told, speech))
    for one in made:
        if as_json:
            console.data({"index": str(one.path), "traces": one.traces, "bytes_read": one.bytes_read})
        else:
            console.say(f"{one.path}  {counted(one.traces, 'trace')}, {size(one.bytes_read)} read")
