"""Phoenix: rows of its span data frames, and pages of its REST API in both of its forms.

Rows have flat columns for the span, structs and lists for the attributes: Phoenix cuts attribute names at their dots
into objects and flattened families into lists. Both are undone, so that the attributes are called again what the
application called them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Attributes, Resource, Scope, Span

from .interface import Attachment, JsonContainer, RefusedError, Report
from .span_json import read_span
from .values import members, objects, pick, plain

_ATTRIBUTES = "attributes."
# Phoenix reads these as JSON on ingest: they are one value, not a family of attributes.
_VALUES = frozenset(
    {"metadata", "tool.parameters", "input.value", "output.value", "llm.prompt_template.variables", "tag.tags"}
)
_COUNTS = "llm.token_count."


class Phoenix(JsonContainer):
    """A row with ``context.trace_id`` and ``context.span_id``, or a page of spans with ``next_cursor``."""

    name: ClassVar[str] = "phoenix"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the row has Phoenix's flat id columns, or the page its spans."""
        return _is_row(record) or any(map(_is_span, _page(record)[:1]))

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the row's span, or the page's spans."""
        for node in [record] if _is_row(record) else _page(record):
            try:
                if _is_row(node) or "span_kind" in node:
                    yield _span(node, report)
                else:
                    yield read_span(node, Resource(), Scope(), report)
            except RefusedError:
                report("span_refused")


def _is_row(record: dict[str, JsonValue]) -> bool:
    return "context.trace_id" in record and "context.span_id" in record


def _page(record: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    return objects(record, "data") if "next_cursor" in record else []


def _is_span(node: dict[str, JsonValue]) -> bool:
    context = members(node, "context") or node
    return "trace_id" in context and "span_id" in context


def _span(row: dict[str, JsonValue], report: Report) -> Span:
    # `span_kind` is OpenInference's word, which stands among the attributes; OpenTelemetry's kind is not kept.
    kind = row.get("span_kind")
    attributes = dict(_attributes(row, report))
    if isinstance(kind, str) and kind != "UNKNOWN":
        attributes.setdefault("openinference.span.kind", kind)
    return read_span(
        {
            "context": members(row, "context")
            or {"trace_id": row.get("context.trace_id"), "span_id": row.get("context.span_id")},
            "parent_id": row.get("parent_id"),
            "name": row.get("name"),
            "start_time": row.get("start_time"),
            "end_time": row.get("end_time"),
            "status": {"code": row.get("status_code"), "message": row.get("status_message")},
            "attributes": attributes,
            "events": [_event(event, report) for event in objects(row, "events")],
        },
        Resource(),
        Scope(),
        report,
    )


def _attributes(row: dict[str, JsonValue], report: Report) -> Attributes:
    found: list[tuple[str, JsonValue]] = []
    for name, value in row.items():
        if name.startswith(_ATTRIBUTES):
            found.extend(_leaves(name.removeprefix(_ATTRIBUTES), value, report))
        elif name == "attributes" and isinstance(value, dict):
            found.extend(pair for key, child in value.items() for pair in _leaves(key, child, report))
    return tuple(found)


def _leaves(name: str, value: JsonValue, report: Report) -> Iterator[tuple[str, JsonValue]]:
    """Yield the attributes that an object or a list of objects was made from; the depth is bounded by the reader's."""
    if value is None:
        return
    if name in _VALUES:
        yield name, plain(value, report)
    elif isinstance(value, dict):
        for key, child in value.items():
            yield from _leaves(f"{name}.{key}", child, report)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for index, item in enumerate(value):
            yield from _leaves(f"{name}.{index}", item, report)
    elif name.startswith(_COUNTS) and isinstance(value, float) and value.is_integer():
        yield name, int(value)  # the column is double because rows without a count are not numbers
    else:
        yield name, plain(value, report)


def _event(event: dict[str, JsonValue], report: Report) -> dict[str, JsonValue]:
    attributes = event.get("attributes")
    return {
        "name": event.get("name"),
        "timestamp": pick(event, "timestamp", "time"),
        "attributes": {
            key: child
            for name, value in (attributes.items() if isinstance(attributes, dict) else ())
            for key, child in _leaves(name, value, report)
        },
    }
