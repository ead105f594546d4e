"""Rows of span tables brought into the shape that the same spans have as JSON records."""

from __future__ import annotations

import re
from collections.abc import Mapping

from extractor.model.json import JsonValue

from .containers.naming import opened
from .containers.values import pick

_OPENED = frozenset({"ResourceAttributes", "SpanAttributes", "ScopeAttributes"})
_JSON = frozenset(
    {
        "attributes",
        "span_attributes",
        "spanattributes",
        "resource",
        "resource_attributes",
        "resourceattributes",
        "resource.attributes",
        "scope",
        "events",
        "links",
        "status",
        "context",
    }
)
_NESTED = re.compile(r"(Events|Links)\.?([A-Z]\w*)")
# Milli-, micro- and nanoseconds in a column's name, as the factor to nanoseconds.
_DURATIONS: Mapping[str, int] = {
    "duration_ns": 1,
    "duration_nano": 1,
    "duration_nanos": 1,
    "duration_time_unix_nano": 1,
    "duration_us": 10**3,
    "duration_ms": 10**6,
}
_TRACE_IDS = ("trace_id", "traceId")
_SPAN_IDS = ("span_id", "spanId")


def shaped(row: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a row whose JSON text is read and whose flat columns stand where span objects have them.

    Columns as ClickHouse's exporter names them keep their names; its nested ones may be written without the dot.
    """
    if "TraceId" in row and "SpanName" in row:
        return dict(_clickhouse(name, value) for name, value in row.items())
    if pick(row, *_TRACE_IDS) is not None and pick(row, *_SPAN_IDS) is not None:
        return _flat(row)
    return row


def _clickhouse(name: str, value: JsonValue) -> tuple[str, JsonValue]:
    nested = _NESTED.fullmatch(name)
    if nested:
        items = [opened(item) for item in value] if nested[2] == "Attributes" and isinstance(value, list) else value
        return f"{nested[1]}.{nested[2]}", items
    return name, opened(value) if name in _OPENED else value


def _flat(row: dict[str, JsonValue]) -> dict[str, JsonValue]:
    found = {name: opened(value) if name.lower() in _JSON else value for name, value in row.items()}
    if not isinstance(found.get("status"), dict):
        code = pick(found, "status_code", "statusCode", "status.code", "status")
        message = pick(found, "status_message", "statusMessage", "status.message", "status_description")
        found["status"] = {"code": code, "message": message}
    resource = pick(found, "resource_attributes", "resourceAttributes", "resource.attributes")
    if resource is None:
        resource = _prefixed(found, "resource.")
    service = pick(found, "service_name", "serviceName", "service.name")
    if isinstance(service, str) and not isinstance(resource, list):
        resource = {"service.name": service, **(resource if isinstance(resource, dict) else {})}
    if not isinstance(found.get("resource"), dict) or "attributes" not in _object(found["resource"]):
        found["resource"] = {"attributes": resource or found.get("resource")}
    if not isinstance(found.get("scope"), dict):
        found["scope"] = {
            "name": pick(found, "scope_name", "scopeName", "scope.name"),
            "version": pick(found, "scope_version", "scopeVersion", "scope.version"),
        }
    if pick(found, "attributes") is None:
        found["attributes"] = pick(found, "span_attributes", "spanAttributes") or _prefixed(found, "attributes.")
    return found | _end(found)


def _prefixed(row: dict[str, JsonValue], prefix: str) -> dict[str, JsonValue]:
    return {name.removeprefix(prefix): value for name, value in row.items() if name.startswith(prefix)}


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _end(row: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the end where only a duration is written, as nanoseconds beside a start in nanoseconds."""
    from_number = pick(row, "start_time_unix_nano", "startTimeUnixNano")
    if not isinstance(from_number, int) or pick(row, "end_time_unix_nano", "endTimeUnixNano", "end_time") is not None:
        return {}
    for name, unit in _DURATIONS.items():
        duration = row.get(name)
        if isinstance(duration, int | float) and not isinstance(duration, bool):
            return {"end_time_unix_nano": from_number + int(duration * unit)}
    return {}
