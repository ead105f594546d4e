"""Folders that are fixtures, of both forms, and folders that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from extractor.checks.loading import find, load_case, load_fixture
from extractor.errors import InputUnreadable, UsageError

from .conftest import ACCEPT, CASE, REJECT, write

GOLDEN = Path(__file__).parent.parent / "golden" / "complete_fixture.json"


def ours(folder, expect=REJECT, **members):
    folder.mkdir(parents=True)
    (folder / "fixture.json").write_text(json.dumps(json.loads(GOLDEN.read_text()) | members))
    if expect:
        (folder / "expect.yaml").write_text(expect)
    return folder


def test_the_chapters_folder_is_a_fixture(tmp_path):
    """S92 S97 S98."""
    fixture = load_fixture(write(tmp_path / "refund", expect=REJECT))
    assert fixture.name == fixture.case.name == "refund"
    assert fixture.case.now.isoformat() == "2026-06-14T10:00:00+00:00"
    assert (fixture.case.order_id, fixture.case.amount_cents) == ("A-7741", 4200)
    assert fixture.record.tool_calls[0].arguments_parsed["amount_cents"] == 42
    assert fixture.expectation.reason == "amount_cents"


def test_ours_is_a_fixture_and_so_is_a_control_beside_it(tmp_path):
    ours(tmp_path / "case")
    ours(tmp_path / "case" / "controls" / "allowed", ACCEPT, control_of="x")
    found = find([tmp_path])
    assert [load_fixture(each).name for each in found.folders] == ["case", "case/allowed"]
    fixture = load_fixture(tmp_path / "case")
    assert (fixture.incident_id, fixture.control_of) == ("INC-1042", None)
    assert load_fixture(found.folders[1]).control_of == "x"


def test_a_case_that_expects_nothing_of_checks_is_counted(tmp_path):
    ours(tmp_path / "case", expect="")
    assert find([tmp_path]).without_expectation == 1
    assert find([tmp_path]).folders == ()


def test_folders_are_found_once_and_by_name(tmp_path):
    for name in ("b", "a", ".hidden", "restricted"):
        write(tmp_path / name, expect=REJECT)
    assert [each.name for each in find([tmp_path, tmp_path / "a"]).folders] == ["a", "b"]


def test_a_link_among_fixtures_is_refused(tmp_path):
    write(tmp_path / "a" / "refund", expect=REJECT)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(UsageError, match="link"):
        find([tmp_path])


@pytest.mark.parametrize("name", ["conftest.py", "notes.txt", ".env"])
def test_a_file_of_no_fixture_is_refused_in_both_forms(tmp_path, name):
    for folder in (write(tmp_path / "theirs", expect=REJECT), ours(tmp_path / "ours")):
        (folder / name).write_text("x")
        with pytest.raises(InputUnreadable, match="belong to no fixture"):
            load_fixture(folder)


@pytest.mark.parametrize("name", ["case.yaml", "record.json"])
def test_a_folder_that_lacks_a_half_is_told_and_not_passed_over(tmp_path, name):
    (write(tmp_path / "refund", expect=REJECT) / name).unlink()
    assert len(find([tmp_path]).folders) == 1
    with pytest.raises(InputUnreadable, match=name):
        load_fixture(tmp_path / "refund")


@pytest.mark.parametrize(
    "case",
    [
        "now: 2026-06-14T10:00:00\n",
        "now: tomorrow\n",
        "now: 5\n",
        "expectations: [a]\n",
        "owner: jane@example.com\n",
        "input: [jane@example.com\n",
    ],
)
def test_a_case_that_is_not_understood_is_refused_without_a_word_of_it(tmp_path, case):
    with pytest.raises(InputUnreadable, match=r"case\.yaml") as caught:
        load_fixture(write(tmp_path / "refund", expect=REJECT, case=case))
    assert "jane" not in caught.value.message


@pytest.mark.parametrize("members", [{"case_id": "../x"}, {"tool_events": [1]}, {"frozen_at": "2026-03-02"}])
def test_a_fixture_of_ours_that_is_not_whole_is_refused(tmp_path, members):
    with pytest.raises(InputUnreadable):
        load_fixture(ours(tmp_path / "case", **members))


def test_a_case_alone_is_loaded_by_its_file(tmp_path):
    (tmp_path / "case.yaml").write_text(CASE)
    assert load_case(tmp_path / "case.yaml").order_id == "A-7741"
