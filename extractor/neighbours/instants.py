"""A case at another instant: on either side of a limit, or where the local clock shows the same under another offset."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo

from ..minimise.pieces import items, levels
from ..minimise.project import project
from ..model.case import Document
from ..model.instants import instant, limits, other_offset, zone
from ..model.json import JsonValue
from .told import Derived, Plan

_FRACTION = re.compile(r"[.,](\d+)")
_SECONDS = re.compile(r"T\d\d:?\d\d:?\d\d")
_OTHER = re.compile(r"[^a-z0-9]+")
_CLOCK = "clock"
_LONGEST = 30


def instants(document: Document) -> Iterator[Plan]:
    """Yield a plan for the instants on either side of each limit of the time facts, and for another offset."""
    seen: set[str] = set()
    for limit in limits(document):
        about = slug(f"{limit.fact}-{limit.member}")
        number = 1
        while (name := about if number == 1 else f"{about}-{number}") in seen:
            number += 1
        seen.add(name)
        where = f"{limit.member} of {limit.fact}"
        yield Plan(
            name=f"before-{name}", kind="time", instant=limit.before.isoformat(), rule=f"the second before {where}"
        )
        yield Plan(name=f"at-{name}", kind="time", instant=limit.at.isoformat(), rule=f"the instant of {where}")
    if (other := other_offset(document)) is not None:
        rule = "the same local time on the nearest day with another offset from UTC"
        yield Plan(name="other-offset", kind="time", instant=other.isoformat(), rule=rule)


def at(document: Document, moment: str, action: str | None) -> Derived:
    """Return the case frozen at ``moment`` (ISO 8601 with offset), its recorded clock values moved there.

    What must be done there people say: without an ``action`` the control is incomplete. With one, recorded calls with an
    accepted side effect that it is not are what a right version need not repeat.
    """
    clock = _moved_clock(document, datetime.fromisoformat(moment))
    events = [_with_clock(event, clock, "arguments", "arguments_text") for event in items(document, "tool_events")]
    changed: Document = {
        "frozen_at": moment,
        "facts": [
            {**fact, "value": _replaced(fact.get("value"), clock)} if fact.get("name") == _CLOCK else fact
            for fact in items(document, "facts")
        ],
        "messages": [_asked(message, clock) for message in items(document, "messages")],
        "tool_events": [_role(event, action) for event in events],
        "final_output": None,
        "alternates": [_with_clock(each, clock, "arguments") for each in items(document, "alternates")],
        "expected": _expected(document, action),
        "missing_evidence": [each for each in items(document, "missing_evidence") if each.get("field") != "frozen_at"],
    }
    otherwise = {name: changed.get(name, value) for name, value in document.items()}
    reduced = project(otherwise, [piece for level in levels(otherwise) for piece in level.order])
    made = frozenset(f"tool_events[{index}]" for index, event in enumerate(events) if event != _event(document, index))
    return Derived(document=reduced.document, kept=reduced.kept, synthetic=made)


def _event(document: Document, index: int) -> Document:
    return items(document, "tool_events")[index]


def _moved_clock(document: Document, moment: datetime) -> Mapping[str, str]:
    """Return, for each spelling of the recorded clock, the spelling of the new instant, with the same precision.

    A local time is spelled by the rules of the case's time zone, whatever offset was recorded: that may be the defect.
    """
    told: dict[str, str] = {}
    local = zone(document.get("time_zone"))
    for fact in items(document, "facts"):
        value = fact.get("value") if fact.get("name") == _CLOCK else None
        for text in value.values() if isinstance(value, dict) else [value]:
            recorded = instant(text, None)
            if isinstance(text, str) and recorded is not None:
                told[text] = _spelled(moment, text, recorded, local)
    return told


def _spelled(moment: datetime, text: str, recorded: datetime, local: tzinfo | None) -> str:
    there = moment.astimezone((local or recorded.tzinfo) if recorded.utcoffset() else UTC)
    if _FRACTION.search(text):
        spelled = there.isoformat(timespec="microseconds" if len(_FRACTION.findall(text)[0]) > 3 else "milliseconds")
    else:
        spelled = there.isoformat(timespec="seconds" if _SECONDS.search(text) else "minutes")
    if text.endswith("Z"):
        spelled = spelled.removesuffix("+00:00") + "Z"
    return spelled if "T" in text else spelled.replace("T", " ", 1)


def _with_clock(event: Document, clock: Mapping[str, str], *names: str) -> Document:
    """Return a call whose arguments that are a recorded clock value are the new one."""
    changed: Document = {}
    for name in names:
        if name.endswith("_text") and isinstance(text := event.get(name), str):
            for old, new in clock.items():
                text = text.replace(f'"{old}"', f'"{new}"')
            changed[name] = text
        elif name in event:
            changed[name] = _replaced(event[name], clock)
    return {name: changed.get(name, value) for name, value in event.items()}


def _asked(message: Document, clock: Mapping[str, str]) -> Document:
    """Return a message in which the model's requests for calls name the new instant, as the calls do."""
    return {
        **message,
        "parts": [
            _with_clock(part, clock, "value", "value_text") if part.get("type") == "tool_call" else part
            for part in items(message, "parts")
        ],
    }


def _replaced(value: JsonValue, clock: Mapping[str, str]) -> JsonValue:
    if isinstance(value, dict):
        return {name: _replaced(member, clock) for name, member in value.items()}
    if isinstance(value, list):
        return [_replaced(item, clock) for item in value]
    return clock.get(value, value) if isinstance(value, str) else value


def _role(event: Document, action: str | None) -> Document:
    if action is None or event.get("side_effect") != "accepted":
        return event
    return {**event, "role": "evidence" if event.get("tool") == action else "violation"}


def _expected(document: Document, action: str | None) -> Document:
    expected = document.get("expected")
    before: Document = expected if isinstance(expected, dict) else {}
    wrong: JsonValue = f"any other action than {action} at this instant"
    told = action is not None
    changed: Document = {
        "failure_statement": {
            "trigger": "The product decides at another instant here, and as it would at the case's.",
            "prohibited": wrong if told else None,
            "evidence_needed": "The instant and time zone of the decision, and the action that was taken.",
        },
        "prohibited_claims": [wrong] if told else [],
        "required_behaviours": [],
        "required_disclosures": [],
        "boundary": None,
        "effects": {},
        "expert_review": [],
    }
    kept = {
        name: changed.get(name, value)
        for name, value in before.items()
        if name not in ("claims", "action", "grade", "policy_decision", "citations")
    }
    return {**kept, "action": action} if told else kept


def slug(text: str) -> str:
    """Return a text as part of a folder's name."""
    return _OTHER.sub("-", text.lower()).strip("-")[:_LONGEST].rstrip("-") or "limit"
