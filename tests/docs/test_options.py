"""Every command and option that a page names exists, whether it is run by a test or not."""

from __future__ import annotations

import re

import pytest

from extractor import assert_audit, pytest_plugin
from extractor.cli.app import COMMANDS

from .grammar import PROGRAM, every_option, fault, told
from .pages import PAGES, blocks, commands, name_of, prose

SHELL = ("sh", "text", "bash")
OF_OTHERS = {
    "--strict": "mypy",
    "--only-binary": "uv",
    "--python-version": "uv",
    "--assert": "pytest",
    "--full-trace": "pytest",
    "--junitxml": "pytest",
    "--no-deps": "pip",
    "--conf": "Spark",
    "--files": "Spark",
    "--size": "benchmarks/bulk.py",
    "--traces": "benchmarks/bulk.py",
    "--sample": "benchmarks/bulk.py",
    "--docs": "benchmarks/bulk.py",
    "--resolution": "uv",
    "--glob": "hadoop",
}
"""Options of other programs that prose speaks of."""


class Declared:
    """What pytest hands to a plugin, as far as it names options."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def getgroup(self, *_name):
        return self

    def addoption(self, *names, **_how):
        self.names |= set(names)

    def addini(self, *_names, **_how):
        pass


@pytest.fixture(scope="module")
def known():
    declared = Declared()
    pytest_plugin.pytest_addoption(declared)
    assert_audit.pytest_addoption(declared)
    return every_option() | declared.names


def calls(page):
    """Every call of the program on a page: in blocks, and in the sentences."""
    for command in commands(page):
        yield from told(command.text)
    if page.name != "commands.md":
        for block in blocks(page, *SHELL):
            for line in block.replace("\\\n", " ").splitlines():
                if line.startswith(f"{PROGRAM} "):
                    yield from told(line)
    for code in spoken(page):
        first = code.split(maxsplit=1)[0]
        if first == PROGRAM or (first in COMMANDS and "--" in code):
            for words in told(code if first == PROGRAM else f"{PROGRAM} {code}"):
                # A sentence may name an option and leave its value out.
                yield [*words, "VALUE"] if "requires an argument" in (fault(words) or "") else words


def spoken(page):
    """The code of a page's sentences that can be words of a shell; alternatives are left to the list of options."""
    for code in re.findall(r"`([^`\n]+)`", prose(page)):
        if code.strip() and not set(code) & set("|{}<") and code.count("'") % 2 == code.count('"') % 2 == 0:
            yield code


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_of_a_page_exist_with_their_options(page):
    faults = [(words, fault(words)) for words in calls(page)]
    assert [each for each in faults if each[1]] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_options_that_a_page_speaks_of_exist(page, known):
    named = set(re.findall(r"(?<![\w`-])(--[a-z][a-z-]*)", "\n".join(re.findall(r"`([^`]+)`", prose(page)))))
    assert named - known - OF_OTHERS.keys() == set()


def test_an_unknown_option_choice_or_command_is_found():
    assert fault(["show", "CASE", "--proofs"]) is None
    assert fault(["--trace-id", "ID", "export.jsonl"]) is None
    assert "--prooof" in fault(["show", "CASE", "--prooof"])
    assert "rolle" in fault(["approve", "CASE", "--role", "rolle"])
    assert "lists" in fault(["rules", "lists"])
    assert "--nothing" in fault(["--trace-id", "ID", "--nothing"])
    assert list(told('export A=1; extract-fixture show "a b" | head && extract-fixture key id # now')) == [
        ["show", "a b"],
        ["key", "id"],
    ]
