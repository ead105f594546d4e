"""Whether a command that a page shows exists, with all its options and their choices; nothing of it is run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

import click

from extractor.cli.app import COMMANDS, DEFAULT, app

PROGRAM = "extract-fixture"
_CONTROL = set("|&;<>()")


def told(text: str) -> Iterator[list[str]]:
    """The words of every call of the program in a shell command, its own name left out."""
    lexer = shlex.shlex(text.replace("\\\n", " "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words: list[str] | None = None
    for word in lexer:
        if set(word) <= _CONTROL:
            if words is not None:
                yield words
            words = None
        elif word == PROGRAM and words is None:
            words = []
        elif words is not None:
            words.append(word)
    if words is not None:
        yield words


def fault(words: Sequence[str]) -> str | None:
    """What is wrong with a call: no such command, option or choice; None for a call that could be meant."""
    if (words and words[0].startswith("[")) or words == ["…"]:
        return None
    own = {"-h", "--help", "--version", "--completion", *COMMANDS}
    rest = list(words) if not words or words[0] in own else [DEFAULT, *words]
    try:
        return _parsed(app, rest, None)
    except click.UsageError as error:
        return error.format_message()


def _parsed(command: click.Command, words: list[str], parent: click.Context | None) -> str | None:
    # With the settings that the commands run with: click remembers which options of help a command has.
    context = click.Context(command, parent=parent, **command.context_settings)
    values, rest, _ = command.make_parser(context).parse_args(list(words))
    for parameter in command.params:
        value = values.get(parameter.name or "")
        if isinstance(parameter.type, click.Choice) and isinstance(value, (str, list)):
            for one in [value] if isinstance(value, str) else value:
                if one not in parameter.type.choices and not _stands_for_others(one):
                    return f"{parameter.name}: no choice {one}"
    if isinstance(command, click.Group) and rest:
        inner = command.get_command(context, rest[0])
        if inner is not None:
            return _parsed(inner, rest[1:], context)
        if not command.invoke_without_command:
            return f"no command {rest[0]}"
    return None


def _stands_for_others(value: str) -> bool:
    return bool(re.fullmatch(r"[A-Z_]+|…|[a-z0-9-]+([|][a-z0-9-]+)+", value))


def every_option() -> set[str]:
    """The options of all commands."""
    context = click.Context(app)
    waiting: list[click.Command] = [app]
    found = {"-h", "--help"}
    while waiting:
        command = waiting.pop()
        found |= {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        if isinstance(command, click.Group):
            inner = [command.get_command(context, name) for name in command.list_commands(context)]
            waiting += [each for each in inner if each is not None]
    return found
