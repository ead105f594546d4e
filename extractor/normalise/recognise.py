"""Which dialect a span speaks and which step it is, from marks and its place in the trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from extractor.model.span import Span
from extractor.model.trace import StepKind

from .dialects import Condition, Dialect, Vocabulary

_WIRE = ("client", "producer")


class Relations:
    """Parents and children among the spans of one reading."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._by_id = {(span.trace_id, span.span_id): span for span in spans}
        self._children: dict[tuple[str, str], list[Span]] = {}
        self._first: dict[str, Span] = {}
        for span in spans:
            self._first.setdefault(span.trace_id, span)
            if span.parent_id:
                self._children.setdefault((span.trace_id, span.parent_id), []).append(span)

    def children(self, span: Span) -> Sequence[Span]:
        """Return the children of a span, in product order."""
        return self._children.get((span.trace_id, span.span_id), ())

    def is_root(self, span: Span) -> bool:
        """Return whether no span of the reading is the parent."""
        return not span.parent_id or (span.trace_id, span.parent_id) not in self._by_id

    def is_called(self, span: Span) -> bool:
        """Return whether the trace shows a caller on the other side of a wire.

        That is a client or producer as parent or link, or a parent of another service. Where the parent was filtered
        away, a service other than that of the trace's first span has been called; the application itself has not.
        """
        linked = (self._by_id.get((link.trace_id, link.span_id)) for link in span.links)
        if any(other is not None and other.kind in _WIRE for other in linked):
            return True
        if not span.parent_id:
            return False
        parent = self._by_id.get((span.trace_id, span.parent_id))
        if parent is not None and parent.kind in _WIRE:
            return True
        other = _service(parent if parent is not None else self._first[span.trace_id])
        return None not in (other, _service(span)) and other != _service(span)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """A span's dialect, None where no rule claims it, and its kind."""

    dialect: Dialect | None
    kind: StepKind


def recognise(span: Span, vocabulary: Vocabulary, relations: Relations) -> Recognised:
    """Return what a span is. Of several dialects the one with the lowest rank wins, then the first by name."""
    claims = (
        (mark.rank, name)
        for name, dialect in vocabulary.dialects.items()
        for mark in dialect.marks
        if _holds(mark.when, span, relations)
    )
    best = min(claims, default=None)
    if best is None:
        return Recognised(dialect=None, kind="other")
    dialect = vocabulary.dialects[best[1]]
    kinds = (rule.step for rule in dialect.kinds if _holds(rule.when, span, relations))
    return Recognised(dialect=dialect, kind=next(kinds, "other"))


def _holds(when: Condition, span: Span, relations: Relations) -> bool:
    if when.attr and not _has_attribute(when, span):
        return False
    if when.attr_prefix is not None and not any(key.startswith(when.attr_prefix) for key, _ in span.attributes):
        return False
    if when.event and not any(event.name in when.event for event in span.events):
        return False
    if when.name_prefix is not None and not span.name.startswith(when.name_prefix):
        return False
    if when.scope_prefix and not span.scope.name.startswith(when.scope_prefix):
        return False
    if when.span_kind and span.kind not in when.span_kind:
        return False
    return when.called is None or when.called is relations.is_called(span)


def _has_attribute(when: Condition, span: Span) -> bool:
    values = [value for key in when.attr if (value := span.get(key)) is not None]
    return any(value in when.equals for value in values) if when.equals else bool(values)


def _service(span: Span) -> object:
    return dict(span.resource.attributes).get("service.name")
