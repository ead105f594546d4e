from __future__ import annotations

import json

import pytest

from extractor.errors import InputUnreadable
from extractor.interchange import export
from extractor.model.config import Wanted
from extractor.model.trace import Trace
from extractor.normalise import normalise
from extractor.read import read, survey
from extractor.ruleset import load

from .conftest import event, turn


@pytest.fixture
def read_again(tmp_path):
    """Return a function that exports a case and reads it as a trace."""

    def run(source) -> Trace:
        file = tmp_path / "case.json"
        file.write_text(export(source, "otlp").text)
        (summary,) = survey([str(file)]).traces
        return normalise(read([str(file)], Wanted(trace_ids=(summary.trace_id,))), load())

    return run


def spans(source):
    (batch,) = json.loads(export(source, "otlp").text)["resourceSpans"]
    return batch["scopeSpans"][0]["spans"]


def test_it_reads_again_as_the_same_calls(source, read_again):
    trace = read_again(source())
    tools = [step for step in trace.steps if step.tool is not None]
    assert trace.dialects == ("otel_genai",)
    assert [(one.tool.name, one.tool.call_id, one.tool.idempotency_key) for one in tools] == [
        ("refund.create", "call-1", None),
        ("refund.create", None, None),
    ]
    assert tools[0].tool.arguments == {"order": "A-7741", "amount": 10.1}
    assert (tools[0].tool.error, tools[0].tool.error_type) == ("timed out after 30 s", "TimeoutError")
    assert tools[1].tool.result == {"status": "accepted"}
    (model,) = (step.model for step in trace.steps if step.model is not None)
    assert (model.model, model.provider, dict(model.parameters)) == (
        "gpt-4.1-2025-04-14",
        "openai",
        {"temperature": 0.2},
    )
    assert [message.role for message in model.input] == ["system", "user"]
    assert model.output[0].parts[0].text == "Your refund is complete."
    assert model.usage == {"input_tokens": 91}


def test_who_it_was_for_and_under_which_versions_reads_again(source, read_again):
    subject = read_again(source(locale="en-GB")).subject
    assert (subject.user, subject.roles, dict(subject.claims)) == ("user-31", ("customer",), {"verified": True})
    assert (subject.workflow_version, subject.prompt_version) == ("refunds-7", "p3")
    assert (subject.time_zone, subject.locale) == ("Europe/Berlin", "en-GB")
    assert (subject.service, subject.service_version, subject.environment) == ("refund-agent", "1.4.2", "production")
    assert dict(subject.flags) == {"new_router": True}


def test_nothing_in_it_is_unknown_to_our_reader(source, read_again):
    assert "unknown_text_attributes" not in {note.code for note in read_again(source()).notes}


def test_times_are_those_of_the_case_and_the_last_call_ends_at_the_frozen_instant(source):
    _, first, second, _ = spans(source())
    frozen = 1_772_445_631_250_000_000
    assert int(second["endTimeUnixNano"]) == frozen
    assert int(second["endTimeUnixNano"]) - int(first["startTimeUnixNano"]) == 30_338_500_000


def test_calls_without_times_follow_those_that_had_ended(source):
    tools = [event(1), event(2), event(3, after=[])]
    found = spans(source(tool_events=tools, model_events=[turn(), turn(2)]))
    assert [span["name"] for span in found[1:]] == [
        "chat gpt-x", "execute_tool look", "execute_tool look", "chat gpt-x", "execute_tool look",
    ]  # fmt: skip
    starts = [int(span["startTimeUnixNano"]) for span in found]
    assert starts == sorted(set(starts))
    assert all(int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) for span in found)


def test_concurrent_calls_overlap_still(source):
    tools = [
        event(1, timing={"dispatch_ms": 10, "end_ms": 100}),
        event(2, timing={"dispatch_ms": 20, "end_ms": 50}, after=[]),
    ]
    _, first, second = spans(source(tool_events=tools, model_events=[]))
    assert int(second["endTimeUnixNano"]) < int(first["endTimeUnixNano"])


def test_ids_come_from_the_case_alone(source):
    assert export(source(), "otlp").text == export(source(), "otlp").text
    other = spans(source(case_id="2026-03-02-other-0a1b2c3d"))
    assert other[0]["traceId"] != spans(source())[0]["traceId"]


def test_a_case_that_nobody_approved_says_so(source):
    assert "NOT APPROVED" in export(source(approved=False), "otlp").text
    assert "NOT APPROVED" not in export(source(), "otlp").text


def test_a_case_of_no_call_is_a_root_alone(source):
    assert [span["name"] for span in spans(source(tool_events=[], model_events=[]))] == ["invoke_agent"]


@pytest.mark.parametrize("instant", [None, "soon", "2026-03-02T10:00:00"])
def test_without_an_instant_there_is_no_trace(source, instant):
    with pytest.raises(InputUnreadable):
        export(source(frozen_at=instant), "otlp")
