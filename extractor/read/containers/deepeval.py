"""DeepEval's traces: spans listed by what they are, under ids that are UUIDs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .times import nanoseconds
from .values import objects, plain, string

_LISTS = ("baseSpans", "agentSpans", "llmSpans", "retrieverSpans", "toolSpans")
_OURS = "deepeval."
_FIELDS = frozenset({"uuid", "parentUuid", "name", "startTime", "endTime", "status", "error"})


class DeepEval(JsonContainer):
    """One trace a record."""

    name: ClassVar[str] = "deepeval"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object lists spans as DeepEval does."""
        return "uuid" in record and any(name in record for name in _LISTS)

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the spans of all lists, and what the trace says of them."""
        trace = record.get("uuid")
        for node in (node for name in _LISTS for node in objects(record, name)):
            try:
                yield _span(node, trace, report)
            except RefusedError:
                report("span_refused")
        told = (("session.id", record.get("threadId")), ("user.id", record.get("userId")))
        yield Attachment(
            trace_id=ids.foreign_trace_id(trace), attributes=tuple((key, value) for key, value in told if value)
        )


def _span(node: dict[str, JsonValue], trace: JsonValue, report: Report) -> Span:
    failed = string(node.get("status")).upper() == "ERRORED" or bool(node.get("error"))
    return Span(
        trace_id=ids.foreign_trace_id(trace),
        span_id=ids.foreign_span_id(node.get("uuid")),
        parent_id=ids.foreign_parent_id(node.get("parentUuid")),
        name=string(node.get("name")),
        kind="internal",
        start_ns=nanoseconds(node.get("startTime"), report),
        end_ns=nanoseconds(node.get("endTime"), report) or None,
        attributes=tuple(
            (_OURS + key, plain(value, report))
            for key, value in node.items()
            if key not in _FIELDS and value is not None
        ),
        status_code="error" if failed else "unset",
        status_message=string(node.get("error")),
    )
