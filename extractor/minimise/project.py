"""The document with some of its pieces alone: what refers to a dropped piece is repaired, payloads stay as they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..model.case import Document
from ..model.json import JsonValue
from .attempts import renumbered, standing_for
from .moved import Kept, entries, moved
from .pieces import CLAIMS, LISTS, MESSAGES, Place, claims, items, texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduced:
    """A document with fewer pieces, and which items of its lists stayed, by their positions before."""

    document: Document
    kept: Kept


def project(document: Document, pieces: Collection[Place]) -> Reduced:
    """Return the document with these pieces alone: a pure function of both.

    Attempts count from 1 again, tries from 1 in each logical call, messages from m1, in the order that they had. A retry
    is one of the nearest earlier try that stays, an order that led over a dropped attempt leads past it, a list of
    messages leaves dropped ones out. A message that loses all its parts goes, as does a part that only names a dropped
    template, or the result of a call whose attempt went.
    """
    kept: dict[str, Sequence[int]] = {
        path: [index for index, _ in enumerate(items(document, path)) if f"{path}[{index}]" in pieces]
        for path in LISTS
        if path not in MESSAGES
    }
    kept[CLAIMS] = [index for index, _ in enumerate(claims(document)) if f"{CLAIMS}.{{{index}}}" in pieces]
    parts = {path: _messages(document, path, pieces, kept) for path in MESSAGES}
    ids = _renamed(document, kept)
    events = items(document, "tool_events")
    staying = standing_for(events, kept["tool_events"])
    changed: dict[str, JsonValue] = {
        **{path: _picked(document.get(path), kept[path]) for path in ("alternates", "documents", "templates")},
        "facts": [_fact(item, kept) for item in _objects(items(document, "facts"), kept["facts"])],
        "identity": _identity(document.get("identity"), kept),
        "messages": _told(document, "messages", parts, ids, kept),
        "conversation": _named(document.get("conversation"), ids),
        "tool_events": list(renumbered(events, kept["tool_events"], staying)),
        "model_events": [
            {
                **event,
                "input": _named(event.get("input"), ids),
                "output": _named(event.get("output"), ids),
                "after": list(staying.after(event)),
            }
            for event in _objects(items(document, "model_events"), kept["model_events"])
        ],
        "missing_evidence": entries(document.get("missing_evidence"), "field", kept),
    }
    said = document.get("input")
    changed["input"] = {
        **(said if isinstance(said, dict) else {}),
        "messages": _told(document, "input.messages", parts, ids, kept),
    }
    return Reduced(document={name: changed.get(name, value) for name, value in document.items()}, kept=kept)


def _objects(listed: Sequence[Document], kept: Sequence[int]) -> list[Document]:
    return [listed[index] for index in kept]


def _picked(listed: JsonValue, kept: Sequence[int]) -> list[JsonValue]:
    return [listed[index] for index in kept] if isinstance(listed, list) else []


def _messages(
    document: Document, path: str, pieces: Collection[Place], kept: dict[str, Sequence[int]]
) -> Mapping[int, list[JsonValue]]:
    """Return the parts that stay of each message that stays, and enter the positions of both in ``kept``."""
    staying: dict[int, list[JsonValue]] = {}
    events = items(document, "tool_events")
    gone = _results(events) - _results(_objects(events, kept["tool_events"]))
    for index, message in enumerate(items(document, path)):
        place, listed = f"{path}[{index}]", message.get("parts")
        parts = listed if isinstance(listed, list) else []
        left = [
            number
            for number, part in enumerate(parts)
            if (len(parts) == 1 or f"{place}.parts[{number}]" in pieces)
            and not (_lost(part, message, kept) or _told_by(part) in gone)
        ]
        if place in pieces and (left or not parts):
            staying[index] = [_part(parts[number], message, kept) for number in left]
            kept[f"{place}.parts"] = left
    kept[path] = list(staying)
    return staying


def _template(part: JsonValue, message: Document) -> int | None:
    """Return which template a part stands for, None when it says something itself."""
    if message.get("role") != "system" or not isinstance(part, dict) or part.get("type") != "other":
        return None
    value = part.get("value")
    number = value.get("template") if isinstance(value, dict) and len(value) == 1 else None
    return number if isinstance(number, int) else None


def _lost(part: JsonValue, message: Document, kept: Kept) -> bool:
    template = _template(part, message)
    return template is not None and template not in kept["templates"]


def _results(events: Sequence[Document]) -> set[str]:
    """Return the ids of calls whose result stands with an attempt."""
    return {
        call
        for event in events
        if isinstance(call := event.get("call_id"), str)
        if isinstance(outcome := event.get("outcome"), dict) and outcome.get("type") == "result"
    }


def _told_by(part: JsonValue) -> str | None:
    """Return the call whose attempt holds what a part says, None for a part that says it itself."""
    if not isinstance(part, dict) or part.get("type") != "tool_result" or {"value", "value_text", "text"} & part.keys():
        return None
    call = part.get("call_id")
    return call if isinstance(call, str) else None


def _part(part: JsonValue, message: Document, kept: Kept) -> JsonValue:
    template = _template(part, message)
    if template is None or not isinstance(part, dict):
        return part
    return {**part, "value": {"template": kept["templates"].index(template)}}


def _renamed(document: Document, kept: Kept) -> Mapping[str, str]:
    """Return the new id of each message that stays, in the order of the old ones."""
    names = [str(items(document, path)[index].get("id")) for path in MESSAGES for index in kept[path]]
    ordered = sorted(names, key=lambda name: int(name.removeprefix("m")))
    return {name: f"m{number}" for number, name in enumerate(ordered, start=1)}


def _named(listed: JsonValue, ids: Mapping[str, str]) -> list[JsonValue]:
    return [ids[name] for name in texts(listed) if name in ids]


def _told(
    document: Document,
    path: str,
    parts: Mapping[str, Mapping[int, list[JsonValue]]],
    ids: Mapping[str, str],
    kept: Kept,
) -> list[JsonValue]:
    messages = items(document, path)
    return [
        {**messages[index], "id": ids[str(messages[index].get("id"))], "parts": parts[path][index]}
        for index in kept[path]
    ]


def _fact(fact: Document, kept: Kept) -> JsonValue:
    """Return a fact; one whose event went still comes from the trace."""
    source = fact.get("source")
    return {**fact, "source": moved(source, kept) or "trace"} if isinstance(source, str) else fact


def _identity(identity: JsonValue, kept: Kept) -> JsonValue:
    if not isinstance(identity, dict):
        return identity
    told = identity.get("claims")
    members = list(told.items()) if isinstance(told, dict) else []
    changed: dict[str, JsonValue] = {
        "roles": _picked(identity.get("roles"), kept["identity.roles"]),
        "claims": dict(members[index] for index in kept[CLAIMS]),
        "resources": _picked(identity.get("resources"), kept["identity.resources"]),
    }
    return {name: changed.get(name, value) for name, value in identity.items()}
