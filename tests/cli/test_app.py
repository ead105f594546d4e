from __future__ import annotations

import importlib
import os
import subprocess
import sys

import click
import pytest

from extractor.cli import app as module
from extractor.cli.app import COMMANDS, app, run
from extractor.errors import LeakFound, TraceNotFound, UsageError


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_says_of_itself(name):
    command = importlib.import_module(module.module_of(name)).command
    assert command.get_short_help_str(limit=200) == COMMANDS[name]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help(name):
    command = importlib.import_module(module.module_of(name)).command
    commands = command.commands.values() if isinstance(command, click.Group) else [command]
    options = [param for each in commands for param in each.params if isinstance(param, click.Option)]
    assert options
    assert all(option.help for option in options)


def test_help_ends_with_zero(capsys):
    assert run(["--help"]) == 0
    assert "0  done" in capsys.readouterr().out


def test_the_version_is_the_package_s(capsys):
    assert run(["--version"]) == 0
    assert "0.1.0" in capsys.readouterr().out


def test_no_argument_at_all_shows_the_help_and_is_a_usage_error():
    assert run([]) == 2


def test_what_names_no_command_is_extract_s(capsys):
    assert run(["--help-me"]) == 2
    assert "extract-fixture extract --help" in capsys.readouterr().err


def test_extract_without_a_trace_says_what_to_do(capsys):
    assert run(["export.jsonl"]) == 2
    told = capsys.readouterr().err
    assert "--trace-id or --session is needed" in told
    assert "inspect" in told


@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect"],
        ["--frozen-at", "Zebra", "--trace-id", "x", "f"],
        ["--frozen-at", "2026-01-01T00:00:00", "--trace-id", "x", "f"],
        ["--time-zone", "Zebra/../..", "--trace-id", "x", "f"],
        ["--fact", "Zebra", "--trace-id", "x", "f"],
        ["--fact", "a=Zebra", "--trace-id", "x", "f"],
        ["--fact", "a=1", "--fact", "a=Zebra", "--trace-id", "x", "f"],
        ["--treat", "Zebra=noun", "--trace-id", "x", "f"],
        ["--failure", "@/nonexistent/Zebra", "--trace-id", "x", "f"],
        ["--failure", "  ", "--trace-id", "x", "f"],
        ["show", "a", "Zebra"],
        ["key", "new"],
        ["key", "Zebra"],
        ["validate", "--provenance"],
        ["--Zebra1", "x"],
    ],
)
def test_a_wrong_command_line_is_told_without_its_values(arguments, capsys):
    assert run(arguments) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert "Zebra" not in told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("error", "status"),
    [(UsageError("no", hint="yes"), 2), (TraceNotFound("no", hint="yes"), 3), (LeakFound(["no"], hint="yes"), 5)],
)
def test_our_errors_end_with_their_own_status_and_hint(error, status, monkeypatch, capsys):
    monkeypatch.setattr(app, "make_context", raising(error))
    assert run(["inspect", "x"]) == status
    told = capsys.readouterr().err
    assert "no" in told
    assert told.endswith("hint:  yes\n")


def test_an_unexpected_error_names_its_type_and_place_and_quotes_nothing(monkeypatch, capsys):
    monkeypatch.setattr("extractor.validate.validate_case", raising(ValueError("Zebra Street 5")))
    monkeypatch.setattr(
        importlib.import_module("extractor.cli.validate"), "validate_case", raising(ValueError("Zebra Street 5"))
    )
    assert run(["validate", "x"]) == module.INTERNAL
    told = capsys.readouterr().err
    assert "ValueError in cli/validate.py:" in told
    assert "Zebra" not in told


def test_an_interrupt_ends_quietly(monkeypatch, capsys):
    monkeypatch.setattr(app, "make_context", raising(KeyboardInterrupt()))
    assert run(["inspect", "x"]) == module.INTERRUPTED
    assert capsys.readouterr().err == "error: interrupted\n"


def test_a_reader_that_has_gone_is_no_error():
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [sys.executable, "-u", "-m", "extractor", "--help"], stdout=write_end, stderr=subprocess.PIPE, check=False
    )
    os.close(write_end)
    assert done.returncode == module.BROKEN_PIPE
    assert done.stderr == b""


def raising(error: BaseException):
    def fail(*_args, **_named):
        raise error

    return fail
