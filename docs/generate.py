"""Write the pages that are generated from code: ``docs/generate.py``, or hold them to it: ``--check``."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import generating.line
import generating.python
import generating.requirements
import generating.rules
import generating.schema
import generating.statuses
from generating.tables import cell as _cell

from extractor.cli.app import COMMANDS, app
from extractor.read.containers import JSON_CONTAINERS, otlp_proto
from extractor.redact.catalogue import RuleCard, catalogue
from extractor.ruleset import load

COMMAND_PAGE = Path(__file__).parent / "commands.md"
RULE_PAGE = Path(__file__).parent / "rules.md"
READING_PAGE = Path(__file__).parent / "reading.md"
PICTURES = Path(__file__).parent / "pictures"
REFERENCE = Path(__file__).parent / "reference"
REQUIREMENTS_PAGE = Path(__file__).parent / "requirements.md"
_ROOT = Path(__file__).parent.parent
_FROM_HERE = "<!-- Written by make docs from rules/identifiers, from here on. -->\n"
_READ_FROM_HERE = "<!-- Written by make docs from the readers and rules/dialects, from here on. -->\n"
_WIDTH = 100


def command_page() -> str:
    """Return the command reference: every command's own help, in the order of the line."""
    return "\n".join(_lines())


def rule_page() -> str:
    """Return the page about rules: what people wrote, then the classes and what is kept, from the rule files."""
    written, _, _ = RULE_PAGE.read_text("utf-8").partition(_FROM_HERE)
    return written + _FROM_HERE + "\n".join(_tables())


def reading_page() -> str:
    """Return the page about reading: what people wrote, then the containers and the dialects."""
    written, _, _ = READING_PAGE.read_text("utf-8").partition(_READ_FROM_HERE)
    return written + _READ_FROM_HERE + "\n".join(_read())


def _read() -> Iterator[str]:
    yield "\n## Containers\n"
    yield "| `--format` | what it is |"
    yield "|---|---|"
    for container in JSON_CONTAINERS:
        page = sys.modules[type(container).__module__].__doc__ or ""
        yield f"| `{container.name}` | {_cell(page.partition(chr(10))[0])} |"
    yield f"| `otlp_proto` | {_cell((otlp_proto.__doc__ or '').partition(chr(10))[0])} |"
    yield "\n## Dialects\n"
    yield "| dialect | why it needs rules of its own |"
    yield "|---|---|"
    for name, document in sorted(load().family("dialects").items()):
        yield f"| `{name}`: {_cell(document['title'])} | {_cell(document['why'])} |"
    yield ""


def _tables() -> Iterator[str]:
    rules = load()
    cards = catalogue(rules)
    entities = {
        name: entity
        for document in rules.family("identifiers").values()
        for name, entity in document.get("entity", {}).items()
    }
    yield "\n## The classes\n"
    yield "| class | pseudonym | rules |"
    yield "|---|---|---|"
    for name, entity in sorted(entities.items(), key=lambda item: (item[1]["rank"], item[0])):
        found = _ids([card for card in cards if card.entity == name]) or "found in prose, or derived"
        yield f"| {name} | {entity['form']} | {found} |"
    yield "\n## What is kept\n"
    yield "| rule | why |"
    yield "|---|---|"
    for card in cards:
        if card.kind == "keep":
            yield f"| {card.id} | {_cell(card.why)} |"
    yield "\n## Each rule\n"
    yield "| rule | kind | why |"
    yield "|---|---|---|"
    for card in cards:
        if card.kind != "keep":
            yield f"| {card.id} | {card.kind} | {_cell(card.why)} |"
    yield ""


def _ids(cards: Sequence[RuleCard]) -> str:
    return ", ".join(card.id for card in cards)


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
    context = click.Context(
        command,
        info_name=" ".join(words),
        max_content_width=_WIDTH,
        terminal_width=_WIDTH,
        help_option_names=app.context_settings["help_option_names"],
    )
    yield ""
    yield f"## {' '.join(words)}"
    yield ""
    yield "```text"
    yield from (line.rstrip() for line in command.get_help(context).splitlines())
    yield "```"


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or with ``--check`` return 1 when one differs from what it is written from.

    A table of requirements that is not whole is written by neither: its faults go to standard error, with status 1.
    """
    faults = generating.requirements.faults(_ROOT)
    for fault in faults:
        sys.stderr.write(f"docs/requirements.toml: {fault}\n")
    if faults:
        return 1
    pages = {
        COMMAND_PAGE: command_page(),
        RULE_PAGE: rule_page(),
        READING_PAGE: reading_page(),
        PICTURES / "line.svg": generating.line.picture(),
        REFERENCE / "exit-statuses.md": generating.statuses.page(),
        REFERENCE / "schemas.md": generating.schema.page(),
        REFERENCE / "rules.md": generating.rules.page(),
        REFERENCE / "python.md": generating.python.page(),
        REQUIREMENTS_PAGE: generating.requirements.page(_ROOT),
    }
    stale = [path for path, text in pages.items() if not path.exists() or path.read_text("utf-8") != text]
    if "--check" in arguments:
        for path in stale:
            sys.stderr.write(f"docs/{path.relative_to(COMMAND_PAGE.parent)} is out of date: run make docs\n")
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text(pages[path], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
