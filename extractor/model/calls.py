"""The tool calls of a trace as one list, whether they have spans of their own or stand only inside chat messages."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from .json import JsonValue, compact
from .trace import UNNAMED, Message, Part, Step, ToolCall, Trace

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One attempt of a tool.

    ``step`` is its own step, or, with ``own`` False, the model step that asked for it; ``requested_by`` is the span id
    of the model step that asked, None when no model output says so. ``start_ns`` and ``end_ns`` of a call without a
    span are the end of the asking step and the start of the first step that saw the result.
    """

    tool: ToolCall
    step: Step
    own: bool
    requested_by: str | None
    start_ns: int
    end_ns: int | None
    order: tuple[int, str, str, int]


def tool_calls(trace: Trace) -> tuple[Call, ...]:
    """Return every tool call of the trace once, in product order.

    A call in a chat message and a call with a span are one when they share a call id or, where the span has none,
    tool and arguments. A call of a chat message counts when some later message holds its result.
    """
    own = [step for step in trace.steps if step.kind == "tool_call" and step.tool is not None]
    chat = _chat(trace)
    entries = _entries(own, chat)
    calls = [_own_call(step, entries.get(step.span.span_id)) for step in own]
    calls.extend(_chat_call(entry) for entry in chat.values() if not entry.matched and entry.result is not None)
    return tuple(sorted(calls, key=lambda call: call.order))


def logical_key(tool: ToolCall) -> tuple[str, str]:
    """Return what attempts of one logical call share: tool and idempotency key, else tool and arguments."""
    if tool.idempotency_key is not None:
        return (tool.name, "key:" + tool.idempotency_key)
    return (tool.name, "arguments:" + canonical(tool.arguments))


def logical_calls(calls: Sequence[Call]) -> tuple[int, ...]:
    """Return the number, from 1, of the logical call that each attempt belongs to.

    Attempts are of one logical call when they share tool and idempotency key, or tool and arguments where there is no
    key, or call id and all arguments but the key: a retry that lost its key is still a retry. So is one that differs from a failed attempt in
    its key alone.
    """
    numbers: list[int] = []
    known: dict[tuple[str, ...], int] = {}
    for call in calls:
        tool = call.tool
        same = logical_key(tool)
        keyless = (tool.name, "keyless:" + canonical(_without_key(tool)))
        # Some providers count call ids anew in every turn: the arguments must agree as well.
        asked = (*keyless, tool.call_id) if tool.call_id is not None else None
        found = next((known[each] for each in (same, asked, keyless) if each in known), None)
        number = found if found is not None else max(numbers, default=0) + 1
        numbers.append(number)
        known.setdefault(same, number)
        if asked is not None:
            known.setdefault(asked, number)
        if tool.idempotency_key is not None:
            if call.own and (tool.error is not None or call.step.span.status_code == "error"):
                known[keyless] = number
            else:
                known.pop(keyless, None)
    return tuple(numbers)


def _without_key(tool: ToolCall) -> JsonValue:
    if not isinstance(tool.arguments, dict):
        return tool.arguments
    return {name: value for name, value in tool.arguments.items() if value != tool.idempotency_key}


def canonical(value: JsonValue) -> str:
    """Return JSON text that is equal for equal values, whatever the order of members."""
    return compact(_sorted(value))


