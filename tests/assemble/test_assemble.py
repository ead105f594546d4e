"""The fixture's document: every slot there, nothing said twice, nothing lost, nothing silently absent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from extractor import ruleset
from extractor.assemble import assemble, incomplete, vague
from extractor.errors import RedactionRefused, UsageError
from extractor.model.case import Case
from extractor.model.config import Override, RunConfig, Statement
from extractor.model.json import JsonValue, parse, pretty
from extractor.model.reading import Note, Reading
from extractor.model.replayable import replayable
from extractor.model.trace import ModelCall, Subject, ToolCall, Trace
from extractor.schemas import schema_problems
from extractor.select import select

from ..select.traces import ANSWER, HELLO, LOOKUP, Builder, asks, message, refund_trace, retrieval, returns

RULES = ruleset.load()
ALL = Override(keep=("all",))
MEMBERS = [
    "schema_version",
    "case_id",
    "incident_id",
    "workflow_version",
    "prompt_version",
    "frozen_at",
    "time_zone",
    "locale",
    "adapter",
    "deployment",
    "model",
    "templates",
    "facts",
    "documents",
    "input",
    "identity",
    "messages",
    "conversation",
    "tool_events",
    "model_events",
    "final_output",
    "alternates",
    "expected",
    "ordering",
    "timing",
    "lane",
    "missing_evidence",
]


def case_of(trace: Trace, config: RunConfig | None = None) -> Case:
    config = config or RunConfig()
    return assemble(trace, select(trace, RULES, config), Reading(spans=trace.spans), config, RULES)


def document_of(trace: Trace, config: RunConfig | None = None) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(pretty(case_of(trace, config).document))
    return made


def missing(document: dict[str, Any]) -> set[tuple[str, str]]:
    return {(entry["field"], entry["code"]) for entry in document["missing_evidence"]}


def test_every_slot_is_there_in_the_formats_order() -> None:
    """S4 S15."""
    trace, _ = refund_trace()
    assert list(document_of(trace)) == MEMBERS


@pytest.mark.parametrize("override", [Override(), ALL])
def test_the_document_fits_the_schema_once_it_has_its_id(override: Override) -> None:
    trace, _ = refund_trace(Subject(user="user_31"))
    document = {**document_of(trace, RunConfig(override=override)), "case_id": "x"}
    assert schema_problems(document, "fixture") == ()


def test_what_is_unknown_is_null_and_named() -> None:
    """S67: missing evidence stays visible."""
    trace, _ = refund_trace()
    document = document_of(trace)
    told = missing(document)
    for field in ("incident_id", "workflow_version", "time_zone", "locale", "adapter"):
        assert document[field] is None
        assert field in {name for name, _ in told}
    assert ("frozen_at", "taken_from_span") in told


def test_given_members_win_over_the_traces() -> None:
    trace, _ = refund_trace(Subject(workflow_version="w1", prompt_version="p1", locale="en-GB", time_zone="UTC"))
    given = RunConfig(workflow_version="w2", locale="de-DE", facts={"window_days": 30})
    document = document_of(trace, given)
    assert (document["workflow_version"], document["prompt_version"], document["locale"]) == ("w2", "p1", "de-DE")
    assert document["facts"] == [{"name": "window_days", "value": 30, "source": "given"}]


@pytest.mark.parametrize(
    ("zone", "instant"),
    [
        (None, "2025-10-09T08:53:20.060000Z"),
        ("Europe/Berlin", "2025-10-09T10:53:20.060000+02:00"),
        ("Nowhere/Land", "2025-10-09T08:53:20.060000Z"),
    ],
)
def test_the_boundarys_start_is_the_frozen_instant_in_the_known_zone(zone: str | None, instant: str) -> None:
    """S30: offset-aware, never null."""
    trace, _ = refund_trace(Subject(time_zone=zone))
    document = document_of(trace)
    assert document["frozen_at"] == instant
    assert (("frozen_at", "unknown_time_zone") in missing(document)) == (zone == "Nowhere/Land")


class TestMessages:
    def test_the_users_words_come_first_and_each_message_stands_once(self) -> None:
        trace, _ = refund_trace()
        document = document_of(trace, RunConfig(override=ALL))
        said = document["input"]["messages"]
        assert [entry["id"] for entry in said] == ["m1"]
        assert said[0]["parts"] == [{"type": "text", "text": "Please refund my order ORD-7741, and tell me a joke."}]
        ids = [entry["id"] for entry in (*said, *document["messages"])]
        assert ids == [f"m{number}" for number in range(1, len(ids) + 1)]
        assert len(ids) == 9

    def test_histories_are_lists_of_ids(self) -> None:
        trace, _ = refund_trace()
        document = document_of(trace, RunConfig(override=ALL))
        first, last = document["model_events"][0], document["model_events"][-1]
        assert last["input"][: len(first["input"]) + 1] == [*first["input"], *first["output"]]
        assert document["conversation"] == [*last["input"][1:], *last["output"]]

    def test_instructions_are_templates_that_messages_name(self) -> None:
        """S48."""
        trace, _ = refund_trace(Subject(prompt_version="p3"))
        document = document_of(trace)
        (template,) = document["templates"]
        assert (template["content"], template["version"]) == ("You are a refund desk.", "p3")
        system = next(entry for entry in document["messages"] if entry["role"] == "system")
        assert system["parts"] == [{"type": "other", "value": {"template": 0}}]

    def test_a_result_that_an_event_holds_is_not_written_twice(self) -> None:
        trace, _ = refund_trace()
        document = document_of(trace)
        results = {
            part["call_id"]: part
            for entry in document["messages"]
            for part in entry["parts"]
            if entry["role"] == "tool"
        }
        assert results["call_1"] == {"type": "tool_result", "call_id": "call_1"}

    def test_the_user_is_heard_up_to_the_boundary_even_from_dropped_spans(self) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        build.model(1, 2, root, [message("user", "First words.")], asks("c", "find_joke", {}))
        build.model(3, 4, root, [HELLO], ANSWER)
        document = document_of(build.trace())
        assert [entry["parts"][0]["text"] for entry in document["input"]["messages"]] == [
            "First words.",
            HELLO.parts[0].text,
        ]

    def test_a_word_said_twice_is_held_once_and_named_twice(self) -> None:
        build = Builder()
        yes = message("user", "Yes.")
        build.model(1, 2, None, [yes, message("assistant", "Sure?"), yes], ANSWER)
        document = document_of(build.trace())
        assert document["conversation"] == ["m1", "m2", "m1", "m3"]


class TestToolEvents:
    def test_payloads_keep_types_order_and_spelling(self) -> None:
        build = Builder()
        text = '{"b": 1.10, "a": [1E+2, null, true], "n": 9007199254740993}'
        value = parse(text)
        build.tool(
            1,
            2,
            None,
            ToolCall(name="get", arguments={"z": 1, "a": "1"}, result=value, result_text=text, has_result=True),
        )
        raw = pretty(case_of(build.trace()).document)
        document = json.loads(raw)
        (event,) = document["tool_events"]
        assert list(event["arguments"].items()) == [("z", 1), ("a", "1")]
        assert '"b": 1.10' in raw
        assert "1E+2" in raw
        assert event["outcome"]["value"]["n"] == 9007199254740993
        assert event["outcome"]["value_text"] == text

    def test_a_plain_text_result_has_no_second_copy(self) -> None:
        build = Builder()
        build.tool(1, 2, None, ToolCall(name="get", arguments={}, result="sunny", result_text="sunny", has_result=True))
        assert document_of(build.trace())["tool_events"][0]["outcome"] == {
            "type": "result",
            "value": "sunny",
            "ended_by": "response",
        }

    def test_attempts_count_over_the_case_and_tries_within_a_call(self) -> None:
        """S12 S25: the same key stays one logical call."""
        build = Builder()
        root = build.step("other", "run", 0, 90)
        build.tool(1, 2, root, ToolCall(name="issue_refund", arguments={"a": 1}, idempotency_key="k", error="lost"))
        build.tool(3, 4, root, ToolCall(name="get_order", arguments={}, result="R", has_result=True))
        build.tool(5, 6, root, ToolCall(name="issue_refund", arguments={"a": 2}, idempotency_key="k", error="lost"))
        events = document_of(build.trace(), RunConfig(override=ALL))["tool_events"]
        assert [(e["attempt"], e["logical_call"], e["try"], e.get("retry_of")) for e in events] == [
            (1, 1, 1, None),
            (2, 2, 1, None),
            (3, 1, 2, 1),
        ]
        assert [e["after"] for e in events] == [[], [1], [2]]

    def test_concurrent_attempts_are_not_ordered(self) -> None:
        """S71: a sequence must not be invented."""
        build = Builder()
        root = build.step("other", "run", 0, 90)
        for start, end in ((1, 5), (2, 6), (7, 8)):
            build.tool(start, end, root, ToolCall(name="get", arguments={"at": start}, result="R", has_result=True))
        events = document_of(build.trace(), RunConfig(override=ALL))["tool_events"]
        assert [e["after"] for e in events] == [[], [], [1, 2]]

    def test_a_call_with_a_span_and_in_a_message_is_one(self) -> None:
        trace, ids = refund_trace()
        case = case_of(trace, RunConfig(override=ALL))
        events = case.document["tool_events"]
        assert isinstance(events, list)
        assert len(events) == 3
        assert case.becomes[ids["refund"]] == "tool_events[2]"

    def test_a_call_that_stands_only_in_messages_becomes_an_event(self) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        build.model(1, 2, root, [HELLO], LOOKUP)
        build.model(5, 6, root, [HELLO, LOOKUP, returns("call_1", {"eta": 1250}, '{"eta":1250}')], ANSWER)
        document = document_of(build.trace())
        (event,) = document["tool_events"]
        assert (event["tool"], event["call_id"], event["arguments"]) == (
            "get_order",
            "call_1",
            {"order_id": "ORD-7741"},
        )
        assert event["outcome"] == {
            "type": "result",
            "value": {"eta": 1250},
            "value_text": '{"eta":1250}',
            "ended_by": "response",
        }
        assert document["model_events"][1]["after"] == [1]

    def test_a_span_without_a_call_id_is_matched_by_tool_and_arguments(self) -> None:
        build = Builder()
        root = build.step("other", "run", 0, 90)
        build.model(1, 2, root, [HELLO], LOOKUP)
        call = ToolCall(name="get_order", arguments={"order_id": "ORD-7741"}, result={"eta": 1250}, has_result=True)
        build.tool(3, 4, root, call)
        build.model(5, 6, root, [HELLO, LOOKUP, returns("call_1", {"eta": 1250})], ANSWER)
        assert len(document_of(build.trace(), RunConfig(override=ALL))["tool_events"]) == 1

    def test_violations_are_named_by_attempt_or_tool(self) -> None:
        """S39: what a fixed version need not do."""
        trace, _ = refund_trace()
        for name in ("issue_refund", "2"):
            document = document_of(trace, RunConfig(statement=Statement(violations=(name,))))
            assert [e["role"] for e in document["tool_events"]] == ["evidence", "violation"]
            assert document["ordering"]["mode"] == "total"
        with pytest.raises(UsageError):
            document_of(trace, RunConfig(statement=Statement(violations=("7",))))

    def test_a_payload_nested_too_deeply_is_refused(self) -> None:
        value: Any = "x"
        for _ in range(199):
            value = [value]
        build = Builder()
        build.tool(1, 2, None, ToolCall(name="get", arguments={}, result=value, has_result=True))
        with pytest.raises(RedactionRefused):
            case_of(build.trace())

    def test_a_result_that_was_not_captured_is_missing_and_blocks_replay(self) -> None:
        build = Builder()
        tool = build.tool(1, 5, None, ToolCall(name="get_order"))
        build.client(2, 4, tool, "200")
        document = document_of(build.trace())
        assert document["tool_events"][0]["outcome"] == {"type": "result", "value": None, "ended_by": "response"}
        assert ("tool_events[0].outcome.value", "content_switched_off") in missing(document)
        assert not replayable(document)


def test_requester_and_owner_stay_different() -> None:
    """S13 S32: redaction that erases the relation erases the bug."""
    trace, _ = refund_trace(Subject(user="user_77", tenant="t", roles=("customer",), claims={"verified": False}))
    identity = document_of(trace)["identity"]
    assert identity["subject"] == "user_77"
    assert identity["resources"] == [{"type": "order", "id": "ORD-7741", "owner": "user_31"}]
    assert identity["claims"] == {"verified": False}


def test_owners_are_found_in_lists_and_maps() -> None:
    build = Builder()
    result: Any = {
        "items": [{"id": "I-1", "owner_id": "u1"}],
        "R-2": {"reservation_id": "R-2", "user_id": "u2"},
        "n": {"id": 3},
        "order": {"order_id": "O-3", "customer": {"id": "u3", "name": "somebody"}},
    }
    build.tool(1, 2, None, ToolCall(name="get_things", arguments={}, result=result, has_result=True))
    assert document_of(build.trace())["identity"]["resources"] == [
        {"type": "item", "id": "I-1", "owner": "u1"},
        {"type": "reservation", "id": "R-2", "owner": "u2"},
        {"type": "order", "id": "O-3", "owner": "u3"},
    ]


def test_the_policy_in_force_is_a_fact() -> None:
    trace, _ = refund_trace(Subject(policy_version="refunds-v7"))
    assert document_of(trace)["facts"] == [{"name": "policy_version", "value": "refunds-v7", "source": "trace"}]


def test_dependencies_become_the_timing_of_their_call() -> None:
    build = Builder()
    tool = build.tool(1, 9, None, ToolCall(name="get_order", arguments={}, result="R", has_result=True))
    client = build.client(2, 8, tool, "200")
    server = build.server(3, 7, client)
    becomes = case_of(build.trace()).becomes
    assert becomes == {tool: "tool_events[0]", client: "tool_events[0].timing", server: "tool_events[0].timing"}


def test_message_steps_become_messages() -> None:
    build = Builder()
    said = build.step("user_message", "user", 1, 2, model=ModelCall(model=None, input=(HELLO,)))
    told = build.step("assistant_message", "assistant", 3, 4, model=ModelCall(model=None, output=(ANSWER,)))
    case = case_of(build.trace())
    assert case.becomes == {said: "input.messages[0]", told: "messages[0]"}
    assert case.document["final_output"] == "Your refund of $1,250.00 is complete."


def test_what_a_clock_said_is_a_fact() -> None:
    """S31 S40."""
    build = Builder()
    build.tool(1, 2, None, ToolCall(name="get_current_time", arguments={}, result="2025-10-09T09:59", has_result=True))
    build.model(3, 4, None, [HELLO], ANSWER)
    facts = document_of(build.trace())["facts"]
    assert facts == [{"name": "get_current_time", "value": "2025-10-09T09:59", "source": "tool_events[0]"}]


def test_a_clock_value_in_an_attribute_is_a_fact_once() -> None:
    """S7 S31."""
    build = Builder()
    attributes: dict[str, JsonValue] = {"app.clock.now": "2025-10-26T01:30:00+02:00"}
    root = build.step("other", "run", 0, 90, attributes=attributes)
    build.step("other", "again", 1, 2, root, attributes=attributes)
    build.model(3, 4, root, [HELLO], ANSWER)
    assert document_of(build.trace())["facts"] == [
        {"name": "app.clock.now", "value": "2025-10-26T01:30:00+02:00", "source": "attribute"}
    ]


def test_retrieved_documents_are_kept_with_digests() -> None:
    build = Builder()
    text = "Refunds of $1,250.00 need an approval."
    build.step("retrieval", "search", 1, 2, retrieval=retrieval("refunds", {"text": text}, "second"))
    build.model(3, 4, None, [HELLO], ANSWER)
    case = case_of(build.trace())
    documents = case.document["documents"]
    assert isinstance(documents, list)
    assert [entry["content"] for entry in documents if isinstance(entry, dict)] == [{"text": text}, "second"]
    assert "documents[0]" in case.becomes.values()


def test_the_final_output_is_the_answer_at_the_boundary_or_the_one_it_led_to() -> None:
    trace, ids = refund_trace()
    assert document_of(trace)["final_output"] == "Your refund of $1,250.00 is complete."
    assert document_of(trace, RunConfig(at=ids["refund"]))["final_output"] == "Your refund of $1,250.00 is complete."
    build = Builder()
    build.tool(1, 2, None, ToolCall(name="get", arguments={}, result="R", has_result=True))
    silent = document_of(build.trace())
    assert silent["final_output"] is None
    assert ("final_output", "no_answer") in missing(silent)


def test_kept_spans_say_what_they_became() -> None:
    trace, ids = refund_trace()
    case = case_of(trace)
    assert case.becomes[ids["lookup"]] == "tool_events[0]"
    assert case.becomes[ids["answer"]] == "model_events[2]"
    assert ids["joke"] not in case.becomes


def test_content_switched_off_is_named_and_blocks_replay() -> None:
    build = Builder()
    build.step("model_call", "chat", 1, 2, model=ModelCall(model="gpt-test", content_captured=False))
    document = document_of(build.trace())
    assert {("model_events[0]", "content_switched_off"), ("input.messages", "no_input")} <= missing(document)
    assert not replayable(document)


def test_the_ledger_of_the_spans_is_missing_evidence() -> None:
    trace, _ = refund_trace()
    noted = replace(trace, notes=(Note(code="missing_root"),))
    document = document_of(noted)
    assert ("trace.missing_root", "spans_incomplete") in missing(document)
    assert replayable(document)


class TestExpected:
    def test_the_three_parts_of_the_statement_are_kept(self) -> None:
        """S6 S19."""
        statement = Statement(
            incident="INC-7",
            failure="The refund call timed out",
            prohibit=("The refund is complete",),
            evidence_needed="The refund call's outcome",
            behaviours=("Say that the refund is pending",),
            exact_disclosures=("Refunds take five days.",),
            boundary="no_false_completion",
        )
        document = document_of(refund_trace()[0], RunConfig(statement=statement))
        assert document["incident_id"] == "INC-7"
        assert document["expected"] == {
            "failure_statement": {
                "trigger": "The refund call timed out",
                "prohibited": "The refund is complete",
                "evidence_needed": "The refund call's outcome",
            },
            "prohibited_claims": ["The refund is complete"],
            "required_behaviours": ["Say that the refund is pending"],
            "required_disclosures": [{"text": "Refunds take five days.", "exact": True}],
            "boundary": {"check": "no_false_completion", "params": {}},
            "effects": {},
            "expert_review": [],
        }
        assert not incomplete(document)

    def test_a_scored_trace_is_no_fixture_yet(self) -> None:
        """S3: a grade points to the failure; what must not happen again is for people to say."""
        build = Builder()
        root = build.step("other", "run", 0, 90)
        build.model(1, 2, root, [HELLO], message("assistant", "It is refunded."))
        build.steps[-1] = replace(
            build.steps[-1],
            span=replace(build.steps[-1].span, attributes=(("eval.truthful.label", "incorrect"),)),
        )
        scored = case_of(build.trace())
        assert scored.selection.boundary_reason == "grader"
        document = document_of(build.trace())
        assert incomplete(document)
        assert document["expected"]["prohibited_claims"] == []
        assert "incorrect" not in json.dumps(document)
        told = RunConfig(statement=Statement(failure="No tool was called.", prohibit=("It is refunded",)))
        assert not incomplete(document_of(build.trace(), told))

    def test_without_a_prohibited_claim_the_case_is_incomplete(self) -> None:
        """S17."""
        assert incomplete(document_of(refund_trace()[0]))

    @pytest.mark.parametrize(
        ("statement", "parts"),
        [
            (Statement(failure="The answer was bad"), ("trigger",)),
            (Statement(failure="It went wrong.", prohibit=("bad answers",)), ("trigger", "prohibited")),
            (Statement(failure="The refund call timed out", prohibit=("The refund is complete",)), ()),
            (Statement(), ()),
        ],
    )
    def test_a_judgement_without_an_observable_outcome_is_vague(
        self, statement: Statement, parts: tuple[str, ...]
    ) -> None:
        """S6: "The answer was bad" names nothing that anybody could see."""
        assert vague(statement) == parts
