"""Write the pages that are generated from code: ``docs/generate.py``, or hold them to it: ``--check``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from extractor.cli.app import COMMANDS, app

PAGE = Path(__file__).parent / "commands.md"
_WIDTH = 100


def page() -> str:
    """Return the command reference: every command's own help, in the order of the line."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# Commands"
    yield ""
    yield "Written by `make docs` from the commands themselves; a test compares it with them."
    yield from _section(app, ["extract-fixture"])
    root = click.Context(app, info_name="extract-fixture")
    for name in COMMANDS:
        command = app.get_command(root, name)
        if command is None:
            continue
        yield from _section(command, ["extract-fixture", name])
        if isinstance(command, click.Group):
            for inner, subcommand in sorted(command.commands.items()):
                yield from _section(subcommand, ["extract-fixture", name, inner])
    yield ""


def _section(command: click.Command, words: Sequence[str]) -> Iterator[str]:
    context = click.Context(command, info_name=" ".join(words), max_content_width=_WIDTH, terminal_width=_WIDTH)
    yield ""
    yield f"## {' '.join(words)}"
    yield ""
    yield "```text"
    yield from (line.rstrip() for line in command.get_help(context).splitlines())
    yield "```"


def main(arguments: Sequence[str]) -> int:
    """Write the page, or with ``--check`` return 1 when it differs from the commands."""
    if "--check" in arguments:
        if PAGE.read_text("utf-8") == page():
            return 0
        sys.stderr.write("docs/commands.md is out of date: run make docs\n")
        return 1
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
