"""Test lists of promptfoo and datasets of pydantic-evals, read by a YAML reader that is not ours."""

from __future__ import annotations

import json

import pytest
import yaml

from extractor.interchange import export


def expecting(source, **members):
    without = {"boundary": None, "required_disclosures": [], "claims": {"prohibit": [], "unless": []}}
    return source(expected=source().document["expected"] | without | members)


def prompted(source):
    (test,) = yaml.safe_load(export(source, "promptfoo").text)
    return test


def test_what_the_user_said_becomes_variables(source):
    test = prompted(source())
    assert test["vars"]["input"] == "Please refund order A-7741."
    assert json.loads(test["vars"]["messages"]) == [{"role": "user", "content": "Please refund order A-7741."}]
    assert test["metadata"]["fixture_hash"] == "ab" * 32


def test_prohibited_claims_of_the_data_check_are_asserted_and_those_in_prose_are_not(source):
    test = prompted(expecting(source, claims={"prohibit": ["refund is complete"], "unless": []}))
    assert test["assert"] == [{"type": "not-icontains", "value": "refund is complete"}]
    exported = export(expecting(source), "promptfoo")
    assert yaml.safe_load(exported.text)[0]["assert"] == []
    assert [one.code for one in exported.warnings] == ["no_assertion"]
    assert "expected.prohibited_claims" in next(one.places for one in exported.losses if one.code == "statements")


def test_a_claim_with_an_exception_is_left_out_and_told(source):
    exported = export(expecting(source, claims={"prohibit": ["is complete"], "unless": ["not"]}), "promptfoo")
    assert yaml.safe_load(exported.text)[0]["assert"] == []
    assert "unless" in {one.code for one in exported.losses}


def test_what_must_be_said_exactly_is_asserted(source):
    said = [{"text": "Up to five days.", "exact": True}, {"text": "Fees may apply.", "exact": False}]
    exported = export(expecting(source, required_disclosures=said), "promptfoo")
    assert yaml.safe_load(exported.text)[0]["assert"] == [{"type": "contains", "value": "Up to five days."}]
    places = {one.code: one.places for one in exported.losses}
    assert places["inexact_disclosures"] == ("expected.required_disclosures[1]",)


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("file:///etc/passwd", "{{ '' }}file:///etc/passwd"),
        ("package:x:y", "{{ '' }}package:x:y"),
        ("{{ env.SECRET }}", "{{ '{{' }} env.SECRET }}"),
        ("{% include 'x' %}", "{{ '{%' }} include 'x' %}"),
        ("{{{x", "{{ '{{' }}{x"),
        ("profile: file", "profile: file"),
    ],
)
def test_texts_are_no_templates_and_name_no_file_to_load(source, said, written):
    message = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": said}]}
    assert prompted(source(input={"messages": [message]}))["vars"]["input"] == written


def test_no_assertion_runs_code(source):
    text = export(expecting(source, claims={"prohibit": ["a", "b"], "unless": []}), "promptfoo").text
    kinds = {one["type"] for one in yaml.safe_load(text)[0]["assert"]}
    assert kinds == {"not-icontains"}


def test_a_dataset_has_inputs_and_metadata_and_no_expected_output(source):
    dataset = yaml.safe_load(export(source(), "pydantic-evals").text)
    (case,) = dataset["cases"]
    assert case["inputs"] == {"messages": [{"role": "user", "content": "Please refund order A-7741."}]}
    assert "expected_output" not in case
    assert case["metadata"]["prohibited_claims"] == ["The refund is complete."]
    assert case["metadata"]["case_id"] == dataset["name"] == source().document["case_id"]
    assert case["evaluators"] == [{"Contains": {"value": "Refunds take up to five days.", "case_sensitive": True}}]


@pytest.mark.parametrize("form", ["promptfoo", "pydantic-evals"])
def test_a_case_that_nobody_approved_says_so_in_its_first_line(source, form):
    assert export(source(approved=False), form).text.partition("\n")[0].endswith("NOT APPROVED")


def test_a_dataset_without_an_evaluator_is_warned_of(source):
    assert [one.code for one in export(expecting(source), "pydantic-evals").warnings] == ["no_assertion"]
    assert export(source(), "pydantic-evals").warnings == ()
