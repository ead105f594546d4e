"""Rows of the collector's ClickHouse table `otel_traces`: every attribute a text, nested columns as parallel arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Resource, Scope, Span, SpanEvent, SpanLink

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .span_json import kind_of, status_of
from .times import nanoseconds
from .values import attributes, json_of, natural, pick, string


class ClickHouse(JsonContainer):
    """One row a record, as ``JSONEachRow`` or a Parquet export writes it."""

    name: ClassVar[str] = "clickhouse"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object has the table's columns."""
        return "TraceId" in record and "SpanId" in record and ("SpanName" in record or "Timestamp" in record)

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the one span."""
        try:
            yield _span(record, report)
        except RefusedError:
            report("span_refused")


def _span(row: dict[str, JsonValue], report: Report) -> Span:
    start = nanoseconds(row.get("Timestamp"), report)
    return Span(
        trace_id=ids.trace_id(row.get("TraceId")),
        span_id=ids.span_id(row.get("SpanId")),
        parent_id=ids.parent_id(row.get("ParentSpanId")),
        name=string(row.get("SpanName")),
        kind=kind_of(row.get("SpanKind"), report, internal=1),
        start_ns=start,
        end_ns=start + natural(row["Duration"]) if start and "Duration" in row else None,
        attributes=attributes(json_of(row.get("SpanAttributes")), report),
        events=tuple(_events(row, report)),
        links=tuple(_links(row, report)),
        status_code=status_of(row.get("StatusCode"), report),
        status_message=string(row.get("StatusMessage")),
        trace_state=string(row.get("TraceState")),
        resource=Resource(attributes=tuple(_resource(row, report))),
        scope=Scope(name=string(row.get("ScopeName")), version=string(row.get("ScopeVersion"))),
    )


def _resource(row: dict[str, JsonValue], report: Report) -> Iterator[tuple[str, JsonValue]]:
    told = attributes(json_of(row.get("ResourceAttributes")), report)
    service = string(row.get("ServiceName"))
    if service and "service.name" not in dict(told):
        yield "service.name", service
    yield from told


def _events(row: dict[str, JsonValue], report: Report) -> Iterator[SpanEvent]:
    for entry in _nested(row, "Events", "Timestamp", "Name", "Attributes"):
        yield SpanEvent(
            name=string(entry["Name"]),
            time_ns=nanoseconds(entry["Timestamp"], report),
            attributes=attributes(json_of(entry["Attributes"]), report),
        )


def _links(row: dict[str, JsonValue], report: Report) -> Iterator[SpanLink]:
    for entry in _nested(row, "Links", "TraceId", "SpanId", "TraceState", "Attributes"):
        try:
            yield SpanLink(
                trace_id=ids.trace_id(entry["TraceId"]),
                span_id=ids.span_id(entry["SpanId"]),
                trace_state=string(entry["TraceState"]),
                attributes=attributes(json_of(entry["Attributes"]), report),
            )
        except RefusedError:
            report("link_refused")


def _nested(row: dict[str, JsonValue], table: str, *columns: str) -> Iterator[dict[str, JsonValue]]:
    """Yield the rows of a nested table: parallel arrays under dotted names, or one list of objects."""
    whole = row.get(table)
    if isinstance(whole, list):
        yield from ({name: entry.get(name) for name in columns} for entry in whole if isinstance(entry, dict))
        return
    told = [pick(row, f"{table}.{name}", f"{table}{name}") for name in columns]
    arrays = [value if isinstance(value, list) else [] for value in told]
    for index in range(max(map(len, arrays))):
        yield {
            name: values[index] if index < len(values) else None for name, values in zip(columns, arrays, strict=True)
        }
