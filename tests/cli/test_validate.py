from __future__ import annotations

import json
import shutil

import pytest

from extractor.cli.app import run
from extractor.schemas import NAMES, schema_text

TRACE = "6d383010fe32bfe09c943d88b718f3e3"


@pytest.fixture
def complete(here, export):
    assert run(["--trace-id", TRACE, str(export), "--prohibit", "the refund has been completed", "--quiet"]) == 0
    (found,) = (here / "fixtures" / "quarantine").glob("2*tool-timeout*")
    return found


def test_a_whole_case_is_told_in_the_seed_s_words(complete, capsys):
    """S18."""
    assert run(["validate", str(complete)]) == 0
    assert capsys.readouterr().out == f"valid replay fixture: {complete.name}\n"


def test_problems_go_to_standard_error_in_the_seed_s_words(complete, capsys):
    """S15."""
    document = json.loads((complete / "fixture.json").read_text())
    del document["frozen_at"], document["identity"]
    file = complete.parent.parent / "broken.json"
    file.write_text(json.dumps(document))
    assert run(["validate", str(file)]) == 1
    shown, told = capsys.readouterr()
    assert shown == ""
    assert told.splitlines()[0] == "missing top-level fields: ['frozen_at', 'identity']"


def test_a_sidecar_about_other_bytes_ends_with_seven(complete, capsys):
    file = complete / "fixture.json"
    file.write_text(file.read_text().replace("the refund has been completed", "the refund has been sent"))
    assert run(["validate", str(complete)]) == 7


def test_sidecars_may_stand_elsewhere(complete, tmp_path, capsys):
    """S10."""
    elsewhere = tmp_path / "sidecars" / complete.name
    elsewhere.mkdir(parents=True)
    shutil.move(complete / "provenance.json", elsewhere)
    (complete / "capture.json").unlink()
    assert run(["validate", str(complete), "--provenance", str(tmp_path / "sidecars"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["provenance"] == "elsewhere"


def test_a_folder_of_cases_is_counted(complete, capsys):
    assert run(["validate", str(complete.parent), str(complete)]) == 0
    assert "2 of 2 cases are valid" in capsys.readouterr().out


def test_nothing_to_validate_ends_with_six(tmp_path):
    assert run(["validate", str(tmp_path)]) == 6


@pytest.fixture
def unplayable(here, export, capsys):
    """A case of a trace in which no user says anything."""
    assert (
        run(["--trace-id", "da0c996a3a7de6a6b5553091b1474ea1", str(export), "--prohibit", "x is done", "--quiet"]) == 4
    )
    capsys.readouterr()
    (found,) = (here / "fixtures" / "quarantine").glob("2*")
    return found


def test_a_case_that_cannot_be_replayed_is_whole_and_not_valid(unplayable, capsys):
    assert run(["validate", str(unplayable)]) == 4
    shown, told = capsys.readouterr()
    assert "valid" not in shown
    assert told == "non-replayable: no replay can be judged without input.messages (no_input)\n"
    assert run(["validate", str(unplayable), "--json"]) == 4
    said = json.loads(capsys.readouterr().out)
    assert (said["valid"], said["replayable"], said["problems"]) == (False, False, [])
    assert said["lacks"] == ["input.messages (no_input)"]


def test_of_several_cases_the_one_that_cannot_be_replayed_is_named(unplayable, complete, capsys):
    assert run(["validate", str(unplayable.parent)]) == 4
    shown, told = capsys.readouterr()
    assert f"valid replay fixture: {complete.name}" in shown
    assert "1 of 2 cases is valid" in shown
    assert told.startswith(f"{unplayable.name}: non-replayable")


def test_what_is_missing_is_never_told_in_words_of_the_file(unplayable, capsys):
    file = unplayable / "fixture.json"
    file.write_text(file.read_text().replace('"input.messages"', '"Zebra Street 5"'))
    run(["validate", str(file)])
    told = "".join(capsys.readouterr())
    assert "a field (no_input)" in told
    assert "Zebra" not in told


def test_an_odd_list_of_what_is_missing_is_a_problem_and_no_fault_of_ours(unplayable, capsys):
    document = json.loads((unplayable / "fixture.json").read_text())
    file = unplayable.parent.parent / "odd.json"
    for odd in (3, [3], [{"code": {}}], [{"code": ["no_input"], "field": 1}]):
        file.write_text(json.dumps({**document, "missing_evidence": odd}))
        assert run(["validate", str(file)]) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_printed_as_it_is_published(name, here, capsys):
    assert run(["validate", "--schema", name]) == 0
    shown, told = capsys.readouterr()
    assert (shown, told) == (schema_text(name), "")
    assert json.loads(shown)["$id"] == f"urn:extract-fixture:schema:{name}:1"


def test_a_schema_beside_a_case_is_a_misuse(complete, capsys):
    assert run(["validate", str(complete), "--schema", "fixture"]) == 2
    assert run(["validate", "--schema", "fixture", "--approved", "fixtures"]) == 2
    assert run(["validate", "--schema", "fixtures"]) == 2
    assert capsys.readouterr().out == ""


def test_many_lacks_of_one_kind_are_one_phrase(unplayable, capsys):
    document = json.loads((unplayable / "fixture.json").read_text())
    document["missing_evidence"] += [{"field": f"model_events[{n}]", "code": "content_switched_off"} for n in range(5)]
    (unplayable / "fixture.json").write_text(json.dumps(document))
    run(["validate", str(unplayable / "fixture.json")])
    told = "".join(capsys.readouterr())
    assert "input.messages (no_input), model_events[0], model_events[1] and 3 more (content_switched_off)" in told
