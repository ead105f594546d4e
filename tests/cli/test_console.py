from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from extractor.cli.console import Console, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain Zoë", "plain Zoë"),
        ("a\x1b]52;c;aGk=\x07b", "a\\x1b]52;c;aGk=\\x07b"),
        ("\x9b31m", "\\x9b31m"),
        ("abc\u202egnp.exe", "abc\\u202egnp.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("line\u2028two\rthree", "line\\u2028two\\x0dthree"),
        ("\ud83d", "\\ud83d"),
        ("\U000e0041", "\\U000e0041"),
        ("two\nlines", "two\nlines"),
    ],
)
def test_nothing_that_drives_a_terminal_is_shown_as_it_is(text, shown):
    assert visible(text) == shown


def test_json_is_ascii_and_on_one_line(capsys):
    Console(json=True).data({"name": "Zoë\u202e\n\x1b", "n": [1, None]})
    assert capsys.readouterr().out == '{"name": "Zo\\u00eb\\u202e\\n\\u001b", "n": [1, null]}\n'


@pytest.mark.parametrize("mode", [{"json": True}, {"quiet": True}])
def test_people_are_told_nothing_when_machines_listen_or_quiet_is_asked(mode, capsys):
    console = Console(**mode)
    console.say("x")
    console.rows((("case", "x"),))
    assert capsys.readouterr().out == ""


def test_labels_are_aligned(capsys):
    Console().rows((("case", "one"), ("residual", "0")))
    assert capsys.readouterr().out == "case      one\nresidual  0\n"


def test_a_progress_bar_is_for_terminals_alone(capsys):
    with Console().progress("reading") as progress:
        assert progress is None
    assert capsys.readouterr().err == ""


PROGRAM = """
from extractor.cli.console import Console
console = Console()
with console.progress("reading") as bar:
    bar.advance(0, 10)
    bar.advance(40_000_000, 80_000_000)
console.rows((("case", "[bold]x[/bold] \\x1b[2J"),))
"""


def on_a_terminal(**environment: str) -> bytes:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=follower,
        stderr=follower,
        env={**os.environ, "TERM": "xterm-256color", **environment},
    ) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # the other end has closed
                break
            if not piece:
                break
            shown += piece
        os.close(leader)
    assert process.returncode == 0
    return shown


def test_a_terminal_gets_colour_and_a_bar_and_no_markup_is_read_into_text():
    shown = on_a_terminal()
    assert b"\x1b[1;36mcase" in shown
    assert b"reading" in shown
    assert b"[bold]x[/bold] \\x1b[2J" in shown


def test_no_color_is_heeded():
    assert b"36mcase" not in on_a_terminal(NO_COLOR="1")


def test_a_line_that_counts_is_for_a_terminal_alone_and_leaves_nothing(monkeypatch, capsys):
    with Console().counting() as shown:
        assert shown is None
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Console(quiet=True).counting() as shown:
        assert shown is None
    with Console().counting() as shown:
        assert shown is not None
        shown("12 verdicts \x1b[31m")
    told = capsys.readouterr().err
    assert "12 verdicts \\x1b[31m" in told
    assert told.endswith("\r\x1b[2K")
