"""What the providers' formats share: members that may be missing, arguments as text, usage, pieces of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from extractor.model.json import JsonValue, MalformedJson, compact, parse

from ..exchange import Message, ModelAnswer, ModelRequest, Part

Members: TypeAlias = Mapping[str, JsonValue]

_PIECE: Final = 24


class Inexpressible(ValueError):
    """A recorded answer holds what this provider's format has no place for; the message says what, and quotes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What an answer is made of: the recorded one, what was asked, its ``number`` in the session (from 1), an ``instant``
    in seconds since the epoch, and whether the client reads a stream of events.
    """

    answer: ModelAnswer
    request: ModelRequest
    asked: Members
    number: int
    instant: int

    @property
    def model(self) -> str:
        """The model that answered, as far as it is known."""
        return self.answer.model or self.request.model or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A tool call of an answer. ``arguments`` is JSON as text, ``value`` what it says."""

    call_id: str
    tool: str
    arguments: str
    value: JsonValue


def texts(answer: ModelAnswer) -> str:
    """Return the text parts of an answer as one."""
    return "".join(text(part) for part in answer.parts if part.get("type") == "text")


def reasoning(answer: ModelAnswer) -> str:
    """Return the reasoning parts of an answer as one."""
    return "\n".join(text(part) for part in answer.parts if part.get("type") == "reasoning")


def text(part: Part) -> str:
    """Return the text of a part, empty where it has none."""
    told = part.get("text")
    return told if isinstance(told, str) else ""


def parts(made: Made) -> Iterator[tuple[str, Part]]:
    """Yield the kind and the part for every part of an answer; raises `Inexpressible` for any that no provider would say."""
    for part in made.answer.parts:
        kind = part.get("type")
        if kind not in ("text", "reasoning", "tool_call"):
            raise Inexpressible(f"a part of type {kind if kind in ('other', 'tool_result') else 'unknown'}")
        yield kind, part


def calls(made: Made, prefix: str) -> list[Said]:
    """Return the tool calls of an answer; one without a recorded id gets a synthetic one that begins with ``prefix``."""
    asked = [part for kind, part in parts(made) if kind == "tool_call"]
    return [_said(part, f"{prefix}replay_{made.number}_{place}") for place, part in enumerate(asked, start=1)]


def _said(part: Part, synthetic: str) -> Said:
    call_id, tool, value, written = (part.get(name) for name in ("call_id", "tool", "value", "value_text"))
    value = {} if value is None else value
    return Said(
        call_id=call_id if isinstance(call_id, str) else synthetic,
        tool=tool if isinstance(tool, str) else "",
        arguments=written if isinstance(written, str) else value if isinstance(value, str) else compact(value),
        value=value,
    )


def members_of(said: Said) -> dict[str, JsonValue]:
    """Return the arguments of a call for a provider that sends them as an object."""
    if not isinstance(said.value, dict):
        raise Inexpressible("tool arguments that are no object")
    return said.value


def decoded(value: JsonValue) -> dict[str, JsonValue]:
    """Return the members ``value`` and ``value_text`` of a part: JSON in a text is read, other text stays text."""
    if not isinstance(value, str):
        return {"value": value}
    try:
        return {"value": parse(value), "value_text": value}
    except MalformedJson:
        return {"value": value, "value_text": value}


def call_part(call_id: JsonValue, tool: JsonValue, arguments: JsonValue) -> Part:
    """Return a tool call in the fixture's form."""
    return {"type": "tool_call", **_named(call_id=call_id, tool=tool), **decoded(arguments)}


def result_part(call_id: JsonValue, tool: JsonValue, value: JsonValue) -> Part:
    """Return a tool result in the fixture's form."""
    return {"type": "tool_result", **_named(call_id=call_id, tool=tool), **decoded(value)}


def _named(**members: JsonValue) -> dict[str, JsonValue]:
    return {name: value for name, value in members.items() if isinstance(value, str)}


def plain(content: JsonValue) -> JsonValue:
    """Return what a tool said: the texts of a list of text blocks as one text, anything else as it came."""
    blocks = objects(content)
    if isinstance(content, list) and content and len(blocks) == len(content):
        told = [block.get("text") for block in blocks]
        if all(isinstance(each, str) for each in told):
            return "".join(each for each in told if isinstance(each, str))
    return content


def objects(value: JsonValue) -> list[dict[str, JsonValue]]:
    """Return the objects of a list, none for anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def members(value: JsonValue) -> Members:
    """Return an object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def word(value: JsonValue) -> str | None:
    """Return a text, None for anything else."""
    return value if isinstance(value, str) else None


def told(role: str, *given: Part) -> list[Message]:
    """Return a message, none without parts. What tools answered is the tool's message, whoever's turn carries it."""
    results = tuple(part for part in given if part.get("type") == "tool_result")
    others = tuple(part for part in given if part.get("type") != "tool_result")
    messages = []
    if results:
        messages.append(Message(role="tool", parts=results))
    if others:
        messages.append(Message(role=role, parts=others))
    return messages


def joined(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return messages with adjacent ones of the assistant as one: a turn that came in items is one turn."""
    out: list[Message] = []
    for message in messages:
        if out and message.role == out[-1].role == "assistant":
            out[-1] = Message(role="assistant", parts=(*out[-1].parts, *message.parts))
        else:
            out.append(message)
    return tuple(out)


def with_tools(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return messages whose tool results name the tool, where an earlier call of the same id says it."""
    tools = {part.get("call_id"): part.get("tool") for each in messages for part in each.parts if _is_call(part)}
    return tuple(
        Message(role=each.role, parts=tuple(_with_tool(part, tools) for part in each.parts)) for each in messages
    )


def _is_call(part: Part) -> bool:
    return part.get("type") == "tool_call" and "call_id" in part


def _with_tool(part: Part, tools: Mapping[JsonValue, JsonValue]) -> Part:
    if part.get("type") != "tool_result" or "tool" in part:
        return part
    call_id = part.get("call_id")
    tool = tools.get(call_id) if isinstance(call_id, str) else None
    return {**part, "tool": tool} if isinstance(tool, str) else part


def counted(usage: Mapping[str, int], name: str) -> int:
    """Return a count of tokens, 0 where none was recorded."""
    return usage.get(name, 0)


def total(usage: Mapping[str, int]) -> int:
    """Return the recorded total, else the sum of both directions."""
    return usage.get("total_tokens", counted(usage, "input_tokens") + counted(usage, "output_tokens"))


def pieces(value: str) -> list[str]:
    """Return a text in the pieces in which a stream brings it; none for an empty one."""
    return [value[at : at + _PIECE] for at in range(0, len(value), _PIECE)]


def encoded(value: JsonValue) -> bytes:
    """Return a value as the bytes of its JSON."""
    return compact(value).encode("utf-8", "surrogatepass")


def event(value: JsonValue, name: str | None = None) -> bytes:
    """Return one server-sent event whose data is JSON."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + encoded(value) + b"\n\n"
