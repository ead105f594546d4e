"""Items of the OpenAI Agents SDK's own exporter: a trace item and its span items, lines or an ingest body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Span, StatusCode

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .times import nanoseconds
from .values import members, plain, string, under

_OURS = "openai_agents."


class OpenAIAgents(JsonContainer):
    """One item a record."""

    name: ClassVar[str] = "openai_agents"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is a trace or a span item."""
        return record.get("object") in ("trace", "trace.span") and "id" in record

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the span, or what the trace item says of all of its spans."""
        try:
            yield _span(record, report) if record["object"] == "trace.span" else _context(record, report)
        except RefusedError:
            report("span_refused")


def _context(item: dict[str, JsonValue], report: Report) -> Attachment:
    metadata = members(item, "metadata")
    told = [
        (_OURS + "workflow_name", item.get("workflow_name")),
        ("session.id", item.get("group_id")),
        ("user.id", metadata.get("user_id")),
        *under(_OURS + "metadata.", metadata),
    ]
    return Attachment(
        trace_id=ids.foreign_trace_id(item.get("id")),
        attributes=tuple((key, plain(value, report)) for key, value in told if value is not None),
    )


def _span(item: dict[str, JsonValue], report: Report) -> Span:
    data, error = members(item, "span_data"), members(item, "error")
    status: StatusCode = "error" if error else "unset"
    return Span(
        trace_id=ids.foreign_trace_id(item.get("trace_id")),
        span_id=ids.foreign_span_id(item.get("id")),
        parent_id=ids.foreign_parent_id(item.get("parent_id")),
        name=string(data.get("name")) or string(data.get("type")),
        kind="internal",
        start_ns=nanoseconds(item.get("started_at"), report),
        end_ns=nanoseconds(item.get("ended_at"), report) or None,
        attributes=(
            *((_OURS + key, plain(value, report)) for key, value in data.items() if value is not None),
            *((_OURS + "error." + key, plain(value, report)) for key, value in error.items() if value is not None),
        ),
        status_code=status,
        status_message=string(error.get("message")),
    )
