"""How attempts ended, and what they changed: the same error text with different evidence comes out different."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from extractor import ruleset
from extractor.assemble import assemble
from extractor.model.config import Override, RunConfig
from extractor.model.evidence import Attempt, Skew, Verdict
from extractor.model.json import pretty
from extractor.model.reading import Reading
from extractor.model.span import Resource
from extractor.model.trace import Dependency, ToolCall, Trace
from extractor.select import select

from ..select.traces import Builder, message

RULES = ruleset.load()
REFUND = ToolCall(name="issue_refund", arguments={"n": 1}, idempotency_key="k", error="timed out")


def document_of(trace: Trace, config: RunConfig | None = None) -> dict[str, Any]:
    config = config or RunConfig(override=Override(keep=("all",)))
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


def attempts_of(trace: Trace) -> tuple[Attempt, ...]:
    config = RunConfig(override=Override(keep=("all",)))
    return assemble(trace, select(trace, RULES, config), Reading(spans=trace.spans), config, RULES).attempts


def ended(build: Builder) -> tuple[str, str, str | None]:
    """Return how the first attempt ended, its effect, and what is missing."""
    document = document_of(build.trace())
    event = document["tool_events"][0]
    lacks = [
        entry["code"] for entry in document["missing_evidence"] if entry["field"] == "tool_events[0].outcome.ended_by"
    ]
    return event["outcome"]["ended_by"], event["side_effect"], next(iter(lacks), None)


def test_a_parent_budget_that_ran_out_first_is_no_fault_of_the_dependency() -> None:
    """S35: the client's own timeout was what remained of the parent's budget."""
    build = Builder()
    root = build.step("other", "run", 0, 420, attributes={"app.deadline_ms": 400})
    tool = build.tool(1, 402, root, REFUND, error_type="ReadTimeout")
    build.server(3, 1200, build.client(2, 400.5, tool, None, error_type="ReadTimeout"))
    assert ended(build) == ("local_deadline", "accepted", None)


def test_the_tightest_of_nested_budgets_is_in_force() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 420, attributes={"app.deadline_ms": 9000})
    inner = build.step("other", "turn", 10, 420, root, attributes={"turn.budget_ms": 200})
    tool = build.tool(20, 60, inner, ToolCall(name="issue_refund", arguments={}, result="ok", has_result=True))
    build.server(30, 50, build.client(25, 55, tool, "200"))
    event = document_of(build.trace())["tool_events"][0]
    assert (event["timing"]["budget_start_ms"], event["timing"]["deadline_ms"]) == (10, 210)


def test_a_tools_own_wait_is_no_budget_of_its_parent() -> None:
    build = Builder()
    tool = build.tool(1, 402, None, REFUND, error_type="ReadTimeout", attributes={"refund.timeout_ms": 400})
    build.server(3, 1200, build.client(2, 402, tool, None, error_type="ReadTimeout"))
    assert ended(build) == ("remote_timeout", "accepted", None)
    (attempt,) = attempts_of(build.trace())
    assert attempt.evidence.deadline_source == "attribute"


def test_a_budget_that_was_over_before_the_attempt_began_means_that_nothing_was_sent() -> None:
    """S35: parent deadline before dispatch."""
    build = Builder()
    root = build.step("other", "run", 0, 520, attributes={"app.deadline_ms": 100})
    build.tool(500, 501, root, REFUND, error_type="TimeoutError")
    (attempt,) = attempts_of(build.trace())
    assert (attempt.evidence.ended_by, attempt.evidence.dispatched.answer) == ("local_deadline", "no")
    assert ended(build) == ("local_deadline", "none", None)


def test_a_deadline_before_its_own_span_is_a_contradiction_and_not_used() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 520, attributes={"app.deadline_at": "2001-01-01T00:00:00Z"})
    tool = build.tool(1, 402, root, REFUND, error_type="ReadTimeout")
    build.server(3, 1200, build.client(2, 400, tool, None, error_type="ReadTimeout"))
    assert ended(build) == ("remote_timeout", "accepted", None)
    document = document_of(build.trace())
    assert document["tool_events"][0]["timing"]["deadline_ms"] is None
    assert "deadline_contradiction" in {entry["code"] for entry in document["missing_evidence"]}


@pytest.mark.parametrize(
    ("name", "value", "deadline"),
    [
        ("http.request.header.x-request-deadline", ["1760000000.9"], 900),
        ("http.request.header.x_request_deadline", ["2025-10-09T08:53:20.700+00:00"], 700),
        ("rpc.request.metadata.grpc-timeout", ["250m"], 252),
        ("http.request.header.x-envoy-expected-rq-timeout-ms", ["500"], 502),
        ("http.request.header.request-timeout", ["2"], 2002),
        ("http.request.header.request-timeout", ["soon"], None),
        ("http.request.header.x-request-deadline", ["2025-10-09T08:53:20"], None),
        ("app.expires_by", 1760000000900, 900),
    ],
)
def test_captured_headers_state_deadlines(name: str, value: Any, deadline: float | None) -> None:
    build = Builder()
    tool = build.tool(1, 90, None, ToolCall(name="issue_refund", arguments={}, result="ok", has_result=True))
    call = Dependency(side="client", protocol="http", method="POST", target="refunds", status="200")
    build.step("dependency_call", "POST", 2, 80, tool, attributes={name: value}, dependency=call)
    event = document_of(build.trace())["tool_events"][0]
    found = event["timing"]["deadline_ms"]
    assert found == (None if deadline is None else pytest.approx(deadline - 1, abs=0.001))


def test_a_dependency_that_answered_after_the_tool_had_given_up_answered_late() -> None:
    build = Builder()
    tool = build.tool(1, 305, None, REFUND, error_type="TimeoutError")
    build.server(3, 600, build.client(2, 610, tool, "200"))
    assert ended(build) == ("late_response", "accepted", None)


def test_a_deadline_that_ends_the_wait_between_two_sends_is_our_own() -> None:
    """The last answer was a refusal; the tool was waiting to try again."""
    build = Builder()
    tool = build.tool(1, 900, None, REFUND, error_type="TimeoutError")
    build.client(2, 20, tool, "503", error_type="503")
    assert ended(build)[0] == "local_deadline"


def test_a_receipt_after_the_caller_had_stopped_waiting_supports_no_remote_timeout() -> None:
    build = Builder()
    tool = build.tool(1, 402, None, REFUND, error_type="ReadTimeout")
    build.server(700, 800, build.client(2, 400, tool, None, error_type="ReadTimeout"))
    assert ended(build) == ("undetermined", "accepted", "receipt_late")


def test_a_missing_receipt_is_told_apart_from_a_service_that_never_shows_any() -> None:
    """S35: not conclusive by itself; compare the client's connection evidence."""
    build = Builder()
    other = build.tool(1, 40, None, ToolCall(name="issue_refund", arguments={"n": 0}, result="ok", has_result=True))
    build.server(3, 30, build.client(2, 35, other, "200"))
    tool = build.tool(50, 460, None, REFUND, error_type="ReadTimeout")
    build.client(51, 450, tool, None, error_type="ReadTimeout")
    document = document_of(build.trace())
    codes = {entry["field"]: entry["code"] for entry in document["missing_evidence"]}
    assert codes["tool_events[1].outcome.ended_by"] == "receipt_missing"
    assert attempts_of(build.trace())[1].evidence.received.answer == "unknown"


