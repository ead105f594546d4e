"""The command line as one thing: a name means the same everywhere, and every command shows how it is used."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from extractor.cli.app import COMMANDS, app, run

ROOT = click.Context(app, info_name="extract-fixture")
PAGE = Path(__file__).parent.parent.parent / "docs" / "command-line.md"


def commands() -> Iterator[tuple[str, click.Command]]:
    for name in COMMANDS:
        command = app.get_command(ROOT, name)
        yield name, command
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", each) for inner, each in command.commands.items())


ALL = dict(commands())

DIFFERENT = {
    "--case": "compare reads one case; key check counts many",
    "--errors": "inspect narrows a list; retain adds to a choice",
    "--expect": "what replay wants of a run; what a control of another instant expects",
    "--explain": "each says why it does what it does: selection, replacement, sampling",
    "--json": "redact's output is a document already: there it is the explanation that becomes JSON",
    "--matrix": "compare reads four results; mutate asks every check",
    "--out": "what is written differs by command; a folder is DIR, a file FILE, everywhere",
    "--packet": "review writes one; approve and reject read one",
    "--reason": "a rejection's stays with the case; a retirement's is committed",
    "--replace": "a case, or the controls of one",
    "--since": "a time, or a commit",
    "--store": "retain's store holds originals, and is another place",
    "--timeout": "of one run of a command, or of one trace",
    "--tool": "which traces, or which call of a case",
    "--trace-id": "wanted, listed, or of the fixed code",
    "--ttl": "when something goes, or what has gone by",
    "--version": "of an implementation, or of a format",
}
"""Options that share a name and not a meaning, with the reason why one name is right for both."""

NO_JSON = {
    "annotate": "says what it changed; `show --json` tells the case",
    "review": "opens a page",
    "register set": "`register --json` tells what is on record",
    "rules": "a group", "key": "a group",
    "key new": "makes a file", "key id": "prints nothing but the id",
}  # fmt: skip
NO_QUIET = {
    "show": "its output is all it does", "register": "the same", "audit": "the same", "redact": "the same",
    "rules list": "the same", "rules show": "the same", "rules explain": "the same", "key id": "the same",
    "rules": "a group", "key": "a group",
}  # fmt: skip


def told(command: click.Command, option: click.Option) -> tuple[object, ...]:
    metavar = None if option.is_flag else option.make_metavar(click.Context(command))
    return tuple(option.opts), metavar, option.help, option.multiple


def test_an_option_of_one_name_is_one_option_everywhere():
    by_name: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    for command in ALL.values():
        for option in command.params:
            if isinstance(option, click.Option):
                by_name[option.opts[0]].add(told(command, option))
    assert {name for name, meanings in by_name.items() if len(meanings) > 1} == set(DIFFERENT)


def test_only_quiet_and_help_have_a_short_form():
    short = {
        (opt, option.opts[0])
        for command in ALL.values()
        for option in command.params
        if isinstance(option, click.Option)
        for opt in option.opts
        if not opt.startswith("--")
    }
    assert short == {("-q", "--quiet")}


def test_help_is_asked_for_in_its_short_form_too(capsys):
    for words in (["-h"], ["inspect", "-h"], ["rules", "test", "-h"]):
        assert run(words) == 0
        assert "Usage: extract-fixture" in capsys.readouterr().out


def test_folders_and_files_and_numbers_are_named_alike():
    names = {
        option.make_metavar(click.Context(command))
        for command in ALL.values()
        for option in command.params
        if isinstance(option, click.Option) and not option.is_flag
    }
    assert not names & {"DIRECTORY", "FOLDER", "INTEGER", "INTEGER RANGE", "FLOAT", "FLOAT RANGE"}


@pytest.mark.parametrize(("option", "without"), [("--json", NO_JSON), ("--quiet", NO_QUIET)])
def test_every_command_has_the_options_of_all_or_a_reason(option, without):
    lacking = {name for name, command in ALL.items() if not any(option in param.opts for param in command.params)}
    assert lacking == set(without)


def examples(command: click.Command) -> list[str]:
    text = f"{command.help or ''}\n{command.epilog or ''}"
    return [line.strip() for line in text.splitlines() if re.match(r"\s*(\S.* \| )?extract-fixture ", line)]


@pytest.mark.parametrize("name", ALL)
def test_every_command_shows_an_example_that_its_options_allow(name):
    found = examples(ALL[name])
    assert found
    for line in found:
        words = shlex.split(line.rpartition("| ")[2])
        words = words[1 : words.index("--")] if "--" in words else words[1:]
        path = ["extract"] if words[0].startswith("--") else words
        two = " ".join(path[:2])
        command = ALL[two] if two in ALL else ALL[path[0]]
        assert name.split()[0] == path[0]
        if name not in (path[0], two):
            continue  # a group shows a command of its own
        known = {opt for param in command.params for opt in (*param.opts, *param.secondary_opts)}
        assert [word for word in words if word.startswith("-") and word != "-" and word not in known] == []


def test_the_page_says_of_every_command_what_it_ends_with():
    rows = re.findall(r"^\| `([a-z ]+)` \| ([0-9, ]+) \|", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    assert [name for name, _ in rows] == [name for name in ALL if name not in ("rules", "key")]
    for _, statuses in rows:
        assert {int(each) for each in statuses.split(",")} <= {*range(8), *range(10, 16)}
