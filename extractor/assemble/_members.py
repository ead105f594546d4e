"""Smaller members of the document, each from what it depends on alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..model.calls import canonical
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


def stated(spans: Sequence[Span], keys: Sequence[str]) -> list[dict[str, JsonValue]]:
    """Return what attributes with these keys say, each statement once, as facts."""
    facts: dict[tuple[str, str], dict[str, JsonValue]] = {}
    for span in spans:
        for name, value in span.attributes:
            if any(name == key or name.endswith("." + key) for key in keys):
                facts.setdefault((name, canonical(value)), {"name": name, "value": value, "source": "attribute"})
    return list(facts.values())


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
