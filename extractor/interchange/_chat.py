"""Messages of a case as chat messages: role and content, tool calls and their results beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..model.json import JsonValue
from ._document import Members, Source, answer, by_id, items, template, text, texts, words, written


def chat(source: Source, ids: JsonValue) -> list[JsonValue]:
    """Return messages, named by their ids, as a chat API takes them; reasoning has no place in it."""
    known = by_id(source)
    return [one for name in texts(ids) if name in known for one in _messages(source, known[name])]


def user_text(source: Source) -> str:
    """Return what the user said last, as text; empty where that is none."""
    return next((said for message in reversed(source.said) if (said := words(items(message.get("parts"))))), "")


def _messages(source: Source, message: Members) -> Iterator[JsonValue]:
    role, parts = text(message.get("role")), items(message.get("parts"))
    name: dict[str, JsonValue] = {"name": message["name"]} if isinstance(message.get("name"), str) else {}
    if role == "tool" and all(part.get("type") == "tool_result" for part in parts):
        for part in parts:
            yield {"role": role, **name, "tool_call_id": text(part.get("call_id")), "content": answer(source, part)}
        return
    made: dict[str, JsonValue] = {"role": role, **name, "content": _content(list(_contents(source, parts)))}
    calls = [_call(part) for part in parts if part.get("type") == "tool_call"]
    yield {**made, "tool_calls": calls} if calls else made


def _contents(source: Source, parts: Iterable[Members]) -> Iterator[JsonValue]:
    for part in parts:
        match part.get("type"):
            case "text":
                yield {"type": "text", "text": text(part.get("text"))}
            case "tool_result":
                called = text(part.get("call_id"))
                yield {"type": "tool_result", "tool_call_id": called, "content": answer(source, part)}
            case "other":
                named = template(source, part)
                yield part.get("value") if named is None else {"type": "text", "text": named}


def _content(parts: list[JsonValue]) -> JsonValue:
    """Return content as one text where it is one, none where there is none, else as a list of parts."""
    if not parts:
        return None
    only = parts[0]
    if len(parts) == 1 and isinstance(only, dict) and only.get("type") == "text" and isinstance(only.get("text"), str):
        return only["text"]
    return parts


def _call(part: Members) -> JsonValue:
    function: JsonValue = {"name": text(part.get("tool")), "arguments": written(part)}
    return {"id": text(part.get("call_id")), "type": "function", "function": function}
