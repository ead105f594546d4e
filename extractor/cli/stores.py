"""Which store a command means."""

from __future__ import annotations

from pathlib import Path

import click

from extractor import settings

from . import options

store = click.option(
    "--store", type=options.FOLDER, help="Where cases are kept.  [default: the project's, or fixtures]"
)


def chosen(given: Path | None) -> Path:
    """Return the store of ``--store``, else the project's."""
    return given or settings.find(Path.cwd()).out
