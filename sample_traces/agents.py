"""What the sample agents share: who asks, the seam to everything outside them, and the loop of model and tools.

Messages have the form of OpenTelemetry's ``gen_ai.input.messages``: a role and typed parts.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, TypedDict

JsonValue: TypeAlias = "None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]"
Arguments: TypeAlias = dict[str, JsonValue]


class Part(TypedDict, total=False):
    """A piece of a message: ``text`` has content; ``tool_call`` id, name, arguments; its response id, response."""

    type: Literal["text", "tool_call", "tool_call_response"]
    content: str
    id: str
    name: str
    arguments: Arguments
    response: JsonValue


class Message(TypedDict, total=False):
    """One message; only the model's own carry a ``finish_reason``."""

    role: Literal["user", "assistant", "tool"]
    parts: list[Part]
    finish_reason: Literal["stop", "tool_call"]


class ToolFailed(RuntimeError):
    """A tool gave no result. Agents catch `RuntimeError`: which subclass a tool layer raises is its own affair."""


class ToolTimeout(ToolFailed):
    """No answer came in time; whether the tool acted is unknown."""


class ToolConnectionReset(ToolFailed):
    """The connection broke after the request was sent; whether the tool acted is unknown."""


CallTool: TypeAlias = Callable[[str, Arguments], JsonValue]
"""Call a tool by name; returns its result or raises `RuntimeError` with the text that the agent may see."""

AsyncCallTool: TypeAlias = Callable[[str, Arguments], Awaitable[JsonValue]]
"""The same for a tool that is awaited; other tasks may run before its answer."""

CallModel: TypeAlias = Callable[[str, Sequence[Message]], Message]
"""Ask the model: instructions and messages in, the assistant's message out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seam:
    """All that reaches an agent from outside. Whoever runs it decides what is live and what is scripted."""

    call_model: CallModel
    call_tool: CallTool
    now: Callable[[], datetime]
    new_key: Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One turn of a user. ``subject`` is the signed-in account, ``verified`` whether its sign-in was confirmed."""

    conversation: str
    subject: str
    text: str
    history: tuple[Message, ...] = ()
    tenant: str = "main"
    roles: tuple[str, ...] = ("customer",)
    verified: bool = True
    locale: str = "en-US"
    time_zone: str = "UTC"


MAX_TURNS = 8
GAVE_UP = "I could not finish this. A colleague will look at it."


def user(text: str) -> Message:
    """Return a user's message."""
    return {"role": "user", "parts": [{"type": "text", "content": text}]}


def says(text: str) -> Message:
    """Return the model's final words."""
    return {"role": "assistant", "parts": [{"type": "text", "content": text}], "finish_reason": "stop"}


def asks(call_id: str, tool: str, arguments: Arguments) -> Message:
    """Return the model's request for one tool call."""
    part: Part = {"type": "tool_call", "id": call_id, "name": tool, "arguments": arguments}
    return {"role": "assistant", "parts": [part], "finish_reason": "tool_call"}


def text_of(message: Message) -> str:
    """Return the text parts of a message as one string."""
    return "\n".join(part["content"] for part in message["parts"] if part["type"] == "text")


def converse(instructions: str, request: Request, seam: Seam, execute: CallTool) -> str:
    """Let the model and the tools talk until the model asks for no more tools; return its last words.

    A failed tool is told to the model as ``{"error": …}``, as most agent frameworks do.
    """
    messages = [*request.history, user(request.text)]
    for _ in range(MAX_TURNS):
        reply = seam.call_model(instructions, tuple(messages))
        messages.append(reply)
        calls = [part for part in reply["parts"] if part["type"] == "tool_call"]
        if not calls:
            return text_of(reply)
        messages.append({"role": "tool", "parts": [_answer(call, execute) for call in calls]})
    return GAVE_UP


def _answer(call: Part, execute: CallTool) -> Part:
    try:
        response = execute(call["name"], call["arguments"])
    except RuntimeError as failure:
        response = {"error": str(failure)}
    return {"type": "tool_call_response", "id": call["id"], "response": response}


def member(value: JsonValue, name: str) -> JsonValue:
    """Return a member of a tool result, None when the result is no object or lacks it."""
    return value.get(name) if isinstance(value, dict) else None
