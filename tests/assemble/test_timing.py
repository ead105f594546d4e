"""How attempts ended, and what they changed: the same error text with different evidence comes out different."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from extractor import ruleset
from extractor.assemble import assemble
from extractor.model.config import Override, RunConfig
from extractor.model.json import pretty
from extractor.model.reading import Reading
from extractor.model.trace import Dependency, ToolCall, Trace
from extractor.select import select

from ..select.traces import Builder

RULES = ruleset.load()
REFUND = ToolCall(name="issue_refund", arguments={"n": 1}, idempotency_key="k", error="timed out")


def document_of(trace: Trace) -> dict[str, Any]:
    config = RunConfig(override=Override(keep=("all",)))
    case = assemble(trace, select(trace, RULES, config), Reading(spans=trace.spans), config, RULES)
    made: dict[str, Any] = json.loads(pretty(case.document))
    return made


def remote_timeout(build: Builder) -> None:
    """Dispatch and receipt before the client's own limit, then no response."""
    tool = build.tool(1, 402, None, REFUND, error_type="ReadTimeout")
    build.server(3, 1200, build.client(2, 400, tool, None, error_type="ReadTimeout"))


def remote_timeout_of_a_busy_dependency(build: Builder) -> None:
    """What the dependency calls in its turn was answered; our own call was not."""
    tool = build.tool(1, 402, None, REFUND, error_type="ReadTimeout")
    server = build.server(3, 1200, build.client(2, 400, tool, None, error_type="ReadTimeout"))
    build.client(5, 20, server, "200")


def no_receipt(build: Builder) -> None:
    """The client waited in vain; whether the dependency saw the call is not known."""
    tool = build.tool(1, 402, None, REFUND, error_type="ReadTimeout")
    build.client(2, 400, tool, None, error_type="ReadTimeout")


def local_deadline(build: Builder) -> None:
    """The span that says timeout is above the call, which itself only sees a cancellation."""
    tool = build.tool(1, 305, None, REFUND, error_type="TimeoutError")
    build.server(3, 1100, build.client(2, 300, tool, None))


def only_an_error_text(build: Builder) -> None:
    """An error string and a duration cannot tell the causes apart (S36)."""
    build.tool(1, 402, None, REFUND, error_type="TimeoutError")


def caller_cancelled(build: Builder) -> None:
    """Nothing in the agent says anything: intentional cancellation is no error."""
    tool = build.tool(1, 302, None, ToolCall(name="issue_refund", arguments={"n": 1}))
    build.server(3, 1100, build.client(2, 300, tool, None))


def connection_error(build: Builder) -> None:
    """The call never left."""
    tool = build.tool(1, 10, None, REFUND, error_type="ConnectError")
    build.client(2, 8, tool, None, error_type="httpx.ConnectError")


def rejected(build: Builder) -> None:
    """The dependency answered no."""
    tool = build.tool(1, 10, None, REFUND, error_type="HTTPError")
    build.server(3, 6, build.client(2, 8, tool, "409", error_type="409"), "409")


def late_response(build: Builder) -> None:
    """The result came after the step above had given up."""
    root = build.step("other", "run", 0, 50, status="error", error_type="TimeoutError")
    build.tool(1, 90, root, ToolCall(name="issue_refund", arguments={"n": 1}, result="ok", has_result=True))


@pytest.mark.parametrize(
    ("scenario", "ended_by", "side_effect", "lacks"),
    [
        (remote_timeout, "remote_timeout", "accepted", None),
        (remote_timeout_of_a_busy_dependency, "remote_timeout", "accepted", None),
        (no_receipt, "undetermined", "unknown", "receipt_unknown"),
        (local_deadline, "local_deadline", "accepted", None),
        (only_an_error_text, "undetermined", "unknown", "dispatch_unknown"),
        (caller_cancelled, "caller_cancelled", "accepted", None),
        (connection_error, "connection_error", "none", None),
        (rejected, "response", "rejected", None),
        (late_response, "late_response", "accepted", None),
    ],
)
def test_the_evidence_decides_how_an_attempt_ended(
    scenario: Callable[[Builder], None], ended_by: str, side_effect: str, lacks: str | None
) -> None:
    """S33 S35 S36."""
    build = Builder()
    scenario(build)
    document = document_of(build.trace())
    (event,) = document["tool_events"]
    assert (event["outcome"]["ended_by"], event["side_effect"]) == (ended_by, side_effect)
    codes = {entry["code"] for entry in document["missing_evidence"] if entry["field"].endswith(".ended_by")}
    assert codes == ({lacks} if lacks else set())


