"""Langfuse: observations as the API, the UI and the blob-storage export write them, under the names of its OTel attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Attributes, Resource, Scope, Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .times import nanoseconds
from .values import attributes, json_of, members, objects, pick, plain, string, under

_OBSERVATION = "langfuse.observation."
_TYPES = frozenset(
    {"SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"}
)
_MEMBERS = (
    (("level",), "level"),
    (("statusMessage", "status_message"), "status_message"),
    (("model", "providedModelName", "provided_model_name"), "model.name"),
    (("modelParameters", "model_parameters"), "model.parameters"),
    (("usageDetails", "usage_details", "usage"), "usage_details"),
    (("costDetails", "cost_details"), "cost_details"),
    (("promptName", "prompt_name"), "prompt.name"),
    (("promptVersion", "prompt_version"), "prompt.version"),
    (("completionStartTime", "completion_start_time"), "completion_start_time"),
    (("toolCalls", "tool_calls"), "tool_calls"),
)
_RESTORED = ("attributes", "resourceAttributes", "scope")  # members of metadata that hold an OTel span's own


class Langfuse(JsonContainer):
    """A trace with its observations, or one observation or trace row."""

    name: ClassVar[str] = "langfuse"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is a download, a trace or an observation."""
        return "observations" in record or _is_observation(record) or _is_trace(record)

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield observations as spans, and what traces say of all of them."""
        trace = members(record, "trace") or (record if _is_trace(record) or "observations" in record else {})
        if trace:
            try:
                yield _context(trace, report)
            except RefusedError:
                report("span_refused")
        for row in objects(record, "observations") or ([record] if _is_observation(record) else []):
            try:
                yield _span(row, report)
            except RefusedError:
                report("span_refused")


def _is_observation(record: dict[str, JsonValue]) -> bool:
    told = pick(record, "traceId", "trace_id") is not None and pick(record, "startTime", "start_time") is not None
    return told and "id" in record and string(record.get("type")).upper() in _TYPES


def _is_trace(record: dict[str, JsonValue]) -> bool:
    signs = {"sessionId", "session_id", "userId", "user_id"} & set(record)
    return "id" in record and "timestamp" in record and bool(signs) and "bookmarked" in record


def _context(trace: dict[str, JsonValue], report: Report) -> Attachment:
    told = [
        ("langfuse.trace.name", trace.get("name")),
        ("session.id", pick(trace, "sessionId", "session_id")),
        ("user.id", pick(trace, "userId", "user_id")),
        ("langfuse.release", trace.get("release")),
        ("langfuse.version", trace.get("version")),
        ("langfuse.environment", trace.get("environment")),
        ("langfuse.trace.tags", trace.get("tags")),
        ("langfuse.trace.input", json_of(trace.get("input"))),
        ("langfuse.trace.output", json_of(trace.get("output"))),
        *under("langfuse.trace.metadata.", _restoring(trace.get("metadata"))),
    ]
    return Attachment(
        trace_id=ids.foreign_trace_id(trace.get("id")),
        attributes=tuple((key, plain(value, report)) for key, value in told if value not in (None, [], "")),
    )


def _span(row: dict[str, JsonValue], report: Report) -> Span:
    metadata = _restoring(row.get("metadata"))
    restored = {name: _object(metadata.pop(name, None)) for name in _RESTORED}
    start = nanoseconds(pick(row, "startTime", "start_time"), report)
    end = nanoseconds(pick(row, "endTime", "end_time"), report)
    failed = string(row.get("level")).upper() == "ERROR"
    return Span(
        trace_id=ids.foreign_trace_id(pick(row, "traceId", "trace_id")),
        span_id=ids.foreign_span_id(row.get("id")),
        parent_id=ids.foreign_parent_id(pick(row, "parentObservationId", "parent_observation_id")),
        name=string(row.get("name")),
        kind="internal",
        start_ns=start,
        end_ns=end or (start if string(row.get("type")).upper() == "EVENT" else None),
        attributes=(*attributes(restored["attributes"], report), *_attributes(row, metadata, restored, report)),
        status_code="error" if failed else "unset",
        status_message=string(pick(row, "statusMessage", "status_message")) if failed else "",
        resource=Resource(attributes=attributes(restored["resourceAttributes"], report)),
        scope=Scope(
            name=string(restored["scope"].get("name")),
            version=string(restored["scope"].get("version")),
            attributes=attributes(restored["scope"].get("attributes"), report),
        ),
    )


def _attributes(
    row: dict[str, JsonValue], metadata: dict[str, JsonValue], restored: dict[str, dict[str, JsonValue]], report: Report
) -> Attributes:
    told = restored["attributes"]
    found: list[tuple[str, JsonValue]] = [
        (_OBSERVATION + "type", string(row.get("type")).lower()),
        (_OBSERVATION + "input", json_of(row.get("input"))),
        (_OBSERVATION + "output", json_of(row.get("output"))),
        *((_OBSERVATION + key, json_of(pick(row, *names))) for names, key in _MEMBERS),
        *under(_OBSERVATION + "metadata.", metadata),
        ("user.id", pick(row, "userId", "user_id")),
        ("session.id", pick(row, "sessionId", "session_id")),
        ("langfuse.environment", row.get("environment")),
        ("langfuse.version", row.get("version")),
    ]
    return tuple((key, plain(value, report)) for key, value in found if value not in (None, {}, []) and key not in told)


def _restoring(value: JsonValue) -> dict[str, JsonValue]:
    return dict(_object(value))


def _object(value: JsonValue) -> dict[str, JsonValue]:
    value = json_of(value)
    return value if isinstance(value, dict) else {}
