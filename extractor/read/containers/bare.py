"""Attributes without a span around them, as tests and log lines dump them: one step, under ids made of its content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Scope, Span

from . import ids
from .interface import Attachment, JsonContainer, Report
from .values import attributes, members, pick, string

_PREFIXES = ("gen_ai.", "openinference.", "llm.", "ai.", "traceloop.", "langfuse.", "langsmith.", "mlflow.")
_LEAST = 2  # attributes


class BareAttributes(JsonContainer):
    """One object whose members are a span's attributes, or that holds them beside a name."""

    name: ClassVar[str] = "bare_attributes"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether members carry the names of GenAI vocabularies, and nothing says which span they are of."""
        if pick(record, "spanName", "span_name") is not None and members(record, "attributes"):
            return True
        flat = (key for key, value in record.items() if not isinstance(value, dict | list))
        return sum(key.startswith(_PREFIXES) for key in flat) >= _LEAST

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the attributes as a span without times; reported as ``no_ids``."""
        report("no_ids")
        name = string(pick(record, "spanName", "span_name"))
        trace_id, span_id = ids.of_content(record)
        yield Span(
            trace_id=trace_id,
            span_id=span_id,
            parent_id=None,
            name=name,
            kind="internal",
            start_ns=0,
            end_ns=None,
            attributes=attributes(members(record, "attributes") if name else record, report),
            scope=Scope(name=string(pick(record, "scopeName", "scope_name"))),
        )
