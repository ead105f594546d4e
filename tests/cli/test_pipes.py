"""What a pipe, a dumb terminal and NO_COLOR get: the text and nothing else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from extractor.cli.app import BROKEN_PIPE

ESCAPE = b"\x1b"
_APART = ("NO_COLOR", "FORCE_COLOR", "TERM", "PYTHONUNBUFFERED")


def environment(**more: str) -> dict[str, str]:
    told = {name: value for name, value in os.environ.items() if name not in _APART}
    return {**told, "TERM": "xterm-256color", **more}


def at_a_terminal(*arguments: str, **more: str) -> bytes:
    """Everything that a command writes where both of its outputs are a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "extractor", *arguments],
        stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**more), close_fds=True,
    ) as process:  # fmt: skip
        os.close(theirs)
        written = b""
        try:
            while block := os.read(ours, 65536):
                written += block
        except OSError:  # the other side has closed
            pass
        process.wait()
    os.close(ours)
    return written


def test_a_terminal_gets_colour(export):
    assert ESCAPE in at_a_terminal("inspect", "--trace-id", "6d383010", str(export))


@pytest.mark.parametrize("more", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": "dumb", "FORCE_COLOR": "1"}])
def test_whoever_wants_no_colour_gets_no_codes_at_all(more, export):
    written = at_a_terminal("inspect", "--trace-id", "6d383010", str(export), **more)
    assert b"6d383010fe32bfe09c943d88b718f3e3" in written
    assert ESCAPE not in written


@pytest.mark.parametrize("more", [{}, {"FORCE_COLOR": "1"}])
def test_a_pipe_gets_no_codes_and_no_bar(more, export):
    done = subprocess.run(
        [sys.executable, "-m", "extractor", "inspect", "--trace-id", "6d383010", str(export)],
        capture_output=True, env=environment(**more), check=True,
    )  # fmt: skip
    assert ESCAPE not in done.stdout + done.stderr
    assert b"\r" not in done.stdout + done.stderr
    assert done.stderr == b""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["rules", "list"], ["inspect", "EXPORT"], ["inspect", "--json", "EXPORT"]]
)
def test_a_reader_that_goes_away_is_met_with_silence_whatever_is_still_buffered(arguments, export):
    read_end, write_end = os.pipe()
    os.close(read_end)
    words = [str(export) if word == "EXPORT" else word for word in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "extractor", *words],
        stdout=write_end,
        stderr=subprocess.PIPE,
        env=environment(),
        check=False,
    )
    os.close(write_end)
    assert (done.returncode, done.stderr) == (BROKEN_PIPE, b"")
