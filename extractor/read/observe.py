"""What the spans themselves show to be missing or odd, whichever files held them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from extractor.model.json import JsonValue, leaves
from extractor.model.reading import Note
from extractor.model.span import Span

_CUT_MARKS = ("[truncated]", "<truncated>", "(truncated)", "...truncated", "…[truncated]")
_JSON_OPENINGS = ('{"', "[{", '["')


def observe(spans: Sequence[Span], *, shown: int) -> tuple[Note, ...]:
    """Return one note a code, in code order; places are ``span 3``, counted from 1 in product order."""
    found: dict[str, list[str]] = {}
    by_id = {(span.trace_id, span.span_id): span for span in spans}
    for number, span in enumerate(spans, 1):
        parent = by_id.get((span.trace_id, span.parent_id)) if span.parent_id else None
        for code in faults(span, parent):
            found.setdefault(code, []).append(f"span {number}")
    for first in _without_root(spans):
        found.setdefault("missing_root", []).append(f"span {first}")
    return tuple(
        Note(code=code, count=len(places), places=tuple(places[:shown])) for code, places in sorted(found.items())
    )


def faults(span: Span, parent: Span | None) -> Iterator[str]:
    """Yield what is wrong with one span, given its parent where the reading holds it."""
    if span.parent_id and parent is None:
        yield "orphan_span"
    if parent is not None and span.start_ns and span.start_ns < parent.start_ns:
        yield "clock_inversion"
    if not span.start_ns:
        yield "no_start_time"
    if span.end_ns is None:
        yield "no_end_time"
    elif span.end_ns < span.start_ns:
        yield "end_before_start"
    if span.dropped:
        yield "dropped_attributes"
    pairs = (*span.attributes, *(pair for event in span.events for pair in event.attributes))
    if any(_is_cut(leaf) for _, value in pairs for _, leaf in leaves(value)):
        yield "truncated_value"
    if len({key for key, _ in span.attributes}) != len(span.attributes):
        yield "repeated_attribute"


def _without_root(spans: Sequence[Span]) -> Iterator[int]:
    """Yield the number of the first span of each trace that has no root."""
    first: dict[str, int] = {}
    rooted: Mapping[str, None] = dict.fromkeys(span.trace_id for span in spans if span.parent_id is None)
    for number, span in enumerate(spans, 1):
        first.setdefault(span.trace_id, number)
    yield from (number for trace_id, number in first.items() if trace_id not in rooted)


def _is_cut(value: JsonValue) -> bool:
    """Return whether a text says that it was cut, or begins as JSON and does not end so."""
    if not isinstance(value, str) or len(value) < 8:
        return False
    end = value.rstrip()
    if end.endswith(_CUT_MARKS):
        return True
    return value.startswith(_JSON_OPENINGS) and not end.endswith(("}", "]"))
