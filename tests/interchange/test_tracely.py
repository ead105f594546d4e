from __future__ import annotations

import hashlib
import json

import pytest

from extractor.errors import EvidenceMissing, UsageError
from extractor.interchange import artifact_digest, export

from .conftest import event, turn


def made(source, version="v2"):
    return json.loads(export(source, "tracely", version=version).text)


def test_a_bundle_has_calls_by_kind_with_typed_arguments(source):
    tools = [event(1, arguments={"id": "1", "n": 1}), event(2, "pay", outcome={"type": "error", "error": "no answer"})]
    bundle = made(source(tool_events=tools))
    assert bundle["version"] == 2
    assert bundle["tools"] == [
        {"name": "look", "args": {"id": "1", "n": 1}, "tool_call_id": "c1", "output": {"n": 1}, "error": None},
        {"name": "pay", "args": {"n": 2}, "tool_call_id": "c2", "output": None, "error": "no answer"},
    ]


def test_a_turn_has_chat_messages_and_says_a_text_or_a_message(source):
    (told,) = made(source())["llm"]
    assert told["input"] == [
        {"role": "system", "content": "You are a refund desk."},
        {"role": "user", "content": "Please refund order A-7741."},
    ]
    calls = made(source(model_events=[turn(said=("m3",))]))["llm"][0]["output"]
    assert calls["tool_calls"] == [
        {"id": "call-1", "type": "function", "function": {"name": "refund.create", "arguments": '{"order": "A-7741"}'}}
    ]
    said = {"id": "m4", "role": "assistant", "parts": [{"type": "text", "text": "Done."}]}
    assert made(source(messages=[said]))["llm"][0]["output"] == "Done."


def test_a_message_names_its_template_s_text_and_its_tool_s_result(source):
    messages = [
        {"id": "m2", "role": "system", "parts": [{"type": "other", "value": {"template": 0}}]},
        {"id": "m5", "role": "tool", "parts": [{"type": "tool_result", "call_id": "c1"}]},
    ]
    changed = source(messages=messages, tool_events=[event(1)], model_events=[turn(1, asked=("m2", "m5"))])
    assert made(changed)["llm"][0]["input"] == [
        {"role": "system", "content": "You are a refund desk."},
        {"role": "tool", "tool_call_id": "c1", "content": '{"n":1}'},
    ]


@pytest.mark.parametrize("arguments", [None, {}])
def test_no_arguments_are_an_empty_object_and_a_warning_never_null(source, arguments):
    exported = export(source(tool_events=[event(1, arguments=arguments)]), "tracely")
    assert json.loads(exported.text)["tools"][0]["args"] == {}
    assert [(one.code, one.place) for one in exported.warnings] == [("no_arguments", "tool_events[0]")]


@pytest.mark.parametrize(("kind", "told"), [("ReadTimeout", "ReadTimeout"), (None, "error")])
def test_an_error_without_a_text_gets_one_since_an_empty_one_replays_as_success(source, kind, told):
    outcome = {"type": "error", "error": "", "error_type": kind}
    exported = export(source(tool_events=[event(1, outcome=outcome)]), "tracely")
    assert json.loads(exported.text)["tools"][0]["error"] == told
    assert [one.code for one in exported.warnings] == ["error_without_text"]


def test_the_order_of_all_acts_stands_in_our_member(source):
    tools = [event(1), event(2, after=[]), event(3, after=[1, 2]), event(4)]
    ours = made(source(tool_events=tools, model_events=[turn(), turn(1, 2), turn(3)]))["x_fixture"]
    assert ours["order"] == ["llm[0]", "tools[0]", "tools[1]", "llm[1]", "tools[2]", "llm[2]", "tools[3]"]
    assert [one["after"] for one in ours["attempts"]] == [[], [], [1, 2], [3]]


