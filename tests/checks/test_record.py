"""A record holds everything that a check may read, in one form, and nothing of it changes."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from extractor.checks.case import CheckCase
from extractor.checks.record import RunRecord

GOLDEN = Path(__file__).parent.parent / "golden" / "complete_fixture.json"
REFUND = {
    "tool_calls": [{"name": "issue_refund", "arguments": {"order_id": "A-7741", "amount_cents": 42}}],
    "output": "Your refund is on its way.",
    "usage": {"input_tokens": 900, "output_tokens": 40},
}


@pytest.fixture
def record():
    return RunRecord.from_json(json.dumps(REFUND))


def test_calls_have_names_and_parsed_arguments(record):
    (call,) = record.tool_calls
    assert call.name == "issue_refund"
    assert call.arguments_parsed["amount_cents"] == 42
    assert record.reads.paths()[-1] == "tool_calls[0].arguments.amount_cents"


@pytest.mark.parametrize(
    "call",
    [
        {"name": "issue_refund", "arguments": '{"amount_cents": 42}'},
        {"name": "issue_refund", "arguments": '{"amount_cents": 42}', "arguments_parsed": {"amount_cents": 42}},
        {"name": "issue_refund", "arguments_parsed": {"amount_cents": 42}},
    ],
)
def test_arguments_may_be_recorded_as_the_text_that_the_model_wrote(call):
    record = RunRecord.from_json(json.dumps({"tool_calls": [call]}))
    assert record.tool_calls[0].arguments_parsed["amount_cents"] == 42
    assert record.reads.paths()[-1] == "tool_calls[0].arguments.amount_cents"
    if isinstance(call.get("arguments"), str):
        assert record.tool_calls[0].arguments == call["arguments"]


def test_who_reads_the_text_of_arguments_reads_all_of_them():
    text = '{"amount_cents": 42}'
    record = RunRecord.from_json(json.dumps({"tool_calls": [{"name": "issue_refund", "arguments": text}]}))
    assert json.loads(record.tool_calls[0].arguments) == {"amount_cents": 42}
    assert "tool_calls[0].arguments.amount_cents" in record.reads.paths()


def test_arguments_that_are_no_json_are_a_text_without_a_parsed_form():
    record = RunRecord.from_json(json.dumps({"tool_calls": [{"name": "issue_refund", "arguments": "{oops"}]}))
    assert record.tool_calls[0].arguments == "{oops"
    assert record.tool_calls[0].arguments_parsed is None


def test_no_call_is_an_empty_list_and_that_is_a_reading():
    record = RunRecord.from_json("{}")
    assert not record.tool_calls
    assert record.tool_calls == []
    assert list(record.tool_calls) == []
    assert record.reads.paths() == ("tool_calls",)


@pytest.mark.parametrize("calls", ['"x"', '["x"]', "{}", "[null]"])
def test_calls_that_are_none_are_refused_and_never_an_empty_list(calls):
    with pytest.raises(ValueError, match="tool_calls"):
        RunRecord.from_json(f'{{"tool_calls": {calls}}}')


@pytest.mark.parametrize("text", ["{", "[]", '"secret"', '{"a": 1, "a": 2}', '{"a": NaN}', b"\xff", "[" * 100_000])
def test_what_is_no_record_is_refused_without_a_word_of_it(text):
    with pytest.raises(ValueError, match="record") as caught:
        RunRecord.from_json(text)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_a_slice_of_calls_is_calls(record):
    assert [call.name for call in record.tool_calls[:1]] == ["issue_refund"]


def test_a_record_cannot_be_changed(record):
    with pytest.raises(AttributeError):
        record.tool_calls = []
    with pytest.raises(AttributeError):
        record.output = "x"
    with pytest.raises(AttributeError):
        record.tool_calls[0].name = "x"
    with pytest.raises(TypeError):
        record.usage["input_tokens"] = 0


def test_the_output_as_text_is_the_text_or_the_json(record):
    assert record.output_text == "Your refund is on its way."
    assert "output" in record.reads.paths()
    shaped = RunRecord({"output": {"status": "done"}})
    assert json.loads(shaped.output_text) == {"status": "done"}
    assert "output.status" in shaped.reads.paths()
    assert RunRecord({}).output_text == ""


def test_citations_stand_beside_the_output_or_in_it():
    assert list(RunRecord({"citations": ["doc-1"]}).citations) == ["doc-1"]
    inside = RunRecord({"output": {"text": "x", "citations": ["doc-1"]}})
    assert list(inside.citations) == ["doc-1"]
    assert "output.citations[0]" in inside.reads.paths()


def test_a_member_that_the_record_lacks_is_no_attribute_and_was_read(record):
    assert record.finish_reason is None
    with pytest.raises(AttributeError):
        _ = record.grades
    assert record.reads.paths() == ("finish_reason", "grades")
    with pytest.raises(AttributeError):
        _ = record.tool_calls[0].approved_by
    assert record.reads.paths()[-1] == "tool_calls[0].approved_by"


def test_a_record_comes_back_from_its_json(record):
    assert RunRecord.from_json(record.to_json()).document == record.document


def test_our_fixture_is_a_record():
    record = RunRecord.of(json.loads(GOLDEN.read_text()))
    first = record.tool_calls[0]
    assert (first.name, first.arguments_parsed["amount"], first.idempotency_key) == ("refund.create", 10.1, "idem-1")
    assert first.error == "timed out after 30 s"
    assert [each["id"] for each in record.messages] == ["m1", "m3"]
    assert record.documents[0]["content"]["text"] == "Thirty days."
    assert RunRecord.from_json(record.to_json()).document == record.document


def test_nothing_that_a_check_prints_of_a_call_holds_its_values(record):
    assert "A-7741" not in repr(record.tool_calls[0])
    assert "A-7741" not in repr(record)


def test_our_fixture_is_a_case_with_its_own_now():
    case = CheckCase.of(json.loads(GOLDEN.read_text()))
    assert case.now.isoformat() == "2026-03-02T10:00:31.250000+00:00"
    assert case.refund_window_days == 30
    assert case.identity["subject"] == "user-31"
    with pytest.raises(AttributeError):
        _ = case.order_id


def test_a_case_cannot_be_changed_by_a_check():
    """S110."""
    case = CheckCase(name="c", now=None, expectations={"order_id": "A-7741", "limits": [1]}, facts={"rates": {"a": 1}})
    with pytest.raises(TypeError):
        case.expectations["order_id"] = "x"
    with pytest.raises(TypeError):
        case.limits.append(2)
    with pytest.raises(AttributeError):
        case.order_id = "x"
    with pytest.raises(TypeError):
        case.facts["rates"]["a"] = 2


def test_two_calls_are_equal_when_all_that_is_recorded_of_them_is():
    record = RunRecord(
        {"tool_calls": [{"name": "a", "arguments": {"n": 1}}, {"name": "a", "arguments": {"n": 1}}, {"name": "b"}]}
    )
    first, second, third = record.tool_calls
    assert first == second
    assert first != third
    assert first in record.tool_calls
    assert "tool_calls[1].arguments.n" in record.reads.paths()
    with pytest.raises(TypeError, match="unhashable"):
        set(record.tool_calls)
    assert copy.deepcopy(first) is copy.copy(first) is first
    assert copy.deepcopy(record) is copy.copy(record) is record
