"""Completion by click's own protocol: a shell sets two variables, the program prints what could come next."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from extractor.cli import completing
from extractor.cli.app import COMMANDS, run

HEAVY = {"spacy", "thinc", "presidio_analyzer", "pyarrow", "numpy", "rich", "jsonschema", "cryptography", "yaml"}
PROGRAM = """
import sys
from extractor.cli.app import run
status = run(sys.argv[1:])
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
sys.exit(status)
"""


def completed(cwd, *words: str, shell: str = "bash") -> tuple[list[tuple[str, str]], set[str]]:
    """What could stand in place of the last word, each as its kind and text, and the packages that were loaded."""
    environment = {
        **os.environ,
        completing.VARIABLE: f"{shell}_complete",
        "COMP_WORDS": " ".join(["extract-fixture", *words]),
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=cwd, env=environment, check=True
    )
    lines = done.stdout.splitlines()
    if shell == "zsh":  # kind, text and help on a line each
        return list(zip(lines[0::3], lines[1::3], strict=False)), set(done.stderr.split())
    pairs = [line.partition(",") for line in lines if line]
    return [(kind, text.partition("\t")[0]) for kind, _, text in pairs], set(done.stderr.split())


def test_the_first_word_is_a_command_a_file_or_an_option_of_the_default_command(tmp_path):
    found, loaded = completed(tmp_path, "")
    assert [text for kind, text in found if kind == "plain"] == list(COMMANDS)
    assert ("file", "") in found
    assert not loaded & HEAVY
    assert completed(tmp_path, "va")[0] == [("file", "va"), ("plain", "validate")]
    options = [text for _, text in completed(tmp_path, "--tra")[0]]
    assert options == ["--trace-id"]
    assert [text for _, text in completed(tmp_path, "--vers")[0]] == ["--version"]
    assert [text for _, text in completed(tmp_path, "--he")[0]] == ["--help"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_options_of_a_command_and_of_the_default_one_are_offered_in_every_shell(tmp_path, shell):
    assert [text for _, text in completed(tmp_path, "inspect", "--err", shell=shell)[0]] == ["--errors"]
    assert [text for _, text in completed(tmp_path, "--trace-id", "6d", "--inci", shell=shell)[0]] == ["--incident"]


def test_sub_commands_choices_and_paths_are_offered(tmp_path):
    assert completed(tmp_path, "rules", "ex")[0] == [("plain", "explain")]
    assert completed(tmp_path, "inspect", "--sort", "dur")[0] == [("plain", "duration")]
    assert completed(tmp_path, "inspect", "exp")[0] == [("file", "exp")]
    assert completed(tmp_path, "--trace-id", "6d", "exp")[0] == [("file", "exp")]
    assert completed(tmp_path, "--key-file", "wo")[0] == [("file", "wo")]
    assert completed(tmp_path, "show", "fix")[0] == [("file", "fix")]


@pytest.mark.parametrize("words", [("approve",), ("retire",), ("register", "set"), ("compare", "--case"), ("export",)])
def test_a_case_is_offered_by_its_id_and_as_a_folder(tmp_path, words):
    for place, name in (("approved", "2026-03-02-a-b-c-0a1b2c3d"), ("quarantine", "2026-07-18-d-e-f-0a1b2c3e")):
        (tmp_path / "own" / place / name).mkdir(parents=True)
    (tmp_path / "extract-fixture.toml").write_text("out = 'own'\n")
    found, loaded = completed(tmp_path, *words, "2026-03")
    assert found == [("dir", "2026-03"), ("plain", "2026-03-02-a-b-c-0a1b2c3d")]
    assert not loaded & (HEAVY - {"yaml"})


def test_broken_settings_end_a_completion_quietly(tmp_path):
    (tmp_path / "extract-fixture.toml").write_text("not toml")
    assert completed(tmp_path, "approve", "2026")[0] == [("dir", "2026")]


@pytest.mark.parametrize("command", ["extract", "bulk", "redact", "review", "replay", "doctor", "validate", "export"])
def test_completing_a_command_s_options_loads_nothing_heavy(tmp_path, command):
    found, loaded = completed(tmp_path, command, "--")
    assert ("plain", "--help") in found
    assert not loaded & (HEAVY - ({"cryptography"} if command == "bulk" else set()))  # what seals its spills: 13 ms


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(shell, capsys, monkeypatch):
    assert run(["--completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"{completing.VARIABLE}={shell}_complete" in script
    monkeypatch.setenv(completing.VARIABLE, f"{shell}_source")
    assert run([]) == 0
    assert capsys.readouterr().out == script


def test_a_shell_that_is_not_known_is_a_usage_error(capsys):
    assert run(["--completion", "Zebra"]) == 2
    assert "Zebra" not in capsys.readouterr().err


def test_an_instruction_that_is_not_known_ends_quietly(monkeypatch, capsys):
    for instruction in ("Zebra_complete", "bash_Zebra", ""):
        monkeypatch.setenv(completing.VARIABLE, instruction)
        assert run(["validate"]) == (1 if instruction else 2)
    assert "Zebra" not in "".join(capsys.readouterr())


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_real_bash_completes(tmp_path):
    """The script is sourced and its function called, as bash does when Tab is pressed."""
    program = tmp_path / "extract-fixture"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m extractor "$@"\n')
    program.chmod(0o755)
    script = """
        eval "$(extract-fixture --completion bash)"
        compopt() { :; }  # which works only where a person types
        COMP_WORDS=(extract-fixture vali) COMP_CWORD=1
        _extract_fixture_completion extract-fixture
        echo "${COMPREPLY[@]}"
    """
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["validate"], done.stderr
