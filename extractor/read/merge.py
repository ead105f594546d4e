"""One span in several records: the same result whichever record came first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from extractor.model.span import Resource, Scope, Span

from .containers.times import nanoseconds
from .containers.values import added

_UPDATED = ("langfuse.observation.updated_at", "langfuse.trace.updated_at")


def merged(versions: Sequence[Span]) -> tuple[Span, int]:
    """Return the union of a span's versions and how many different ones there were.

    The most complete version (with an end, the latest end, most attributes, events, links) is the base; the others add
    what it lacks. Values are compared with their types, so that ``1``, ``1.0`` and ``true`` differ. Versions that say
    when they were updated replace older ones whole.
    """
    if len(versions) == 1:
        return versions[0], 1
    distinct = {repr(version): version for version in _latest(versions)}
    ordered = [distinct[text] for text in sorted(distinct)]
    ordered.sort(key=_completeness, reverse=True)
    whole = ordered[0]
    for other in ordered[1:]:
        whole = _union(whole, other)
    return whole, len(ordered)


def _latest(versions: Sequence[Span]) -> Sequence[Span]:
    updated = [_updated(version) for version in versions]
    latest = max(updated)
    return [version for version, moment in zip(versions, updated, strict=True) if moment == latest]


def _updated(version: Span) -> int:
    """Return the nanosecond of the last update, 0 where the system says none."""
    return max(nanoseconds(version.get(key), _unreported) for key in _UPDATED)


def _unreported(_code: str) -> None:
    """Take no note: a time that cannot be read is no update."""


def _completeness(span: Span) -> tuple[int, int, int, int, bool, bool]:
    return (
        span.end_ns or 0,
        len(span.attributes),
        len(span.events),
        len(span.links),
        span.status_code != "unset",
        span.parent_id is not None,
    )


def _union(base: Span, other: Span) -> Span:
    settled = base.status_code != "unset"
    events = {repr(event): event for event in (*base.events, *other.events)}
    links = {repr(link): link for link in (*base.links, *other.links)}
    return replace(
        base,
        parent_id=base.parent_id or other.parent_id,
        name=base.name or other.name,
        kind=base.kind if base.kind != "unspecified" else other.kind,
        start_ns=base.start_ns or other.start_ns,
        end_ns=base.end_ns or other.end_ns,
        attributes=added(base.attributes, other.attributes),
        events=base.events
        if len(events) == len(base.events)
        else tuple(sorted(events.values(), key=lambda event: event.time_ns)),
        links=tuple(links.values()) if len(links) > len(base.links) else base.links,
        status_code=base.status_code if settled else other.status_code,
        status_message=base.status_message or (other.status_message if other.status_code == base.status_code else "")
        if settled
        else other.status_message,
        trace_state=base.trace_state or other.trace_state,
        flags=base.flags or other.flags,
        dropped=max(base.dropped, other.dropped),
        resource=Resource(attributes=added(base.resource.attributes, other.resource.attributes)),
        scope=Scope(
            name=base.scope.name or other.scope.name,
            version=base.scope.version or other.scope.version,
            attributes=added(base.scope.attributes, other.scope.attributes),
        ),
    )