def test_a_receipt_before_its_dispatch_bounds_the_skew_and_is_moved() -> None:
    """S36."""
    build = Builder()
    tool = build.tool(100, 502, None, REFUND, error_type="ReadTimeout")
    build.server(61, 1200, build.client(101, 500, tool, None, error_type="ReadTimeout"))
    document = document_of(build.trace())
    event = document["tool_events"][0]
    assert event["timing"]["receipt_ms"] == event["timing"]["dispatch_ms"] == 40
    assert "clock_skew" in {entry["code"] for entry in document["missing_evidence"]}
    (attempt,) = attempts_of(build.trace())
    assert attempt.evidence.skew == Skew(low_ns=None, high_ns=-40_000_000, moved_ns=40_000_000)
    assert event["outcome"]["ended_by"] == "remote_timeout"


def test_rounding_is_no_skew() -> None:
    build = Builder()
    tool = build.tool(100, 502, None, REFUND, error_type="ReadTimeout")
    build.server(100.4, 1200, build.client(101, 500, tool, None, error_type="ReadTimeout"))
    (attempt,) = attempts_of(build.trace())
    assert attempt.evidence.skew is not None
    assert (attempt.evidence.skew.moved_ns, attempt.evidence.remarks) == (0, ())


def test_time_between_the_attempt_and_its_dispatch_was_spent_in_a_queue() -> None:
    build = Builder()
    tool = build.tool(1, 402, None, REFUND, error_type="ReadTimeout")
    build.server(303, 1200, build.client(301, 400, tool, None, error_type="ReadTimeout"))
    assert attempts_of(build.trace())[0].evidence.queue_ns == 300_000_000


