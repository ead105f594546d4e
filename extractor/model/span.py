"""Spans as OpenTelemetry defines them, whatever container they came in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from .json import JsonValue

SpanKind: TypeAlias = Literal["unspecified", "internal", "server", "client", "producer", "consumer"]
StatusCode: TypeAlias = Literal["unset", "ok", "error"]
Attributes: TypeAlias = tuple[tuple[str, JsonValue], ...]
"""Pairs, not a mapping: exporters do write the same key twice. Bytes values come as base64 text."""

LATEST_NS: Final = (1 << 63) - 1
"""The latest time that SQLite and Arrow hold, in nanoseconds since the epoch: OTLP has times of twice that, and tables hold them as this one."""


def lookup(attributes: Attributes, key: str) -> JsonValue:
    """Return the last value of a key, None when absent: the reading every backend has of a repeated key."""
    for name, value in reversed(attributes):
        if name == key:
            return value
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """The process that produced spans (OTLP Resource)."""

    attributes: Attributes = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The instrumentation that produced spans (OTLP InstrumentationScope)."""

    name: str = ""
    version: str = ""
    attributes: Attributes = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvent:
    """Something that happened during a span; ``time_ns`` counts from the Unix epoch."""

    name: str
    time_ns: int
    attributes: Attributes = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanLink:
    """A reference to another span; ids in lower-case hex."""

    trace_id: str
    span_id: str
    trace_state: str = ""
    attributes: Attributes = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span. Ids are lower-case hex (32 and 16 digits), times nanoseconds from the Unix epoch.

    ``end_ns`` is None when the exporter wrote no end. ``dropped`` counts attributes, events and links that the SDK
    discarded before export.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    kind: SpanKind
    start_ns: int
    end_ns: int | None
    attributes: Attributes = ()
    events: tuple[SpanEvent, ...] = ()
    links: tuple[SpanLink, ...] = ()
    status_code: StatusCode = "unset"
    status_message: str = ""
    trace_state: str = ""
    flags: int = 0
    dropped: int = 0
    resource: Resource = Resource()
    scope: Scope = Scope()

    def get(self, key: str) -> JsonValue:
        """Return the value of an attribute, None when absent."""
        return lookup(self.attributes, key)

    @property
    def order(self) -> tuple[int, str, str]:
        """The product's one order of spans: start, trace id, span id."""
        return (self.start_ns, self.trace_id, self.span_id)


def tree(span: Span) -> JsonValue:
    """Return everything a span says as one JSON tree, for whatever must look at all of it (redaction, proofs).

    Repeated attribute keys become a list of values. Times and flags are left out: they are numbers of ours to keep.
    """
    return {
        "name": span.name,
        "status": {"message": span.status_message},
        "trace_state": span.trace_state,
        "attributes": _members(span.attributes),
        "events": [{"name": event.name, "attributes": _members(event.attributes)} for event in span.events],
        "links": [{"trace_state": link.trace_state, "attributes": _members(link.attributes)} for link in span.links],
        "resource": _members(span.resource.attributes),
        "scope": {
            "name": span.scope.name,
            "version": span.scope.version,
            "attributes": _members(span.scope.attributes),
        },
    }


def _members(attributes: Attributes) -> dict[str, JsonValue]:
    grouped: dict[str, list[JsonValue]] = {}
    for key, value in attributes:
        grouped.setdefault(key, []).append(value)
    return {key: values[0] if len(values) == 1 else list(values) for key, values in grouped.items()}
