"""What a shell may complete: click's own protocol, with values that cost nothing to find."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem, get_completion_class, shell_complete

from extractor import settings
from extractor.errors import ExtractFixtureError
from extractor.model.layout import PLACES, case_of

PROGRAM: Final = "extract-fixture"
VARIABLE: Final = "_EXTRACT_FIXTURE_COMPLETE"
SHELLS: Final = ("bash", "zsh", "fish")

Items = list[CompletionItem]
Completing = Callable[[click.Context, click.Parameter, str], Items]


def answer(command: click.Group, instruction: str) -> int:
    """Print what the shell asked for and return 0; 1 where nothing can be said, since a prompt is no place for errors."""
    try:
        return shell_complete(command, {}, PROGRAM, VARIABLE, instruction)
    except (click.ClickException, ExtractFixtureError, RuntimeError, LookupError, ValueError):
        return 1


def script(command: click.Group, shell: str) -> str:
    """Return what a shell must evaluate once to complete our command line."""
    made = get_completion_class(shell)
    if made is None:
        raise LookupError(shell)
    return made(command, {}, PROGRAM, VARIABLE).source()


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Leave a word to the shell's own completion of files and folders."""
    del ctx, param
    return [CompletionItem(incomplete, type="file")]


def cases(ctx: click.Context, param: click.Parameter, incomplete: str) -> Items:
    """Return the ids of the store's cases that begin so, and leave the rest to the shell's completion of folders."""
    store = ctx.params.get("store")
    found = _ids(store if isinstance(store, Path) else None)
    del param
    # What the shell adds stands first: bash's script forgets what came before it.
    return [
        CompletionItem(incomplete, type="dir"),
        *(CompletionItem(name) for name in found if name.startswith(incomplete)),
    ]


def _ids(store: Path | None) -> list[str]:
    try:
        root = store or settings.find(Path.cwd()).out
        names = {case_of(folder.name) for place in PLACES for folder in (root / place).glob("2*")}
    except (ExtractFixtureError, OSError):
        return []
    return sorted(name for name in names if name)
