"""Which span speaks which dialect, and which step it is."""

from __future__ import annotations

import pytest

from extractor.model.span import Scope, SpanLink

from .conftest import span, tool

GET = {"http.request.method": "GET"}


def test_context_attributes_mark_nothing(trace):
    context = {"gen_ai.conversation.id": "s-1", "gen_ai.agent.name": "helper", "session.id": "s-1", "user.id": "u-1"}
    told = trace(span(1, context), span(2, {**GET, **context}, kind="client"))
    assert [(step.kind, step.dialect) for step in told.steps] == [("other", ""), ("dependency_call", "http")]
    assert told.dialects == ("http",)


def test_the_more_specific_of_two_dialects_speaks(step):
    both = {"openinference.span.kind": "TOOL", "output.value": "specific"}
    told = step(tool(result="general", more=both))
    assert (told.dialect, told.tool.result) == ("openinference", "specific")


@pytest.mark.parametrize(
    ("kind", "step_kind"),
    [("client", "dependency_call"), ("producer", "dependency_call"), ("internal", "other"), ("server", "other")],
)
def test_the_kind_of_a_span_decides_its_side_of_a_call(step, kind, step_kind):
    assert step(span(1, GET, kind=kind)).kind == step_kind


def test_a_server_span_below_a_client_is_a_receipt(trace):
    told = trace(span(1, GET, kind="client"), span(2, GET, parent=1, kind="server"))
    assert told.steps[1].kind == "dependency_receipt"
    assert told.steps[1].dependency.side == "server"


def test_an_applications_entry_is_no_receipt_even_where_its_caller_is_not_in_the_trace(trace):
    told = trace(span(2, GET, parent=1, kind="server", service="shop"), span(3, GET, parent=2, kind="client"))
    assert told.steps[0].kind == "other"


def test_another_service_whose_caller_was_filtered_away_is_a_receipt(trace):
    told = trace(span(1, service="shop"), span(3, GET, parent=2, kind="server", service="refunds"))
    assert told.steps[1].kind == "dependency_receipt"


def test_a_consumer_linked_to_its_producer_is_a_receipt(trace):
    queue = {"messaging.system": "kafka", "messaging.destination.name": "refunds"}
    sent = span(1, queue, kind="producer")
    link = SpanLink(trace_id=sent.trace_id, span_id=sent.span_id)
    told = trace(sent, span(2, queue, kind="consumer", links=(link,)))
    assert [step.kind for step in told.steps] == ["dependency_call", "dependency_receipt"]
    assert told.steps[1].dependency.target == "refunds"


def test_a_call_without_response_has_no_status(step):
    assert step(span(1, GET, kind="client")).dependency.status is None


def test_a_replayed_answer_is_known_by_its_header(step):
    for name in ("idempotent-replayed", "idempotent_replayed"):
        attributes = {**GET, f"http.response.header.{name}": ["true"]}
        assert step(span(1, attributes, kind="client")).dependency.replayed is True


def test_every_span_has_one_step_in_the_same_order(trace):
    spans = (span(1), tool(2), span(3, GET, kind="client"), span(4))
    assert [step.span for step in trace(*spans).steps] == list(spans)


def test_a_scope_or_an_event_marks_what_no_attribute_does(trace):
    scoped = span(1, scope=Scope(name="opentelemetry.util.genai.handler"))
    told = trace(scoped, span(2, events=[("gen_ai.user.message", {"content": "Hi"})]))
    assert [step.dialect for step in told.steps] == ["otel_genai", "otel_genai"]


def test_agents_and_embeddings_are_no_acts_and_guardrails_and_handoffs_are(trace):
    kinds = ["AGENT", "CHAIN", "EMBEDDING", "GUARDRAIL"]
    spans = [span(n, {"openinference.span.kind": kind}) for n, kind in enumerate(kinds, 1)]
    handed = span(9, {"openinference.span.kind": "TOOL"}, name="handoff to refunds")
    told = trace(*spans, handed)
    assert [step.kind for step in told.steps] == ["other", "other", "other", "guardrail", "handoff"]
    assert [step.tool for step in told.steps] == [None] * 5
