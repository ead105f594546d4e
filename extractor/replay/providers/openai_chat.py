"""OpenAI's chat completions, which Azure, Mistral, xAI, OpenRouter and many servers speak too.

Format: https://platform.openai.com/docs/api-reference/chat
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
    members,
    objects,
    pieces,
    plain,
    reasoning,
    result_part,
    texts,
    told,
    total,
    with_tools,
    word,
)


def read(asked: Members, _target: str) -> ModelRequest:
    """Return the request that a body makes."""
    functions = [members(tool.get("function")) for tool in objects(asked.get("tools"))]
    names = [word(each.get("name")) for each in [*functions, *objects(asked.get("functions"))]]
    return ModelRequest(
        provider="openai",
        model=word(asked.get("model")),
        messages=messages(asked.get("messages")),
        tools=tuple(name for name in names if name),
        stream=asked.get("stream") is True,
    )


def messages(told: JsonValue) -> tuple[Message, ...]:
    """Return the messages of a request; each tool result beside the name of its call."""
    return with_tools([each for item in objects(told) for each in _messages(item)])


def _messages(item: Members) -> list[Message]:
    role = word(item.get("role")) or "user"
    if role in ("tool", "function"):
        return told("tool", result_part(item.get("tool_call_id"), item.get("name"), plain(item.get("content"))))
    parts = [*_reasoning(item), *_content(item.get("content")), *_content(item.get("refusal"))]
    for call in objects(item.get("tool_calls")):
        function = members(call.get("function"))
        parts.append(call_part(call.get("id"), function.get("name"), function.get("arguments")))
    legacy = members(item.get("function_call"))
    if legacy:
        parts.append(call_part(None, legacy.get("name"), legacy.get("arguments")))
    return list(joined(told("system" if role == "developer" else role, *parts)))


def _reasoning(item: Members) -> Iterator[Part]:
    given = word(item.get("reasoning_content"))
    if given:
        yield {"type": "reasoning", "text": given}


def _content(content: JsonValue) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield {"type": "text", "text": content}
        return
    for part in objects(content):
        given = word(part.get("text")) or word(part.get("refusal"))
        yield {"type": "text", "text": given} if given is not None else {"type": "other", "value": dict(part)}


def whole(made: Made) -> JsonValue:
    """Return the completion that carries an answer."""
    return {
        **_head(made, "chat.completion"),
        "choices": [{"index": 0, "message": _message(made), "logprobs": None, "finish_reason": _finish(made)}],
        **({"usage": _usage(made)} if made.answer.usage else {}),
    }


def stream(made: Made) -> Iterator[bytes]:
    """Yield the chunks that carry an answer: role, deltas, finish, the usage where it was asked for, and ``[DONE]``."""
    yield _chunk(made, {"role": "assistant", "content": "", "refusal": None})
    for piece in pieces(reasoning(made.answer)):
        yield _chunk(made, {"reasoning_content": piece})
    for piece in pieces(texts(made.answer)):
        yield _chunk(made, {"content": piece})
    for place, said in enumerate(calls(made, "call_")):
        function = {"name": said.tool, "arguments": ""}
        opened: JsonValue = {"index": place, "id": said.call_id, "type": "function", "function": {**function}}
        yield _chunk(made, {"tool_calls": [opened]})
        for piece in pieces(said.arguments):
            yield _chunk(made, {"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
    yield _chunk(made, {}, finish=_finish(made))
    if members(made.asked.get("stream_options")).get("include_usage") is True:
        yield event({**_head(made, "chat.completion.chunk"), "choices": [], "usage": _usage(made)})
    yield b"data: [DONE]\n\n"


def _chunk(made: Made, delta: dict[str, JsonValue], finish: str | None = None) -> bytes:
    choice: JsonValue = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return event({**_head(made, "chat.completion.chunk"), "choices": [choice]})


def _head(made: Made, kind: str) -> dict[str, JsonValue]:
    return {
        "id": f"chatcmpl-replay-{made.number}",
        "object": kind,
        "created": made.instant,
        "model": made.model,
        "system_fingerprint": None,
    }


def _message(made: Made) -> dict[str, JsonValue]:
    message: dict[str, JsonValue] = {"role": "assistant", "content": texts(made.answer) or None, "refusal": None}
    thought = reasoning(made.answer)
    if thought:
        message["reasoning_content"] = thought
    asked = calls(made, "call_")
    if asked:
        message["tool_calls"] = [
            {"id": said.call_id, "type": "function", "function": {"name": said.tool, "arguments": said.arguments}}
            for said in asked
        ]
    return message


def _finish(made: Made) -> str:
    return "tool_calls" if made.answer.finish == "tool_call" else "stop"


def _usage(made: Made) -> JsonValue:
    usage = made.answer.usage
    return {
        "prompt_tokens": counted(usage, "input_tokens"),
        "completion_tokens": counted(usage, "output_tokens"),
        "total_tokens": total(usage),
        "prompt_tokens_details": {"cached_tokens": counted(usage, "cache_read_tokens")},
        "completion_tokens_details": {"reasoning_tokens": counted(usage, "reasoning_tokens")},
    }
