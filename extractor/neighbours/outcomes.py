"""A case in which one call ends otherwise: answered, refused, not in time, or nobody knows how."""

from __future__ import annotations

from ..errors import UsageError
from ..minimise.pieces import items, levels
from ..minimise.project import project
from ..model.case import Document
from ..model.json import JsonValue, compact
from .calls import Call, outcome, recorded_result
from .demands import demands
from .told import Derived, Kind, Told

_ENDED: dict[Kind, tuple[str, str, str]] = {
    "rejection": ("response", "ToolRejected", "{tool} refused the request"),
    "timeout": ("remote_timeout", "ToolTimeout", "no answer from {tool} in time"),
    "uncertain": (
        "connection_error",
        "ToolConnectionReset",
        "the connection to {tool} broke after the request was sent",
    ),
}
_MORE_TRIES = 3  # a version may try oftener than the recorded one had to
_EFFECT: dict[Kind, str] = {"rejection": "rejected", "timeout": "none", "uncertain": "unknown"}


def answered_otherwise(document: Document, kind: Kind, about: Call, told: Told) -> Derived:
    """Return the case with its call ended as ``kind`` says, and with what must hold then.

    A call that was answered is not tried again: its later tries go. A rejected one may be, and no version has to: they are
    no evidence there. In the others every try ends alike, under the key of the first, as a retry must; alternates answer
    a version that tries oftener. Raises `UsageError` where no result of the tool is recorded or given, or nothing could tell whether the control holds.
    """
    events = items(document, "tool_events")
    ending = _result(document, about, told) if kind == "success" else _error(document, kind, about)
    changed = {
        index: _ended(events[index], events[about.first], kind, ending, about)
        for index in (about.tries[:1] if kind == "success" else about.tries)
    }
    listed: list[JsonValue] = [changed.get(index, event) for index, event in enumerate(events)]
    expected = demands(document, kind, about, told)
    otherwise: Document = {
        **document,
        "tool_events": listed,
        "messages": _messages(document, about, ending),
        "final_output": None,
        "alternates": [*items(document, "alternates"), *_more_tries(changed[about.first], kind)],
        "expected": expected,
    }
    gone = {f"tool_events[{index}]" for index in about.tries[1:]} if kind == "success" else set[str]()
    pieces = [piece for level in levels(otherwise) for piece in level.order if piece not in gone]
    reduced = project(otherwise, pieces)
    made = frozenset(f"tool_events[{index}]" for index in about.tries)
    return Derived(document=reduced.document, kept=reduced.kept, synthetic=made)


def _result(document: Document, about: Call, told: Told) -> Document:
    recorded = recorded_result(document, about)
    if not told.given and recorded is None:
        raise UsageError(
            "the case records no result of this tool, and none is given for the success control",
            hint="--result @FILE gives one, as JSON; --kind leaves the success control out",
        )
    if not told.given and recorded is not None:
        return {**recorded, "ended_by": "response"}
    results = [each for event in items(document, "tool_events") if (each := outcome(event)).get("type") == "result"]
    # Where the application saw every result as a text, it sees this one so.
    spelled: Document = (
        {"value_text": compact(told.result)} if results and all("value_text" in each for each in results) else {}
    )
    return {"type": "result", "value": told.result, **spelled, "ended_by": "response"}


def _error(document: Document, kind: Kind, about: Call) -> Document:
    """Return the error that the tool's own recording shows for such an end, else one of ours."""
    ended_by, error_type, words = _ENDED[kind]
    for event in items(document, "tool_events"):
        each = outcome(event)
        alike = event.get("side_effect") == "rejected" if kind == "rejection" else each.get("ended_by") == ended_by
        if event.get("tool") == about.tool and each.get("type") == "error" and alike:
            return {**each, "ended_by": ended_by}
    return {"type": "error", "error": words.format(tool=about.tool), "error_type": error_type, "ended_by": ended_by}


