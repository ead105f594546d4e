"""Span objects on their own: OTLP's, the Python and JavaScript console exporters', and home-made ones a line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, TypeAlias, get_args

from extractor.model.json import JsonValue
from extractor.model.span import Resource, Scope, Span, SpanEvent, SpanKind, SpanLink, StatusCode

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .times import nanoseconds
from .values import attributes, members, natural, objects, pick, string

_KINDS: tuple[SpanKind, ...] = get_args(SpanKind)
_STATUSES: tuple[StatusCode, ...] = get_args(StatusCode)
_Readers: TypeAlias = tuple[Callable[[JsonValue], str], Callable[[JsonValue], str], Callable[[JsonValue], str | None]]
_STRICT: _Readers = (ids.trace_id, ids.span_id, ids.parent_id)
_FOREIGN: _Readers = (ids.foreign_trace_id, ids.foreign_span_id, ids.foreign_parent_id)
_CONTEXT = ("context", "spanContext", "span_context")


class SpanJson(JsonContainer):
    """One span object a record, camelCase or snake_case, attributes as OTLP list or plain object."""

    name: ClassVar[str] = "span_json"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object has a trace id and a span id of its own."""
        context = members(record, *_CONTEXT) or record
        if pick(context, "traceId", "trace_id") is None:
            return False
        return pick(context, "spanId", "span_id") is not None or _from_javascript(record)

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the one span."""
        resource = Resource(attributes=attributes(members(record, "resource").get("attributes"), report))
        scope = members(record, "scope", "instrumentationScope", "instrumentation_scope", "instrumentationLibrary")
        try:
            yield read_span(record, resource, decode_scope(scope, report), report, home_made=True)
        except RefusedError:
            report("span_refused")


def decode(nodes: list[dict[str, JsonValue]], resource: Resource, scope: Scope, report: Report) -> Iterator[Span]:
    """Yield span objects as spans; those without valid ids are reported as ``span_refused``."""
    for node in nodes:
        try:
            yield read_span(node, resource, scope, report)
        except RefusedError:
            report("span_refused")


def decode_scope(node: dict[str, JsonValue], report: Report) -> Scope:
    """Return an instrumentation scope."""
    return Scope(
        name=string(node.get("name")),
        version=string(node.get("version")),
        attributes=attributes(node.get("attributes"), report),
    )


def read_span(
    node: dict[str, JsonValue], resource: Resource, scope: Scope, report: Report, *, home_made: bool = False
) -> Span:
    """Return one span object as a span; ``home_made`` ones may have ids of any text, which is told as ``foreign_ids``.

    A span of no trace, or of one that is all zeros, stands alone under ids of its content, told as ``no_ids``. Raises `RefusedError` for ids that are none.
    """
    context = members(node, *_CONTEXT) or node
    try:
        trace_id, span_id, parent_id = _ids(node, context, _STRICT)
    except RefusedError:
        if ids.is_no_id(pick(context, "traceId", "trace_id")):
            trace_id, span_id, parent_id = (*ids.of_content(node), None)
            report("no_ids")
        elif home_made:
            trace_id, span_id, parent_id = _ids(node, context, _FOREIGN)
            report("foreign_ids")
        else:
            raise
    status = members(node, "status")
    events, links = objects(node, "events", "span_events"), objects(node, "links")
    start, end = _times(node, report)
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=parent_id,
        name=string(pick(node, "name", "spanName", "span_name")),
        kind=kind_of(pick(node, "kind", "spanKind", "span_kind"), report, internal=0 if _from_javascript(node) else 1),
        start_ns=start,
        end_ns=end or None,
        attributes=attributes(node.get("attributes"), report),
        events=tuple(_event(event, report) for event in events),
        links=tuple(_links(links, report)),
        status_code=status_of(pick(status, "code", "statusCode", "status_code"), report),
        status_message=string(pick(status, "message", "description")),
        trace_state=_trace_state(pick(node, "traceState", "trace_state") or pick(context, "traceState", "trace_state")),
        flags=natural(node.get("flags")),
        dropped=_dropped(node, "Attributes", "Events", "Links")
        + sum(_dropped(child, "Attributes") for child in (*events, *links)),
        resource=resource,
        scope=scope,
    )


def _ids(node: dict[str, JsonValue], context: dict[str, JsonValue], kinds: _Readers) -> tuple[str, str, str | None]:
    trace_id, span_id, parent_id = kinds
    return (
        trace_id(pick(context, "traceId", "trace_id")),
        span_id(pick(context, "spanId", "span_id", "id")),
        parent_id(_parent(node)),
    )


def _from_javascript(node: dict[str, JsonValue]) -> bool:
    return "id" in node and "timestamp" in node and ("instrumentationScope" in node or "instrumentationLibrary" in node)


def _parent(node: dict[str, JsonValue]) -> JsonValue:
    context = members(node, "parentSpanContext", "parent")
    return pick(node, "parentSpanId", "parent_span_id", "parentId", "parent_id") or pick(context, "spanId", "span_id")


def _times(node: dict[str, JsonValue], report: Report) -> tuple[int, int]:
    start = pick(node, "startTimeUnixNano", "start_time_unix_nano")
    end = pick(node, "endTimeUnixNano", "end_time_unix_nano")
    if start is None:
        begun = nanoseconds(pick(node, "startTime", "start_time", "timestamp"), report)
    else:
        begun = nanoseconds(start, report, unit=1)
    if end is not None:
        return begun, nanoseconds(end, report, unit=1)
    ended = nanoseconds(pick(node, "endTime", "end_time"), report)
    if not ended and begun and "duration" in node and _from_javascript(node):
        ended = begun + nanoseconds(node["duration"], report, unit=1_000)
    return begun, ended


def kind_of(value: JsonValue, report: Report, *, internal: int) -> SpanKind:
    """Return a span's kind; OTLP counts from INTERNAL = 1, the JavaScript API from 0. Another one is ``malformed_kind``."""
    if isinstance(value, int) and not isinstance(value, bool):
        number = value + 1 - internal
        found = _KINDS[number] if 0 <= number < len(_KINDS) else None
    else:
        name = string(value).lower().removeprefix("span_kind_").removeprefix("spankind.")
        found = next((kind for kind in _KINDS if kind == name), None)
    if found is None and value not in (None, ""):
        report("malformed_kind")
    return found or "unspecified"


