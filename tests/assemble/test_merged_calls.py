"""A call with a span and the same call in chat messages are one, and each tells what the other lacks."""

from __future__ import annotations

import json
from typing import Any

from extractor import ruleset
from extractor.assemble import assemble
from extractor.model.config import Override, RunConfig
from extractor.model.json import pretty
from extractor.model.reading import Reading
from extractor.model.trace import Message, Part, ToolCall
from extractor.select import select

from ..select.traces import Builder, asks, message, returns

RULES = ruleset.load()


def document_of(build: Builder) -> dict[str, Any]:
    trace = build.trace()
    config = RunConfig(override=Override(keep=("all",)))
    case = assemble(trace, select(trace, RULES, config), Reading(spans=trace.spans), config, RULES)
    made: dict[str, Any] = json.loads(pretty(case.document))
    return made


def test_a_span_without_content_takes_arguments_and_result_from_the_messages() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 100)
    said, ask = message("user", "where is it"), asks("c1", "find_parcel", {"parcel": "P-1"})
    build.model(1, 10, root, [said], ask)
    build.tool(11, 20, root, ToolCall(name="find_parcel", call_id="c1"))
    build.model(21, 30, root, [said, ask, returns("c1", {"at": "depot"})], message("assistant", "At the depot."))
    (event,) = document_of(build)["tool_events"]
    assert event["arguments"] == {"parcel": "P-1"}
    assert event["outcome"]["value"] == {"at": "depot"}


def test_what_a_span_captured_itself_is_left_alone() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 100)
    ask = asks("c1", "find_parcel", {"parcel": "as asked"})
    build.model(1, 10, root, [message("user", "where is it")], ask)
    build.tool(11, 20, root, ToolCall(name="find_parcel", call_id="c1", arguments={"parcel": "as run"}, error="lost"))
    build.model(21, 30, root, [ask, returns("c1", "lost")], message("assistant", "It is lost."))
    (event,) = document_of(build)["tool_events"]
    assert event["arguments"] == {"parcel": "as run"}
    assert event["outcome"]["type"] == "error"


def test_a_tool_result_under_the_users_role_is_nothing_that_the_user_said() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 100)
    said, ask = message("user", "where is it"), asks("c1", "find_parcel", {"parcel": "P-1"})
    result = Message(role="user", parts=(Part(type="tool_result", call_id="c1", value="depot"),))
    build.model(1, 10, root, [said], ask)
    build.model(21, 30, root, [said, ask, result], message("assistant", "At the depot."))
    document = document_of(build)
    (only,) = document["input"]["messages"]
    assert only["parts"] == [{"type": "text", "text": "where is it"}]
    assert any(each["role"] == "user" for each in document["messages"])


def test_a_span_without_a_call_id_has_the_one_of_the_message_that_asked() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 100)
    ask = asks("c1", "find_parcel", {"parcel": "P-1"})
    build.model(1, 10, root, [message("user", "where is it")], ask)
    build.tool(11, 20, root, ToolCall(name="find_parcel", arguments={"parcel": "P-1"}, result="depot", has_result=True))
    build.model(21, 30, root, [ask, returns("c1", "depot")], message("assistant", "At the depot."))
    (event,) = document_of(build)["tool_events"]
    assert event["call_id"] == "c1"


def test_equal_calls_take_the_ids_of_their_messages_in_order() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 100)
    first, second = asks("c1", "find_parcel", {"parcel": "P-1"}), asks("c2", "find_parcel", {"parcel": "P-1"})
    build.model(1, 10, root, [message("user", "where is it")], first)
    build.tool(11, 20, root, ToolCall(name="find_parcel", arguments={"parcel": "P-1"}, error="busy"))
    build.model(21, 30, root, [first, returns("c1", "busy")], second)
    build.tool(31, 40, root, ToolCall(name="find_parcel", arguments={"parcel": "P-1"}, result="depot", has_result=True))
    build.model(41, 50, root, [second, returns("c2", "depot")], message("assistant", "At the depot."))
    assert [event["call_id"] for event in document_of(build)["tool_events"]] == ["c1", "c2"]


def test_the_only_argument_bare_on_the_span_is_the_call_of_the_message() -> None:
    """Some frameworks write the value of a tool's one argument without its name; the application sent the object."""
    build = Builder()
    root = build.step("other", "run", 0, 100)
    ask = asks("c1", "find_parcel", {"parcel": "P-1"})
    build.model(1, 10, root, [message("user", "where is it")], ask)
    build.tool(11, 20, root, ToolCall(name="find_parcel", arguments="P-1", result="depot", has_result=True))
    build.model(21, 30, root, [ask, returns("c1", "depot")], message("assistant", "At the depot."))
    (event,) = document_of(build)["tool_events"]
    assert (event["call_id"], event["arguments"]) == ("c1", {"parcel": "P-1"})


def test_a_call_of_which_nobody_says_the_name_is_called_unnamed() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 100)
    ask = Message(role="assistant", parts=(Part(type="tool_call", call_id="c1", value={}),))
    build.model(1, 10, root, [message("user", "where is it")], ask)
    build.model(21, 30, root, [ask, returns("c1", "depot")], message("assistant", "At the depot."))
    (event,) = document_of(build)["tool_events"]
    assert event["tool"] == "unnamed"
