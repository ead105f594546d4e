"""The structure and relation proof of a smaller case: it holds the bytes against the document that it came from.

Nothing of `project` is used. Each item that stands now must be the one that stood at its place before, letter by letter,
save for numbers of ours; so values that were equal are equal and values that differed differ. The numbers must tell of
the same attempts, calls, retries, orders and messages as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from ..model.case import Document
from ..model.json import JsonValue, compact
from .moved import Kept

_LISTS = (
    "alternates",
    "documents",
    "facts",
    "messages",
    "model_events",
    "templates",
    "tool_events",
)
_HELD = ("identity", "input", "conversation", "missing_evidence", *_LISTS)
_OURS: Mapping[str, frozenset[str]] = {
    "facts": frozenset({"source"}),
    "messages": frozenset({"id", "parts"}),
    "model_events": frozenset({"input", "output", "after"}),
    "tool_events": frozenset({"attempt", "logical_call", "try", "retry_of", "after"}),
}


def structure_faults(before: Document, after: Document, kept: Kept) -> list[str]:
    """Return where something else than whole pieces differs; ``kept`` is what the smaller case claims to hold."""
    if list(before) != list(after):
        return ["document: its members changed"]
    faults = [f"{name}: changed" for name in before if name not in _HELD and not _same(before[name], after[name])]
    for name in _LISTS:
        faults += _list_faults(name, _objects(before.get(name)), _objects(after.get(name)), kept)
    faults += _list_faults("input.messages", _said(before), _said(after), kept)
    faults += _identity_faults(before.get("identity"), after.get("identity"), kept)
    left = iter((entry.get("code"), entry.get("reason")) for entry in _objects(before.get("missing_evidence")))
    for entry in _objects(after.get("missing_evidence")):
        if (entry.get("code"), entry.get("reason")) not in left:
            faults.append("missing_evidence: an entry that was not there")
            break
    return faults


def relation_faults(before: Document, after: Document, kept: Kept) -> list[str]:
    """Return where a number names another attempt, call or message than before; the structure must hold already."""
    was = [_objects(before.get("tool_events"))[index] for index in kept["tool_events"]]
    now = _objects(after.get("tool_events"))
    faults = list(_attempt_faults(was, now))
    if faults:
        return faults
    old = {int(str(event["attempt"])): int(str(each["attempt"])) for event, each in zip(now, was, strict=True)}
    staying = set(old.values())
    chain = {each.get("attempt"): each.get("retry_of") for each in _objects(before.get("tool_events"))}
    earlier_was = _earlier(_objects(before.get("tool_events")))
    earlier_now = _earlier(now)
    for index, (one, other) in enumerate(zip(was, now, strict=True)):
        if _reached(one, earlier_was) & staying != {old[each] for each in _reached(other, earlier_now)}:
            faults.append(f"tool_events[{index}].after: another order")
        if _retried(one.get("retry_of"), chain, staying) != _old(other.get("retry_of"), old):
            faults.append(f"tool_events[{index}].retry_of: another attempt")
    models = [_objects(before.get("model_events"))[index] for index in kept["model_events"]]
    names = _names(before, after, kept)
    for index, (one, other) in enumerate(zip(models, _objects(after.get("model_events")), strict=True)):
        if _reached(one, earlier_was) & staying != {old[each] for each in _reached(other, earlier_now)}:
            faults.append(f"model_events[{index}].after: another order")
        faults += [
            f"model_events[{index}].{side}: another message"
            for side in ("input", "output")
            if _restricted(one.get(side), names) != other.get(side)
        ]
    if _restricted(before.get("conversation"), names) != after.get("conversation"):
        faults.append("conversation: another message")
    if lost := _named_results(after) & _results(_objects(before.get("tool_events"))) - _results(now):
        faults.append(f"messages: results that no attempt holds any more: {len(lost)}")
    if sorted(names.values(), key=_rank) != [f"m{number}" for number in range(1, len(names) + 1)]:
        faults.append("messages: their ids do not count from m1")
    return faults


def _list_faults(path: str, before: Sequence[Document], after: Sequence[Document], kept: Kept) -> Iterator[str]:
    indexes = kept.get(path, ())
    if len(indexes) != len(after) or not _ascending(indexes, len(before)):
        yield f"{path}: other items than those that are to stay"
        return
    ours = _OURS.get(path.rpartition(".")[2], frozenset())
    for position, (index, item) in enumerate(zip(indexes, after, strict=True)):
        if not _same(
            *({name: value for name, value in each.items() if name not in ours} for each in (before[index], item))
        ):
            yield f"{path}[{position}]: changed"
        if "parts" in ours:
            yield from _part_faults(f"{path}[{position}]", f"{path}[{index}]", before[index], item, kept)
        if path == "facts" and item.get("source") != before[index].get("source"):
            # Only what names an event may change, as its name does.
            yield from (
                [] if str(before[index].get("source")).startswith("tool_events[") else [f"facts[{position}]: changed"]
            )


def _part_faults(now: str, was: str, before: Document, after: Document, kept: Kept) -> Iterator[str]:
    indexes = kept.get(f"{was}.parts", ())
    old, new = _objects(before.get("parts")), _objects(after.get("parts"))
    if len(indexes) != len(new) or not _ascending(indexes, len(old)):
        yield f"{now}.parts: other parts than those that are to stay"
        return
    for position, (index, part) in enumerate(zip(indexes, new, strict=True)):
        if not _same(_with_template(old[index], before, kept["templates"]), part):
            yield f"{now}.parts[{position}]: changed"


def _with_template(part: Document, message: Document, templates: Sequence[int]) -> JsonValue:
    """Return a part as it must stand now: the template that it names is counted among those that stay."""
    value = part.get("value")
    number = value.get("template") if isinstance(value, dict) and len(value) == 1 else None
    if message.get("role") != "system" or part.get("type") != "other" or not isinstance(number, int):
        return part
    return {**part, "value": {"template": list(templates).index(number) if number in templates else None}}


def _identity_faults(before: JsonValue, after: JsonValue, kept: Kept) -> Iterator[str]:
    if not isinstance(before, dict) or not isinstance(after, dict) or list(before) != list(after):
        yield "identity: its members changed"
        return
    for name, value in before.items():
        indexes = kept.get(f"identity.{name}")
        expected: JsonValue = value
        if indexes is not None and isinstance(value, list):
            expected = [value[index] for index in indexes if index < len(value)]
        elif indexes is not None and isinstance(value, dict):
            members = list(value.items())
            expected = dict(members[index] for index in indexes if index < len(members))
        if not _same(expected, after[name]):
            yield f"identity.{name}: changed"


def _attempt_faults(was: Sequence[Document], now: Sequence[Document]) -> Iterator[str]:
    numbers = [event.get("attempt") for event in now]
    if sorted(map(str, numbers)) != sorted(str(number) for number in range(1, len(now) + 1)):
        yield "tool_events: attempts do not count from 1"
    for member in ("attempt", "logical_call"):
        if _order([event.get(member) for event in was]) != _order([event.get(member) for event in now]):
            yield f"tool_events: another order or partition by {member}"
    for call in {event.get("logical_call") for event in now if isinstance(event.get("logical_call"), int)}:
        places = [place for place, event in enumerate(now) if event.get("logical_call") == call]
        if _order([was[place].get("try") for place in places]) != [now[place].get("try") for place in places]:
            yield "tool_events: another order of tries"


def _order(numbers: Sequence[JsonValue]) -> list[JsonValue]:
    """Return the ranks of numbers, from 1, equal numbers alike."""
    ranked = sorted({number for number in numbers if isinstance(number, int)})
    return [ranked.index(number) + 1 if isinstance(number, int) else None for number in numbers]


def _earlier(events: Sequence[Document]) -> dict[int, list[int]]:
    return {
        number: [each for each in listed if isinstance(each, int)]
        for event in events
        if isinstance(number := event.get("attempt"), int)
        if isinstance(listed := event.get("after"), list)
    }


def _reached(event: Document, earlier: Mapping[int, Sequence[int]]) -> set[int]:
    """Return every attempt that had ended when an event began."""
    listed = event.get("after")
    front = [each for each in listed if isinstance(each, int)] if isinstance(listed, list) else []
    seen: set[int] = set()
    while front:
        each = front.pop()
        if each not in seen:
            seen.add(each)
            front.extend(earlier.get(each, ()))
    return seen


def _retried(number: JsonValue, chain: Mapping[JsonValue, JsonValue], staying: set[int]) -> JsonValue:
    """Return the nearest earlier try that stays."""
    for _ in chain:
        if number is None or number in staying:
            break
        number = chain.get(number)
    return number if number in staying else None


def _old(number: JsonValue, old: Mapping[int, int]) -> JsonValue:
    return old.get(number, number) if isinstance(number, int) else None


def _results(events: Sequence[Document]) -> set[str]:
    return {
        str(event.get("call_id"))
        for event in events
        if isinstance(outcome := event.get("outcome"), dict) and "value" in outcome
    }


def _named_results(document: Document) -> set[str]:
    """Return the calls whose results messages name without saying them."""
    return {
        str(part.get("call_id"))
        for message in (*_said(document), *_objects(document.get("messages")))
        for part in _objects(message.get("parts"))
        if part.get("type") == "tool_result" and "value" not in part and "value_text" not in part and "text" not in part
    }


def _names(before: Document, after: Document, kept: Kept) -> dict[str, str]:
    """Return the new id of each message that stays, by its place."""
    pairs = [
        *zip((_said(before)[index] for index in kept["input.messages"]), _said(after), strict=True),
        *zip(
            (_objects(before.get("messages"))[index] for index in kept["messages"]),
            _objects(after.get("messages")),
            strict=True,
        ),
    ]
    return {str(was.get("id")): str(now.get("id")) for was, now in pairs}


def _restricted(listed: JsonValue, names: Mapping[str, str]) -> list[JsonValue]:
    return [names[str(name)] for name in (listed if isinstance(listed, list) else ()) if str(name) in names]


def _rank(name: str) -> int:
    return int(name.removeprefix("m"))


def _ascending(indexes: Sequence[int], length: int) -> bool:
    return all(one < other for one, other in pairwise(indexes)) and all(0 <= index < length for index in indexes)


def _said(document: Document) -> list[Document]:
    said = document.get("input")
    return _objects(said.get("messages")) if isinstance(said, dict) else []


def _objects(value: JsonValue) -> list[Document]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Say whether two values are written alike: members in one order, numbers in one spelling."""
    return compact(one) == compact(other)
