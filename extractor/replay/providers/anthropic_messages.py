"""Anthropic's messages.

Format: https://docs.anthropic.com/en/api/messages and https://docs.anthropic.com/en/docs/build-with-claude/streaming
"""

from __future__ import annotations

from collections.abc import Iterator

from extractor.model.json import JsonValue, compact

from ..exchange import Message, ModelRequest, Part
from .wire import (
    Made,
    Members,
    call_part,
    calls,
    counted,
    event,
    members,
    members_of,
    objects,
    parts,
    pieces,
    plain,
    result_part,
    text,
    told,
    with_tools,
    word,
)


def read(asked: Members, _target: str) -> ModelRequest:
    """Return the request that a body makes; instructions are a leading system message."""
    system = told("system", *_content(asked.get("system")))
    names = [word(tool.get("name")) for tool in objects(asked.get("tools"))]
    return ModelRequest(
        provider="anthropic",
        model=word(asked.get("model")),
        messages=with_tools([*system, *(each for item in objects(asked.get("messages")) for each in _messages(item))]),
        tools=tuple(name for name in names if name),
        stream=asked.get("stream") is True,
    )


def _messages(item: Members) -> list[Message]:
    return told(word(item.get("role")) or "user", *_content(item.get("content")))


def _content(content: JsonValue) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield {"type": "text", "text": content}
        return
    for block in objects(content):
        kind = block.get("type")
        if kind == "text":
            yield {"type": "text", "text": word(block.get("text")) or ""}
        elif kind == "thinking":
            yield {"type": "reasoning", "text": word(block.get("thinking")) or ""}
        elif kind == "tool_use":
            yield call_part(block.get("id"), block.get("name"), block.get("input"))
        elif kind == "tool_result":
            yield result_part(block.get("tool_use_id"), None, plain(block.get("content")))
        else:
            yield {"type": "other", "value": dict(block)}


def whole(made: Made) -> JsonValue:
    """Return the message that carries an answer."""
    usage: JsonValue = {"input_tokens": counted(made.answer.usage, "input_tokens"), **_cache(made), **_output(made)}
    return {
        **_head(made),
        "content": [*_blocks(made)],
        "stop_reason": _stop(made),
        "stop_sequence": None,
        "usage": usage,
    }


def stream(made: Made) -> Iterator[bytes]:
    """Yield the events that carry an answer, ``message_start`` to ``message_stop``."""
    usage: JsonValue = {"input_tokens": counted(made.answer.usage, "input_tokens"), **_cache(made), "output_tokens": 1}
    opened = {**_head(made), "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield _event("message_start", message=opened)
    for index, block in enumerate(_blocks(made)):
        yield from _streamed(index, members(block))
    yield _event("message_delta", delta={"stop_reason": _stop(made), "stop_sequence": None}, usage=_output(made))
    yield _event("message_stop")


def _streamed(index: int, block: Members) -> Iterator[bytes]:
    if block["type"] == "text":
        empty: dict[str, JsonValue] = {"text": ""}
        deltas: list[dict[str, JsonValue]] = [
            {"type": "text_delta", "text": piece} for piece in pieces(str(block["text"]))
        ]
    elif block["type"] == "thinking":
        empty = {"thinking": "", "signature": ""}
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(str(block["thinking"]))]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    else:
        empty = {"input": {}}
        written = "" if block["input"] == {} else compact(block["input"])
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces(written)]]
    yield _event("content_block_start", index=index, content_block={**block, **empty})
    for delta in deltas:
        yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(kind: str, **given: JsonValue) -> bytes:
    return event({"type": kind, **given}, kind)


def _head(made: Made) -> dict[str, JsonValue]:
    return {"id": f"msg_replay_{made.number}", "type": "message", "role": "assistant", "model": made.model}


def _blocks(made: Made) -> Iterator[JsonValue]:
    asked = iter(calls(made, "toolu_"))
    for kind, part in parts(made):
        if kind == "text":
            yield {"type": "text", "text": text(part)}
        elif kind == "reasoning":
            # Only the provider can sign; a replay never sends it back to one.
            yield {"type": "thinking", "thinking": text(part), "signature": "replay"}
        else:
            said = next(asked)
            yield {"type": "tool_use", "id": said.call_id, "name": said.tool, "input": members_of(said)}


def _stop(made: Made) -> str:
    return "tool_use" if made.answer.finish == "tool_call" else "end_turn"


def _cache(made: Made) -> dict[str, JsonValue]:
    usage = made.answer.usage
    return {
        "cache_creation_input_tokens": counted(usage, "cache_write_tokens"),
        "cache_read_input_tokens": counted(usage, "cache_read_tokens"),
    }


def _output(made: Made) -> dict[str, JsonValue]:
    return {"output_tokens": counted(made.answer.usage, "output_tokens")}
