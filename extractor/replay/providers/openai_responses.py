"""OpenAI's responses.

Format: https://platform.openai.com/docs/api-reference/responses and https://platform.openai.com/docs/api-reference/responses-streaming
"""

from __future__ import annotations

from collections.abc import Iterator

from extractor.model.json import JsonValue

from ..exchange import Message, ModelRequest, Part
from .wire import (
    Made,
    Members,
    call_part,
    calls,
    counted,
    event,
    joined,
    objects,
    parts,
    pieces,
    plain,
    result_part,
    text,
    told,
    total,
    with_tools,
    word,
)

_ECHOED: dict[str, JsonValue] = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "reasoning": {"effort": None, "summary": None},
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "truncation": "disabled",
}
"""Members of a response that repeat the request, and what they say where it left them out."""


def read(asked: Members, _target: str) -> ModelRequest:
    """Return the request that a body makes; what the provider keeps of earlier turns (``previous_response_id``) is not in it."""
    given = asked.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else objects(given)
    system = told("system", *_content(asked.get("instructions")))
    names = [word(tool.get("name")) for tool in objects(asked.get("tools"))]
    return ModelRequest(
        provider="openai",
        model=word(asked.get("model")),
        messages=with_tools(joined([*system, *(each for item in items for each in _messages(item))])),
        tools=tuple(name for name in names if name),
        stream=asked.get("stream") is True,
    )


def _messages(item: Members) -> list[Message]:
    kind, role = word(item.get("type")), word(item.get("role"))
    if role is not None:
        return told("system" if role == "developer" else role, *_content(item.get("content")))
    if kind == "function_call":
        return told("assistant", call_part(item.get("call_id"), item.get("name"), item.get("arguments")))
    if kind == "function_call_output":
        return told("tool", result_part(item.get("call_id"), None, plain(item.get("output"))))
    if kind == "reasoning":
        thoughts = [*objects(item.get("summary")), *objects(item.get("content"))]
        return told("assistant", *({"type": "reasoning", "text": word(each.get("text")) or ""} for each in thoughts))
    return told("assistant" if kind is not None else "user", {"type": "other", "value": dict(item)})


def _content(content: JsonValue) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield {"type": "text", "text": content}
        return
    for part in objects(content):
        given = word(part.get("text")) or word(part.get("refusal"))
        yield {"type": "text", "text": given} if given is not None else {"type": "other", "value": dict(part)}


def whole(made: Made) -> JsonValue:
    """Return the response that carries an answer."""
    return _response(made, _items(made), status="completed")


def stream(made: Made) -> Iterator[bytes]:
    """Yield the events that carry an answer, ``response.created`` to ``response.completed``, numbered from 0."""
    for number, told_event in enumerate(_events(made)):
        yield event({**told_event, "sequence_number": number}, str(told_event["type"]))


def _events(made: Made) -> Iterator[dict[str, JsonValue]]:
    opened = _response(made, [], status="in_progress")
    yield {"type": "response.created", "response": opened}
    yield {"type": "response.in_progress", "response": opened}
    items = _items(made)
    for index, item in enumerate(items):
        place: dict[str, JsonValue] = {"output_index": index}
        yield {"type": "response.output_item.added", **place, "item": {**item, **_EMPTY[str(item["type"])]}}
        yield from ({**each, **place, "item_id": item["id"]} for each in _inside(item))
        yield {"type": "response.output_item.done", **place, "item": item}
    yield {"type": "response.completed", "response": _response(made, items, status="completed")}


_EMPTY: dict[str, dict[str, JsonValue]] = {
    "message": {"status": "in_progress", "content": []},
    "function_call": {"status": "in_progress", "arguments": ""},
    "reasoning": {"summary": []},
}


def _inside(item: Members) -> Iterator[dict[str, JsonValue]]:
    if item["type"] == "function_call":
        written = str(item["arguments"])
        for piece in pieces(written):
            yield {"type": "response.function_call_arguments.delta", "delta": piece}
        yield {"type": "response.function_call_arguments.done", "arguments": written, "name": item["name"]}
    elif item["type"] == "reasoning":
        for index, part in enumerate(objects(item["summary"])):
            yield from _text("reasoning_summary_part", "reasoning_summary_text", {"summary_index": index}, part, {})
    else:
        for index, part in enumerate(objects(item["content"])):
            yield from _text("content_part", "output_text", {"content_index": index}, part, {"logprobs": []})


def _text(
    part_name: str, text_name: str, place: dict[str, JsonValue], part: Members, more: dict[str, JsonValue]
) -> Iterator[dict[str, JsonValue]]:
    written = str(part["text"])
    yield {"type": f"response.{part_name}.added", **place, "part": {**part, "text": ""}}
    for piece in pieces(written):
        yield {"type": f"response.{text_name}.delta", **place, "delta": piece, **more}
    yield {"type": f"response.{text_name}.done", **place, "text": written, **more}
    yield {"type": f"response.{part_name}.done", **place, "part": dict(part)}


def _response(made: Made, items: list[dict[str, JsonValue]], *, status: str) -> dict[str, JsonValue]:
    echoed = {name: _repeated(made.asked.get(name), usual) for name, usual in _ECHOED.items()}
    done = status == "completed"
    return {
        "id": f"resp_replay_{made.number}",
        "object": "response",
        "created_at": made.instant,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "model": made.model,
        "output": [*items],
        **echoed,
        "usage": _usage(made) if done and made.answer.usage else None,
    }


def _repeated(given: JsonValue, usual: JsonValue) -> JsonValue:
    if isinstance(given, dict) and isinstance(usual, dict):
        return {**usual, **given}
    return usual if given is None else given


def _items(made: Made) -> list[dict[str, JsonValue]]:
    asked = iter(calls(made, "call_"))
    items: list[dict[str, JsonValue]] = []
    for kind, part in parts(made):
        made_id = f"{made.number}_{len(items) + 1}"
        if kind == "tool_call":
            said = next(asked)
            names: dict[str, JsonValue] = {"call_id": said.call_id, "name": said.tool, "arguments": said.arguments}
            items.append({"id": f"fc_replay_{made_id}", "type": "function_call", "status": "completed", **names})
        elif kind == "reasoning":
            summary: JsonValue = [{"type": "summary_text", "text": text(part)}]
            items.append({"id": f"rs_replay_{made_id}", "type": "reasoning", "summary": summary})
        else:
            written: JsonValue = {"type": "output_text", "text": text(part), "annotations": [], "logprobs": []}
            last = items[-1] if items else {}
            if last.get("type") == "message" and isinstance(last["content"], list):
                last["content"].append(written)
                continue
            head: dict[str, JsonValue] = {"type": "message", "status": "completed", "role": "assistant"}
            items.append({"id": f"msg_replay_{made_id}", **head, "content": [written]})
    return items


def _usage(made: Made) -> JsonValue:
    usage = made.answer.usage
    return {
        "input_tokens": counted(usage, "input_tokens"),
        "input_tokens_details": {
            "cached_tokens": counted(usage, "cache_read_tokens"),
            "cache_write_tokens": counted(usage, "cache_write_tokens"),
        },
        "output_tokens": counted(usage, "output_tokens"),
        "output_tokens_details": {"reasoning_tokens": counted(usage, "reasoning_tokens")},
        "total_tokens": total(usage),
    }
