"""Tracely's bundles and artifacts: which records they are, their order, what was decoded, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from extractor.errors import InputUnreadable
from extractor.model.config import Wanted
from extractor.model.reading import Reading
from extractor.model.span import Span
from extractor.read import survey

from ..conftest import ReadBytes, codes

Node = dict[str, Any]


@pytest.fixture
def read_bundle(read_bytes: ReadBytes, tmp_path):
    """Return a function that reads the one trace of a record."""

    def run(record: Any) -> Reading:
        content = json.dumps(record).encode()
        file = tmp_path / "bundle"
        file.write_bytes(content)
        (summary,) = survey([str(file)], container="tracely").traces
        return read_bytes(content, wanted=Wanted(trace_ids=(summary.trace_id,)))

    return run


def tool(name: str, **members: Any) -> Node:
    return {"name": name, "args": {}, "tool_call_id": "", "output": "ok", "error": None} | members


def turn(output: Any, asked: Any = "Where is my parcel?", **members: Any) -> Node:
    return {"model": "gpt-x", "input": asked, "output": output, "error": None} | members


def bundle(*tools: Node, llm: tuple[Node, ...] = (), **members: Any) -> Node:
    return {"version": 2, "tools": list(tools), "llm": list(llm)} | members


def artifact(fixtures: Node, **members: Any) -> Node:
    return {
        "format_version": 1,
        "case_id": "c1",
        "case_version": 1,
        "input": {"type": "text", "value": "Where is my parcel?"},
        "initial_state": {"captured": False},
        "fixtures": fixtures,
        "expectations": {"assertions": {"no_error": True}, "match_mode": "superset"},
        "evaluators": {},
        "execution": {"mode": "recorded"},
        "provenance": {"captured_at": "2026-03-01T09:00:00+00:00"},
    } | members


def names(reading: Reading) -> list[str]:
    return [span.name for span in reading.spans]


def attributes(span: Span) -> Node:
    return dict(span.attributes)


def asks(*calls: tuple[str, str]) -> Node:
    functions = [{"id": id_, "type": "function", "function": {"name": name, "arguments": "{}"}} for id_, name in calls]
    return {"role": "assistant", "content": None, "tool_calls": functions}


def test_a_bundle_is_one_trace_under_ids_of_its_content(read_bundle):
    one, same, other = (read_bundle(bundle(tool("look"), tool(name))) for name in ("pay", "pay", "send"))
    assert names(one) == ["invoke_agent", "execute_tool look", "execute_tool pay"]
    assert one.spans == same.spans
    assert {span.trace_id for span in one.spans}.isdisjoint(span.trace_id for span in other.spans)
    assert [span.parent_id for span in one.spans[1:]] == [one.spans[0].span_id] * 2


def test_values_keep_their_types_and_texts_that_are_json_are_noted(read_bundle):
    reading = read_bundle(
        bundle(tool("look", args={"n": "1"}, output={"n": 1}), tool("pay", args='{"n": 1}', output="[2]"))
    )
    first, second = map(attributes, reading.spans[1:])
    assert first["gen_ai.tool.call.arguments"] == {"n": "1"}
    assert first["gen_ai.tool.call.result"] == {"n": 1}
    assert second["gen_ai.tool.call.arguments"] == '{"n": 1}'
    assert codes(reading.span_notes)["decoded_from_string"] == 1  # by entry


def test_a_failure_without_a_message_is_a_failure(read_bundle):
    reading = read_bundle(
        bundle(tool("pay", output=None, error=""), tool("pay", output=None, error=None, level="ERROR"))
    )
    assert [span.status_code for span in reading.spans] == ["unset", "error", "error"]
    assert all("gen_ai.tool.call.result" not in attributes(span) for span in reading.spans)
    assert codes(reading.span_notes)["error_without_text"] == 2


def test_a_failure_with_an_output_is_a_failure_as_a_replay_has_it(read_bundle):
    reading = read_bundle(bundle(tool("pay", output="sent", error="no answer")))
    assert (reading.spans[1].status_code, reading.spans[1].status_message) == ("error", "no answer")
    assert codes(reading.span_notes)["output_beside_error"] == 1


def test_a_result_of_null_is_a_result_and_arguments_of_null_are_none(read_bundle):
    reading = read_bundle(bundle(tool("pay", args=None, output=None)))
    assert attributes(reading.spans[1])["gen_ai.tool.call.result"] == "null"
    assert "gen_ai.tool.call.arguments" not in attributes(reading.spans[1])
    assert codes(reading.span_notes)["arguments_not_recorded"] == 1


def test_version_1_has_outputs_by_name(read_bundle):
    reading = read_bundle({"tools": {"look": {"n": 1}, "pay": "paid"}, "llm": {"gpt-x": "Hello"}})
    assert sorted(names(reading)) == ["chat gpt-x", "execute_tool look", "execute_tool pay", "invoke_agent"]
    assert codes(reading.span_notes)["arguments_not_recorded"] == 2


def test_kinds_may_be_mixed(read_bundle):
    reading = read_bundle({"version": 2, "tools": {"look": 1}, "llm": [turn("Hello")]})
    assert names(reading) == ["invoke_agent", "execute_tool look", "chat gpt-x"]


def test_the_order_between_kinds_is_what_call_ids_allow_and_told_as_not_recorded(read_bundle):
    first = turn(asks(("c1", "look"), ("c2", "look")))
    second = turn(asks(("c3", "pay")), asked=[{"role": "tool", "tool_call_id": "c2", "content": "x"}])
    calls = [tool("look", tool_call_id="c1"), tool("look", tool_call_id="c2"), tool("pay", tool_call_id="c3")]
    reading = read_bundle(bundle(*calls, llm=(first, second, turn("Done"))))
    assert [name.split()[-1] for name in names(reading)[1:]] == ["gpt-x", "look", "look", "gpt-x", "pay", "gpt-x"]
    assert codes(reading.span_notes)["order_between_kinds_not_recorded"] == 1


def test_tools_that_no_turn_speaks_of_stand_before_the_answer(read_bundle):
    reading = read_bundle(bundle(tool("look"), tool("pay"), llm=(turn("One moment"), turn("Done"))))
    assert [name.split()[-1] for name in names(reading)[1:]] == ["gpt-x", "look", "pay", "gpt-x"]


def test_the_order_that_an_export_left_is_taken_over(read_bundle):
    ours = {"order": ["tools[1]", "llm[0]", "tools[0]"], "frozen_at": "2026-03-02T10:00:00+01:00", "values": "typed"}
    reading = read_bundle(bundle(tool("look"), tool("pay"), llm=(turn("Done"),), x_fixture=ours))
    assert [name.split()[-1] for name in names(reading)[1:]] == ["pay", "gpt-x", "look"]
    assert {"order_between_kinds_not_recorded", "times_not_recorded"}.isdisjoint(codes(reading.span_notes))
    assert reading.spans[0].start_ns // 10**9 == 1_772_442_000


@pytest.mark.parametrize(
    "order", [["tools[0]"], ["tools[0]", "tools[0]", "llm[0]"], ["tools[0]", "tools[9]", "llm[0]"], "x", None]
)
def test_an_order_of_other_calls_is_no_order(read_bundle, order):
    reading = read_bundle(bundle(tool("look"), tool("pay"), llm=(turn("Done"),), x_fixture={"order": order}))
    assert codes(reading.span_notes)["order_between_kinds_not_recorded"] == 1


def test_typed_texts_that_look_like_json_stay_texts(read_bundle):
    ours = {"order": ["tools[0]"], "values": "typed"}
    reading = read_bundle(bundle(tool("look", output="17"), x_fixture=ours))
    assert attributes(reading.spans[1])["gen_ai.tool.call.result"] == '"17"'
    assert "decoded_from_string" not in codes(reading.span_notes)


def test_what_a_model_says_is_a_text_unless_it_is_messages(read_bundle):
    answers = (
        '{"total": 21}',
        "17",
        [{"role": "assistant", "content": "Hi"}],
        '{"role": "assistant", "content": "Hi"}',
    )
    reading = read_bundle(bundle(llm=tuple(turn(answer) for answer in answers)))
    said = [attributes(span)["gen_ai.output.messages"] for span in reading.spans[1:]]
    assert said == ['"{\\"total\\": 21}"', '"17"', answers[2], {"role": "assistant", "content": "Hi"}]


def test_a_request_s_messages_are_the_input_and_its_system_text_leads(read_bundle):
    reading = read_bundle(
        bundle(llm=(turn("Hi", asked={"system": "Be brief.", "messages": [{"role": "user", "content": "Hi"}]}),))
    )
    found = attributes(reading.spans[1])
    assert found["gen_ai.input.messages"] == [{"role": "user", "content": "Hi"}]
    assert found["gen_ai.system_instructions"] == '"Be brief."'


def test_an_artifact_says_what_the_user_said(read_bundle):
    reading = read_bundle(artifact(bundle(tool("look"))))
    assert names(reading) == ["invoke_agent", "input", "execute_tool look"]
    assert attributes(reading.spans[1]) == {"tracely.input": "Where is my parcel?"}


def test_an_artifact_s_input_that_a_turn_was_told_stands_in_the_turn_alone(read_bundle):
    turns = tuple(turn("Hi", asked=asked) for asked in ("Hello", [{"role": "user", "content": "Where is my parcel?"}]))
    assert names(read_bundle(artifact(bundle(llm=turns)))) == ["invoke_agent", "chat gpt-x", "chat gpt-x"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "file_empty"),
        (b"nope", "file_not_recognised"),
        (b'{"version": 2, "tools": [', "record_refused 1 (syntax)"),
        (b'{"version": 2}', "record_refused 1 (wrong_shape)"),
        (b'{"version": 2, "tools": "x", "llm": []}', "record_refused 1 (wrong_shape)"),
        (b'{"version": 2, "tools": ["x"], "llm": []}', "record_refused 1 (wrong_shape)"),
        (b'{"version": "two", "tools": [], "llm": []}', "record_refused 1 (wrong_shape)"),
        (b'{"version": 2, "tools": [], "llm": []}', "record_refused 1 (no_calls)"),
        (b"{}", "record_refused 1 (wrong_shape)"),
        (b'{"version": 3, "tools": [], "llm": []}', "record_refused 1 (newer_format)"),
        (b'{"input": "x"}', "record_refused 1 (wrong_shape)"),
        (b'{"input": "", "fixtures": {}, "format_version": 1}', "record_refused 1 (wrong_shape)"),
        (b'{"input": "x", "fixtures": [], "format_version": 1}', "record_refused 1 (wrong_shape)"),
        (b'{"input": "x", "fixtures": {}, "format_version": 99}', "record_refused 1 (newer_format)"),
        (b'{"tools": {"a": 1, "a": 2}, "llm": {}}', "record_refused 1 (duplicate_member)"),
    ],
)
def test_what_is_no_recording_is_refused_and_why_is_told(tmp_path, content, why):
    file = tmp_path / "bundle"
    file.write_bytes(content)
    with pytest.raises(InputUnreadable) as refused:
        survey([str(file)], container="tracely")
    assert why in refused.value.message


@pytest.mark.parametrize(
    "record",
    [
        {"model": "gpt-x", "messages": [], "tools": [{"type": "function", "function": {"name": "look"}}]},
        {"version": 2, "tools": [{"name": "look", "description": "Looks", "inputSchema": {}}]},
        {"tools": {"look": {"description": "Looks"}}},
        {"tools": [], "llm": {}, "prompts": []},
        {"input": "x", "fixtures": {}, "name": "test"},
    ],
)
def test_lists_of_tools_are_no_recording_unless_somebody_says_so(tmp_path, record):
    file = tmp_path / "other"
    file.write_text(json.dumps(record))
    with pytest.raises(InputUnreadable, match="record_not_recognised"):
        survey([str(file)])
