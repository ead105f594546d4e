from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from extractor.model.json import ExactNumber, parse
from extractor.replay.compiled import NotCompiled, compile_schema
from extractor.replay.structure import misfits, problems
from extractor.schemas import load, schema_problems

GOLDEN: Any = parse((Path(__file__).parents[1] / "golden" / "complete_fixture.json").read_bytes())
MUTATIONS = 10_000
VALIDATOR = Draft202012Validator(load("fixture"))


def bare() -> Any:
    """The least that the schema allows."""
    document = copy.deepcopy(GOLDEN)
    for name, value in document.items():
        if isinstance(value, list):
            document[name] = []
    document |= {"adapter": None, "model": None, "incident_id": None, "final_output": None}
    document["expected"] |= {"prohibited_claims": [], "boundary": None, "effects": {}}
    return document


def control() -> Any:
    """A control, judged by a data check, with an answer that only a fixed path asks for."""
    document = copy.deepcopy(GOLDEN)
    del document["expected"]["boundary"]
    document["control_of"] = document["case_id"]
    document["expected"]["claims"] = {"prohibit": ["complete"], "unless": ["confirmed"]}
    document["expected"]["authorization"] = {"decision": "allow", "before_effects": True}
    document["identity"]["resources"] = [{"type": "order", "id": 17, "owner": None}]
    document["model_events"] = []
    return document


def single() -> Any:
    """One tool event and one message of everything."""
    document = bare()
    for name in ("messages", "tool_events", "model_events", "facts", "documents", "templates"):
        document[name] = copy.deepcopy(GOLDEN[name][:1])
    document["expected"]["grade"] = {"name": "refund", "version": "3", "threshold": 0.5}
    document["expected"]["required_disclosures"] = [{"text": "We could not confirm it.", "exact": True}]
    return document


