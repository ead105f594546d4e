"""OTLP/JSON logs beside traces: records that name a span become its events, as GenAI's messages do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Attributes, Span, SpanEvent

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .times import nanoseconds
from .values import any_value, attributes, objects, pick, string

NAME = "otlp_logs"
_BATCHES = ("resourceLogs", "resource_logs")


class OtlpLogs(JsonContainer):
    """An ExportLogsServiceRequest or LogsData."""

    name: ClassVar[str] = NAME

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object holds resource logs."""
        return any(name in record for name in _BATCHES)

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield each log record that names a span; others are reported."""
        for batch in objects(record, *_BATCHES):
            for group in objects(batch, "scopeLogs", "scope_logs", "instrumentationLibraryLogs"):
                for node in objects(group, "logRecords", "log_records", "logs"):
                    yield from _record(node, report)


def _record(node: dict[str, JsonValue], report: Report) -> Iterator[Attachment]:
    trace_id, span_id = pick(node, "traceId", "trace_id"), pick(node, "spanId", "span_id")
    if ids.is_no_id(trace_id) or ids.is_no_id(span_id):
        report("log_of_no_span")
        return
    time = pick(node, "timeUnixNano", "time_unix_nano")
    seen = pick(node, "observedTimeUnixNano", "observed_time_unix_nano")
    try:
        yield attachment(
            ids.trace_id(trace_id),
            ids.span_id(span_id),
            string(pick(node, "eventName", "event_name")),
            nanoseconds(time, report, unit=1) or nanoseconds(seen, report, unit=1),
            attributes(node.get("attributes"), report),
            any_value(node.get("body"), report) if node.get("body") is not None else None,
        )
    except RefusedError:
        report("log_refused")


def attachment(trace_id: str, span_id: str, name: str, time_ns: int, told: Attributes, body: JsonValue) -> Attachment:
    """Return a log record as an event of its span: a body of members counts as attributes, another as ``body``."""
    own = dict(told)
    named = name or string(own.get("event.name")) or "log"
    inner: Attributes = ()
    if isinstance(body, dict):
        inner = tuple((key, value) for key, value in body.items() if key not in own)
    elif body is not None:
        inner = (("body", body),)
    return Attachment(
        trace_id=trace_id,
        span_id=span_id,
        events=(SpanEvent(name=named, time_ns=time_ns, attributes=(*told, *inner)),),
    )