def status_of(value: JsonValue, report: Report) -> StatusCode:
    """Return a status code written as a number or as a name; another one is ``malformed_status``."""
    if isinstance(value, int) and not isinstance(value, bool):
        found = _STATUSES[value] if 0 <= value < len(_STATUSES) else None
    else:
        name = string(value).lower().removeprefix("status_code_").removeprefix("statuscode.")
        found = next((code for code in _STATUSES if code == name), None)
    if found is None and value not in (None, ""):
        report("malformed_status")
    return found or "unset"


def _trace_state(value: JsonValue) -> str:
    text = string(value)
    return "" if text == "[]" else text  # how the Python console exporter writes an empty one


def _dropped(node: dict[str, JsonValue], *what: str) -> int:
    return sum(natural(pick(node, f"dropped{kind}Count", f"dropped_{kind.lower()}_count")) for kind in what)


def _event(node: dict[str, JsonValue], report: Report) -> SpanEvent:
    exact = pick(node, "timeUnixNano", "time_unix_nano")
    return SpanEvent(
        name=string(pick(node, "name", "event_name")),
        time_ns=nanoseconds(pick(node, "time", "timestamp"), report)
        if exact is None
        else nanoseconds(exact, report, unit=1),
        attributes=attributes(node.get("attributes"), report),
    )


def _links(nodes: list[dict[str, JsonValue]], report: Report) -> Iterator[SpanLink]:
    for node in nodes:
        context = members(node, *_CONTEXT) or node
        try:
            yield SpanLink(
                trace_id=ids.trace_id(pick(context, "traceId", "trace_id")),
                span_id=ids.span_id(pick(context, "spanId", "span_id")),
                trace_state=_trace_state(pick(context, "traceState", "trace_state")),
                attributes=attributes(node.get("attributes"), report),
            )
        except RefusedError:
            report("link_refused")
