"""How strictly a replay keeps the order and the instants of a case: no more than the incident needs."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.json import JsonValue

_BY_TIME = frozenset({"local_deadline", "caller_cancelled", "late_response"})
_ASKED = "chosen on the command line"


def ordering(events: Sequence[JsonValue], asked: str | None) -> JsonValue:
    """Return ``total`` only where the order or the attempts may have caused the damage (S65); ``asked`` overrides."""
    if asked is not None:
        return {"mode": asked, "reason": _ASKED}
    listed = [event for event in events if isinstance(event, dict)]
    changing = [event for event in listed if event["side_effect"] != "none"]
    changed = {event["logical_call"] for event in changing if isinstance(event["logical_call"], int)}
    retried = any("retry_of" in event and event["logical_call"] in changed for event in listed)
    if retried or any(event["role"] == "violation" for event in listed):
        return {"mode": "total", "reason": "attempts of a call with side effects are part of the incident"}
    if changing and len(listed) > 1:
        return {"mode": "per_key", "reason": "calls with side effects keep their order by logical call"}
    return {"mode": "none", "reason": "no order of calls is known to have mattered"}


def fidelity(events: Sequence[JsonValue], boundary: int | None, asked: str | None) -> JsonValue:
    """Return ``schedule`` only where a deadline or a cancellation is part of the incident (S37); ``asked`` overrides.

    That is: it ended an attempt that may have changed something, the attempt where the failure shows, or a try of the same
    logical call. ``boundary`` is the index of the event where the failure shows.
    """
    if asked is not None:
        return {"fidelity": asked, "reason": _ASKED}
    listed = [event for event in events if isinstance(event, dict)]
    shown = listed[boundary]["logical_call"] if boundary is not None else None
    for event in listed:
        outcome = event["outcome"]
        if not isinstance(outcome, dict) or outcome.get("ended_by") not in _BY_TIME:
            continue
        if event["side_effect"] != "none" or event["role"] == "violation" or event["logical_call"] == shown:
            return {"fidelity": "schedule", "reason": "a deadline or a cancellation decided how an attempt ended"}
    return {
        "fidelity": "event",
        "reason": "no deadline and no cancellation decided how an attempt of the incident ended",
    }
