"""Words that are nearly ours: what was probably meant, and never the word itself."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

import click

from extractor.errors import UsageError


class Group(click.Group):
    """A group that says which of its commands a mistyped one resembles, and where a misused one is described."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names. Raises `UsageError` for a word that names none."""
        if not ctx.resilient_parsing and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            names = self.list_commands(ctx)
            raise UsageError(
                "no such command", hint=meant(args[0], names, before=ctx.command_path) or f"{ctx.command_path} --help"
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; a wrong use that says nothing of what to do instead points to its help."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            error.hint = error.hint or f"{ctx.command_path} {ctx.invoked_subcommand} --help"
            raise


def meant(word: str, names: Iterable[str], *, before: str = "") -> str | None:
    """Return a question for the name that a word resembles most, None where it resembles none."""
    near = get_close_matches(word.lower(), names, n=1)
    return f"did you mean {f'{before} {near[0]}'.strip()}?" if near else None


def refuse_mistyped(word: str, names: Iterable[str]) -> None:
    """Raise `UsageError` for a first word that can be no source: no file has the name, and none of the forms of others."""
    if word == "-" or any(char in word for char in "./\\:") or glob.has_magic(word) or Path(word).exists():
        return
    raise UsageError(
        "no command and no file has the name that stands first",
        hint=meant(word, names, before="extract-fixture") or "extract-fixture --help lists the commands",
    )