def _ended(event: Document, first: Document, kind: Kind, ending: Document, about: Call) -> Document:
    again = event is not first
    key, own = first.get("idempotency_key"), event.get("idempotency_key")
    rekeyed = again and isinstance(key, str) and isinstance(own, str) and key != own
    moved: Document = {"arguments": event.get("arguments")}
    if rekeyed:
        moved = {"arguments": _with_key(event.get("arguments"), str(own), str(key)), "idempotency_key": key}
        if isinstance(text := event.get("arguments_text"), str):
            moved["arguments_text"] = text.replace(str(own), str(key))
    optional = again and (rekeyed or kind == "rejection" or event.get("role") == "violation")
    effect = ("accepted" if about.effective else "none") if kind == "success" else _EFFECT[kind]
    made: Document = {
        **moved,
        "role": "violation" if optional else "evidence",
        "outcome": ending,
        "side_effect": effect,
        "timing": _timing(event.get("timing"), responded=kind in ("success", "rejection")),
    }
    return {name: made.get(name, value) for name, value in event.items()}


def _more_tries(first: Document, kind: Kind) -> list[Document]:
    if kind == "success":
        return []
    keyed: Document = {"idempotency_key": first["idempotency_key"]} if first.get("idempotency_key") is not None else {}
    more: Document = {
        "tool": first.get("tool"),
        "arguments": first.get("arguments"),
        **keyed,
        "outcome": first.get("outcome"),
        "side_effect": first.get("side_effect"),
        "reason": "a further try of the call ends as the others do",
        "synthetic": True,
    }
    return [more] * _MORE_TRIES


def _with_key(value: JsonValue, own: str, key: str) -> JsonValue:
    if isinstance(value, dict):
        return {name: _with_key(member, own, key) for name, member in value.items()}
    if isinstance(value, list):
        return [_with_key(item, own, key) for item in value]
    return key if value == own else value


def _timing(timing: JsonValue, *, responded: bool) -> JsonValue:
    if not isinstance(timing, dict):
        return timing
    return {**timing, "response_ms": timing.get("end_ms") if responded else None}


def _messages(document: Document, about: Call, ending: Document) -> list[JsonValue]:
    """Return the messages with the call's answer as the model would have read it: where one spells it out, it changes."""
    events = [items(document, "tool_events")[index] for index in about.tries]
    calls = {event.get("call_id") for event in events} - {None}
    errors = [error for event in events if isinstance(error := outcome(event).get("error"), str) and error]
    return [
        {
            **message,
            "parts": [
                _part(part, ending, errors)
                if part.get("type") == "tool_result" and part.get("call_id") in calls
                else part
                for part in items(message, "parts")
            ],
        }
        for message in items(document, "messages")
    ]


def _part(part: Document, ending: Document, errors: list[str]) -> JsonValue:
    said = {name for name in ("value", "value_text", "text") if name in part}
    if not said:
        return part  # the attempt itself holds what was answered
    value = ending.get("value")
    if ending.get("type") == "error":
        value = _reworded(
            {name: part[name] for name in ("value", "text") if name in part}, errors, str(ending["error"])
        )
        value = value if value is not None else {"error": ending["error"]}
    made: Document = {}
    for name in said:
        made[name] = value if name == "value" else value if isinstance(value, str) else compact(value)
    return {name: made.get(name, old) for name, old in part.items()}


def _reworded(told: Document, errors: list[str], error: str) -> JsonValue:
    """Return what the part told of a recorded error with the words of another, None where it told of none."""
    value = told.get("value", told.get("text"))
    changed = _replaced(value, errors, error)
    return changed if changed != value or error in errors else None


def _replaced(value: JsonValue, errors: list[str], error: str) -> JsonValue:
    if isinstance(value, dict):
        return {name: _replaced(member, errors, error) for name, member in value.items()}
    if isinstance(value, list):
        return [_replaced(item, errors, error) for item in value]
    if isinstance(value, str):
        for old in errors:
            if old in value:
                return value.replace(old, error)
    return value
