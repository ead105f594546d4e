"""Marks of a reviewer: rules of the case by digest or path, the source read again, all of it recorded by counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from extractor.errors import InputUnreadable, UsageError
from extractor.model.config import RunConfig, Statement
from extractor.redact import WorkspaceKey
from extractor.reextract import reextract, source_of
from extractor.review.page.desk import QuarantineDesk, changes
from extractor.review.page.lenient import CaseFiles
from extractor.review.page.ports import CaseChanged, Settled
from extractor.validate import validate_case
from tests.acceptance import samples

from .conftest import AT, NAME, desk_of


def document(case, name="fixture.json") -> dict:
    return json.loads((case / name).read_bytes())


def predicate(case) -> dict:
    return document(case, "provenance.json")["predicate"]


def history(case) -> list[dict]:
    return [json.loads(line) for line in (case / "history.jsonl").read_text().splitlines()]


def seen(case) -> str:
    return CaseFiles.of(case).seen


def settle(desk: QuarantineDesk, case: Path, word, residual=None, token=None):
    return desk.settle(case, Settled(word=word, residual=residual, token=token), seen=seen(case))


def everything(case) -> bytes:
    return b"".join(path.read_bytes() for path in case.rglob("*") if path.is_file())


@pytest.mark.parametrize("word", ["name", "must_go"])
def test_what_is_marked_goes_and_what_changed_is_shown(case, desk, word):
    assert predicate(case)["residual"][0]["code"] == "name_like"
    outcome = settle(desk, case, word, 0)
    assert not outcome.waiting
    assert b"karn" not in everything(case).lower()
    assert {change.before != change.after for change in outcome.changes} == {True}
    assert any("Skarn" in change.before and "Skarn" not in change.after for change in outcome.changes)
    assert len(predicate(case)["residual"]) == 1
    assert validate_case(case).cases[0].problems == ()
    last = history(case)[-1]
    assert (last["event"], last["at"]) == ("reviewed", AT)
    assert (last["names"], last["must_go"]) == ((1, 0) if word == "name" else (0, 1))


def test_changes_are_cut_to_where_they_differ():
    before = {"a": "x" * 500 + " Skarn " + "y" * 500, "b": 1, "c": ["same"]}
    (change,) = changes(before, {**before, "a": before["a"].replace("Skarn", "Grom")})
    assert (change.path, change.before) == ("a", f"…{'x' * 29} Skarn {'y' * 29}…")
    assert change.after == f"…{'x' * 29} Grom {'y' * 29}…"


def test_what_is_accepted_stays_and_is_asked_no_more(case, desk):
    before = document(case)
    outcome = settle(desk, case, "accept", 0)
    assert document(case) == before
    assert outcome.changes == ()
    assert [one["code"] for one in predicate(case)["accepted"]] == ["name_like"]
    assert len(predicate(case)["residual"]) == 1
    assert validate_case(case).cases[0].problems == ()
    assert history(case)[-1]["accepted"] == 1


def test_accepting_needs_no_source_and_extraction_remembers_it(case):
    desk = desk_of()
    settle(desk, case, "accept", 1)
    settle(desk, case, "accept", 0)
    written = {name: (case / name).read_bytes() for name in ("fixture.json", "README.md", "provenance.json")}
    again = reextract(
        case,
        source_of(case, [samples.source_of(NAME)]),
        base=RunConfig(),
        rules=samples.RULES,
        key=samples.KEY,
        occasion=samples.OCCASION,
    )
    assert dict(again.extraction.fixture.files) == written


def test_without_the_source_a_mark_waits_and_says_how_it_goes_on(case):
    outcome = settle(desk_of(), case, "name", 0)
    assert "not at hand" in outcome.waiting
    assert outcome.command == f"extract-fixture review {case} --source EXPORT"
    assert b"Skarn" in (case / "fixture.json").read_bytes()
    assert b"karn" not in (case / "capture.json").read_bytes()
    assert history(case)[-1]["waiting"] == 1
    desk = desk_of(samples.source_of(NAME))
    assert desk.waiting(case) == 1
    outcome = desk.resume(case, seen=seen(case))
    assert not outcome.waiting
    assert b"karn" not in everything(case)
    assert desk.waiting(case) == 0
    assert validate_case(case).cases[0].problems == ()


def test_a_source_that_changed_is_not_read(case, tmp_path):
    copy = tmp_path / "exports" / samples.source_of(NAME).name
    copy.parent.mkdir()
    copy.write_bytes(samples.source_of(NAME).read_bytes() + b"\n")
    outcome = settle(desk_of(copy.parent), case, "name", 0)
    assert "changed" in outcome.waiting
    assert b"Skarn" in (case / "fixture.json").read_bytes()


def test_a_word_that_nobody_asked_about_can_go_too(case, desk):
    settle(desk, case, "must_go", token="Outfitters")
    assert b"outfitters" not in everything(case).lower()


@pytest.mark.parametrize("token", ["", "two words", "Absentia"])
def test_only_one_word_that_stands_in_the_case_can_be_marked(case, desk, token):
    with pytest.raises(UsageError) as error:
        settle(desk, case, "must_go", token=token)
    assert not token or token not in str(error.value)


def test_a_case_that_changed_meanwhile_is_not_decided_upon(case, desk):
    looked = seen(case)
    settle(desk, case, "accept", 0)
    with pytest.raises(CaseChanged):
        desk.settle(case, Settled(word="name", residual=0), seen=looked)


def test_marks_do_not_put_off_expiry(case, desk):
    before = document(case, "capture.json")
    settle(desk, case, "name", 0)
    after = document(case, "capture.json")
    assert [before[name] for name in ("extracted_at", "expires_at", "host")] == [
        after[name] for name in ("extracted_at", "expires_at", "host")
    ]


def test_what_people_say_is_noted(case, desk):
    desk.note(case, Statement(behaviours=("say that it is not known yet",)), seen=seen(case))
    assert document(case)["expected"]["required_behaviours"] == ["say that it is not known yet"]


def test_originals_are_told_only_where_they_were_asked_for(case):
    source = samples.source_of(NAME)
    assert desk_of(source).originals(case) == {}
    told = desk_of(source, with_source=True).originals(case)
    planted = {entry["value"] for entry in samples.FACTS[NAME]["planted"]}
    assert planted & set(told.values())
    with pytest.raises(InputUnreadable):
        desk_of(with_source=True).originals(case)


def test_who_cannot_settle_is_told_why(case, desk):
    assert desk.hindrance(case) == ""
    assert "--key-file" in desk_of(key=None).hindrance(case)
    assert "key of the case" in desk_of(key=WorkspaceKey(material=bytes(range(1, 33)))).hindrance(case)
    moved = case.parent.parent / "approved" / case.name
    moved.parent.mkdir()
    case.rename(moved)
    assert "quarantine" in desk.hindrance(moved)
