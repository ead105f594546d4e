"""Joining what other records tell of spans: logs beside traces, and rows about a whole trace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from extractor.model.span import Span

from .containers.interface import Attachment


def attached(spans: list[Span], attachments: Iterable[Attachment]) -> tuple[list[Span], int]:
    """Return the spans with what was told of them, and how many attachments named a span that is not there.

    Events join the span that they name, in order of time; what a record says of a whole trace joins its first root, or
    its first span where no root is. ``spans`` come in product order.
    """
    places = {(span.trace_id, span.span_id): index for index, span in enumerate(spans)}
    firsts: dict[str, int] = {}
    for index, span in reversed(list(enumerate(spans))):
        known = firsts.get(span.trace_id)
        if known is None or span.parent_id is None or spans[known].parent_id is not None:
            firsts[span.trace_id] = index
    missing = 0
    joined = list(spans)
    for told in sorted(attachments, key=repr):
        place = firsts.get(told.trace_id) if told.span_id is None else places.get((told.trace_id, told.span_id))
        if place is None:
            missing += 1
        else:
            joined[place] = _with(joined[place], told)
    return joined, missing


def _with(span: Span, told: Attachment) -> Span:
    known = {key for key, _ in span.attributes}
    events = {repr(event): event for event in (*span.events, *told.events)}
    return replace(
        span,
        attributes=span.attributes + tuple(pair for pair in told.attributes if pair[0] not in known),
        events=tuple(sorted(events.values(), key=lambda event: event.time_ns)) if told.events else span.events,
    )