def test_spans_of_an_exchange_that_stand_beside_the_tool_are_its_own() -> None:
    """Some frameworks leave the client's spans below the run: the tool during which they began made them."""
    build = Builder()
    root = build.step("other", "run", 0, 900)
    build.tool(1, 402, root, REFUND, error_type="httpx.ReadTimeout")
    build.server(3, 1200, build.client(2, 400, root, None, error_type="ReadTimeout"))
    assert ended(build) == ("remote_timeout", "accepted", None)


def test_what_may_belong_to_two_tools_belongs_to_neither() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 900)
    build.tool(1, 402, root, REFUND, error_type="ReadTimeout")
    build.tool(1, 402, root, ToolCall(name="issue_refund", arguments={"n": 2}, error="x"), error_type="ReadTimeout")
    build.server(3, 1200, build.client(2, 400, root, None, error_type="ReadTimeout"))
    assert ended(build) == ("undetermined", "unknown", "dispatch_unknown")


def test_a_model_that_ran_then_keeps_its_own_calls() -> None:
    build = Builder()
    root = build.step("other", "run", 0, 900)
    outer = build.tool(1, 600, root, REFUND, error_type="TimeoutError")
    build.model(2, 500, outer, [], message("assistant", "…"))
    build.client(3, 400, root, "200")
    assert ended(build) == ("undetermined", "unknown", "dispatch_unknown")


def test_an_orphaned_receipt_belongs_to_the_tool_of_its_key() -> None:
    """The client was filtered out: receipt and text together show that the tool waited for the dependency."""
    build = Builder()
    timed_out = ToolCall(name="issue_refund", arguments={}, idempotency_key="k", error="timed out")
    build.tool(1, 402, None, timed_out)
    heard = Dependency(side="server", protocol="http", method="POST", status="200", idempotency_key="k")
    build.step("dependency_receipt", "POST /refunds", 3, 1200, "00000000000000ff", dependency=heard)
    assert ended(build) == ("remote_timeout", "accepted", None)


def test_a_plain_timeout_error_beside_a_receipt_may_be_anybodys() -> None:
    build = Builder()
    build.tool(1, 402, None, REFUND, error_type="TimeoutError")
    heard = Dependency(side="server", protocol="http", method="POST", status="200", idempotency_key="k")
    build.step("dependency_receipt", "POST /refunds", 3, 1200, "00000000000000ff", dependency=heard)
    assert ended(build) == ("undetermined", "accepted", "client_unknown")


def test_a_proxy_of_our_own_is_not_the_dependency() -> None:
    build = Builder()
    ours = Resource(attributes=(("service.name", "agent"),))
    tool = build.tool(1, 402, None, REFUND, error_type="ReadTimeout", resource=ours)
    client = build.client(2, 400, tool, None, error_type="ReadTimeout", resource=ours)
    sidecar = build.server(3, 399, client, "504", resource=ours)
    build.client(4, 398, sidecar, None, error_type="ReadTimeout", resource=ours)
    assert ended(build) == ("undetermined", "unknown", "receipt_unknown")


