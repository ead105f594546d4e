"""MLflow traces: the JSON of 2.x and 3.x, and rows of ``search_traces``.

Every attribute is JSON once more. Those named ``mlflow.*`` stay so, as MLflow's own OpenTelemetry export has them;
the others are read, for they are the attributes of other instrumentations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.span import Attributes, Resource, Scope, Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .naming import opened, opened_members, told, under
from .span_json import read_span
from .values import objects, pick, plain

_METADATA = ("trace_metadata", "request_metadata")
_OWN = "mlflow."
# They repeat what the spans say, or count it.
_REPEATED = frozenset(
    {
        "mlflow.traceInputs",
        "mlflow.traceOutputs",
        "mlflow.trace.sizeBytes",
        "mlflow.trace.sizeStats",
        "mlflow.trace.infoFinalized",
        "mlflow.trace_schema.version",
        "mlflow.trace.tokenUsage",
    }
)


class MLflow(JsonContainer):
    """A trace with its info and its spans."""

    name: ClassVar[str] = "mlflow"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object has a trace's info and spans, side by side or as members of a row."""
        info, spans = _parts(record)
        return bool(info) and isinstance(spans, list)

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the spans, and what the info says of the trace."""
        info, _ = _parts(record)
        trace_id = pick(info, "trace_id", "request_id")
        own = None
        for node in objects({"spans": _parts(record)[1]}, "spans"):
            try:
                span = _span(node, trace_id, report)
            except RefusedError:
                report("span_refused")
                continue
            own = span.trace_id
            yield span
        if own is not None:
            yield _of_trace(info, own, report)


def _parts(record: dict[str, JsonValue]) -> tuple[dict[str, JsonValue], JsonValue]:
    """Return a trace's info and its spans."""
    whole = opened_members(record.get("trace")) if "trace" in record else record
    info = opened_members(whole.get("info"))
    if info:
        return info, opened(pick(opened_members(whole.get("data")), "spans") or whole.get("spans"))
    if any(name in record for name in _METADATA) and pick(record, "trace_id", "request_id") is not None:
        return record, opened(record.get("spans"))
    return {}, None


def _span(node: dict[str, JsonValue], trace_id: JsonValue, report: Report) -> Span:
    context = pick(node, "context")
    spelled = {
        "trace_id": pick(context if isinstance(context, dict) else node, "trace_id") or trace_id,
        "span_id": pick(context if isinstance(context, dict) else node, "span_id"),
    }
    status = node.get("status")
    if not isinstance(status, dict):
        status = {"code": pick(node, "status_code") or status, "message": node.get("status_message")}
    parent = pick(node, "parent_span_id", "parent_id")
    span = read_span(
        {
            **{name: value for name, value in node.items() if name not in {"parent_span_id", "parent_id"}},
            "context": {
                "trace_id": ids.foreign_trace_id(spelled["trace_id"]),
                "span_id": ids.foreign_span_id(spelled["span_id"]),
            },
            "status": status,
            "attributes": None,
        },
        Resource(),
        Scope(),
        report,
    )
    return replace(
        span,
        parent_id=ids.foreign_parent_id(parent),
        attributes=tuple(_attributes(opened_members(node.get("attributes")), report)),
    )


def _attributes(node: dict[str, JsonValue], report: Report) -> Iterator[tuple[str, JsonValue]]:
    for name, value in node.items():
        if value is not None:
            yield name, plain(value if name.startswith(_OWN) else _once(value), report)


def _once(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        try:
            return parse(value)
        except MalformedJson:
            return value
    return value


def _of_trace(info: dict[str, JsonValue], trace_id: str, report: Report) -> Attachment:
    metadata = next((found for name in _METADATA if (found := _pairs(info.get(name)))), {})
    tags = _pairs(info.get("tags"))
    attributes: Attributes = (
        *under("", metadata, report, leave=_REPEATED),
        *told("mlflow.trace.name", tags.pop("mlflow.traceName", None), report),
        *told("mlflow.trace.state", pick(info, "state", "status"), report),
        *told("mlflow.request_preview", info.get("request_preview"), report),
        *told("mlflow.response_preview", info.get("response_preview"), report),
        *under("mlflow.tag.", tags, report),
    )
    return Attachment(
        trace_id=trace_id,
        attributes=attributes,
    )


def _pairs(value: JsonValue) -> dict[str, JsonValue]:
    """Return names and values written as an object, as JSON in text, or as a list of pairs (2.x)."""
    found = opened(value)
    if isinstance(found, dict):
        return dict(found)
    pairs = objects({"pairs": found}, "pairs")
    return {name: pair.get("value") for pair in pairs if isinstance(name := pair.get("key"), str)}
