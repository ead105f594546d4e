"""Which call of a case its controls answer otherwise, its tries, and what is recorded of its tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import UsageError
from ..minimise.pieces import items
from ..model.case import Document
from ..model.json import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A logical call by the positions of its tries among ``tool_events``, in their order; ``effective`` tools change things."""

    tool: str
    tries: tuple[int, ...]
    effective: bool

    @property
    def first(self) -> int:
        """The position of its first try."""
        return self.tries[0]


def call(document: Document, predicate: Mapping[str, JsonValue], tool: str | None) -> Call:
    """Return the call that controls are about: the boundary's, of a ``tool`` if one is named.

    It is the one at which the failure shows, else the last that failed, that had an effect, that was. Raises `UsageError`
    where the case has none, or where it is the recorded harm: no fixed version makes that call.
    """
    events = items(document, "tool_events")
    found = _found(events, predicate, tool)
    tries = sorted(_tries(events, found), key=lambda index: str(events[index].get("try")).rjust(9, "0"))
    if events[tries[0]].get("role") == "violation":
        raise UsageError(
            "this call is the recorded harm, which a fixed version does not make: its other outcomes control nothing",
            hint="--tool names a call that every version makes",
        )
    name = events[found].get("tool")
    effects = {event.get("side_effect") for event in events if event.get("tool") == name}
    return Call(tool=str(name), tries=tuple(tries), effective=effects != {"none"})


def boundary_tool(document: Document, predicate: Mapping[str, JsonValue]) -> JsonValue:
    """Return the tool of the boundary's call, be that the recorded harm. Raises `UsageError` where the case has none."""
    events = items(document, "tool_events")
    return events[_found(events, predicate, None)].get("tool")


def recorded_result(document: Document, about: Call) -> Document | None:
    """Return the outcome of a recorded result of the call's tool: of its own tries before others, None without any."""
    events = items(document, "tool_events")
    own = [outcome(events[index]) for index in about.tries]
    others = [outcome(event) for event in events if event.get("tool") == about.tool]
    return next((each for each in (*own, *others) if each.get("type") == "result"), None)


def outcome(event: Document) -> Document:
    """Return how an attempt ended."""
    found = event.get("outcome")
    return found if isinstance(found, dict) else {}


def _found(events: Sequence[Document], predicate: Mapping[str, JsonValue], tool: str | None) -> int:
    listed = [index for index, event in enumerate(events) if tool in (None, event.get("tool"))]
    if not listed:
        raise UsageError("--tool names no tool of this case" if tool else "the case holds no call of a tool")
    at = _boundary(predicate)
    groups = (
        [index for index in listed if at == f"tool_events[{index}]"],
        [index for index in listed if outcome(events[index]).get("type") == "error"],
        [index for index in listed if events[index].get("side_effect") == "accepted"],
        listed,
    )
    return next(group[-1] for group in groups if group)


def _tries(events: Sequence[Document], found: int) -> list[int]:
    logical = events[found].get("logical_call")
    return [index for index, event in enumerate(events) if event.get("logical_call") == logical]


def _boundary(predicate: Mapping[str, JsonValue]) -> JsonValue:
    boundary, selection = predicate.get("boundary"), predicate.get("selection")
    span = boundary.get("span_id") if isinstance(boundary, dict) else None
    for each in selection if isinstance(selection, list) else ():
        if isinstance(each, dict) and each.get("span_id") == span:
            return each.get("becomes")
    return None
