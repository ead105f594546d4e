"""Datadog's LLM Observability: intake payloads, their spans a line each, and answers of its search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Resource, Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .values import members, natural, objects, pick, plain, string, under

_OURS = "datadog."
_ROOT = "undefined"


class Datadog(JsonContainer):
    """A payload of spans, or one span."""

    name: ClassVar[str] = "datadog"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is a payload, a span or an event of the search."""
        return any(map(_is_span, _nodes(record)))

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the spans."""
        for node in _nodes(record):
            try:
                yield _span(node, report)
            except RefusedError:
                report("span_refused")


def _nodes(record: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    if _is_span(record):
        return [record]
    if record.get("type") == "span" and members(record, "attributes"):
        return [members(record, "attributes")]
    return objects(record, "spans") if record.get("event_type") == "span" else []


def _is_span(node: dict[str, JsonValue]) -> bool:
    return "start_ns" in node and "meta" in node and "span_id" in node


def _span(node: dict[str, JsonValue], report: Report) -> Span:
    meta = members(node, "meta")
    error = members(meta, "error")
    start = natural(node.get("start_ns"))
    tags = list(_tags(node.get("tags")))
    parent = node.get("parent_id")
    told: list[tuple[str, JsonValue]] = [
        (_OURS + "span.kind", pick(members(meta, "span"), "kind") or meta.get("span.kind")),
        *under(_OURS + "input.", members(meta, "input")),
        *under(_OURS + "output.", members(meta, "output")),
        *under(_OURS + "metadata.", members(meta, "metadata")),
        *under(_OURS + "metrics.", members(node, "metrics")),
        (_OURS + "model_name", meta.get("model_name")),
        (_OURS + "model_provider", meta.get("model_provider")),
        (_OURS + "error.type", error.get("type")),
        (_OURS + "error.stack", error.get("stack")),
        (_OURS + "tool_definitions", meta.get("tool_definitions")),
        ("session.id", node.get("session_id")),
        *((_OURS + "tag." + key, value) for key, value in tags),
    ]
    return Span(
        trace_id=ids.foreign_trace_id(node.get("trace_id")),
        span_id=ids.foreign_span_id(node.get("span_id")),
        parent_id=None if parent == _ROOT else ids.foreign_parent_id(parent),
        name=string(node.get("name")),
        kind="internal",
        start_ns=start,
        end_ns=start + natural(node["duration"]) if start and "duration" in node else None,
        attributes=tuple((key, plain(value, report)) for key, value in told if value is not None),
        status_code="error" if node.get("status") == "error" or error else "unset",
        status_message=string(error.get("message")),
        resource=Resource(attributes=tuple(_resource(tags))),
    )


def _tags(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    for tag in value if isinstance(value, list) else ():
        key, _, rest = string(tag).partition(":")
        if key:
            yield key, rest


def _resource(tags: list[tuple[str, JsonValue]]) -> Iterator[tuple[str, JsonValue]]:
    names = {"service": "service.name", "version": "service.version", "env": "deployment.environment.name"}
    yield from ((names[key], value) for key, value in tags if key in names and value)
