"""Logs of Inspect AI evaluations: every event of every sample one span, below the span that it stands in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .times import nanoseconds
from .values import members, objects, pick, plain, string

_OURS = "inspect_ai."
_ATTACHED = "attachment://"
_FIELDS = frozenset({"span_id", "timestamp", "completed", "parent_id"})
_BEGIN = "span_begin"


class InspectAI(JsonContainer):
    """One evaluation's log; its samples are the traces."""

    name: ClassVar[str] = "inspect_ai"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is an evaluation's log or one of its samples."""
        return ("eval" in record and "plan" in record) or _is_sample(record)

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the events of all samples as spans."""
        run = string(members(record, "eval").get("run_id"))
        for sample in [record] if _is_sample(record) else objects(record, "samples"):
            yield from _sample(sample, run, report)


def _is_sample(record: dict[str, JsonValue]) -> bool:
    return "epoch" in record and "events" in record and "id" in record


def _sample(sample: dict[str, JsonValue], run: str, report: Report) -> Iterator[Span]:
    name = string(sample.get("uuid")) or f"{run}/{sample.get('id')}/{sample.get('epoch')}"
    attachments = members(sample, "attachments")
    events = objects(sample, "events")
    begun = {string(event.get("id")): number for number, event in enumerate(events) if event.get("event") == _BEGIN}
    for number, event in enumerate(events):
        outer = string(event.get("parent_id") if event.get("event") == _BEGIN else event.get("span_id"))
        error = event.get("error")
        try:
            trace_id = ids.foreign_trace_id(name)
        except RefusedError:
            report("span_refused")
            return
        start = nanoseconds(event.get("timestamp"), report)
        yield Span(
            trace_id=trace_id,
            span_id=_id(trace_id, number),
            parent_id=_id(trace_id, begun[outer]) if begun.get(outer, number) != number else None,
            name=string(pick(event, "function", "name")) or string(event.get("event")),
            kind="internal",
            start_ns=start,
            end_ns=nanoseconds(event.get("completed"), report) or start or None,
            attributes=tuple(
                (_OURS + key, plain(_resolved(value, attachments), report))
                for key, value in event.items()
                if key not in _FIELDS and value is not None
            ),
            status_code="error" if error else "unset",
            status_message=string(pick(error, "message")) if isinstance(error, dict) else string(error),
        )


def _id(trace_id: str, number: int) -> str:
    return hashlib.sha256(f"{trace_id}/{number}".encode()).hexdigest()[: ids.SPAN_DIGITS]


def _resolved(value: JsonValue, attachments: dict[str, JsonValue]) -> JsonValue:
    """Return a value with the texts that the log keeps apart put where they belong."""
    if isinstance(value, dict):
        return {key: _resolved(child, attachments) for key, child in value.items()}
    if isinstance(value, list):
        return [_resolved(child, attachments) for child in value]
    if isinstance(value, str) and value.startswith(_ATTACHED):
        return attachments.get(value.removeprefix(_ATTACHED), value)
    return value