@pytest.mark.parametrize(
    ("error_type", "dispatched", "side_effect"),
    [
        ("ConnectTimeout", "no", "none"),
        ("httpx.PoolTimeout", "no", "none"),
        ("java.net.UnknownHostException", "no", "none"),
        ("WriteTimeout", "unknown", "unknown"),
        ("ECONNRESET", "unknown", "unknown"),
        ("httpx.RemoteProtocolError", "unknown", "unknown"),
    ],
)
def test_a_broken_connection_proves_nothing_of_what_was_sent(
    error_type: str, dispatched: str, side_effect: str
) -> None:
    build = Builder()
    tool = build.tool(1, 402, None, REFUND, error_type=error_type)
    build.client(2, 400, tool, None, error_type=error_type)
    assert ended(build) == ("connection_error", side_effect, None)
    assert attempts_of(build.trace())[0].evidence.dispatched.answer == dispatched


def test_arguments_refused_by_the_tool_itself_sent_nothing_where_other_tools_show_clients() -> None:
    build = Builder()
    other = build.tool(1, 40, None, ToolCall(name="issue_refund", arguments={"n": 0}, result="ok", has_result=True))
    build.client(2, 35, other, "200")
    build.tool(50, 51, None, REFUND, error_type="pydantic.ValidationError")
    document = document_of(build.trace())
    assert document["tool_events"][1]["side_effect"] == "none"
    assert attempts_of(build.trace())[1].evidence.dispatched.answer == "no"


def test_an_error_that_a_framework_wrote_in_place_of_the_tools_own_says_nothing() -> None:
    build = Builder()
    build.tool(1, 402, None, ToolCall(name="issue_refund", arguments={}, error="Error running tool (non-fatal)"))
    assert ended(build) == ("undetermined", "unknown", "dispatch_unknown")


def test_a_tool_that_failed_without_any_exchange_may_still_have_acted() -> None:
    build = Builder()
    build.tool(1, 4, None, ToolCall(name="issue_refund", arguments={}, error="ledger closed"), error_type="LedgerError")
    assert ended(build) == ("response", "unknown", None)


@pytest.mark.parametrize(("status", "side_effect"), [("400", "rejected"), ("408", "unknown"), ("500", "unknown")])
def test_only_a_clear_no_rejects_an_effect(status: str, side_effect: str) -> None:
    build = Builder()
    tool = build.tool(1, 10, None, REFUND, error_type="HTTPError")
    build.client(2, 8, tool, status, error_type=status)
    assert ended(build) == ("response", side_effect, None)


def test_a_read_that_was_answered_commits_nothing_for_the_write_beside_it() -> None:
    build = Builder()
    tool = build.tool(1, 402, None, REFUND, error_type="ReadTimeout")
    reading = Dependency(side="client", protocol="http", method="GET", target="orders", status="200")
    looked = build.step("dependency_call", "GET", 2, 9, tool, dependency=reading)
    told = Dependency(side="server", protocol="http", method="GET", target="orders", status="200")
    build.step("dependency_receipt", "GET /orders", 3, 8, looked, dependency=told)
    build.client(10, 400, tool, None, error_type="ReadTimeout")
    assert ended(build) == ("undetermined", "unknown", "receipt_unknown")


def test_a_refusal_of_a_twin_proves_the_earlier_attempt() -> None:
    """A 409 that says the object exists already, for the same key."""
    build = Builder()
    no_receipt(build)
    again = ToolCall(name="issue_refund", arguments={"n": 1}, idempotency_key="k", error="refund already exists")
    tool = build.tool(500, 520, None, again, error_type="HTTPError")
    build.client(501, 515, tool, "409", error_type="409")
    assert [event["side_effect"] for event in document_of(build.trace())["tool_events"]] == ["accepted", "rejected"]


def test_a_later_read_that_shows_the_key_proves_the_attempt() -> None:
    build = Builder()
    no_receipt(build)
    listed = {"refunds": [{"refund_id": "re_1", "idempotency_key": "k"}]}
    build.tool(500, 520, None, ToolCall(name="list_refunds", arguments={}, result=listed, has_result=True))
    assert [event["side_effect"] for event in document_of(build.trace())["tool_events"]] == ["accepted", "none"]


