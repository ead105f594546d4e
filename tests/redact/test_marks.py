"""What a reviewer marks: a keyed digest or a field path finds the text again, and no text is written down."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from extractor import pipeline, ruleset
from extractor.errors import UsageError
from extractor.model.config import Mark, RunConfig, Wanted
from extractor.read import read
from extractor.redact import WorkspaceKey, token_digest
from tests.acceptance.samples import OCCASION, RULES, config_of, source_of

KEY = WorkspaceKey(material=bytes(range(32)))
NAME = "refund-timeout"


def made(*marks: Mark) -> pipeline.Extraction:
    config = replace(config_of(NAME), marks=marks)
    return pipeline.extract(read([str(source_of(NAME))], config.wanted), config, RULES, KEY, OCCASION)


def said(extraction: pipeline.Extraction, name: str) -> dict:
    return json.loads(extraction.fixture.files[name])


@pytest.fixture(scope="module")
def plain() -> pipeline.Extraction:
    return made()


@pytest.fixture(scope="module")
def scope(plain) -> str:
    return said(plain, "provenance.json")["predicate"]["redaction"]["scope"]


def test_a_token_marked_as_a_name_goes_everywhere_and_is_proved_gone(plain, scope):
    assert plain.fixture.files["fixture.json"].count(b"Skarn") == 3
    marked = made(Mark(mark="name", digest=token_digest("Skarn", KEY, scope)))
    assert not [name for name, content in marked.fixture.files.items() if b"skarn" in content.lower()]
    assert b"karn" not in marked.capture.lower()
    predicate = said(marked, "provenance.json")["predicate"]
    assert predicate["overrides"]["marks"] == {"name": 1, "must_go": 0}
    assert len(predicate["residual"]) == len(said(plain, "provenance.json")["predicate"]["residual"]) - 1
    before, after = said(plain, "fixture.json"), said(marked, "fixture.json")
    differing = {member for member in before if before[member] != after[member]}
    assert differing == {"messages", "tool_events"}


def test_what_must_go_needs_no_class(scope):
    marked = made(Mark(mark="must_go", digest=token_digest("skarn", KEY, scope)))
    assert b"skarn" not in marked.fixture.files["fixture.json"].lower()


def test_spellings_of_one_token_share_a_digest(scope):
    assert len({token_digest(text, KEY, scope) for text in ("Skarn", "SKARN", "skarn", "Skarn's", "Skarn\u2019s")}) == 1
    assert token_digest("Skarn", KEY, scope) != token_digest("Skarn", KEY, "case:other")
    assert "karn" not in token_digest("Skarn", KEY, scope)


def test_a_text_marked_by_its_place_goes_whole():
    marked = made(Mark(mark="must_go", path="messages[3].parts[0].value.{3}[0].{0}"))
    document = said(marked, "fixture.json")
    assert b"rain jacket" not in marked.fixture.files["fixture.json"]
    assert document["messages"][3]["parts"][0]["value"]["items"][0]["quantity"] == 1


def test_a_place_that_holds_no_text_is_refused():
    with pytest.raises(UsageError):
        made(Mark(mark="must_go", path="messages[99].parts[0].text"))


def test_an_accepted_token_stays_and_is_asked_no_more(plain, scope):
    marked = made(Mark(mark="accept", digest=token_digest("Skarn", KEY, scope)))
    assert marked.fixture.files["fixture.json"] == plain.fixture.files["fixture.json"]
    before = said(plain, "provenance.json")["predicate"]
    predicate = said(marked, "provenance.json")["predicate"]
    assert predicate["accepted"] == [one for one in before["residual"] if one not in predicate["residual"]]
    assert len(predicate["accepted"]) == 1


def test_the_capture_remembers_marks_by_digest_and_the_request_without_what_people_typed(scope):
    marks = (Mark(mark="accept", digest=token_digest("Skarn", KEY, scope)),)
    capture = json.loads(made(*marks).capture)
    assert capture["marks"] == [{"mark": "accept", "digest": marks[0].digest, "path": None}]
    assert capture["request"]["time_zone"] == config_of(NAME).time_zone
    assert not {"failure", "statement", "facts"} & set(capture["request"])


def test_a_mark_of_nothing_changes_nothing(plain):
    marked = made(Mark(mark="name", digest="0" * 32))
    assert marked.fixture.files["fixture.json"] == plain.fixture.files["fixture.json"]


def test_a_mark_names_one_thing():
    with pytest.raises(ValueError, match="one of"):
        Mark(mark="name")
    with pytest.raises(ValueError, match="one of"):
        Mark(mark="name", digest="0" * 32, path="input")
    assert RunConfig(wanted=Wanted()).marks == ()
    assert ruleset.load().digest == RULES.digest
