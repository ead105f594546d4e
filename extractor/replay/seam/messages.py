"""Messages between an agent's forms and the fixture's: a text, OpenAI's chat form, OpenTelemetry's parts.

What `call_llm` was asked becomes `Message`s; what it returned becomes parts, and parts become again what it returned.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from extractor.model.json import JsonValue
from extractor.replay.exchange import Message, Part

from .canonical import plain

Form: TypeAlias = Literal["parts", "content"]
Returns: TypeAlias = Literal["value", "message"]

_VALUE = "value"
"""The type of a part that holds an answer which is neither text nor message, as the agent got it."""


def asked(value: object) -> tuple[Message, ...]:
    """Return what a model was asked: a text is the user's, a list holds messages, anything else is its JSON text."""
    if value is None:
        return ()
    if isinstance(value, Sequence) and not isinstance(value, str) and value and all(map(_is_message, value)):
        return tuple(_message(item) for item in value if isinstance(item, Mapping))
    if _is_message(value) and isinstance(value, Mapping):
        return (_message(value),)
    text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
    return (Message(role="user", parts=({"type": "text", "text": text},)),)


def form_of(value: object) -> Form:
    """Return the form of the messages that a model was asked with: that of OpenTelemetry where one has ``parts``."""
    items = value if isinstance(value, list | tuple) else [value]
    return "parts" if any(isinstance(item, Mapping) and "parts" in item for item in items) else "content"


def answered(value: object, returns: Returns) -> tuple[Part, ...]:
    """Return the parts of what a model call returned."""
    if isinstance(value, str):
        return ({"type": "text", "text": value},)
    if returns == "message" and _is_message(value) and isinstance(value, Mapping):
        return _message(value).parts
    return ({"type": "other", "value": {"type": _VALUE, "content": plain(value)}},)


def returned(parts: Sequence[Part], returns: Returns, form: Form) -> JsonValue:
    """Return recorded parts as the agent's own function returned them: a text, a value, or a message in its form."""
    if returns == "value":
        for part in parts:
            held = part.get("value")
            if part.get("type") == "other" and isinstance(held, dict) and held.get("type") == _VALUE:
                return held.get("content")
        if all(part.get("type") != "tool_call" for part in parts):
            return _text(parts)
    return _with_parts(parts) if form == "parts" else _with_content(parts)


def wire(messages: Sequence[Message]) -> list[JsonValue]:
    """Return messages as ``gen_ai.input.messages`` has them."""
    return [{"role": message.role, "parts": _wired(message.parts)} for message in messages]


def _wired(parts: Sequence[Part]) -> list[JsonValue]:
    told: list[JsonValue] = []
    for part in parts:
        match part.get("type"):
            case "text" | "reasoning":
                told.append({"type": str(part["type"]), "content": part.get("text")})
            case "tool_call":
                call = {"id": part.get("call_id"), "name": part.get("tool"), "arguments": part.get("value")}
                told.append({"type": "tool_call", **call})
            case "tool_result":
                told.append({"type": "tool_call_response", "id": part.get("call_id"), "response": part.get("value")})
            case _:
                told.append(part.get("value"))
    return told


def wire_answer(parts: Sequence[Part]) -> list[JsonValue]:
    """Return an answer as ``gen_ai.output.messages`` has it."""
    return [{"role": "assistant", "parts": _wired(parts), "finish_reason": _finish(parts)}]


def _finish(parts: Sequence[Part]) -> str:
    return "tool_call" if any(part.get("type") == "tool_call" for part in parts) else "stop"


def _text(parts: Sequence[Part]) -> str:
    return "\n".join(str(part.get("text")) for part in parts if part.get("type") == "text")


def _with_parts(parts: Sequence[Part]) -> JsonValue:
    return {"role": "assistant", "parts": _wired(parts), "finish_reason": _finish(parts)}


def _with_content(parts: Sequence[Part]) -> JsonValue:
    calls: list[JsonValue] = [
        {
            "id": part.get("call_id"),
            "type": "function",
            "function": {
                "name": part.get("tool"),
                "arguments": json.dumps(part.get("value"), ensure_ascii=False),
            },
        }
        for part in parts
        if part.get("type") == "tool_call"
    ]
    message: dict[str, JsonValue] = {"role": "assistant", "content": _text(parts) or None}
    return message | {"tool_calls": calls} if calls else message


def _is_message(value: object) -> bool:
    return isinstance(value, Mapping) and "role" in value and not value.keys().isdisjoint(_HOLDERS)


_HOLDERS = frozenset({"content", "parts", "tool_calls"})


def _message(item: Mapping[str, object]) -> Message:
    role = str(item["role"])
    if isinstance(held := item.get("parts"), list | tuple):
        return Message(role=role, parts=tuple(part for each in held for part in _part(each)))
    if role == "tool":
        result = _opened(item.get("content"))
        return Message(
            role=role, parts=({"type": "tool_result", "call_id": _name(item, "tool_call_id"), "value": result},)
        )
    content = item.get("content")
    told = content if isinstance(content, list | tuple) else [] if content is None else [content]
    calls = item.get("tool_calls")
    listed = calls if isinstance(calls, list | tuple) else []
    return Message(
        role=role,
        parts=(*(part for each in told for part in _part(each)), *(_call(each) for each in listed)),
    )


def _part(item: object) -> Iterator[Part]:
    if isinstance(item, str):
        yield {"type": "text", "text": item}
        return
    if not isinstance(item, Mapping):
        yield {"type": "other", "value": plain(item)}
        return
    match item.get("type"):
        case "text" | "reasoning" as kind:
            yield {"type": str(kind), "text": str(item.get("content", item.get("text", "")))}
        case "tool_call":
            yield _call(item)
        case "tool_call_response":
            answer = _opened(item.get("response", item.get("result")))
            yield {"type": "tool_result", "call_id": _name(item, "id"), "value": answer}
        case _:
            yield {"type": "other", "value": plain(item)}


def _call(item: object) -> Part:
    if not isinstance(item, Mapping):
        return {"type": "other", "value": plain(item)}
    function = item.get("function")
    inner = function if isinstance(function, Mapping) else item
    return {
        "type": "tool_call",
        "call_id": _name(item, "id"),
        "tool": _name(inner, "name"),
        "value": _opened(inner.get("arguments")),
    }


def _opened(value: object) -> JsonValue:
    """Return the value of a JSON text, as the reader of a trace does; any other value as it is."""
    if not isinstance(value, str):
        return plain(value)
    try:
        return plain(json.loads(value))
    except (ValueError, RecursionError):
        return value


def _name(item: Mapping[str, object], member: str) -> str | None:
    value = item.get(member)
    return value if isinstance(value, str) else None
