"""The types that the wheel ships, as a user's type checker sees them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
FOUND = re.compile(r"^(?P<file>\w+)\.py:(?P<line>\d+): error: .*\[(?P<code>[\w-]+)\]$")


@pytest.fixture(scope="module")
def errors(built, tmp_path_factory) -> set[tuple[str, int, str]]:
    """Each error as program, line and code, where the package is known from the unpacked wheel alone."""
    home = tmp_path_factory.mktemp("user")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "venv"], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home / "venv")}))
    with zipfile.ZipFile(built.wheel) as archive:
        archive.extractall(packages)
    # Not our settings, and not our sources: the wheel is to be enough.
    command = [
        sys.executable,
        "-P",
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--hide-error-context",
        "--config-file",
        os.devnull,
    ]
    command += ["--python-executable", str(home / "venv" / "bin" / "python"), "--cache-dir", str(home / "cache")]
    alone = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "MYPYPATH"}}
    done = subprocess.run(
        [*command, "right.py", "wrong.py"], cwd=PROGRAMS, env=alone, capture_output=True, text=True, check=False
    )
    assert done.returncode in {0, 1}, done.stderr
    lines = [line for line in done.stdout.splitlines() if ": error: " in line]
    matched = [FOUND.match(line) for line in lines]
    assert all(matched), lines
    return {(found["file"], int(found["line"]), found["code"]) for found in matched if found}


def test_right_uses_are_accepted(errors):
    assert {error for error in errors if error[0] == "right"} == set()


def test_each_wrong_use_is_refused_where_it_stands(errors):
    expected = {
        number: set(codes.split())
        for number, line in enumerate((PROGRAMS / "wrong.py").read_text("utf-8").splitlines(), 1)
        for codes in re.findall(r"# E: (.*)$", line)
    }
    found = {number: {code for file, line, code in errors if (file, line) == ("wrong", number)} for number in expected}
    assert len(expected) > 10
    assert found == expected
    assert {line for file, line, _ in errors if file == "wrong"} == set(expected)
