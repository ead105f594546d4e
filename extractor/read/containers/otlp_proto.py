"""OTLP protobuf requests (ExportTraceServiceRequest and TracesData are the same bytes)."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from extractor.model.json import JsonValue
from extractor.model.span import Attributes, Resource, Scope, Span, SpanEvent, SpanLink

from . import ids, otlp_logs
from .interface import Attachment, RefusedError, Report
from .span_json import kind_of, status_of
from .values import key_values, real

if TYPE_CHECKING:
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
    from opentelemetry.proto.trace.v1.trace_pb2 import Span as ProtoSpan
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

NAME = "otlp_proto"


def decode(data: bytes, report: Report) -> tuple[str, Iterator[Span | Attachment]]:
    """Return the container's name and what one message tells: spans, or what logs say of them.

    Requests of both signals have the same outer fields; only what lies within tells them apart. Raises `RefusedError`
    when the bytes are no such message.
    """
    # Heavy, and most sources are JSON.
    from google.protobuf.message import DecodeError
    from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    with suppress(DecodeError):
        message = TracesData.FromString(data)
        nodes = [node for batch in message.resource_spans for group in batch.scope_spans for node in group.spans]
        if not nodes:
            report("message_without_spans")  # another signal, or fields from before 2022
        if not nodes or any(node.trace_id or node.span_id for node in nodes):
            return NAME, _spans(message, report)
    with suppress(DecodeError):
        logs = LogsData.FromString(data)
        records = [node for batch in logs.resource_logs for group in batch.scope_logs for node in group.log_records]
        if any(node.trace_id for node in records):
            return otlp_logs.NAME, _logs(records, report)
    raise RefusedError("syntax")


def _logs(nodes: Iterable[LogRecord], report: Report) -> Iterator[Attachment]:
    for node in nodes:
        if not node.trace_id.strip(b"\0") or not node.span_id.strip(b"\0"):
            report("log_of_no_span")
            continue
        try:
            yield otlp_logs.attachment(
                ids.trace_id(node.trace_id.hex()),
                ids.span_id(node.span_id.hex()),
                node.event_name,
                node.time_unix_nano or node.observed_time_unix_nano,
                _attributes(node.attributes, report),
                _value(node.body, report),
            )
        except RefusedError:
            report("log_refused")


def _spans(message: TracesData, report: Report) -> Iterator[Span]:
    for batch in message.resource_spans:
        resource = Resource(attributes=_attributes(batch.resource.attributes, report))
        for group in batch.scope_spans:
            scope = Scope(
                name=group.scope.name,
                version=group.scope.version,
                attributes=_attributes(group.scope.attributes, report),
            )
            for node in group.spans:
                try:
                    yield _span(node, resource, scope, report)
                except RefusedError:
                    report("span_refused")


def _span(node: ProtoSpan, resource: Resource, scope: Scope, report: Report) -> Span:
    return Span(
        trace_id=ids.trace_id(node.trace_id.hex()),
        span_id=ids.span_id(node.span_id.hex()),
        parent_id=ids.parent_id(node.parent_span_id.hex()),
        name=node.name,
        kind=kind_of(node.kind, report, internal=1),
        start_ns=node.start_time_unix_nano,
        end_ns=node.end_time_unix_nano or None,
        attributes=_attributes(node.attributes, report),
        events=tuple(
            SpanEvent(name=event.name, time_ns=event.time_unix_nano, attributes=_attributes(event.attributes, report))
            for event in node.events
        ),
        links=tuple(_links(node.links, report)),
        status_code=status_of(node.status.code, report),
        status_message=node.status.message,
        trace_state=node.trace_state,
        flags=node.flags,
        dropped=node.dropped_attributes_count
        + node.dropped_events_count
        + node.dropped_links_count
        + sum(event.dropped_attributes_count for event in node.events)
        + sum(link.dropped_attributes_count for link in node.links),
        resource=resource,
        scope=scope,
    )


def _links(nodes: Iterable[ProtoSpan.Link], report: Report) -> Iterator[SpanLink]:
    for node in nodes:
        try:
            yield SpanLink(
                trace_id=ids.trace_id(node.trace_id.hex()),
                span_id=ids.span_id(node.span_id.hex()),
                trace_state=node.trace_state,
                attributes=_attributes(node.attributes, report),
            )
        except RefusedError:
            report("link_refused")


def _attributes(pairs: Iterable[KeyValue], report: Report) -> Attributes:
    return tuple((pair.key, _value(pair.value, report)) for pair in pairs)


def _value(node: AnyValue, report: Report) -> JsonValue:
    match node.WhichOneof("value"):
        case "string_value":
            return node.string_value
        case "bool_value":
            return node.bool_value
        case "int_value":
            return node.int_value
        case "double_value":
            return real(node.double_value, report)
        case "bytes_value":
            return base64.b64encode(node.bytes_value).decode("ascii")
        case "array_value":
            return [_value(item, report) for item in node.array_value.values]
        case "kvlist_value":
            return key_values(_attributes(node.kvlist_value.values, report), report)
    return None
