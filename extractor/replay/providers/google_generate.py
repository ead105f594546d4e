"""Google's generateContent, in the Gemini API and on Vertex.

Format: https://ai.google.dev/api/generate-content and https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractor.model.json import JsonValue

from ..exchange import Message, ModelRequest, Part
from .wire import (
    Made,
    Members,
    call_part,
    calls,
    counted,
    encoded,
    event,
    members,
    members_of,
    objects,
    parts,
    pieces,
    result_part,
    text,
    told,
    total,
    with_tools,
    word,
)

_TARGET = re.compile(r"/(?P<model>[^/:]+):(?P<verb>generateContent|streamGenerateContent)$")


def read(asked: Members, target: str) -> ModelRequest:
    """Return the request that a body makes; the model and whether a stream is wanted stand in the path."""
    found = _TARGET.search(target)
    system = _told(members(_either(asked, "systemInstruction", "system_instruction")), "system")
    declared = [
        word(function.get("name"))
        for tool in objects(asked.get("tools"))
        for function in objects(_either(tool, "functionDeclarations", "function_declarations"))
    ]
    contents = asked.get("contents")
    turns = [contents] if isinstance(contents, dict) else objects(contents)
    return ModelRequest(
        provider="google",
        model=found.group("model") if found else None,
        messages=with_tools([*system, *(each for item in turns for each in _told(item, "user"))]),
        tools=tuple(name for name in declared if name),
        stream=found is not None and found.group("verb") == "streamGenerateContent",
    )


def _told(content: Members, default: str) -> list[Message]:
    role = word(content.get("role")) or default
    given = content.get("parts")
    each = [given] if isinstance(given, dict) else objects(given)
    named = {"model": "assistant", "function": "tool"}.get(role, role)
    return told("system" if default == "system" else named, *(_part(part) for part in each))


def _part(part: Members) -> Part:
    given = word(part.get("text"))
    if given is not None:
        return {"type": "reasoning" if part.get("thought") is True else "text", "text": given}
    call = members(_either(part, "functionCall", "function_call"))
    if call:
        return call_part(call.get("id"), call.get("name"), call.get("args"))
    answer = members(_either(part, "functionResponse", "function_response"))
    if answer:
        return result_part(answer.get("id"), answer.get("name"), _unwrapped(answer.get("response")))
    return {"type": "other", "value": dict(part)}


def _unwrapped(response: JsonValue) -> JsonValue:
    # A result must be an object here, so that clients wrap what is none in one member.
    if isinstance(response, dict) and len(response) == 1 and not {"result", "output"}.isdisjoint(response):
        return next(iter(response.values()))
    return response


def _either(given: Members, camel: str, snake: str) -> JsonValue:
    return given.get(camel, given.get(snake))


def whole(made: Made) -> JsonValue:
    """Return the response that carries an answer."""
    return _response(made, [*_parts(made)], last=True)


def stream(made: Made) -> Iterator[bytes]:
    """Yield the responses that carry an answer, an event each."""
    return (event(response) for response in _responses(made))


def listed(made: Made) -> Iterator[bytes]:
    """Yield the responses as one JSON array, which a stream without ``alt=sse`` is."""
    yield b"["
    for place, response in enumerate(_responses(made)):
        yield (b",\r\n" if place else b"") + encoded(response)
    yield b"]"


def _responses(made: Made) -> Iterator[JsonValue]:
    split = [[piece] for part in _parts(made) for piece in _pieces(part)] or [[]]
    for place, given in enumerate(split, start=1):
        yield _response(made, given, last=place == len(split))


def _pieces(part: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    given = part.get("text")
    return [{**part, "text": piece} for piece in pieces(given)] if isinstance(given, str) else [part]


def _parts(made: Made) -> Iterator[dict[str, JsonValue]]:
    asked = iter(calls(made, "call_"))
    for kind, part in parts(made):
        if kind == "text":
            yield {"text": text(part)}
        elif kind == "reasoning":
            yield {"text": text(part), "thought": True}
        else:
            said = next(asked)
            known: dict[str, JsonValue] = {"id": said.call_id} if part.get("call_id") is not None else {}
            yield {"functionCall": {**known, "name": said.tool, "args": members_of(said)}}


def _response(made: Made, given: list[dict[str, JsonValue]], *, last: bool) -> dict[str, JsonValue]:
    content: dict[str, JsonValue] = {"parts": [*given], "role": "model"}
    candidate: dict[str, JsonValue] = {"content": content, "index": 0}
    if last:
        candidate["finishReason"] = "STOP"
    response: dict[str, JsonValue] = {"candidates": [candidate]}
    if last and made.answer.usage:
        response["usageMetadata"] = _usage(made)
    return {**response, "modelVersion": made.model, "responseId": f"replay-{made.number}"}


def _usage(made: Made) -> JsonValue:
    usage = made.answer.usage
    count: dict[str, JsonValue] = {
        "promptTokenCount": counted(usage, "input_tokens"),
        "candidatesTokenCount": counted(usage, "output_tokens"),
        "totalTokenCount": total(usage),
    }
    for name, member in (("cache_read_tokens", "cachedContentTokenCount"), ("reasoning_tokens", "thoughtsTokenCount")):
        if name in usage:
            count[member] = usage[name]
    return count
