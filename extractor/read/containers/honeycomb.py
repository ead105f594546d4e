"""Honeycomb's events: one flat object a span, every attribute a field; span events and links are rows of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Resource, Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .span_json import kind_of, status_of
from .times import nanoseconds
from .values import pick, plain, string

_MILLI = 1_000_000
_FIELDS = frozenset(
    {
        "trace.trace_id", "trace.span_id", "trace.parent_id", "name", "duration_ms", "time", "Timestamp", "timestamp", "span.kind",
        "status_code", "error", "status_message", "service.name", "SampleRate", "samplerate", "meta.signal_type",
    }
)  # fmt: skip


class Honeycomb(JsonContainer):
    """One event a record."""

    name: ClassVar[str] = "honeycomb"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object has Honeycomb's flat trace fields."""
        return "trace.trace_id" in record

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the one span; events and links of spans, and sampling, are reported."""
        if "meta.annotation_type" in record:
            report("annotation_row_not_joined")
            with suppress(RefusedError):
                yield Attachment(trace_id=ids.foreign_trace_id(record.get("trace.trace_id")))
            return
        rate = pick(record, "SampleRate", "samplerate")
        if isinstance(rate, int | float) and rate > 1:
            report("sampled_spans")
        try:
            yield _span(record, report)
        except RefusedError:
            report("span_refused")


def _span(row: dict[str, JsonValue], report: Report) -> Span:
    start = nanoseconds(pick(row, "time", "Timestamp", "timestamp"), report)
    service = string(row.get("service.name"))
    failed = row.get("error") in (True, "true")
    return Span(
        trace_id=ids.foreign_trace_id(row.get("trace.trace_id")),
        span_id=ids.foreign_span_id(row.get("trace.span_id")),
        parent_id=ids.foreign_parent_id(row.get("trace.parent_id")),
        name=string(row.get("name")),
        kind=kind_of(row.get("span.kind"), report, internal=1),
        start_ns=start,
        end_ns=start + nanoseconds(row["duration_ms"], report, unit=_MILLI) if start and "duration_ms" in row else None,
        attributes=tuple((key, plain(value, report)) for key, value in row.items() if key not in _FIELDS),
        status_code="error" if failed else status_of(row.get("status_code"), report),
        status_message=string(row.get("status_message")),
        resource=Resource(attributes=(("service.name", service),) if service else ()),
    )
