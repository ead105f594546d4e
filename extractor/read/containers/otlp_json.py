"""OTLP/JSON requests, strict and as really written: both cases, hex and base64, old names (OTLP 1.x, 0.x)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Resource, Span

from .interface import Attachment, JsonContainer, Report
from .span_json import decode, decode_scope
from .values import attributes, members, objects

_BATCHES = ("resourceSpans", "resource_spans", "batches")  # the last by Tempo


class OtlpJson(JsonContainer):
    """An ExportTraceServiceRequest or TracesData."""

    name: ClassVar[str] = "otlp_json"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object holds resource spans."""
        return any(name in record for name in _BATCHES)

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the spans of all resources and scopes."""
        for batch in objects(record, *_BATCHES):
            resource = Resource(attributes=attributes(members(batch, "resource").get("attributes"), report))
            for group in objects(batch, "scopeSpans", "scope_spans", "instrumentationLibrarySpans"):
                scope = decode_scope(members(group, "scope", "instrumentationLibrary"), report)
                yield from decode(objects(group, "spans"), resource, scope, report)
