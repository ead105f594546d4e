"""Braintrust log rows: one a line, or the pages that its API answers. Rows that are merges complete earlier ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue
from extractor.model.span import Attributes, Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .naming import failure, opened_members, told, under
from .times import nanoseconds
from .values import objects, string

_SPREAD = ("span_attributes", "metadata", "metrics", "context")
_PLACED = frozenset(
    {
        *_SPREAD,
        "id",
        "span_id",
        "root_span_id",
        "span_parents",
        "is_root",
        "error",
        "created",
        "project_id",
        "log_id",
        "org_id",
        "experiment_id",
        "dataset_id",
        "prompt_session_id",
        "_xact_id",
        "_pagination_key",
        "_is_merge",
        "_merge_paths",
        "_async_scoring_state",
        "comments",
        "audit_data",
    }
)
_SECOND = 10**9


class Braintrust(JsonContainer):
    """Rows of project logs and experiments."""

    name: ClassVar[str] = "braintrust"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is a row, or a page of rows."""
        return any(_is_row(row) for row in (record, *_page(record)[:1]))

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield a span for each row; of a span in several rows each says what it knows."""
        for row in [record] if _is_row(record) else _page(record):
            try:
                if row.get("_object_delete"):
                    report("row_deleted")
                    yield Attachment(trace_id=ids.foreign_trace_id(row.get("root_span_id")))
                else:
                    yield _span(row, report)
            except RefusedError:
                report("span_refused")


def _is_row(record: dict[str, JsonValue]) -> bool:
    return "root_span_id" in record and "span_id" in record and ("span_attributes" in record or "_is_merge" in record)


def _page(record: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    return [row for row in (*objects(record, "events"), *objects(record, "data")) if "root_span_id" in row]


def _span(row: dict[str, JsonValue], report: Report) -> Span:
    named = opened_members(row.get("span_attributes"))
    metrics = opened_members(row.get("metrics"))
    # Seconds as a double: its decimal text is taken, never its product with a billion.
    start = nanoseconds(metrics.get("start"), report, unit=_SECOND)
    end = nanoseconds(metrics.get("end"), report, unit=_SECOND)
    parents = row.get("span_parents")
    error = row.get("error")
    message, raised = failure(error, end or start) if isinstance(error, str) and error else ("", ())
    return Span(
        trace_id=ids.foreign_trace_id(row.get("root_span_id")),
        span_id=ids.foreign_span_id(row.get("span_id")),
        parent_id=ids.foreign_parent_id(parents[0]) if isinstance(parents, list) and parents else None,
        name=string(named.get("name")),
        kind="unspecified",
        start_ns=start,
        end_ns=end or None,
        attributes=_attributes(row, metrics, report),
        events=raised,
        status_code="error" if error else "unset",
        status_message=message,
    )


def _attributes(row: dict[str, JsonValue], metrics: dict[str, JsonValue], report: Report) -> Attributes:
    error = row.get("error")
    return (
        *under("braintrust.span_attributes.", opened_members(row.get("span_attributes")), report),
        *under("braintrust.metadata.", opened_members(row.get("metadata")), report),
        *under("braintrust.metrics.", metrics, report, leave=("start", "end")),
        *under("braintrust.context.", opened_members(row.get("context")), report),
        *told("braintrust.error", None if isinstance(error, str) else error, report),
        *under("braintrust.", row, report, leave=_PLACED),
    )
