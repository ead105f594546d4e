"""Joining what other records tell of spans: logs beside traces, and rows about a whole trace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from extractor.model.span import Span

from .containers.interface import Attachment
from .containers.values import added


def attached(spans: list[Span], attachments: Iterable[Attachment]) -> tuple[list[Span], int]:
    """Return the spans with what was told of them, and how many attachments named a span that is not there.

    Events join the span that they name, in order of time; what a record says of a whole trace joins its roots, which are
    the spans whose parent is not among them.
    """
    places = {(span.trace_id, span.span_id): index for index, span in enumerate(spans)}
    roots: dict[str, list[int]] = {}
    for index, span in enumerate(spans):
        if span.parent_id is None or (span.trace_id, span.parent_id) not in places:
            roots.setdefault(span.trace_id, []).append(index)
    missing = 0
    joined = list(spans)
    for told in sorted(attachments, key=repr):
        if told.span_id is None:
            named = roots.get(told.trace_id, [])
        else:
            place = places.get((told.trace_id, told.span_id))
            named = [] if place is None else [place]
        missing += not named
        for index in named:
            joined[index] = _with(joined[index], told)
    return joined, missing


def _with(span: Span, told: Attachment) -> Span:
    events = {repr(event): event for event in (*span.events, *told.events)}
    return replace(
        span,
        attributes=added(span.attributes, told.attributes),
        events=tuple(sorted(events.values(), key=lambda event: event.time_ns)) if told.events else span.events,
    )