def test_our_member_names_case_hash_standing_and_what_is_lost(source):
    ours = made(source(approved=False))["x_fixture"]
    assert (ours["case_id"], ours["fixture_hash"]) == ("2026-03-02-refund-create-timeout-error-0a1b2c3d", "ab" * 32)
    assert ours["standing"] == "NOT APPROVED"
    lost = {loss.code for loss in export(source(), "tracely").losses}
    assert set(ours["losses"]) == lost
    assert lost >= {"order_between_kinds", "error_class", "ended_by", "side_effect", "clock", "identity", "alternates"}


def test_what_a_case_does_not_hold_is_not_lost(source):
    exported = export(
        source(tool_events=[event(1)], model_events=[], alternates=[], locale=None, documents=[]), "tracely"
    )
    codes = {loss.code for loss in exported.losses}
    assert codes.isdisjoint(
        {"order_between_kinds", "partial_order", "error_class", "side_effect", "alternates", "locale"}
    )


def test_concurrent_attempts_are_a_lost_order(source):
    losses = export(source(tool_events=[event(1), event(2, after=[])]), "tracely").losses
    assert next(loss.places for loss in losses if loss.code == "partial_order") == ("tool_events[1].after",)


def test_version_1_has_first_results_by_name_and_says_what_it_lacks(source):
    failed = event(3, "pay", outcome={"type": "error", "error": "no answer"})
    exported = export(source(tool_events=[event(1), event(2), failed]), "tracely", version="v1")
    assert json.loads(exported.text)["tools"] == {"look": {"n": 1}}
    places = {loss.code: loss.places for loss in exported.losses}
    assert places["repeated_calls"] == ("tool_events[1]",)
    assert places["errors"] == ("tool_events[2].outcome",)
    assert len(places["arguments"]) == 3


def test_an_artifact_has_input_bundle_expectations_and_a_digest(source):
    tools = [event(1), event(2, "pay", role="violation"), event(3, "mail", outcome={"type": "error", "error": "no"})]
    expected = source().document["expected"] | {"effects": {"pay": {"min": 0, "max": 0}, "mail": {"min": 0, "max": 0}}}
    exported = export(source(tool_events=tools, expected=expected), "tracely", version="artifact")
    artifact = json.loads(exported.text)
    assert artifact["input"] == {"type": "text", "value": "Please refund order A-7741."}
    assert artifact["execution"] == {"mode": "recorded"}
    assert artifact["fixtures"]["tools"][1]["name"] == "pay"
    assert artifact["expectations"] == {
        "assertions": {
            "required_tools": ["look", "mail"],
            "forbidden_tools": ["pay"],
            "no_error": True,
            "allow_tool_errors": True,
        },
        "match_mode": "superset",
    }
    canonical = json.dumps(artifact, sort_keys=True).encode()
    assert exported.digest == hashlib.sha256(canonical).hexdigest()


def test_a_digest_is_of_the_values_and_covers_the_provenance(source):
    text = export(source(), "tracely", version="artifact").text
    assert artifact_digest(text) == artifact_digest(json.dumps(json.loads(text)))
    other = export(source(frozen_at="2026-03-03T10:00:00Z"), "tracely", version="artifact").digest
    assert other != artifact_digest(text)


def test_an_artifact_is_not_made_up_without_an_input(source):
    with pytest.raises(EvidenceMissing):
        export(source(input={"messages": []}), "tracely", version="artifact")


def test_only_the_last_thing_the_user_said_fits_an_artifact(source):
    messages = [
        {"id": f"m{number}", "role": "user", "parts": [{"type": "text", "text": f"Text {number}"}]} for number in (1, 9)
    ]
    exported = export(source(input={"messages": messages}), "tracely", version="artifact")
    assert json.loads(exported.text)["input"]["value"] == "Text 9"
    assert next(loss.places for loss in exported.losses if loss.code == "earlier_turns") == ("input.messages[0]",)


@pytest.mark.parametrize(("form", "version"), [("otlp", "v2"), ("tracely", "v3"), ("zip", None)])
def test_a_format_or_a_version_that_is_none_is_a_usage_error(source, form, version):
    with pytest.raises(UsageError):
        export(source(), form, version=version)