FIXTURES = (GOLDEN, bare(), control(), single())
STRANGE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 1.0, 1.5, -0.0, 10**30, "", "x", "m1", "error", "shadow", "1", "1\n", "2026-03-02T10:00:00Z\n",
    [], {}, [None], ["x"], [1.0], {"x": 1}, {"min": 0, "max": 1.0}, ExactNumber("2.0"), ExactNumber("2.5"), ExactNumber("-0"),
)  # fmt: skip


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with every step into it."""
    for step, child in list(node.items() if isinstance(node, dict) else enumerate(node)):
        yield node, step
        if isinstance(child, (dict, list)):
            yield from places(child)


NAMES = sorted({*(step for _, step in places(load("fixture")) if isinstance(step, str)), "surprise", "Ana"})


def mutated(seed: int) -> Any:
    """A fixture after one to three mutations, the same for the same seed."""
    draw = random.Random(seed)
    document = copy.deepcopy(FIXTURES[seed % len(FIXTURES)])
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        node, step = draw.choice(list(places(document)))
        draw.choice(EDITS)(draw, node, step)
    return document


def retype(draw: random.Random, node: Any, step: Any) -> None:
    node[step] = copy.deepcopy(draw.choice(STRANGE))


def negate(_draw: random.Random, node: Any, step: Any) -> None:
    value = node[step]
    node[step] = -value if isinstance(value, (int, float)) and not isinstance(value, bool) else -1


def truth(_draw: random.Random, node: Any, step: Any) -> None:
    node[step] = bool(node[step])


def real(_draw: random.Random, node: Any, step: Any) -> None:
    node[step] = float(node[step]) if isinstance(node[step], int) else 1.0


def reword(draw: random.Random, node: Any, step: Any) -> None:
    value = node[step]
    node[step] = draw.choice((f"{value}x", f"{value}\n", str(value).upper(), str(value)[:-1], ""))


def wrap(draw: random.Random, node: Any, step: Any) -> None:
    node[step] = draw.choice(([node[step]], {"value": node[step]}))


def add(draw: random.Random, node: Any, _step: Any) -> None:
    value = copy.deepcopy(draw.choice(STRANGE))
    if isinstance(node, dict):
        node[draw.choice(NAMES)] = value
    else:
        node.append(value if draw.random() < 0.5 or not node else copy.deepcopy(draw.choice(node)))


def rename(draw: random.Random, node: Any, step: Any) -> None:
    if isinstance(node, dict):
        node[draw.choice(NAMES)] = node.pop(step)


def graft(draw: random.Random, node: Any, step: Any) -> None:
    source = draw.choice(list(places(draw.choice(FIXTURES))))
    node[step] = copy.deepcopy(source[0][source[1]])


EDITS: tuple[Callable[[random.Random, Any, Any], object], ...] = (
    lambda _draw, node, step: node.pop(step),
    lambda _draw, node, step: node.update({step: None}) if isinstance(node, dict) else node.append(None),
    retype,
    retype,
    negate,
    truth,
    real,
    reword,
    wrap,
    add,
    add,
    rename,
    graft,
)


def told(document: Any) -> list[str]:
    """What jsonschema says, without the bound on the number of lines."""
    return sorted({str(error.validator) for error in VALIDATOR.iter_errors(document)})


def test_ten_thousand_mutated_fixtures_are_judged_as_jsonschema_judges_them() -> None:
    """Issue 7, acceptance 4: the same verdict, and the same lines, as the validator that importing costs half a second."""
    invalid = 0
    for seed in range(MUTATIONS):
        document = mutated(seed)
        expected = schema_problems(document, "fixture")
        found = misfits(document, "fixture")
        assert bool(found) == bool(expected), seed
        assert sorted(found) == sorted(expected), seed
        invalid += bool(expected)
    assert MUTATIONS // 10 < invalid < MUTATIONS - MUTATIONS // 10


def test_mutations_meet_every_rule_of_the_schema() -> None:
    """Else the ten thousand would prove less than they say."""
    met = {rule for seed in range(1500) for rule in told(mutated(seed))}
    assert met == {
        "additionalProperties",
        "const",
        "enum",
        "minLength",
        "minimum",
        "not",
        "pattern",
        "required",
        "type",
    }


@pytest.mark.parametrize("document", FIXTURES)
def test_whole_fixtures_fit(document: Any) -> None:
    assert misfits(document, "fixture") == schema_problems(document, "fixture") == ()


def edited(**edits: Any) -> Any:
    return {**copy.deepcopy(GOLDEN), **edits}


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (
            lambda d: d["tool_events"].append(copy.deepcopy(d["tool_events"][0])),
            "duplicate tool attempt 1",
        ),
        (lambda d: d.update(frozen_at="2026-13-41T29:00:00Z"), "frozen_at must be an ISO 8601 timestamp"),
        (
            lambda d: d["expected"].update(prohibited_claims=[]),
            "expected.prohibited_claims must name the incident boundary",
        ),
    ],
)
def test_what_no_schema_says_is_told_in_the_words_of_the_structural_check(edit: Any, line: str) -> None:
    """S17: attempts are unique, instants exist, a boundary is named; the schema alone lets these pass."""
    document = copy.deepcopy(GOLDEN)
    edit(document)
    assert misfits(document, "fixture") == ()
    assert problems(document) == (line,)


def test_missing_evidence_is_told_alone() -> None:
    """S15: without its members nothing else of a fixture can be judged."""
    document = edited(lane="prod")
    del document["identity"], document["tool_events"]
    assert problems(document) == ("missing top-level fields: ['identity', 'tool_events']",)
    assert problems(edited(lane="prod")) == ("lane: enum",)
    assert problems(GOLDEN) == ()


@given(st.text(min_size=3).filter(str.isprintable))
def test_no_line_quotes_the_fixture(text: str) -> None:
    marked = f"canary {text}"
    document = edited(lane=marked, frozen_at=GOLDEN["frozen_at"])
    document[marked] = marked
    document["expected"]["effects"][marked] = {marked: marked, "min": marked}
    assert problems(document)
    assert not any("canary" in line for line in problems(document))


def test_the_number_of_lines_is_bounded() -> None:
    assert len(problems(edited(conversation=[7] * 1000))) == 50


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(NAMES), inner),
    max_leaves=8,
)
SCHEMAS: tuple[Any, ...] = (
    True,
    False,
    {"const": True},
    {"const": 1},
    {"const": 0.0},
    {"const": None},
    {"enum": [1, "1", None, False]},
    {"type": "integer", "minimum": 1},
    {"type": ["number", "null"]},
    {"minimum": 2.5},
    {"minLength": 2, "pattern": "^a$"},
    {"items": {"type": "string"}},
    {"items": False},
    {"items": True},
    {"properties": {"a": False}, "additionalProperties": {"type": "string"}},
    {"if": {"type": "object"}, "then": {"required": ["a"]}, "else": {"type": "array"}},
    {"if": {"type": "object"}},
    {"then": False},
    {"not": {"type": "string"}},
    {"$ref": "#/$defs/tree", "$defs": {"tree": {"type": ["object", "null"], "additionalProperties": {"$ref": "#/$defs/tree"}}}},
    {"type": "string", "$ref": "#/$defs/a", "$defs": {"a": {"minLength": 1}}},
)  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
@given(
    value=JSON | st.sampled_from([*STRANGE, "a", "a\n", {"a": 1}, {"a": "b", "b": "c"}, {"b": 1}, {"x": {"y": None}}])
)
def test_each_keyword_means_what_it_means_to_jsonschema(schema: Any, value: Any) -> None:
    # Of a boolean schema jsonschema tells neither the rule nor the last step to the place.
    errors = Draft202012Validator(schema).iter_errors(value)
    expected = sorted((() if e.validator is None else tuple(e.absolute_path), str(e.validator)) for e in errors)
    faults = ((path, rule.partition(" ")[0]) for path, rule in compile_schema(schema)(value))
    assert sorted(((), "None") if rule == "false" else (path, rule) for path, rule in faults) == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"maxLength": 3},
        {"properties": {"a": {"format": "date"}}},
        {"$defs": {"a": {"oneOf": []}}, "$ref": "#/$defs/a"},
        {"$ref": "other.json#/a"},
        {"$ref": "#/$defs/none"},
        {"type": "text"},
        {"type": []},
        {"const": [1]},
        {"enum": "a"},
        {"required": "a"},
        {"minimum": True},
        {"properties": []},
        7,
    ],
    ids=str,
)
def test_a_schema_that_is_not_understood_is_refused_when_it_is_compiled(schema: Any) -> None:
    with pytest.raises(NotCompiled):
        compile_schema(schema)


def test_asking_imports_neither_jsonschema_nor_importlib_resources() -> None:
    program = """
import json, sys
from extractor.replay.structure import problems
problems(json.load(sys.stdin))
print(json.dumps(sorted({"jsonschema", "importlib.resources", "extractor.schemas", "click"} & sys.modules.keys())))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(GOLDEN), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == []
