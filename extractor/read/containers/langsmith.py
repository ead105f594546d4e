"""LangSmith runs: lists, one a line, trees with child runs, batches as they were sent, rows of the bulk export.

Attributes have the names that LangSmith's OpenTelemetry exporter writes; inputs and outputs stay objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Attributes, Span, SpanEvent, StatusCode

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .naming import failure, opened, opened_members, told, under
from .times import nanoseconds
from .values import attributes, members, objects, pick, string

# 20250615T150640123456Z and the run's UUID, one for each run from the root down, joined by dots.
_STEP = re.compile(
    r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3,9})Z([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.IGNORECASE
)
_STATUSES: dict[str, StatusCode] = {"success": "ok", "error": "error"}
_PLACED = frozenset(
    {
        "id",
        "trace_id",
        "parent_run_id",
        "parent_run_ids",
        "child_runs",
        "child_run_ids",
        "direct_child_run_ids",
        "dotted_order",
        "name",
        "run_type",
        "start_time",
        "end_time",
        "inputs",
        "outputs",
        "error",
        "status",
        "events",
        "extra",
        "tags",
        "session_id",
        "session_name",
        "prompt_tokens",
        "completion_tokens",
        "inputs_preview",
        "outputs_preview",
    }
)
_OFFLOADED = ("inputs_s3_urls", "outputs_s3_urls", "s3_urls")


class LangSmith(JsonContainer):
    """Run objects and what wraps them."""

    name: ClassVar[str] = "langsmith"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is a run, a page of runs, or a batch of them."""
        return any(_is_run(run) for run in (record, *_wrapped(record)[:1]))

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield a span for each run and each of its descendants."""
        for run in _folded(_wrapped(record)) or [record]:
            yield from _tree(run, report)


def _is_run(record: dict[str, JsonValue]) -> bool:
    return ("run_type" in record and "trace_id" in record) or isinstance(record.get("dotted_order"), str)


def _wrapped(record: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    return [*objects(record, "post"), *objects(record, "patch"), *objects(record, "runs")]


def _folded(runs: list[dict[str, JsonValue]]) -> list[dict[str, JsonValue]]:
    """Return each run once: a batch sends its beginning and its end apart, and the end may lack the id."""
    found: dict[str, dict[str, JsonValue]] = {}
    for number, run in enumerate(runs):
        steps = _steps(run)
        key = string(run.get("id")) or (steps[-1][1] if steps else f"run {number}")
        found[key] = found.get(key, {}) | {name: value for name, value in run.items() if value is not None}
    return list(found.values())


def _tree(root: dict[str, JsonValue], report: Report) -> Iterator[Span]:
    pending: list[tuple[dict[str, JsonValue], JsonValue, JsonValue]] = [(root, None, None)]
    while pending:
        run, trace_id, parent = pending.pop()
        steps = _steps(run)
        run_id = run.get("id") or (steps[-1][1] if steps else None)
        trace_id = run.get("trace_id") or (steps[0][1] if steps else None) or trace_id or run_id
        try:
            yield _span(run, trace_id, run_id, _parent(run, steps) or parent, steps, report)
        except RefusedError:
            report("span_refused")
        pending.extend((child, trace_id, run_id) for child in reversed(objects(run, "child_runs")))


def _steps(run: dict[str, JsonValue]) -> list[tuple[str, str]]:
    """Return the start and the id of each run from the root down to this one, as its ``dotted_order`` tells."""
    found = []
    for part in string(run.get("dotted_order")).split("."):
        match = _STEP.fullmatch(part)
        if match is None:
            return []
        year, month, day, hour, minute, second, fraction, run_id = match.groups()
        found.append((f"{year}-{month}-{day}T{hour}:{minute}:{second}.{fraction}Z", run_id))
    return found


def _parent(run: dict[str, JsonValue], steps: list[tuple[str, str]]) -> JsonValue:
    if run.get("parent_run_id"):
        return run["parent_run_id"]
    ancestors = opened(run.get("parent_run_ids"))
    if isinstance(ancestors, list) and ancestors:
        return ancestors[-1]
    return steps[-2][1] if len(steps) > 1 else None


def _span(
    run: dict[str, JsonValue],
    trace_id: JsonValue,
    run_id: JsonValue,
    parent: JsonValue,
    steps: list[tuple[str, str]],
    report: Report,
) -> Span:
    start = nanoseconds(run.get("start_time"), report)
    if not start and steps:
        start = nanoseconds(steps[-1][0], report)
    end = nanoseconds(run.get("end_time"), report)
    error = string(run.get("error"))
    message, raised = failure(error, end or start) if error else ("", ())
    return Span(
        trace_id=ids.foreign_trace_id(trace_id),
        span_id=ids.foreign_span_id(run_id),
        parent_id=ids.foreign_parent_id(parent),
        name=string(run.get("name")),
        kind="unspecified",
        start_ns=start,
        end_ns=end or None,
        attributes=_attributes(run, report),
        events=(*_events(run, report), *raised),
        status_code="error" if error else _STATUSES.get(string(run.get("status")), "unset"),
        status_message=message,
    )


def _attributes(run: dict[str, JsonValue], report: Report) -> Attributes:
    extra = opened_members(run.get("extra"))
    metadata = opened_members(extra.get("metadata"))
    if any(run.get(name) for name in _OFFLOADED) and not (run.get("inputs") or run.get("outputs")):
        report("content_stored_elsewhere")
    kind = string(run.get("run_type"))
    return (
        *told("langsmith.span.kind", kind or None, report),
        *told("langsmith.trace.name", run.get("name"), report),
        *told("langsmith.trace.session_id", run.get("session_id"), report),
        *told("langsmith.trace.session_name", run.get("session_name"), report),
        *told("gen_ai.prompt", opened(run.get("inputs")), report),
        *told("gen_ai.completion", opened(run.get("outputs")), report),
        *told("langsmith.span.tags", opened(run.get("tags")) or None, report),
        *(_of_tool(run, extra, report) if kind == "tool" else _of_model(run, metadata, report)),
        *under("langsmith.metadata.", metadata, report),
        *under("langsmith.", extra, report, leave=("metadata", "tool_call_id", "color")),
        *under("langsmith.", run, report, leave=_PLACED),
    )


def _of_tool(run: dict[str, JsonValue], extra: dict[str, JsonValue], report: Report) -> Attributes:
    answer = members(opened_members(run.get("outputs")), "output")
    return (
        *told("gen_ai.tool.name", run.get("name"), report),
        *told("gen_ai.tool.call.id", extra.get("tool_call_id") or answer.get("tool_call_id"), report),
    )


def _of_model(run: dict[str, JsonValue], metadata: dict[str, JsonValue], report: Report) -> Attributes:
    usage = members(opened_members(run.get("outputs")), "usage_metadata")
    return (
        *told("gen_ai.system", metadata.get("ls_provider"), report),
        *told("gen_ai.request.model", metadata.get("ls_model_name"), report),
        *told("gen_ai.usage.input_tokens", pick(run, "prompt_tokens") or usage.get("input_tokens"), report),
        *told("gen_ai.usage.output_tokens", pick(run, "completion_tokens") or usage.get("output_tokens"), report),
    )


def _events(run: dict[str, JsonValue], report: Report) -> Iterator[SpanEvent]:
    for event in objects({"events": opened(run.get("events"))}, "events"):
        name = string(event.get("name"))
        if name in {"start", "end"}:
            continue  # the run's own times say so
        yield SpanEvent(
            name=name,
            time_ns=nanoseconds(event.get("time"), report),
            attributes=attributes({key: event[key] for key in event if key not in {"name", "time"}}, report),
        )