def test_a_second_acceptance_of_one_key_proves_no_second_effect() -> None:
    build = Builder()
    remote_timeout(build)
    again = ToolCall(name="issue_refund", arguments={"n": 1}, idempotency_key="k", result="ok", has_result=True)
    tool = build.tool(500, 520, None, again)
    build.server(505, 510, build.client(501, 515, tool, "200"))
    document = document_of(build.trace())
    assert [event["side_effect"] for event in document["tool_events"]] == ["accepted", "unknown"]
    assert "effect_repeated" in {entry["code"] for entry in document["missing_evidence"]}


@pytest.mark.parametrize(
    ("definition", "side_effect"),
    [
        ({"annotations": {"readOnlyHint": True}}, "none"),
        ({"annotations": {"readOnlyHint": False, "destructiveHint": True}}, "accepted"),
        ({"annotations": {"destructive_hint": True}}, "accepted"),
        ({}, "unknown"),
    ],
)
def test_the_hints_of_a_tools_definition_win_over_its_name(definition: dict[str, Any], side_effect: str) -> None:
    build = Builder()
    tools = json.dumps([{"type": "function", "function": {"name": "frobnicate", **definition}}])
    root = build.step("other", "run", 0, 9, attributes={"gen_ai.tool.definitions": tools})
    build.tool(1, 2, root, ToolCall(name="frobnicate", arguments={}, result="ok", has_result=True))
    assert document_of(build.trace())["tool_events"][0]["side_effect"] == side_effect


def test_the_hint_on_the_call_itself_counts_too() -> None:
    build = Builder()
    asked = ToolCall(name="update_cache", arguments={}, result="ok", has_result=True)
    build.tool(1, 2, None, asked, attributes={"mcp.tool.annotations.readOnlyHint": True})
    assert document_of(build.trace())["tool_events"][0]["side_effect"] == "none"


def test_what_the_transport_sent_again_is_one_call_outside_any_tool() -> None:
    """Two sends of one request: a retry of the transport, no attempt of a tool."""
    build = Builder()
    root = build.step("other", "ask", 0, 60)
    build.client(1, 4, root, "503", error_type="503")
    build.client(50, 55, root, "200")
    (attempt,) = attempts_of(build.trace())
    seen = attempt.evidence
    assert (attempt.place, seen.sends, seen.statuses, seen.ended_by) == (None, 2, ("503", "200"), "response")


def test_verdicts_name_the_spans_that_they_rest_on() -> None:
    build = Builder()
    tool = build.tool(1, 402, None, REFUND, error_type="ReadTimeout")
    client = build.client(2, 400, tool, None, error_type="ReadTimeout")
    server = build.server(3, 1200, client)
    seen = attempts_of(build.trace())[0].evidence
    assert seen.dispatched == Verdict(answer="yes", spans=(client, server))
    assert seen.received == Verdict(answer="yes", spans=(server,))
    assert seen.completed == Verdict(answer="yes", spans=(server,))
    assert seen.ending_spans == (client, server)


def test_a_row_written_below_a_receipt_proves_the_work_whatever_the_caller_saw() -> None:
    """A gRPC 0 on a call that was given up shows only that its span ended."""
    build = Builder()
    tool = build.tool(1, 310, None, REFUND, error_type="ConnectionReset")
    sent = Dependency(side="client", protocol="grpc", method="Issue", target="refunds", status="14")
    client = build.step("dependency_call", "Issue", 2, 300, tool, dependency=sent, error_type="ConnectionReset")
    heard = Dependency(side="server", protocol="grpc", method="Issue", status="0")
    server = build.step("dependency_receipt", "Issue", 3, 90, client, dependency=heard)
    assert ended(build) == ("connection_error", "unknown", None)
    row = Dependency(side="client", protocol="postgresql", method="INSERT", target="refunds")
    build.step("dependency_call", "INSERT refunds", 4, 9, server, dependency=row)
    assert ended(build) == ("connection_error", "accepted", None)


