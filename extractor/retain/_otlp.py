"""Spans as OTLP/JSON: one request a trace, in the order of the spans, so that any reader of OTLP takes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from ..model.json import JsonValue, compact
from ..model.span import Attributes, Resource, Scope, Span, SpanEvent, SpanLink

_KINDS = ("unspecified", "internal", "server", "client", "producer", "consumer")
_STATUSES = ("unset", "ok", "error")


def request(spans: Sequence[Span]) -> bytes:
    """Return one ExportTraceServiceRequest as a line of JSON. Resources and scopes are told once for neighbours."""
    resources: list[JsonValue] = []
    for resource, of_resource in groupby(spans, key=lambda span: span.resource):
        scopes: list[JsonValue] = [
            {"scope": _scope(scope), "spans": [_span(span) for span in of_scope]}
            for scope, of_scope in groupby(of_resource, key=lambda span: span.scope)
        ]
        resources.append({"resource": _resource(resource), "scopeSpans": scopes})
    return (compact({"resourceSpans": resources}) + "\n").encode("utf-8", "surrogatepass")


def _span(span: Span) -> JsonValue:
    made: dict[str, JsonValue] = {"traceId": span.trace_id, "spanId": span.span_id}
    if span.trace_state:
        made["traceState"] = span.trace_state
    if span.parent_id is not None:
        made["parentSpanId"] = span.parent_id
    made |= {
        "flags": span.flags,
        "name": span.name,
        "kind": _KINDS.index(span.kind),
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns or 0),
        "attributes": _attributes(span.attributes),
        "droppedAttributesCount": span.dropped,
        "events": [_event(event) for event in span.events],
        "links": [_link(link) for link in span.links],
        "status": {"code": _STATUSES.index(span.status_code), "message": span.status_message},
    }
    return made


def _event(event: SpanEvent) -> JsonValue:
    return {"timeUnixNano": str(event.time_ns), "name": event.name, "attributes": _attributes(event.attributes)}


def _link(link: SpanLink) -> JsonValue:
    return {
        "traceId": link.trace_id,
        "spanId": link.span_id,
        "traceState": link.trace_state,
        "attributes": _attributes(link.attributes),
    }


def _resource(resource: Resource) -> JsonValue:
    return {"attributes": _attributes(resource.attributes)}


def _scope(scope: Scope) -> JsonValue:
    return {"name": scope.name, "version": scope.version, "attributes": _attributes(scope.attributes)}


def _attributes(attributes: Attributes | Iterable[tuple[str, JsonValue]]) -> list[JsonValue]:
    return [{"key": key, "value": _value(value)} for key, value in attributes]


def _value(value: JsonValue) -> JsonValue:
    """Return an AnyValue; a whole number is an int of OTLP, any other number a double."""
    if value is None:
        return {}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(child) for child in value]}}
    return {"kvlistValue": {"values": _attributes(value.items())}}
