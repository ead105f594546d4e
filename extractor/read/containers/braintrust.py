"""Braintrust's log rows: one a span, later ones merged into earlier ones of the same span."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .times import nanoseconds
from .values import members, pick, plain, string, under

_OURS = "braintrust."
_SECONDS = 10**9


class Braintrust(JsonContainer):
    """One row a record."""

    name: ClassVar[str] = "braintrust"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object has Braintrust's ids of span and root."""
        return "root_span_id" in record and "span_id" in record

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the one span."""
        try:
            yield _span(record, report)
        except RefusedError:
            report("span_refused")


def _span(row: dict[str, JsonValue], report: Report) -> Span:
    about, metrics, metadata = members(row, "span_attributes"), members(row, "metrics"), members(row, "metadata")
    parents = row.get("span_parents")
    error = row.get("error")
    told: list[tuple[str, JsonValue]] = [
        (_OURS + "type", about.get("type")),
        (_OURS + "input", row.get("input")),
        (_OURS + "output", row.get("output")),
        (_OURS + "expected", row.get("expected")),
        (_OURS + "error", error),
        *under(_OURS + "metadata.", metadata),
        *((_OURS + "metrics." + key, value) for key, value in metrics.items() if key not in ("start", "end")),
        *under(_OURS + "scores.", members(row, "scores")),
        (_OURS + "tags", row.get("tags")),
        ("session.id", metadata.get("session_id")),
        ("user.id", metadata.get("user_id")),
    ]
    return Span(
        trace_id=ids.foreign_trace_id(row.get("root_span_id")),
        span_id=ids.foreign_span_id(row.get("span_id")),
        parent_id=ids.foreign_parent_id(parents[0]) if isinstance(parents, list) and parents else None,
        name=string(about.get("name")),
        kind="internal",
        start_ns=nanoseconds(metrics.get("start"), report, unit=_SECONDS) or nanoseconds(row.get("created"), report),
        end_ns=nanoseconds(metrics.get("end"), report, unit=_SECONDS) or None,
        attributes=tuple((key, plain(value, report)) for key, value in told if value is not None),
        status_code="error" if error else "unset",
        status_message=string(error) or string(pick(error, "message") if isinstance(error, dict) else None),
    )
