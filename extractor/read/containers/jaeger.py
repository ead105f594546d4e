"""Jaeger's JSON: API answers, UI downloads, stored documents, and the dumps of its domain, Thrift and Cassandra models."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import ClassVar, get_args

from extractor.model.json import JsonValue
from extractor.model.span import Attributes, Resource, Scope, Span, SpanEvent, SpanKind, SpanLink, StatusCode, lookup

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .times import nanoseconds
from .values import any_value, members, natural, objects, pick, plain, real, string

_KINDS: tuple[SpanKind, ...] = get_args(SpanKind)
_STATUSES: tuple[StatusCode, ...] = get_args(StatusCode)
_TRACE = ("traceID", "traceId", "TraceID")
_SPAN = ("spanID", "spanId", "SpanID")
_NAME = ("operationName", "OperationName")
_VALUES = (
    "value", "vStr", "vBool", "vInt64", "vLong", "vFloat64", "vDouble", "vBinary",
    "value_string", "value_bool", "value_long", "value_double", "value_binary",
)  # fmt: skip
_DURATION = re.compile(r"(\d{1,19}(?:\.\d{1,9})?)(ns|us|µs|ms|s)")
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}
# What OpenTelemetry's own fields became when they were written as tags.
_FIELDS = frozenset(
    {
        "span.kind", "error", "otel.status_code", "otel.status_description", "otel.scope.name", "otel.scope.version", "otel.library.name",
        "otel.library.version", "w3c.tracestate", "internal.span.format",
    }
)  # fmt: skip
_ZERO: dict[str, JsonValue] = {"bool": False, "int64": 0, "long": 0, "float64": 0.0, "double": 0.0, "string": ""}
_SKEW = "clock skew adjustment"


class Jaeger(JsonContainer):
    """A trace with its processes, or one span that carries its own."""

    name: ClassVar[str] = "jaeger"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is a trace, a batch or a span of Jaeger's."""
        if _is_span(record):
            return True
        spans = objects(record, "spans")
        return bool(spans) and ("processes" in record or _is_span(spans[0]))

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the spans of a trace or batch, or the one span."""
        if _is_span(record):
            nodes, processes, process = [record], {}, {}
        else:
            nodes, processes, process = (
                objects(record, "spans"),
                members(record, "processes"),
                members(record, "process"),
            )
        for warning in _warnings(record):
            report(warning)
        for node in nodes:
            own = members(node, "process", "Process") or members(processes, string(node.get("processID"))) or process
            for warning in _warnings(node):
                report(warning)
            try:
                yield _span(node, Resource(attributes=tuple(_resource(own, report))), report)
            except RefusedError:
                report("span_refused")


def _is_span(node: dict[str, JsonValue]) -> bool:
    told = pick(node, *_TRACE) is not None or "traceIdLow" in node
    if not told or pick(node, *_SPAN) is None:
        return False
    return pick(node, *_NAME) is not None or "traceID" in node or "TraceID" in node


def _warnings(node: dict[str, JsonValue]) -> Iterator[str]:
    """Yield what Jaeger says of its own data: times that it moved are no evidence of order."""
    warnings = node.get("warnings")
    for warning in warnings if isinstance(warnings, list) else ():
        yield "times_adjusted_by_server" if _SKEW in string(warning) else "server_warning"


def _span(node: dict[str, JsonValue], resource: Resource, report: Report) -> Span:
    tags = _tags(pick(node, "tags", "Tags"), report)
    trace_id = _trace_id(node)
    parents, links = _references(node, trace_id, report)
    start = nanoseconds(pick(node, "startTime", "StartTime"), report, unit=_micro(pick(node, "startTime", "StartTime")))
    if not start:
        start = nanoseconds(node.get("startTimeMillis"), report, unit=10**6)
    length = _duration(pick(node, "duration", "Duration"), report)
    status, message = _status(tags, report)
    return Span(
        trace_id=trace_id,
        span_id=_span_id(pick(node, *_SPAN)),
        parent_id=parents[0] if parents else _parent(node),
        name=string(pick(node, *_NAME)),
        kind=_kind(lookup(tags, "span.kind"), report),
        start_ns=start,
        end_ns=start + length if start and length is not None else None,
        attributes=tuple(pair for pair in tags if pair[0] not in _FIELDS),
        events=tuple(_event(entry, report) for entry in objects(node, "logs", "Logs")),
        links=links,
        status_code=status,
        status_message=message,
        trace_state=string(lookup(tags, "w3c.tracestate")),
        flags=natural(pick(node, "flags", "Flags")),
        resource=resource,
        scope=Scope(
            name=string(lookup(tags, "otel.scope.name")) or string(lookup(tags, "otel.library.name")),
            version=string(lookup(tags, "otel.scope.version")) or string(lookup(tags, "otel.library.version")),
        ),
    )


def _trace_id(node: dict[str, JsonValue]) -> str:
    low = node.get("traceIdLow")
    if isinstance(low, int):
        return ids.trace_id(f"{_word(node.get('traceIdHigh'))}{_word(low)}")
    return _padded_trace(pick(node, *_TRACE))


def _padded_trace(value: JsonValue) -> str:
    text = string(value)
    if text and len(text) < ids.TRACE_DIGITS and not text.lower().strip("0123456789abcdef"):
        text = text.zfill(ids.TRACE_DIGITS)  # written without leading zeros
    return ids.trace_id(text)


def _span_id(value: JsonValue) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return ids.span_id(_word(value))
    text = string(value)
    if text and len(text) < ids.SPAN_DIGITS and not text.lower().strip("0123456789abcdef"):
        text = text.zfill(ids.SPAN_DIGITS)
    return ids.span_id(text)


def _word(value: JsonValue) -> str:
    """Return a signed 64-bit integer as 16 hex digits."""
    return f"{value & 0xFFFFFFFFFFFFFFFF:016x}" if isinstance(value, int) else "0" * ids.SPAN_DIGITS


def _parent(node: dict[str, JsonValue]) -> str | None:
    value = pick(node, "parentSpanID", "parentSpanId", "ParentID")
    return None if ids.is_no_id(value) else _span_id(value)


def _references(node: dict[str, JsonValue], trace_id: str, report: Report) -> tuple[list[str], tuple[SpanLink, ...]]:
    """Return the parents in the same trace, and every other reference as a link."""
    parents: list[str] = []
    links: list[SpanLink] = []
    for entry in objects(node, "references", "Refs"):
        try:
            other = _trace_id(entry)
            span = _span_id(pick(entry, *_SPAN))
        except RefusedError:
            report("link_refused")
            continue
        kind = pick(entry, "refType", "RefType")
        child = kind is None or kind == 0 or string(kind).upper().replace("-", "_") == "CHILD_OF"
        if child and other == trace_id and not parents:
            parents.append(span)
        else:
            links.append(SpanLink(trace_id=other, span_id=span))
    return parents, tuple(links)


def _resource(process: dict[str, JsonValue], report: Report) -> Iterator[tuple[str, JsonValue]]:
    service = string(pick(process, "serviceName", "ServiceName"))
    tags = _tags(pick(process, "tags", "Tags"), report)
    if service and lookup(tags, "service.name") is None:
        yield "service.name", service
    yield from tags


def _tags(value: JsonValue, report: Report) -> Attributes:
    if isinstance(value, dict):  # as Elasticsearch stores them when asked for objects
        return tuple((key, plain(item, report)) for key, item in value.items())
    pairs = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    return tuple((key, _value(pair, report)) for pair in pairs if isinstance(key := pick(pair, "key", "Key"), str))


def _value(pair: dict[str, JsonValue], report: Report) -> JsonValue:
    kind = string(pick(pair, "type", "vType", "ValueType")).lower()
    value = pick(pair, *_VALUES)
    if value is None:
        # Writers of protobuf leave out what is zero.
        return _ZERO.get(kind)
    if kind in ("int64", "long"):
        return any_value({"intValue": value}, report)
    if kind in ("float64", "double"):
        return any_value({"doubleValue": value}, report)
    if kind == "bool" and isinstance(value, str):
        return value.lower() == "true"
    if kind == "binary":
        return _binary(string(value), report)
    return real(value, report) if isinstance(value, float) else value


def _binary(text: str, report: Report) -> str:
    """Return bytes, in hex or base64, as base64."""
    try:
        return base64.b64encode(bytes.fromhex(text)).decode("ascii")
    except ValueError:
        pass
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        report("malformed_value")
    return text


def _micro(value: JsonValue) -> int | None:
    """Return the unit of numbers, microseconds; a text that is a date needs none."""
    return 1_000 if isinstance(value, int | float) else None


def _duration(value: JsonValue, report: Report) -> int | None:
    if value is None:
        return None
    if isinstance(value, str) and (found := _DURATION.fullmatch(value)):
        return int(float(found[1]) * _UNITS[found[2]]) if "." in found[1] else int(found[1]) * _UNITS[found[2]]
    if isinstance(value, str) and not value.isdigit():
        raise RefusedError("duration")
    return nanoseconds(value, report, unit=1_000)


def _kind(value: JsonValue, report: Report) -> SpanKind:
    name = string(value).lower()
    found = next((kind for kind in _KINDS if kind == name), None)
    if found is None and value not in (None, ""):
        report("malformed_kind")
    return found or "unspecified"


def _status(tags: Attributes, report: Report) -> tuple[StatusCode, str]:
    if (told := lookup(tags, "otel.status_code")) not in (None, "") and string(told).lower() not in _STATUSES:
        report("malformed_status")
    code = string(lookup(tags, "otel.status_code")).upper()
    message = string(lookup(tags, "otel.status_description"))
    error = lookup(tags, "error")
    if code == "ERROR" or error is True or error == "true":
        return "error", message
    return ("ok", message) if code == "OK" else ("unset", message)


def _event(entry: dict[str, JsonValue], report: Report) -> SpanEvent:
    time = pick(entry, "timestamp", "Timestamp")
    fields = _tags(pick(entry, "fields", "Fields"), report)
    named = next((key for key in ("event", "message") if isinstance(lookup(fields, key), str)), None)
    name = string(lookup(fields, named)) if named else ""
    if named is None and (said := lookup(fields, "event")) is not None:
        name = json.dumps(said)
        named = "event"
    return SpanEvent(
        name=name,
        time_ns=nanoseconds(time, report, unit=_micro(time)),
        attributes=tuple(pair for pair in fields if pair[0] != named),
    )
