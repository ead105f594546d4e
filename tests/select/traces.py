"""Invented traces, built by hand: a support agent that looks up an order and refunds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from extractor.model.json import JsonValue
from extractor.model.span import Resource, Span, SpanKind, SpanLink, StatusCode
from extractor.model.trace import (
    Dependency,
    Message,
    ModelCall,
    Part,
    Retrieval,
    Role,
    Step,
    StepKind,
    Subject,
    ToolCall,
    Trace,
)

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
START_NS = 1_760_000_000_000_000_000
_MS = 1_000_000


def message(role: Role, text: str) -> Message:
    """Return a message of one text."""
    return Message(role=role, parts=(Part(type="text", text=text),))


def asks(call_id: str, tool: str, arguments: JsonValue) -> Message:
    """Return an assistant message that calls a tool."""
    return Message(role="assistant", parts=(Part(type="tool_call", call_id=call_id, tool=tool, value=arguments),))


def returns(call_id: str, value: JsonValue, text: str | None = None) -> Message:
    """Return a tool message with a result."""
    return Message(role="tool", parts=(Part(type="tool_result", call_id=call_id, value=value, value_text=text),))


class Builder:
    """Appends steps one after the other; every span lasts from its start to its end in milliseconds."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def step(
        self,
        kind: StepKind,
        name: str,
        start: float,
        end: float | None,
        parent: str | None = None,
        *,
        status: StatusCode = "unset",
        attributes: Mapping[str, JsonValue] | None = None,
        span_kind: SpanKind = "internal",
        resource: Resource | None = None,
        **members: Any,
    ) -> str:
        """Append a step and return its span id."""
        span_id = f"{len(self.steps) + 1:016x}"
        span = Span(
            trace_id=TRACE_ID,
            span_id=span_id,
            parent_id=parent,
            name=name,
            kind=span_kind,
            start_ns=START_NS + round(start * _MS),
            end_ns=None if end is None else START_NS + round(end * _MS),
            attributes=tuple((attributes or {}).items()),
            status_code=status,
            resource=resource or Resource(),
        )
        self.steps.append(Step(kind=kind, span=span, dialect="otel_genai", **members))
        return span_id

    def link(self, source: str, target: str) -> None:
        """Link a span to another one, as a consumer does to its producer."""
        for index, step in enumerate(self.steps):
            if step.span.span_id == source:
                span = replace(step.span, links=(SpanLink(trace_id=TRACE_ID, span_id=target),))
                self.steps[index] = replace(step, span=span)

    def model(
        self,
        start: float,
        end: float,
        parent: str | None,
        said: Sequence[Message],
        output: Message,
        **members: Any,
    ) -> str:
        """Append a model turn."""
        call = ModelCall(model="gpt-test", provider="openai", input=tuple(said), output=(output,), **members)
        return self.step("model_call", "chat gpt-test", start, end, parent, model=call)

    def tool(
        self,
        start: float,
        end: float | None,
        parent: str | None,
        tool: ToolCall,
        *,
        attributes: Mapping[str, JsonValue] | None = None,
        error_type: str | None = None,
        resource: Resource | None = None,
    ) -> str:
        """Append a tool step; one with an error has an error status."""
        failed = error_type is not None or tool.error is not None
        return self.step(
            "tool_call",
            f"execute_tool {tool.name}",
            start,
            end,
            parent,
            status="error" if failed else "unset",
            attributes=attributes,
            resource=resource,
            tool=tool,
            error_type=error_type,
        )

    def client(
        self,
        start: float,
        end: float,
        parent: str,
        status: str | None,
        *,
        error_type: str | None = None,
        resource: Resource | None = None,
    ) -> str:
        """Append the caller's side of an HTTP POST."""
        dependency = Dependency(side="client", protocol="http", method="POST", target="refunds", status=status)
        return self.step(
            "dependency_call",
            "POST",
            start,
            end,
            parent,
            status="error" if error_type else "unset",
            span_kind="client",
            resource=resource,
            dependency=dependency,
            error_type=error_type,
        )

    def server(
        self,
        start: float,
        end: float,
        parent: str,
        status: str = "200",
        *,
        replayed: bool = False,
        resource: Resource | None = None,
    ) -> str:
        """Append the dependency's side of an HTTP POST."""
        dependency = Dependency(
            side="server", protocol="http", method="POST", target="refunds", status=status, replayed=replayed
        )
        return self.step(
            "dependency_receipt",
            "POST /refunds",
            start,
            end,
            parent,
            span_kind="server",
            resource=resource,
            dependency=dependency,
        )

    def trace(self, subject: Subject | None = None) -> Trace:
        """Return the trace, its steps in product order."""
        steps = tuple(sorted(self.steps, key=lambda step: step.span.order))
        return Trace(
            trace_ids=(TRACE_ID,),
            spans=tuple(step.span for step in steps),
            steps=steps,
            subject=subject or Subject(),
            dialects=("otel_genai",),
        )


ORDER: JsonValue = {"order_id": "ORD-7741", "user_id": "user_31", "total": 1250.0, "status": "delivered"}
HELLO = message("user", "Please refund my order ORD-7741, and tell me a joke.")
PROMPT = message("system", "You are a refund desk.")
LOOKUP = asks("call_1", "get_order", {"order_id": "ORD-7741"})
JOKE = asks("call_2", "find_joke", {"topic": "parcels"})
REFUND = asks("call_3", "issue_refund", {"order_id": "ORD-7741", "amount": "1250"})
ANSWER = message("assistant", "Your refund of $1,250.00 is complete.")


def refund_trace(subject: Subject | None = None) -> tuple[Trace, Mapping[str, str]]:
    """Return a run with one needed look-up, one needless tool, one refund, an answer, and span ids by nickname."""
    build = Builder()
    ids: dict[str, str] = {}
    joke: JsonValue = {"joke": "A parcel walks into a bar."}
    refunded: JsonValue = {"state": "accepted"}
    history = [PROMPT, HELLO]
    ids["root"] = build.step("other", "invoke_agent desk", 0, 100, attributes={"app.prompt.version": "p3"})
    for name, turn, result, start in (
        ("lookup", LOOKUP, ORDER, 1),
        ("joke", JOKE, joke, 20),
        ("refund", REFUND, refunded, 40),
    ):
        ids["ask_" + name] = build.model(start, start + 5, ids["root"], history, turn)
        part = turn.parts[0]
        call = ToolCall(
            name=part.tool or "", call_id=part.call_id, arguments=part.value, result=result, has_result=True
        )
        ids[name] = build.tool(start + 6, start + 10, ids["root"], call)
        history = [*history, turn, returns(part.call_id or "", result)]
    ids["answer"] = build.model(60, 65, ids["root"], history, ANSWER)
    ids["metrics"] = build.step("other", "flush metrics", 30, 31, ids["root"])
    return build.trace(subject), ids


def retrieval(query: str, *documents: JsonValue) -> Retrieval:
    """Return a retrieval."""
    return Retrieval(query=query, documents=documents)
