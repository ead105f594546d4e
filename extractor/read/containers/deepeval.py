"""DeepEval (Confident AI): one trace an object, its spans in one list for each kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Attributes, Span, StatusCode

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .naming import failure, snake, told
from .times import nanoseconds
from .values import objects, string

_LISTS = {
    "baseSpans": "base",
    "agentSpans": "agent",
    "llmSpans": "llm",
    "retrieverSpans": "retriever",
    "toolSpans": "tool",
}
_STATUSES: dict[str, StatusCode] = {"SUCCESS": "ok", "ERRORED": "error"}
_PLACED = frozenset({"uuid", "parentUuid", "traceUuid", "name", "startTime", "endTime", "status", "type", "children"})
_OF_A_TRACE = {"threadId": "session.id", "userId": "user.id"}


class DeepEval(JsonContainer):
    """A trace with ``agentSpans``, ``llmSpans``, ``toolSpans`` and so on."""

    name: ClassVar[str] = "deepeval"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object has an id and lists of spans by kind."""
        return "uuid" in record and sum(isinstance(record.get(name), list) for name in _LISTS) > 1

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the spans of all lists, and what is said of the trace."""
        for name, kind in _LISTS.items():
            for node in objects(record, name):
                try:
                    yield _span(node, record.get("uuid"), kind, report)
                except RefusedError:
                    report("span_refused")
        yield _trace(record, report)


def _span(node: dict[str, JsonValue], trace_id: JsonValue, kind: str, report: Report) -> Span:
    end = nanoseconds(node.get("endTime"), report)
    error = string(node.get("error"))
    message, raised = failure(error, end) if error else ("", ())
    return Span(
        trace_id=ids.foreign_trace_id(trace_id),
        span_id=ids.foreign_span_id(node.get("uuid")),
        parent_id=ids.foreign_parent_id(node.get("parentUuid")),
        name=string(node.get("name")),
        kind="unspecified",
        start_ns=nanoseconds(node.get("startTime"), report),
        end_ns=end or None,
        attributes=(
            ("deepeval.type", string(node.get("type")) or kind),
            *_members("deepeval.", node, report),
        ),
        events=raised,
        status_code="error" if error else _STATUSES.get(string(node.get("status")), "unset"),
        status_message=message,
    )


def _members(prefix: str, node: dict[str, JsonValue], report: Report) -> Attributes:
    return tuple(
        pair
        for name, value in node.items()
        if name not in _PLACED and name not in _LISTS and name not in _OF_A_TRACE
        for pair in told(prefix + snake(name), value, report)
    )


def _trace(record: dict[str, JsonValue], report: Report) -> Attachment:
    return Attachment(
        trace_id=ids.foreign_trace_id(record.get("uuid")),
        attributes=(
            *(pair for name, key in _OF_A_TRACE.items() for pair in told(key, record.get(name) or None, report)),
            *told("deepeval.trace.name", record.get("name"), report),
            *_members("deepeval.trace.", record, report),
        ),
    )
