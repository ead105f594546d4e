"""Zipkin v2 spans: microseconds, tags that are all texts, one id for both sides of a call where it is shared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.span import Resource, Scope, Span, SpanEvent, SpanKind, SpanLink, StatusCode

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .times import nanoseconds
from .values import members, objects, string

_MICRO = 1_000
_KINDS: dict[str, SpanKind] = {"CLIENT": "client", "SERVER": "server", "PRODUCER": "producer", "CONSUMER": "consumer"}
_SIGNS = ("localEndpoint", "remoteEndpoint", "annotations", "timestamp", "duration", "tags")
_RESOURCE = ("telemetry.sdk.", "service.", "deployment.", "host.", "process.", "k8s.", "container.", "cloud.", "os.")
_FIELDS = frozenset(
    {
        "error", "otel.status_code", "otel.status_description", "otel.scope.name", "otel.scope.version", "otel.library.name",
        "otel.library.version", "w3c.tracestate",
    }
)  # fmt: skip
_LINK = "otlp.link."
_OTHER_SIDE = 1


class Zipkin(JsonContainer):
    """One span object of Zipkin's second version."""

    name: ClassVar[str] = "zipkin"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object has Zipkin's two ids and something of Zipkin's beside them."""
        if "traceId" not in record or "id" not in record or "instrumentationScope" in record:
            return False
        if "type" in record or "startTime" in record or "resource" in record:
            return False  # other services' rows
        return any(name in record for name in _SIGNS)

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the one span."""
        try:
            yield _span(record, report)
        except RefusedError:
            report("span_refused")


def _span(node: dict[str, JsonValue], report: Report) -> Span:
    tags = {key: value for key, value in members(node, "tags").items() if isinstance(value, str)}
    start = nanoseconds(node.get("timestamp"), report, unit=_MICRO)
    span_id = ids.span_id(_padded(node.get("id")))
    shared = node.get("shared") is True
    status, message = _status(tags)
    return Span(
        trace_id=ids.trace_id(_padded(node.get("traceId"))),
        span_id=_server_side(span_id) if shared else span_id,
        parent_id=span_id if shared else ids.parent_id(_padded(node.get("parentId"))),
        name=string(node.get("name")),
        kind=_KINDS.get(string(node.get("kind")).upper(), "internal"),
        start_ns=start,
        end_ns=start + nanoseconds(node.get("duration"), report, unit=_MICRO) if start and "duration" in node else None,
        attributes=tuple(_attributes(node, tags)),
        events=tuple(_events(node, report)),
        links=tuple(_links(tags, report)),
        status_code=status,
        status_message=message,
        trace_state=tags.get("w3c.tracestate", ""),
        resource=Resource(attributes=tuple(_resource(node, tags))),
        scope=Scope(
            name=tags.get("otel.scope.name") or tags.get("otel.library.name", ""),
            version=tags.get("otel.scope.version") or tags.get("otel.library.version", ""),
        ),
    )


def _padded(value: JsonValue) -> JsonValue:
    """Return an id with the leading zeros that some tracers leave out."""
    text = string(value)
    size = ids.SPAN_DIGITS if len(text) <= ids.SPAN_DIGITS else ids.TRACE_DIGITS
    return text.zfill(size) if text and not text.lower().strip("0123456789abcdef") else value


def _server_side(span_id: str) -> str:
    """Return an id of its own for the server's half of a span that client and server share (B3)."""
    return f"{int(span_id, 16) ^ (_OTHER_SIDE << 63):016x}"


def _resource(node: dict[str, JsonValue], tags: dict[str, str]) -> Iterator[tuple[str, JsonValue]]:
    service = string(members(node, "localEndpoint").get("serviceName"))
    if service:
        yield "service.name", service
    yield from ((key, value) for key, value in tags.items() if key.startswith(_RESOURCE) and key != "service.name")


def _attributes(node: dict[str, JsonValue], tags: dict[str, str]) -> Iterator[tuple[str, JsonValue]]:
    for key, value in tags.items():
        if key not in _FIELDS and not key.startswith((_LINK, *_RESOURCE)):
            yield key, value
    for side, endpoint in (("net.host", "localEndpoint"), ("net.peer", "remoteEndpoint")):
        where = members(node, endpoint)
        for member, key in (("ipv4", "ip"), ("ipv6", "ip"), ("port", "port")):
            if (told := where.get(member)) is not None:
                yield f"{side}.{key}", told
        if side == "net.peer" and (name := string(where.get("serviceName"))):
            yield "peer.service", name


def _status(tags: dict[str, str]) -> tuple[StatusCode, str]:
    code = tags.get("otel.status_code", "").upper()
    described = tags.get("otel.status_description", "")
    error = tags.get("error")
    if code == "ERROR" or (error is not None and error.lower() != "false"):
        return "error", described or (error if error and error.lower() != "true" else "")
    return ("ok", described) if code == "OK" else ("unset", described)


def _events(node: dict[str, JsonValue], report: Report) -> Iterator[SpanEvent]:
    for annotation in objects(node, "annotations"):
        name, attributes = _annotation(string(annotation.get("value")))
        yield SpanEvent(
            name=name,
            time_ns=nanoseconds(annotation.get("timestamp"), report, unit=_MICRO),
            attributes=tuple(attributes.items()),
        )


def _annotation(text: str) -> tuple[str, dict[str, JsonValue]]:
    """Return name and attributes of an event as the collector (``name|{…}|0``) or Python's exporter (``{name: {…}}``) wrote it."""
    name, bar, rest = text.partition("|")
    if bar and (inside := _object(rest.rpartition("|")[0] or rest)) is not None:
        return name, inside
    whole = _object(text) if text.startswith("{") else None
    if whole is not None and len(whole) == 1:
        event, told = next(iter(whole.items()))
        if isinstance(told, dict):
            return event, told
    return text, {}


def _object(text: str) -> dict[str, JsonValue] | None:
    try:
        value = parse(text.encode("utf-8", "surrogatepass"), non_finite_as_text=True)
    except MalformedJson:
        return None
    return value if isinstance(value, dict) else None


def _links(tags: dict[str, str], report: Report) -> Iterator[SpanLink]:
    """Yield the links that the collector wrote as tags: ``trace|span|state|attributes|dropped``."""
    for key, value in tags.items():
        if not key.startswith(_LINK):
            continue
        parts = value.split("|")
        try:
            yield SpanLink(
                trace_id=ids.trace_id(parts[0]),
                span_id=ids.span_id(parts[1] if len(parts) > 1 else None),
                trace_state=parts[2] if len(parts) > 2 else "",
                attributes=tuple((_object(parts[3]) or {}).items()) if len(parts) > 3 else (),
            )
        except RefusedError:
            report("link_refused")
