"""JSON records to spans: whichever container knows a record, or what lies in it, as an answer's ``data``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from extractor.model.json import JsonValue
from extractor.model.span import Span

from .containers import JSON_CONTAINERS
from .containers.interface import Attachment, JsonContainer, RefusedError, Report

Decoded: TypeAlias = Iterator[tuple[str, tuple[Span | Attachment, ...]]]
"""What a record tells, by the name of the container that knows it."""
_LAYERS = 3  # objects and lists around spans
_OTHER_SIGNALS = ("resourceMetrics", "resource_metrics", "resourceProfiles")
_FURTHER_PAGES = ("next_cursor", "nextCursor", "next_page_token", "nextPageToken", "next")


def decode(value: JsonValue, container: str | None, report: Report) -> Decoded:
    """Yield container name and spans of each record in a JSON value, read as ``container`` where one is named.

    Raises `RefusedError` for what is no object.
    """
    for record in value if isinstance(value, list) else [value]:
        if isinstance(record, list):
            yield from decode(record, container, report)
        elif isinstance(record, dict):
            yield from _record(record, container, report)
        else:
            raise RefusedError("not_an_object")


def _record(record: dict[str, JsonValue], named: str | None, report: Report) -> Decoded:
    container = _BY_NAME[named] if named in _BY_NAME else _container(record)
    if container is not None:
        yield container.name, tuple(container.spans(record, report))
        return
    inside = list(_inside(record, _LAYERS))
    if not inside:
        other = any(name in record for name in _OTHER_SIGNALS)
        report("other_signal_not_read" if other else "record_not_recognised")
        return
    if record.get("status") == "PARTIAL":
        report("partial_answer")
    if any(record.get(name) for name in _FURTHER_PAGES):
        report("further_pages")
    for found, node in inside:
        yield found.name, tuple(found.spans(node, report))


_BY_NAME = {container.name: container for container in JSON_CONTAINERS}


def _container(record: dict[str, JsonValue]) -> JsonContainer | None:
    return next((container for container in JSON_CONTAINERS if container.recognises(record)), None)


def _inside(value: JsonValue, layers: int) -> Iterator[tuple[JsonContainer, dict[str, JsonValue]]]:
    """Yield the records within an object that is none itself, in document order."""
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for child in children:
        if isinstance(child, dict) and (container := _container(child)) is not None:
            yield container, child
        elif isinstance(child, dict | list) and layers:
            yield from _inside(child, layers - 1)
