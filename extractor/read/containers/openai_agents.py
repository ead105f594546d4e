"""Trace items of the OpenAI Agents SDK: one a line, or the body that its exporter sends.

Items come in the order of their ends, the trace first; the trace item alone says workflow, group and metadata.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .naming import told, under
from .times import nanoseconds
from .values import members, objects, string

_OBJECTS = frozenset({"trace", "trace.span"})


class OpenAIAgents(JsonContainer):
    """Items whose ``object`` is ``trace`` or ``trace.span``."""

    name: ClassVar[str] = "openai_agents"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is an item, or a list of items."""
        return any(_is_item(item) for item in (record, *objects(record, "data")[:1]))

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield a span for each span item, and what trace items say of their traces."""
        for item in [record] if _is_item(record) else objects(record, "data"):
            try:
                if item.get("object") == "trace":
                    yield _trace(item, report)
                else:
                    yield _span(item, report)
            except RefusedError:
                report("span_refused")


def _is_item(record: dict[str, JsonValue]) -> bool:
    kind = record.get("object")
    return isinstance(kind, str) and kind in _OBJECTS and "id" in record


def _span(item: dict[str, JsonValue], report: Report) -> Span:
    data = members(item, "span_data")
    error = members(item, "error")
    end = nanoseconds(item.get("ended_at"), report)
    return Span(
        trace_id=ids.foreign_trace_id(item.get("trace_id")),
        span_id=ids.foreign_span_id(item.get("id")),
        parent_id=ids.foreign_parent_id(item.get("parent_id")),
        name=_name(data),
        kind="unspecified",
        start_ns=nanoseconds(item.get("started_at"), report),
        end_ns=end or None,
        attributes=(
            *under("openai_agents.", data, report),
            *under("openai_agents.error.", error, report),
            *under("openai_agents.metadata.", members(item, "metadata"), report),
        ),
        status_code="error" if error else "unset",
        status_message=string(error.get("message")),
    )


def _name(data: dict[str, JsonValue]) -> str:
    if data.get("type") == "handoff":
        return f"{string(data.get('from_agent'))} -> {string(data.get('to_agent'))}"
    return string(data.get("name")) or string(data.get("type"))


def _trace(item: dict[str, JsonValue], report: Report) -> Attachment:
    group = item.get("group_id") or None
    return Attachment(
        trace_id=ids.foreign_trace_id(item.get("id")),
        attributes=(
            *told("session.id", group, report),
            *told("openai_agents.group_id", group, report),
            *told("openai_agents.workflow_name", item.get("workflow_name"), report),
            *under("openai_agents.metadata.", members(item, "metadata"), report),
        ),
    )
