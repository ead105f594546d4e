"""Rows of Phoenix's data frames: dotted columns, attributes unflattened into objects and lists, absent ones as null."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Span, SpanEvent

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .span_json import kind_of, status_of
from .times import nanoseconds
from .values import attributes, members, objects, pick, plain, string

_ATTRIBUTES = "attributes."
_KIND = "openinference.span.kind"
# What was one JSON text before Phoenix parsed it.
_WHOLE = frozenset({"metadata", "tool.parameters", "llm.invocation_parameters", "llm.prompt_template.variables"})


class Phoenix(JsonContainer):
    """One row a record: flat ``context.trace_id`` and ``attributes.…`` columns."""

    name: ClassVar[str] = "phoenix"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object has Phoenix's dotted columns."""
        return "context.trace_id" in record and "context.span_id" in record

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the one span."""
        try:
            yield _span(record, report)
        except RefusedError:
            report("span_refused")


def _span(row: dict[str, JsonValue], report: Report) -> Span:
    told = tuple(_attributes(row, report))
    word = string(row.get("span_kind"))
    if word and word != "UNKNOWN" and _KIND not in dict(told):
        told += ((_KIND, word),)
    return Span(
        trace_id=ids.trace_id(row.get("context.trace_id")),
        span_id=ids.span_id(row.get("context.span_id")),
        parent_id=ids.parent_id(row.get("parent_id")),
        name=string(row.get("name")),
        kind=kind_of(word, internal=1),
        start_ns=nanoseconds(row.get("start_time"), report),
        end_ns=nanoseconds(row.get("end_time"), report) or None,
        attributes=told,
        events=tuple(
            SpanEvent(
                name=string(event.get("name")),
                time_ns=nanoseconds(pick(event, "timestamp", "time"), report),
                attributes=tuple(_leaves("", members(event, "attributes"), report)),
            )
            for event in objects(row, "events")
        ),
        status_code=status_of(row.get("status_code")),
        status_message=string(row.get("status_message")),
    )


def _attributes(row: dict[str, JsonValue], report: Report) -> Iterator[tuple[str, JsonValue]]:
    for column, value in row.items():
        if column.startswith(_ATTRIBUTES) and value is not None:
            yield from _leaves(column.removeprefix(_ATTRIBUTES), value, report)
    if isinstance(row.get("attributes"), dict):
        yield from attributes(row["attributes"], report)


def _leaves(key: str, value: JsonValue, report: Report) -> Iterator[tuple[str, JsonValue]]:
    """Yield attributes under the dotted names that they had; what is null was absent, or is null in every other row."""
    stack: list[tuple[str, JsonValue]] = [(key, value)]
    while stack:
        name, node = stack.pop()
        if node is None:
            continue
        if isinstance(node, dict) and name not in _WHOLE:
            stack.extend((f"{name}.{member}" if name else member, child) for member, child in reversed(node.items()))
        elif isinstance(node, list) and any(isinstance(item, dict) for item in node):
            stack.extend((f"{name}.{index}", node[index]) for index in range(len(node) - 1, -1, -1))
        else:
            yield name, plain(node, report)