def test_times_count_from_the_earliest_kept_span() -> None:
    """S34: budget, dispatch, receipt, response, end."""
    build = Builder()
    root = build.step("other", "run", 10, 2000, attributes={"app.timeout_ms": 500})
    tool = build.tool(20, 300.5, root, ToolCall(name="issue_refund", arguments={}, result="ok", has_result=True))
    build.server(40, 250, build.client(30, 290, tool, "200"))
    (event,) = document_of(build.trace())["tool_events"]
    assert event["timing"] == {
        "budget_start_ms": 0,
        "deadline_ms": 500,
        "dispatch_ms": 20,
        "receipt_ms": 30,
        "response_ms": 280,
        "end_ms": 290.5,
    }


def test_an_inferred_deadline_is_that_of_the_span_that_gave_up() -> None:
    build = Builder()
    local_deadline(build)
    document = document_of(build.trace())
    assert document["tool_events"][0]["timing"]["deadline_ms"] == 304
    assert document["timing"]["fidelity"] == "schedule"


def test_a_call_that_never_connected_was_not_dispatched() -> None:
    build = Builder()
    connection_error(build)
    assert document_of(build.trace())["tool_events"][0]["timing"]["dispatch_ms"] is None


def test_a_replayed_answer_proves_the_earlier_attempt() -> None:
    """S39: one effect, however many attempts."""
    build = Builder()
    no_receipt(build)
    tool = build.tool(
        500,
        520,
        None,
        ToolCall(name="issue_refund", arguments={"n": 1}, idempotency_key="k", result="ok", has_result=True),
    )
    build.server(505, 510, build.client(501, 515, tool, "200"), replayed=True)
    document = document_of(build.trace())
    assert [event["side_effect"] for event in document["tool_events"]] == ["accepted", "none"]
    assert document["ordering"]["mode"] == "total"


@pytest.mark.parametrize(
    ("tool", "side_effect"),
    [
        ("get_order", "none"),
        ("refund_status", "none"),
        ("shipment.create", "accepted"),
        ("cancelPendingOrder", "accepted"),
        ("frobnicate", "unknown"),
    ],
)
def test_a_tools_name_says_whether_it_changes_something(tool: str, side_effect: str) -> None:
    build = Builder()
    build.tool(1, 2, None, ToolCall(name=tool, arguments={}, result="ok", has_result=True))
    assert document_of(build.trace())["tool_events"][0]["side_effect"] == side_effect


def test_http_methods_speak_for_a_tool_whose_name_does_not() -> None:
    build = Builder()
    tool = build.tool(1, 9, None, ToolCall(name="frobnicate", arguments={}, result="ok", has_result=True))
    build.client(2, 8, tool, "200")
    assert document_of(build.trace())["tool_events"][0]["side_effect"] == "accepted"


@pytest.mark.parametrize(
    "result", ["Error: not pending", "ERROR ReadTimeout: timed out", {"error": "refused", "id": None}]
)
def test_a_result_that_tells_of_a_failure_leaves_the_effect_unknown(result: Any) -> None:
    build = Builder()
    build.tool(1, 2, None, ToolCall(name="issue_refund", arguments={}, result=result, has_result=True))
    document = document_of(build.trace())
    assert document["tool_events"][0]["side_effect"] == "unknown"
    assert "effect_unknown" in {entry["code"] for entry in document["missing_evidence"]}


@pytest.mark.parametrize(
    ("status", "received", "ended_by"),
    [
        ("4", True, "remote_timeout"),
        ("4", False, "undetermined"),
        ("1", True, "caller_cancelled"),
        ("14", False, "connection_error"),
        ("9", True, "response"),
    ],
)
def test_grpc_codes_that_the_client_writes_itself_are_no_answer(status: str, received: bool, ended_by: str) -> None:
    build = Builder()
    tool = build.tool(1, 310, None, REFUND, error_type="RpcError")
    call = Dependency(side="client", protocol="grpc", method="Issue", target="refunds", status=status)
    client = build.step("dependency_call", "Issue", 2, 300, tool, dependency=call)
    if received:
        heard = Dependency(side="server", protocol="grpc", method="Issue", status="0")
        build.step("dependency_receipt", "Issue", 3, 300, client, dependency=heard)
    (event,) = document_of(build.trace())["tool_events"]
    assert event["outcome"]["ended_by"] == ended_by
    assert (event["timing"]["response_ms"] is not None) == (status == "9")
