from __future__ import annotations

import pytest

from extractor.cli.app import run


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["inspct", "file"], "extract-fixture inspect"),
        (["aprove", "x"], "extract-fixture approve"),
        (["Validate", "x"], "extract-fixture validate"),
        (["rules", "lst"], "extract-fixture rules list"),
        (["key", "nwe"], "extract-fixture key new"),
        (["register", "sett"], "extract-fixture register set"),
        (["inspect", "--erors", "x"], "--errors"),
        (["--trace-idd", "x", "y"], "--trace-id"),
        (["--trace-id", "x", "--faliure", "Zebra", "y"], "--failure"),
    ],
)
def test_what_is_nearly_a_word_of_ours_is_told_with_the_word_that_is_near(
    arguments, meant, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    error, hint = capsys.readouterr().err.splitlines()
    assert error.startswith("error: no ")
    assert hint.startswith(f"hint:  did you mean {meant}?")
    assert "Zebra" not in error + hint


def test_a_mistyped_command_is_said_to_be_neither_command_nor_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["inspct", "--json", "file"]) == 2
    assert capsys.readouterr().err.startswith("error: no command and no file has the name that stands first\n")


def test_a_word_that_is_like_nothing_is_told_with_where_the_commands_are(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["xyzzy"]) == 2
    told = capsys.readouterr().err
    assert "no command and no file" in told
    assert "extract-fixture --help" in told
    assert "xyzzy" not in told


@pytest.mark.parametrize("word", ["inspct.jsonl", "./inspct", "insp*", "s3://inspct/x", "-"])
def test_what_can_only_be_a_source_is_taken_for_one(word, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run([word]) == 2
    assert "which trace?" in capsys.readouterr().err


def test_a_file_goes_before_a_command_that_it_resembles(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inspct").write_text("{}")
    assert run(["inspct"]) == 2
    assert "which trace?" in capsys.readouterr().err