def words(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a name: split at separators, digits and changes of case."""
    return tuple(word.lower() for word in _WORDS.findall(name))


def side_effecting(name: str, *, write: AbstractSet[str], read: AbstractSet[str]) -> bool | None:
    """Return whether a tool's name says that it changes something; None when the name says neither."""
    parts = words(name)
    if parts and (parts[0] in read or parts[-1] in read):
        return False
    if any(part in write for part in parts):
        return True
    return False if any(part in read for part in parts) else None


@dataclass(slots=True)
class _Entry:
    """A call as chat messages tell it."""

    part: Part
    asked: Step
    index: int
    from_output: bool
    result: Part | None = None
    seen: Step | None = None
    matched: bool = False


def _chat(trace: Trace) -> dict[str, _Entry]:
    entries: dict[str, _Entry] = {}
    for step in trace.steps:
        if step.model is None:
            continue
        for message in step.model.input:
            for part in message.parts:
                if part.type == "tool_call" and part.call_id is not None and part.call_id not in entries:
                    entries[part.call_id] = _Entry(part, step, len(entries), from_output=False)
                elif part.type == "tool_result" and part.call_id is not None:
                    entry = entries.get(part.call_id)
                    if entry is not None and entry.result is None:
                        entry.result, entry.seen = part, step
        for number, part in enumerate(_called(step.model.output)):
            key = part.call_id if part.call_id is not None else f"\0{step.span.span_id}\0{number}"
            if key not in entries:
                entries[key] = _Entry(part, step, len(entries), from_output=True)
    return entries


def _called(messages: tuple[Message, ...]) -> Iterator[Part]:
    return (part for message in messages for part in message.parts if part.type == "tool_call")


def _entries(own: list[Step], chat: dict[str, _Entry]) -> dict[str, _Entry]:
    """Match steps to chat entries; return the entry by span id of the tool step."""
    entries: dict[str, _Entry] = {}
    unnamed: dict[tuple[str | None, str], deque[_Entry]] = defaultdict(deque)
    # Some frameworks write the value of a tool's only argument without its name.
    bare: dict[tuple[str | None, str], deque[_Entry]] = defaultdict(deque)
    with_id = {step.tool.call_id for step in own if step.tool is not None}
    for key, entry in chat.items():
        if key in with_id:
            entry.matched = True
        else:
            unnamed[(entry.part.tool, canonical(entry.part.value))].append(entry)
            if isinstance(entry.part.value, dict) and len(entry.part.value) == 1:
                bare[(entry.part.tool, canonical(next(iter(entry.part.value.values()))))].append(entry)
    for step in own:
        tool = step.tool
        entry_of = chat.get(tool.call_id) if tool is not None and tool.call_id is not None else None
        if tool is not None and entry_of is None:
            asked = (tool.name, canonical(tool.arguments))
            waiting = _waiting(unnamed[asked]) or _waiting(bare[asked])
            entry_of = next((entry for entry in waiting if not entry.matched and _before(entry, step)), None)
        if entry_of is not None:
            entry_of.matched = True
            entries[step.span.span_id] = entry_of
    return entries


def _waiting(entries: deque[_Entry]) -> deque[_Entry]:
    """Return entries without the matched ones at their head: thousands of equal calls are each looked at once."""
    while entries and entries[0].matched:
        entries.popleft()
    return entries


def _before(entry: _Entry, step: Step) -> bool:
    """Return whether a step may be the call that an entry tells of: asked for before it ran, or first met in a history after."""
    asked, ran = entry.asked.span.start_ns, step.span.start_ns
    return asked <= ran if entry.from_output else ran <= asked


def _own_call(step: Step, entry: _Entry | None) -> Call:
    if step.tool is None:
        raise ValueError("a tool step holds a tool call")
    return Call(
        tool=step.tool if entry is None else _completed(step.tool, entry),
        step=step,
        own=True,
        requested_by=entry.asked.span.span_id if entry is not None and entry.from_output else None,
        start_ns=step.span.start_ns,
        end_ns=step.span.end_ns,
        order=(*step.span.order, 0),
    )


def _completed(tool: ToolCall, entry: _Entry) -> ToolCall:
    """Return a call with what its span did not capture and the messages about the same call hold."""
    if tool.call_id is None:
        tool = replace(tool, call_id=entry.part.call_id)
    told = isinstance(entry.part.value, dict) and not isinstance(tool.arguments, dict)
    if (tool.arguments is None and tool.arguments_text is None) or (tool.arguments is not None and told):
        tool = replace(tool, arguments=entry.part.value, arguments_text=entry.part.value_text)
    if entry.result is not None and not tool.has_result and tool.error is None:
        tool = replace(tool, result=entry.result.value, result_text=entry.result.value_text, has_result=True)
    return tool


def _chat_call(entry: _Entry) -> Call:
    result = entry.result
    span = entry.asked.span
    # A call first met in an input was made before that step began.
    start = (span.end_ns if span.end_ns is not None else span.start_ns) if entry.from_output else span.start_ns
    tool = ToolCall(
        name=entry.part.tool or UNNAMED,
        call_id=entry.part.call_id,
        arguments=entry.part.value,
        arguments_text=entry.part.value_text,
        result=result.value if result is not None else None,
        result_text=result.value_text if result is not None else None,
        has_result=result is not None,
    )
    return Call(
        tool=tool,
        step=entry.asked,
        own=False,
        requested_by=span.span_id if entry.from_output else None,
        start_ns=start,
        end_ns=entry.seen.span.start_ns if entry.seen is not None else None,
        order=(start, span.trace_id, span.span_id, entry.index + 1),
    )


def _sorted(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted(child) for child in value]
    return value
