"""What records say of a whole trace, told to its roots: some systems write session and user in a row of their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from extractor.model.span import Resource, Span

from .containers.values import added


def is_of_trace(span: Span) -> bool:
    """Return whether this is no span but what a record says of its trace."""
    return not span.span_id


def told_to_roots(spans: Iterable[Span]) -> tuple[list[Span], int]:
    """Return the spans, the roots with what was said of their traces, and how many traces have nothing but that.

    A root is a span whose parent is not among the spans. What a root says itself stays.
    """
    real: list[Span] = []
    said: dict[str, Span] = {}
    for span in spans:
        if is_of_trace(span):
            said[span.trace_id] = span
        else:
            real.append(span)
    known = {(span.trace_id, span.span_id) for span in real}
    told: set[str] = set()
    for index, span in enumerate(real):
        word = said.get(span.trace_id)
        if word is None or (span.trace_id, span.parent_id) in known:
            continue
        told.add(span.trace_id)
        real[index] = replace(
            span,
            attributes=added(span.attributes, word.attributes),
            resource=Resource(attributes=added(span.resource.attributes, word.resource.attributes)),
        )
    return real, len(said.keys() - told)
