"""Small spans built in code; the people and orders in them are invented."""

from __future__ import annotations

import json

import pytest

from extractor import ruleset
from extractor.model.reading import Reading
from extractor.model.span import Resource, Span, SpanEvent
from extractor.model.trace import Step, Trace
from extractor.normalise import normalise


@pytest.fixture(scope="session")
def rules():
    return ruleset.load()


def span(number=1, attributes=None, *, parent=None, events=(), service=None, **members) -> Span:
    """Return a span of trace 1; ``parent`` is a number, ``events`` are pairs of name and attributes."""
    written = attributes or {}
    return Span(
        trace_id=f"{1:032x}",
        span_id=f"{number:016x}",
        parent_id=f"{parent:016x}" if parent else None,
        attributes=tuple(written.items() if isinstance(written, dict) else written),
        events=tuple(SpanEvent(name=name, time_ns=number, attributes=tuple(of.items())) for name, of in events),
        resource=Resource(attributes=(("service.name", service),) if service else ()),
        **{
            "name": "work",
            "kind": "internal",
            "start_ns": number * 1_000,
            "end_ns": number * 1_000 + 500,
            **members,
        },
    )


def tool(number=1, *, arguments=None, result=None, **members) -> Span:
    """Return a GenAI tool span."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "issue_refund"}
    if arguments is not None:
        attributes["gen_ai.tool.call.arguments"] = arguments
    if result is not None:
        attributes["gen_ai.tool.call.result"] = result
    return span(number, attributes | members.pop("more", {}), **members)


def chat(number=1, *, given=None, answered=None, **more) -> Span:
    """Return a GenAI model span with messages as JSON texts."""
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-x"}
    if given is not None:
        attributes["gen_ai.input.messages"] = json.dumps(given)
    if answered is not None:
        attributes["gen_ai.output.messages"] = json.dumps(answered)
    return span(number, attributes | more, name="chat gpt-x", kind="client")


@pytest.fixture
def trace(rules):
    """Return a function from spans to their trace."""

    def make(*spans: Span) -> Trace:
        return normalise(Reading(spans=tuple(spans)), rules)

    return make


@pytest.fixture
def step(trace):
    """Return a function from one span to its step."""

    def make(one: Span) -> Step:
        return trace(one).steps[0]

    return make


def codes(trace: Trace) -> dict[str, int]:
    """Return the notes of a trace as counts by code."""
    return {note.code: note.count for note in trace.notes}
