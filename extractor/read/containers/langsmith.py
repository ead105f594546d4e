"""LangSmith runs: lists, lines, trees and ingest batches, under the names of its OTel attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Span, SpanEvent

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .times import nanoseconds
from .values import json_of, members, objects, plain, string, under

_LAYERS = 100  # runs inside runs
_CONTENT = ("inputs_s3_urls", "outputs_s3_urls", "inputs_or_signed_url", "outputs_or_signed_url")


class LangSmith(JsonContainer):
    """One run with the runs below it, or a batch of what began (``post``) and ended (``patch``)."""

    name: ClassVar[str] = "langsmith"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is a run or a batch of runs."""
        return _is_run(record) or any(_is_run(run) for run in objects(record, "post"))

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield every run as a span."""
        if _is_run(record):
            yield from _tree(record, None, report)
            return
        patches = {_order(patch): patch for patch in objects(record, "patch")}
        for run in objects(record, "post"):
            yield from _tree({**run, **patches.pop(_order(run), {})}, None, report)
        for patch in patches.values():
            if _is_run(patch):
                yield from _tree(patch, None, report)
            else:
                report("end_without_beginning")


def _is_run(record: dict[str, JsonValue]) -> bool:
    return "run_type" in record and "id" in record and ("trace_id" in record or "dotted_order" in record)


def _order(run: dict[str, JsonValue]) -> str:
    return string(run.get("dotted_order")) or string(run.get("id"))


def _tree(run: dict[str, JsonValue], trace: JsonValue, report: Report) -> Iterator[Span]:
    stack = [(run, trace, 0)]
    while stack:
        node, trace_id, layer = stack.pop()
        known = node.get("trace_id") or trace_id or _first(node) or node.get("id")
        try:
            yield _span(node, known, report)
        except RefusedError:
            report("span_refused")
        children = objects(node, "child_runs")
        if children and layer >= _LAYERS:
            report("too_deep")
        elif children:
            stack.extend((child, known, layer + 1) for child in reversed(children))


def _first(run: dict[str, JsonValue]) -> str:
    """Return the root's id out of the dotted order, whose parts are a time and a UUID each."""
    return string(run.get("dotted_order")).partition(".")[0].rpartition("Z")[2]


def _parent(run: dict[str, JsonValue]) -> JsonValue:
    told = run.get("parent_run_id")
    if told is not None or not string(run.get("dotted_order")).count("."):
        return told
    return string(run.get("dotted_order")).rsplit(".", 2)[-2].rpartition("Z")[2]


def _span(run: dict[str, JsonValue], trace_id: JsonValue, report: Report) -> Span:
    extra = members({"extra": json_of(run.get("extra"))}, "extra")
    if any(run.get(name) for name in _CONTENT) and run.get("inputs") is None:
        report("external_content")
    told: list[tuple[str, JsonValue]] = [
        ("langsmith.span.kind", run.get("run_type")),
        ("langsmith.trace.name", run.get("name")),
        ("langsmith.trace.session_name", run.get("session_name")),
        ("gen_ai.prompt", json_of(run.get("inputs"))),
        ("gen_ai.completion", json_of(run.get("outputs"))),
        ("langsmith.span.tags", run.get("tags")),
        ("gen_ai.tool.call.id", extra.get("tool_call_id")),
        ("langsmith.invocation_params", extra.get("invocation_params")),
        ("langsmith.usage.prompt_tokens", run.get("prompt_tokens")),
        ("langsmith.usage.completion_tokens", run.get("completion_tokens")),
        ("langsmith.error", run.get("error")),
        *under("langsmith.metadata.", members(extra, "metadata")),
    ]
    error = string(run.get("error"))
    return Span(
        trace_id=ids.foreign_trace_id(trace_id),
        span_id=ids.foreign_span_id(run.get("id")),
        parent_id=ids.foreign_parent_id(_parent(run)),
        name=string(run.get("name")),
        kind="internal",
        start_ns=nanoseconds(run.get("start_time"), report),
        end_ns=nanoseconds(run.get("end_time"), report) or None,
        attributes=tuple((key, plain(value, report)) for key, value in told if value not in (None, [], {})),
        events=tuple(
            SpanEvent(name=string(event.get("name")), time_ns=nanoseconds(event.get("time"), report))
            for event in objects(run, "events")
        ),
        status_code="error" if error or run.get("status") == "error" else "unset",
        status_message=error,
    )