def test_what_a_dropped_span_proves_stays_proved() -> None:
    build = Builder()
    no_receipt(build)
    listed = {"refunds": [{"refund_id": "re_1", "idempotency_key": "k"}]}
    shown = build.tool(500, 520, None, ToolCall(name="list_refunds", arguments={}, result=listed, has_result=True))
    config = RunConfig(override=Override(keep=("all",), drop=(shown,)))
    trace = build.trace()
    case = assemble(trace, select(trace, RULES, config), Reading(spans=trace.spans), config, RULES)
    document: Any = case.document
    assert [event["side_effect"] for event in document["tool_events"]] == ["accepted"]


def keyed(build: Builder, start: float, key: str, call_id: str, *, error: str | None = None) -> None:
    done = {"result": "ok", "has_result": True} if error is None else {"error": error}
    asked = ToolCall(name="issue_refund", call_id=call_id, arguments={"n": 1, "key": key}, idempotency_key=key, **done)
    build.tool(start, start + 5, None, asked)


@pytest.mark.parametrize(
    ("attempts", "tries"),
    [
        ((("k1", "c1", "reset"), ("k2", "c1", None)), [(1, 1), (1, 2)]),
        ((("k1", "c1", "reset"), ("k2", "c2", None)), [(1, 1), (1, 2)]),
        ((("k1", "c1", None), ("k2", "c2", None)), [(1, 1), (2, 1)]),
        ((("k1", "c1", None), ("k1", "c2", None)), [(1, 1), (1, 2)]),
        ((("k1", "c1", "reset"), ("k1", "c2", None), ("k2", "c3", None)), [(1, 1), (1, 2), (2, 1)]),
    ],
)
def test_a_retry_that_lost_its_key_is_still_a_retry(attempts: Any, tries: list[tuple[int, int]]) -> None:
    """S25: by call id, or because it differs from a failed attempt in its key alone."""
    build = Builder()
    for position, (key, call_id, error) in enumerate(attempts):
        keyed(build, 1 + 10 * position, key, call_id, error=error)
    events = document_of(build.trace())["tool_events"]
    assert [(event["logical_call"], event["try"]) for event in events] == tries


def test_a_database_writes_no_status_and_has_answered_all_the_same() -> None:
    build = Builder()
    tool = build.tool(1, 30, None, ToolCall(name="issue_refund", arguments={"n": 1}))
    row = Dependency(side="client", protocol="postgresql", method="UPDATE", target="refunds")
    build.step("dependency_call", "UPDATE refunds", 2, 9, tool, span_kind="client", dependency=row)
    assert ended(build) == ("response", "accepted", None)


def test_an_error_that_a_tool_caught_and_returned_was_no_answer() -> None:
    build = Builder()
    caught = ToolCall(name="issue_refund", arguments={}, result={"error": "timed out"}, has_result=True)
    tool = build.tool(1, 402, None, caught)
    build.server(3, 1200, build.client(2, 400, tool, None, error_type="ReadTimeout"))
    assert ended(build) == ("remote_timeout", "accepted", None)


def test_what_a_broker_took_over_is_not_yet_received() -> None:
    build = Builder()
    tool = build.tool(1, 30, None, ToolCall(name="issue_refund", arguments={"n": 1}))
    sent = Dependency(side="client", protocol="kafka", method="send", target="refunds")
    producer = build.step("dependency_call", "send refunds", 2, 9, tool, span_kind="producer", dependency=sent)
    (attempt,) = attempts_of(build.trace())
    seen = attempt.evidence
    assert (seen.dispatched.answer, seen.received.answer, seen.completed.answer) == ("yes", "unknown", "unknown")
    taken = Dependency(side="server", protocol="kafka", method="process", target="refunds")
    consumer = build.step("dependency_receipt", "process refunds", 50, 60, None, span_kind="consumer", dependency=taken)
    build.link(consumer, producer)
    assert attempts_of(build.trace())[0].evidence.received == Verdict(answer="yes", spans=(consumer,))


def test_a_cycle_of_parents_ends_the_search_above() -> None:
    build = Builder()
    first = build.step("other", "run", 0, 50, "0000000000000002", status="error", error_type="TimeoutError")
    second = build.step("other", "turn", 0, 50, first, status="error", error_type="TimeoutError")
    build.tool(1, 40, second, REFUND, error_type="TimeoutError")
    assert ended(build) == ("undetermined", "unknown", "dispatch_unknown")
