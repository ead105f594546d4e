"""MLflow traces: spans of OTLP's kind, every attribute JSON once more, user and session on the trace's info."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.span import Resource, Scope, Span

from . import ids
from .interface import Attachment, JsonContainer, RefusedError, Report
from .span_json import decode
from .values import members, objects, pick, plain, under

_INFO = "mlflow.trace."


class MLflow(JsonContainer):
    """One trace: ``info`` and ``data.spans``, or a row of its search results."""

    name: ClassVar[str] = "mlflow"

    def recognises(self, record: dict[str, JsonValue]) -> bool:
        """Return whether the object is a trace of MLflow's."""
        if "info" in record and "spans" in members(record, "data"):
            return True
        return "spans" in record and "trace_metadata" in record

    def spans(self, record: dict[str, JsonValue], report: Report) -> Iterator[Span | Attachment]:
        """Yield the spans, and what the info says of all of them."""
        info = members(record, "info") or record
        nodes = objects(members(record, "data") or record, "spans")
        trace_id = pick(info, "trace_id", "request_id")
        for node in nodes:
            own = {**node, "attributes": {key: _once(value) for key, value in members(node, "attributes").items()}}
            if pick(own, "trace_id", "traceId") is None and not members(own, "context"):
                own["trace_id"] = trace_id
            yield from decode([own], Resource(), Scope(), report, foreign=True)
        told = [
            *members(info, "trace_metadata", "request_metadata").items(),
            *under("mlflow.trace.tag.", members(info, "tags")),
            (_INFO + "state", info.get("state")),
        ]
        try:
            yield Attachment(
                trace_id=_trace_id(nodes, trace_id),
                attributes=tuple(
                    (key, plain(value, report)) for key, value in told if value not in (None, "") and key not in _COPIES
                ),
            )
        except RefusedError:
            report("span_refused")


# The root's own input and output once more.
_COPIES = frozenset({"mlflow.traceInputs", "mlflow.traceOutputs"})


def _trace_id(nodes: list[dict[str, JsonValue]], told: JsonValue) -> str:
    """Return the id that the spans carry, which since version 3 is that of the info without its prefix."""
    for node in nodes:
        context = members(node, "context") or node
        if (own := pick(context, "trace_id", "traceId")) is not None:
            try:
                return ids.trace_id(own)
            except RefusedError:
                return ids.foreign_trace_id(own)
    return ids.foreign_trace_id(told)


def _once(value: JsonValue) -> JsonValue:
    """Return what an attribute encodes, numbers and texts as well."""
    if not isinstance(value, str):
        return value
    try:
        return parse(value.encode("utf-8", "surrogatepass"), non_finite_as_text=True)
    except MalformedJson:
        return value
