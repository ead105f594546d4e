"""Somebody in a hurry names the wrong thing: every error says what to do next, and repeats nothing that was given."""

from __future__ import annotations

import shutil

import pytest

from extractor.cli.app import run
from extractor.errors import UsageError
from extractor.replay.project import resolve

DECIDING = ["--role", "privacy", "--reviewer", "Rana Okafor"]
NO_CASE = "name one case: a folder that holds fixture.json"
NOTHING = "check the path: nothing is there"
FOLDER = "name the folder that holds it"


def fails(capsys, status: int, *words: object) -> tuple[str, str]:
    """The error and the hint of a command line that ends with a status."""
    assert run([str(word) for word in words]) == status
    told = capsys.readouterr().err
    assert told.startswith("error: ")
    assert "\nhint:  " in told
    assert "zebra" not in told
    return tuple(told.split("\nhint:  ", 1))


@pytest.mark.parametrize("command", [["show"], ["review", "--no-browser"], ["approve", *DECIDING], ["controls"],
                                     ["annotate", "--incident", "INC-1"], ["export", "--to", "promptfoo", "--out", "o"]])  # fmt: skip
def test_what_is_no_case_is_told_with_what_to_name(command, case, here, capsys):
    status = 2 if command[0] in ("controls", "annotate") else 6
    for wrong, hint in (("zebra", NOTHING), ("fixtures", NO_CASE), (case / "fixture.json", FOLDER)):
        error, told = fails(capsys, status, *command, wrong)
        assert "no case" in error
        assert told.startswith(hint)


def test_validate_of_nothing_and_of_a_folder_without_cases_says_what_to_name(here, capsys):
    (here / "zebra-empty").mkdir()
    assert fails(capsys, 6, "validate", "zebra")[1].startswith(NOTHING)
    assert fails(capsys, 6, "validate", "zebra-empty")[1].startswith(NO_CASE)


def test_an_approved_case_is_changed_by_its_next_version(case, here, capsys):
    approved = here / "fixtures" / "approved" / case.name
    approved.parent.mkdir()
    shutil.copytree(case, approved)
    error, hint = fails(capsys, 2, "annotate", approved, "--incident", "INC-1")
    assert "what people approved" in error
    assert "recapture" in hint
    error, hint = fails(capsys, 2, "retire", case, "--reason", "The tool is gone.")
    assert "reject" in hint


def test_a_case_outside_every_store_says_so(case, here, capsys):
    away = here / "away" / case.name
    shutil.copytree(case, away)
    error, hint = fails(capsys, 2, "annotate", away, "--incident", "INC-1")
    assert "stands in no store" in error
    assert "extract" in hint


def test_a_store_that_is_not_there_is_not_made_by_looking(here, capsys):
    for command in (["purge"], ["purge", "--dry-run"], ["register"]):
        assert "--store" in fails(capsys, 2, *command, "--store", "zebra")[1]
    assert not (here / "zebra").exists()


@pytest.mark.parametrize(
    ("place", "hint"),
    [
        ("no_such_shop:run", "PYTHONPATH=src"),
        ("no_such.shop:run", "PYTHONPATH=src"),
        ("lacking:run", "imports a package that this Python lacks"),
        ("breaking:run", "python -c 'import breaking'"),
        ("json:nothing", "no function of this name"),
        ("json", "shop.agent:run"),
    ],
)
def test_an_entry_point_that_is_not_found_is_told_with_its_cure(place, hint, tmp_path):
    (tmp_path / "lacking.py").write_text("import no_such_library_here\n")
    (tmp_path / "breaking.py").write_text("raise ValueError('Zebra')\n")
    with pytest.raises(UsageError) as caught:
        resolve(place, tmp_path)
    assert hint in caught.value.hint
    assert "Zebra" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("mutate", "mutate --list"),
        ("mutate zebra --anyway --with wrong_argument --out o", "extract-fixture mutate --help"),
        ("retain zebra.jsonl", "--side-effects"),
        ("retain", "extract-fixture retain --help"),
        ("rules test --value zebra", "extract-fixture rules test --help"),
    ],
)
def test_a_command_without_its_choice_is_told_how_to_choose(command, hint, here, capsys):
    assert hint in fails(capsys, 2, *command.split())[1]


def test_an_audit_before_any_run_says_what_fills_its_table(here, capsys):
    assert "check --audit" in fails(capsys, 6, "audit")[1]


@pytest.mark.parametrize(("text", "hint"), [("", "did spans reach it"), ('{"a": 1}', "--format")])
def test_an_export_without_spans_is_told_with_where_to_look(text, hint, here, capsys):
    (here / "export.json").write_text(text)
    for command in (["--trace-id", "6d383010"], ["inspect"]):
        assert hint in fails(capsys, 6, *command, "export.json")[1]


def test_a_folder_in_place_of_a_key_is_told_as_what_it_is(here, export, capsys):
    error, hint = fails(capsys, 2, "--key-file", here, "--trace-id", "6d383010", export)
    assert "not a regular file" in error
    assert "workspace.key" in hint
    assert "extract-fixture key new" in fails(capsys, 2, "key", "id", "zebra")[1]


def test_a_manifest_that_is_not_there_is_told_with_who_writes_them(here, capsys):
    assert "extract-fixture replay" in fails(capsys, 6, "compare", "zebra", "zebra2")[1]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("approve zebra --role owner", "one of privacy, incident-owner, qa, workflow, dependency"),
        ("review zebra --source zebra", "names a file or folder that is there"),
        ("replay zebra --runs 0", "a number from 1 to 1000"),
    ],
)
def test_a_value_that_is_not_accepted_is_told_with_those_that_are(command, told, here, capsys):
    assert told in fails(capsys, 2, *command.split())[0]


def test_a_key_that_is_not_there_and_one_that_is_are_told_apart(here, capsys):
    (here / "zebra.key").write_text("x")
    assert (
        "no key file is there" in fails(capsys, 2, "--key-file", "zebra", "--trace-id", "6d383010", "export.jsonl")[0]
    )
    assert "EXTRACT_FIXTURE_KEY_FILE uses it" in fails(capsys, 2, "key", "new", "--out", "zebra.key")[1]
