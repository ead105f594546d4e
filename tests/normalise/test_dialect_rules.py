"""Dialects are data: a new one is a new file, and a wrong one does not load."""

from __future__ import annotations

import pytest

from extractor import ruleset
from extractor.errors import RulesError
from extractor.model.reading import Reading
from extractor.normalise import check_examples, normalise

from .conftest import span

ACME = """
title = "Acme traces"
why = "An invented vocabulary, to show that it needs no code."
source = "https://example.com/acme"

[[mark]]
rank = 5
attr = "acme.act"

[[kind]]
step = "tool_call"
attr = "acme.act"
equals = ["call"]

[[kind]]
step = "model_call"
attr = "acme.act"
equals = ["think"]

[facts]
"tool.name" = [{ attr = "acme.tool" }]
"tool.arguments" = [{ attr = "acme.in", parse = "json", member = "kwargs" }]
"tool.result" = [{ attr = "acme.out", parse = "json" }]
"model.input" = [{ prefix = "acme.turns.", parse = "indexed", unwrap = ["turn"] }]

[[example]]
why = "the wrapper is taken off"
[[example.span]]
attributes = { "acme.act" = "call", "acme.tool" = "look", "acme.in" = '{"args": [], "kwargs": {"id": 7}}' }
[example.expect]
"kind" = "tool_call"
"tool.name" = "look"
"tool.arguments" = { id = 7 }
"""


@pytest.fixture
def overlay(tmp_path):
    """Return a function that loads the shipped rules with one more dialect."""

    def make(text, name="acme"):
        folder = tmp_path / "dialects"
        folder.mkdir()
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
        return ruleset.load((tmp_path,))

    return make


def test_a_made_up_dialect_works_without_code(overlay):
    rules = overlay(ACME)
    act = {"acme.act": "think", "acme.turns.10.turn.content": "b", "acme.turns.9.turn.content": "a"}
    call = {"acme.act": "call", "acme.tool": "look", "acme.in": '{"kwargs": {"id": 1}}', "acme.out": "[1]"}
    told = normalise(Reading(spans=(span(1, act), span(2, call))), rules)
    assert told.dialects == ("acme",)
    assert [message.parts[0].text for message in told.steps[0].model.input] == ["a", "b"]
    assert (told.steps[1].tool.arguments, told.steps[1].tool.result) == ({"id": 1}, [1])


def test_a_dialect_may_inherit_another(overlay):
    rules = overlay(
        ACME.replace("[[mark]]", 'inherits = "otel_genai"\n\n[[mark]]', 1)
        .replace('"tool.result" = [{ attr = "acme.out", parse = "json" }]', "")
    )  # fmt: skip
    call = {"acme.act": "call", "acme.tool": "look", "gen_ai.tool.call.result": "done"}
    assert normalise(Reading(spans=(span(1, call),)), rules).steps[0].tool.result == "done"


def test_a_dialect_whose_example_fails_does_not_load(overlay):
    rules = overlay(ACME.replace("{ id = 7 }", "{ id = 8 }"))
    with pytest.raises(RulesError) as raised:
        normalise(Reading(spans=()), rules)
    assert raised.value.faults == ("dialects/acme example 1: tool.arguments was read otherwise",)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('parse = "indexed"', 'parse = "guess"', "parse is none of our words"),
        ('step = "tool_call"', 'step = "magic"', "step is none of our words"),
        ("rank = 5", "", "needs a rank"),
        ('attr = "acme.act"\n\n[[kind]]', "\n[[kind]]", "marks every span"),
        ('"tool.name"', '"tool.colour"', "facts tool.colour: unknown key"),
        ('why = "An', 'whim = "An', "needs a why"),
        ('[{ attr = "acme.tool" }]', '[{ parse = "json" }]', "says no place"),
        ('title = "Acme traces"', "title = 7", "title has the wrong type"),
        ('[{ attr = "acme.tool" }]', '"acme.tool"', "is no list of sources"),
        ('[{ attr = "acme.tool" }]', "[7]", "is no table"),
        ('[{ attr = "acme.tool" }]', "[{ attr = 7 }]", "attr has the wrong type"),
        ('[{ attr = "acme.tool" }]', '[{ attr = "acme.tool", parse = "pairs" }]', "pairs needs two attributes"),
        ("rank = 5", 'rank = 5\nspan_kind = "remote"', "span_kind is none of our words"),
        ("attributes = {", "colour = {", "a span: unknown key colour"),
        ("[facts]", "[messages.roles]\nboss = ['chief']\n[facts]", "a role or part type that is not ours"),
        ("[facts]", "[arguments]\nidempotency_key = 7\n[facts]", "idempotency_key has the wrong type"),
        ("[[mark]]", 'inherits = "nobody"\n[[mark]]', "inherits from a dialect that is not there"),
    ],
)  # fmt: skip
def test_a_malformed_dialect_names_its_fault(overlay, old, new, fault):
    with pytest.raises(RulesError) as raised:
        normalise(Reading(spans=()), overlay(ACME.replace(old, new, 1)))
    assert any(fault in line for line in raised.value.faults)


def test_all_faults_of_a_dialect_are_listed_at_once(overlay):
    rules = overlay(ACME.replace("rank = 5", "").replace('step = "tool_call"', 'step = "magic"'))
    with pytest.raises(RulesError) as raised:
        normalise(Reading(spans=()), rules)
    assert len(raised.value.faults) == 2


def test_the_shipped_dialects_hold_their_examples(rules):
    assert check_examples(rules) >= 20
