"""Langfuse: rows of the blob storage export, answers of the API, traces downloaded from the UI.

Attributes have the names that Langfuse's SDK writes from version 3 on. Observations that came in by OpenTelemetry have
their original attributes, resource and scope in their metadata, from where they are restored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Attributes, Resource, Scope, Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .naming import opened, opened_members, snake, told, under
from .times import nanoseconds
from .values import added, attributes, objects, pick, string

_TYPES = frozenset(
    {
        "SPAN",
        "GENERATION",
        "EVENT",
        "AGENT",
        "TOOL",
        "CHAIN",
        "RETRIEVER",
        "EVALUATOR",
        "EMBEDDING",
        "GUARDRAIL",
    }
)
_OF_A_TRACE = frozenset({"bookmarked", "public", "release", "tags", "session_id", "user_id"})
_NAMES = {
    "model": "model.name",
    "provided_model_name": "model.name",
    "model_parameters": "model.parameters",
    "prompt_name": "prompt.name",
    "prompt_version": "prompt.version",
}
# The span says these itself, or they say nothing of the step.
_PLACED = frozenset(
    {
        "id",
        "span_id",
        "trace_id",
        "parent_observation_id",
        "parent_span_id",
        "start_time",
        "end_time",
        "name",
        "metadata",
        "type",
        "version",
        "environment",
        "project_id",
        "latency",
        "created_at",
        "user_id",
        "session_id",
        "trace_name",
    }
)
_ORIGINAL = ("attributes", "resourceAttributes", "scope")


class Langfuse(JsonContainer):
    """Observations and traces, as rows or nested, in snake_case or camelCase."""

    name: ClassVar[str] = "langfuse"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is an observation, a trace, a download of one, or a page of any."""
        return _is_download(record) or any(
            _is_observation(row) or _is_trace(row) for row in (record, *objects(record, "data")[:1])
        )

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield a span for each observation, and what trace rows say of their traces."""
        for row in objects(record, "data") or [record]:
            if _is_download(row):
                yield from _downloaded(row, report)
            else:
                yield from _read(row, report)


def _is_download(record: dict[str, JsonValue]) -> bool:
    observations = record.get("observations")
    return isinstance(observations, list) and ("trace" in record or _is_trace(record))


def _downloaded(record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
    trace = record.get("trace")
    row = trace if isinstance(trace, dict) else {name: record[name] for name in record if name != "observations"}
    yield from _read(row, report)
    for observation in objects(record, "observations"):
        # Nested in its trace, an observation may leave out which one that is.
        yield from _read({"traceId": row.get("id"), **observation}, report)


def _is_observation(row: dict[str, JsonValue]) -> bool:
    kind = row.get("type")
    return (
        isinstance(kind, str)
        and kind.upper() in _TYPES
        and pick(row, "trace_id", "traceId") is not None
        and pick(row, "id", "span_id") is not None
        and ("start_time" in row or "startTime" in row)
    )


def _is_trace(row: dict[str, JsonValue]) -> bool:
    if "id" not in row or "timestamp" not in row or "trace_id" in row or "traceId" in row:
        return False
    return len(_OF_A_TRACE.intersection(map(snake, row))) > 1


def _read(row: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
    try:
        if _is_observation(row):
            yield _observation({snake(name): value for name, value in row.items()}, report)
        elif _is_trace(row):
            yield _trace({snake(name): value for name, value in row.items()}, report)
        else:
            report("record_not_recognised")
    except RefusedError:
        report("span_refused")


def _observation(row: dict[str, JsonValue], report: Report) -> Span:
    metadata = opened(row.get("metadata"))
    restored = {name: opened_members(metadata.get(name)) for name in _ORIGINAL} if isinstance(metadata, dict) else {}
    kind = string(row["type"]).lower()
    start = nanoseconds(row.get("start_time"), report)
    end = nanoseconds(row.get("end_time"), report)
    failed = string(row.get("level")).upper() == "ERROR"
    scope = restored.get("scope", {})
    own = (
        ("langfuse.observation.type", kind),
        *(pair for name, value in row.items() if name not in _PLACED for pair in _member(name, value, report)),
        *_metadata("langfuse.observation.metadata", metadata, report),
        *_of_trace(row, report),
    )
    return Span(
        trace_id=ids.foreign_trace_id(row.get("trace_id")),
        span_id=ids.foreign_span_id(pick(row, "id", "span_id")),
        parent_id=ids.foreign_parent_id(pick(row, "parent_observation_id", "parent_span_id")),
        name=string(row.get("name")),
        kind="unspecified",
        start_ns=start,
        end_ns=end or (start if kind == "event" else None) or None,
        attributes=added(own, attributes(restored.get("attributes"), report)),
        status_code="error" if failed else "unset",
        status_message=string(row.get("status_message")) if failed else "",
        resource=Resource(attributes=attributes(restored.get("resourceAttributes"), report)),
        scope=Scope(
            name=string(scope.get("name")),
            version=string(scope.get("version")),
            attributes=attributes(scope.get("attributes"), report),
        ),
    )


def _member(name: str, value: JsonValue, report: Report) -> Attributes:
    return told("langfuse.observation." + _NAMES.get(name, name), value, report)


def _metadata(prefix: str, metadata: JsonValue, report: Report) -> Attributes:
    if isinstance(metadata, dict):
        return under(prefix + ".", metadata, report, leave=_ORIGINAL)
    return told(prefix, metadata or None, report)


def _of_trace(row: dict[str, JsonValue], report: Report) -> Attributes:
    """Return what a trace says, which newer observation rows repeat."""
    return (
        *told("session.id", row.get("session_id") or None, report),
        *told("user.id", row.get("user_id") or None, report),
        *told("langfuse.trace.name", row.get("trace_name") or None, report),
        *told("langfuse.version", row.get("version") or None, report),
        *told("langfuse.environment", row.get("environment") or None, report),
    )


def _trace(row: dict[str, JsonValue], report: Report) -> Attachment:
    metadata = opened(row.get("metadata"))
    return Attachment(
        trace_id=ids.foreign_trace_id(row.get("id")),
        attributes=(
            *_of_trace(row, report),
            *told("langfuse.trace.name", row.get("name") or None, report),
            *told("langfuse.release", row.get("release") or None, report),
            *(
                pair
                for name in ("tags", "public", "input", "output", "updated_at")
                for pair in told("langfuse.trace." + name, row.get(name), report)
            ),
            *_metadata("langfuse.trace.metadata", metadata, report),
        ),
    )
