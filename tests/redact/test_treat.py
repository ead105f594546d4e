"""What people settled about ambiguous tokens is done in every spelling, and asked no more."""

from __future__ import annotations

import json

import pytest

from extractor import ruleset
from extractor.errors import UsageError
from extractor.model.config import RunConfig
from extractor.model.reading import Reading
from extractor.model.span import Span
from extractor.pipeline import Occasion, extract
from extractor.redact import WorkspaceKey
from extractor.redact.treat import text_at

RULES = ruleset.load()
KEY = WorkspaceKey(material=bytes(range(32)))
OCCASION = Occasion(extracted_at="2026-01-01T00:00:00Z", expires_at="2026-02-01T00:00:00Z", host="here")
TRACE = "5b8efff798038103d269b633813fc60c"


def reading() -> Reading:
    spans = (
        Span(
            trace_id=TRACE,
            span_id="00000000000000a1",
            parent_id=None,
            name="execute_tool customer.get",
            kind="internal",
            start_ns=1_784_368_000_000_000_000,
            end_ns=1_784_368_000_100_000_000,
            attributes=(
                ("gen_ai.operation.name", "execute_tool"),
                ("gen_ai.tool.name", "customer.get"),
                ("gen_ai.tool.call.arguments", json.dumps({"note": "we will grant it, WILL said"})),
                ("gen_ai.tool.call.result", json.dumps({"first_name": "Will", "last_name": "Oduya"})),
            ),
        ),
    )
    return Reading(spans=spans)


def case_with(**treat: str) -> tuple[str, list[str]]:
    config = RunConfig(treat={"tool_events[0].arguments.{0}": treat["as_"]} if treat else {})
    fixture = extract(reading(), config, RULES, KEY, OCCASION).fixture
    open_paths = [one.path for one in fixture.proofs.residual if one.code == "ambiguous"]
    return fixture.files["fixture.json"].decode(), open_paths


def test_an_ambiguous_token_stays_and_is_listed() -> None:
    text, asked = case_with()
    assert "we will grant it, WILL said" in text
    assert asked == ["tool_events[0].arguments.{0}"]


def test_a_name_goes_in_every_spelling() -> None:
    text, asked = case_with(as_="name")
    assert "will" not in text.lower()
    assert asked == []


def test_a_word_stays_and_is_asked_no_more() -> None:
    text, asked = case_with(as_="word")
    assert "we will grant it, WILL said" in text
    assert asked == []


@pytest.mark.parametrize("path", ["", "nowhere", "a[0", "a[9]", "a{0}", "b.{7}", "a..b", "b.{1}"])
def test_a_path_without_a_text_is_refused_and_not_repeated(path: str) -> None:
    with pytest.raises(UsageError) as caught:
        text_at({"a": ["x"], "b": {"k": "v", "n": 1}}, path)
    assert not path or path not in str(caught.value)


def test_payload_members_are_found_by_position() -> None:
    assert text_at({"a": [{"payload": {"k": "v"}}]}, "a[0].payload.{0}") == "v"
