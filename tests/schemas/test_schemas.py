from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from extractor import schemas
from extractor.model.json import parse
from extractor.schemas import NAMES, SCHEMA_VERSION, load, schema_problems, schema_text

Edit = Callable[[dict[str, Any]], object]
COMPLETE: Any = parse((Path(__file__).parents[1] / "golden" / "complete_fixture.json").read_bytes())
SHIPPED = Path(schemas.__file__).parent


def test_every_schema_has_a_name_and_every_name_a_schema() -> None:
    assert sorted(f"{name}.schema.json" for name in NAMES) == sorted(file.name for file in SHIPPED.glob("*.json"))


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_a_schema_and_has_its_own_urn(name: Any) -> None:
    schema = load(name)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:extract-fixture:schema:{name}:{SCHEMA_VERSION}"


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_refers_to_itself_alone(name: Any) -> None:
    """Whoever has one file needs no other, and no network."""
    text = schema_text(name)
    assert re.findall(r'"\$(?:dynamicRef|ref)": "(?!#/)[^"]*"', text) == []
    assert re.findall(r'"\$id"', text) == ['"$id"']


def test_what_is_written_names_the_version_in_the_id() -> None:
    version: Any = {name: str(load(name)["$id"]).rpartition(":")[2] for name in NAMES}
    fixture, manifest, provenance = load("fixture"), load("manifest"), load("provenance")
    assert fixture["properties"]["schema_version"] == {"const": version["fixture"]}  # type: ignore[index, call-overload]
    assert COMPLETE["schema_version"] == version["fixture"]
    assert manifest["$defs"]["manifest"]["properties"]["manifest_version"] == {"const": version["manifest"]}  # type: ignore[index, call-overload]
    kind = provenance["properties"]["predicateType"]  # type: ignore[index, call-overload]
    assert kind == {"const": f"urn:extract-fixture:provenance:{version['provenance']}"}


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(KeyError):
        load("../../pyproject")  # type: ignore[arg-type]


def own_objects(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for child in schema for found in own_objects(child)]
    if not isinstance(schema, dict):
        return []
    inner = [found for child in schema.values() for found in own_objects(child)]
    return [schema, *inner] if "properties" in schema and "type" in schema and "object" in schema["type"] else inner


@pytest.mark.parametrize("name", NAMES)
def test_each_object_of_ours_is_closed(name: Any) -> None:
    assert [found for found in own_objects(load(name)) if found.get("additionalProperties") is not False] == []


def test_a_complete_document_fits() -> None:
    assert schema_problems(COMPLETE, "fixture") == ()


def test_an_incomplete_case_fits_too() -> None:
    """S6: without prohibited claims a case is incomplete, and is written all the same."""
    document = copy.deepcopy(COMPLETE)
    document["expected"] |= {
        "failure_statement": {"trigger": None, "prohibited": None, "evidence_needed": None},
        "prohibited_claims": [],
        "boundary": None,
    }
    assert schema_problems(document, "fixture") == ()


@pytest.mark.parametrize("member", sorted(load("fixture")["required"]))  # type: ignore[arg-type]
def test_every_slot_is_there_from_the_start(member: str) -> None:
    document = {name: value for name, value in COMPLETE.items() if name != member}
    assert schema_problems(document, "fixture") == (f"document: required ['{member}']",)


@pytest.mark.parametrize("member", sorted(load("fixture")["$defs"]["tool_event"]["required"]))  # type: ignore[index, call-overload, arg-type]
def test_every_member_of_a_tool_event_is_there(member: str) -> None:
    """S16, S25."""
    document = copy.deepcopy(COMPLETE)
    del document["tool_events"][1][member]
    assert schema_problems(document, "fixture") == (f"tool_events[1]: required ['{member}']",)


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (lambda d: d.update(surprise=1), "document: additionalProperties"),
        (lambda d: d.update(case_id="../etc"), "case_id: pattern"),
        (lambda d: d.update(frozen_at="2026-03-02T10:00:00"), "frozen_at: pattern"),
        (lambda d: d.update(frozen_at=None), "frozen_at: type"),
        (lambda d: d.update(lane="prod"), "lane: enum"),
        (lambda d: d["ordering"].update(mode="any"), "ordering.mode: enum"),
        (lambda d: d["templates"][0].update(ref="a"), "templates[0]: not"),
        (lambda d: d["identity"].update(password="x"), "identity: additionalProperties"),
        (lambda d: d["conversation"].append("7"), "conversation[2]: pattern"),
        (lambda d: d["tool_events"][0].update(attempt=0), "tool_events[0].attempt: minimum"),
        (lambda d: d["tool_events"][0].update(role="harm"), "tool_events[0].role: enum"),
        (lambda d: d["tool_events"][0]["outcome"].update(ended_by="luck"), "tool_events[0].outcome.ended_by: enum"),
        (lambda d: d["tool_events"][0]["outcome"].pop("error"), "tool_events[0].outcome: required ['error']"),
        (lambda d: d["tool_events"][1]["outcome"].pop("value"), "tool_events[1].outcome: required ['value']"),
        (lambda d: d["tool_events"][1]["outcome"].update(error="e"), "tool_events[1].outcome: not"),
        (lambda d: d["tool_events"][0]["timing"].update(end_ms="1"), "tool_events[0].timing.end_ms: type"),
        (lambda d: d["alternates"][0].update(synthetic=False), "alternates[0].synthetic: const"),
        (lambda d: d["expected"].update(claims={"prohibit": ["a"], "unless": []}), "expected: not"),
        (
            lambda d: d["expected"]["effects"].update({"Ana Lima": {"min": -1, "max": 1}}),
            "expected.effects{1}.min: minimum",
        ),
        (lambda d: d["missing_evidence"][0].update(code="Not In Trace"), "missing_evidence[0].code: pattern"),
    ],
)
def test_a_broken_document_is_told_by_place_and_rule(edit: Edit, problem: str) -> None:
    document = copy.deepcopy(COMPLETE)
    edit(document)
    assert schema_problems(document, "fixture") == (problem,)


@given(st.text(min_size=3).filter(lambda text: text.isprintable()))
def test_no_line_quotes_the_document(text: str) -> None:
    marked = f"canary {text}"
    document = copy.deepcopy(COMPLETE)
    document[marked] = marked
    document["lane"] = marked
    document["expected"]["effects"][marked] = {marked: marked, "min": marked}
    document["tool_events"][0]["outcome"][marked] = marked
    assert not any("canary" in line for line in schema_problems(document, "fixture"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(sorted(COMPLETE)), inner),
    max_leaves=8,
)


@given(JSON, st.sampled_from(NAMES))
def test_any_value_yields_lines_and_never_raises(value: Any, name: Any) -> None:
    assert schema_problems(value, name)


def test_payloads_are_free() -> None:
    document = copy.deepcopy(COMPLETE)
    for payload in (None, [], "text", {"any": [{"thing": 1}]}):
        document["tool_events"][1]["arguments"] = payload
        document["tool_events"][1]["outcome"]["value"] = payload
        document["final_output"] = payload
        assert schema_problems(document, "fixture") == ()


def test_the_number_of_lines_is_bounded() -> None:
    assert len(schema_problems({**COMPLETE, "conversation": [7] * 1000}, "fixture")) == 50
