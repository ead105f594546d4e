"""Datadog LLM Observability: what the tracer sends, span events one a line, the answer of the search API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Attributes, Resource, Span, SpanEvent, StatusCode

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .naming import told, under
from .times import nanoseconds
from .values import members, objects, pick, string

_STATUSES: dict[str, StatusCode] = {"ok": "ok", "error": "error"}
_PLACED = frozenset(
    {
        "_dd",
        "trace_id",
        "span_id",
        "parent_id",
        "name",
        "start_ns",
        "start_ms",
        "duration",
        "status",
        "status_message",
        "meta",
        "metrics",
        "tags",
        "session_id",
        "span_kind",
        "service",
    }
)
# Members of `meta` that the search API has at the top instead.
_OF_META = (
    "input",
    "output",
    "metadata",
    "model_name",
    "model_provider",
    "tool_definitions",
    "error",
    "expected_output",
    "intent",
)
_RESOURCE = {"service": "service.name", "version": "service.version", "env": "deployment.environment.name"}


class DatadogLlmObs(JsonContainer):
    """LLM Observability span events and what wraps them."""

    name: ClassVar[str] = "datadog_llmobs"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is a span event, or wraps some."""
        return any(_is_span(span) for _, span in _unwrapped(record))

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield a span for each span event."""
        for outer, node in _unwrapped(record):
            try:
                yield _span({**outer, **node}, report)
            except RefusedError:
                report("span_refused")


def _is_span(node: dict[str, JsonValue]) -> bool:
    if "span_id" not in node or "trace_id" not in node:
        return False
    return ("start_ns" in node and "meta" in node) or ("span_kind" in node and ("ml_app" in node or "start_ms" in node))


def _unwrapped(record: dict[str, JsonValue]) -> Iterator[tuple[dict[str, JsonValue], dict[str, JsonValue]]]:
    """Yield each span event with what its envelope says of it."""
    data = record.get("data")
    attributes = members(members(record, "data"), "attributes")  # the body that the intake takes
    if record.get("event_type") == "span" or record.get("_dd.stage") is not None:
        yield from (({}, node) for node in objects(record, "spans"))
    elif isinstance(data, list):
        rows = (item.get("attributes") for item in objects(record, "data") if item.get("type") == "span")
        yield from (({}, row) for row in rows if isinstance(row, dict))
    elif attributes:
        shared: dict[str, JsonValue] = {
            name: attributes[name] for name in ("ml_app", "session_id", "tags") if name in attributes
        }
        yield from ((shared, node) for node in objects(attributes, "spans"))
    else:
        yield {}, record


def _span(node: dict[str, JsonValue], report: Report) -> Span:
    if not _is_span(node):
        raise RefusedError("span_id")
    meta = {**{name: node[name] for name in _OF_META if name in node}, **members(node, "meta")}
    start = nanoseconds(node.get("start_ns"), report, unit=1) or nanoseconds(node.get("start_ms"), report, unit=10**6)
    duration = nanoseconds(node.get("duration"), report, unit=1)
    end = start + duration if start and node.get("duration") is not None else None
    error = members(meta, "error")
    tags = dict(_tags(node))
    return Span(
        trace_id=ids.foreign_trace_id(_text(node.get("trace_id"))),
        span_id=ids.decimal_span_id(node.get("span_id")),
        parent_id=_parent(node.get("parent_id")),
        name=string(node.get("name")),
        kind="unspecified",
        start_ns=start,
        end_ns=end,
        attributes=_attributes(node, meta, tags, report),
        events=_raised(error, end or start),
        status_code="error" if any(error.values()) else _STATUSES.get(string(node.get("status")), "unset"),
        status_message=string(error.get("message")) or string(node.get("status_message")),
        resource=Resource(attributes=tuple((name, tags[tag]) for tag, name in _RESOURCE.items() if tag in tags)),
    )


def _attributes(
    node: dict[str, JsonValue], meta: dict[str, JsonValue], tags: dict[str, str], report: Report
) -> Attributes:
    kind = pick(members(meta, "span"), "kind") or meta.get("kind") or node.get("span_kind")
    return (
        *told("datadog.meta.span.kind", kind, report),
        *(pair for side in ("input", "output") for pair in _side(side, meta.get(side), report)),
        *under("datadog.meta.", meta, report, leave=("span", "kind", "input", "output", "error")),
        *under("datadog.meta.error.", members(meta, "error"), report, leave=("stack",)),
        *under("datadog.metrics.", members(node, "metrics"), report),
        *told("session.id", node.get("session_id") or tags.get("session_id"), report),
        *told("user.id", tags.get("user_id"), report),
        *told("datadog.apm_trace_id", members(node, "_dd").get("apm_trace_id"), report),
        *told("datadog.ml_app", tags.get("ml_app"), report),
        *told("datadog.tags", node.get("tags"), report),
        *under("datadog.", node, report, leave=(*_PLACED, *_OF_META)),
    )


def _side(side: str, value: JsonValue, report: Report) -> Attributes:
    if isinstance(value, dict):
        return under(f"datadog.meta.{side}.", value, report)
    return told(f"datadog.meta.{side}.value", value, report)


def _raised(error: dict[str, JsonValue], time_ns: int) -> tuple[SpanEvent, ...]:
    names = (("exception.type", "type"), ("exception.message", "message"), ("exception.stacktrace", "stack"))
    found = tuple((name, error[member]) for name, member in names if error.get(member))
    return (SpanEvent(name="exception", time_ns=time_ns, attributes=found),) if found else ()


def _parent(value: JsonValue) -> str | None:
    """Return the parent's id; a root says ``undefined``, older tracers 0."""
    if value in (None, "", "undefined", 0) or (isinstance(value, str) and not value.strip("0")):
        return None
    return ids.decimal_span_id(value)


def _text(value: JsonValue) -> JsonValue:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _tags(node: dict[str, JsonValue]) -> Iterator[tuple[str, str]]:
    tags = node.get("tags")
    if isinstance(tags, dict):
        yield from ((name, value) for name, value in tags.items() if isinstance(value, str))
    for tag in tags if isinstance(tags, list) else ():
        name, colon, value = string(tag).partition(":")
        if colon and value:
            yield name, value
