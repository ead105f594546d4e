"""Smaller members of the document, each from what it depends on alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..model.calls import canonical
from ..model.evidence import Evidence
from ..model.json import JsonValue, compact
from ..model.span import Span
from ..model.trace import Step
from ._messages import digest


def instant(start_ns: int, zone: str | None) -> tuple[str, bool]:
    """Return an offset-aware ISO 8601 instant in the zone, and whether the zone is known; else the instant is in UTC.

    Instants are cut to microseconds, the finest that the standard library reads back.
    """
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=start_ns // 1_000)
    if zone is not None:
        try:
            return moment.astimezone(ZoneInfo(zone)).isoformat(), True
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
    return moment.isoformat().replace("+00:00", "Z"), zone is None


def documents(retrievals: Sequence[Step]) -> list[JsonValue]:
    """Return what retrievals returned, in order; digests are of the redacted content once that is known."""
    return [
        {
            "query": step.retrieval.query,
            "content": content,
            "sha256": digest(content if isinstance(content, str) else compact(content)),
        }
        for step in retrievals
        if step.retrieval is not None
        for content in step.retrieval.documents
    ]


def stated(spans: Sequence[Span], keys: Sequence[str]) -> list[JsonValue]:
    """Return what attributes with these keys say, each statement once, as facts."""
    facts: dict[tuple[str, str], JsonValue] = {}
    for span in spans:
        for name, value in span.attributes:
            if any(name == key or name.endswith("." + key) for key in keys):
                facts.setdefault((name, canonical(value)), {"name": name, "value": value, "source": "attribute"})
    return list(facts.values())


def ordering(events: Sequence[JsonValue]) -> JsonValue:
    """Return how strictly a replay keeps the order: only where order or attempts may have caused the damage (S65)."""
    listed = [event for event in events if isinstance(event, dict)]
    changing = [event for event in listed if event["side_effect"] != "none"]
    changed = {event["logical_call"] for event in changing if isinstance(event["logical_call"], int)}
    retried = any("retry_of" in event and event["logical_call"] in changed for event in listed)
    if retried or any(event["role"] == "violation" for event in listed):
        return {"mode": "total", "reason": "attempts of a call with side effects are part of the incident"}
    if changing and len(listed) > 1:
        return {"mode": "per_key", "reason": "calls with side effects keep their order by logical call"}
    return {"mode": "none", "reason": "no order of calls is known to have mattered"}


def fidelity(evidence: Sequence[Evidence]) -> JsonValue:
    """Return whether a replay needs the schedule of instants, or the order of events is enough (S37)."""
    if any(seen.ended_by in ("local_deadline", "caller_cancelled", "late_response") for seen in evidence):
        return {"fidelity": "schedule", "reason": "a deadline or a cancellation decided how an attempt ended"}
    return {"fidelity": "event", "reason": "no deadline and no cancellation decided how an attempt ended"}


def nearest(span_id: str, parents: Mapping[str, str | None], wanted: Collection[str]) -> str | None:
    """Return the nearest ancestor among the wanted spans; a cycle of parents ends the search."""
    seen: set[str] = set()
    above = parents.get(span_id)
    while above is not None and above not in seen:
        if above in wanted:
            return above
        seen.add(above)
        above = parents.get(above)
    return None
