"""One exchange with a model, in the fixture's own form, whatever provider or framework carried it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from extractor.model.json import JsonValue

Part: TypeAlias = Mapping[str, JsonValue]
"""A part as fixture.json has it: ``type`` is text, tool_call, tool_result, reasoning or other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message: ``role`` is system, user, assistant or tool."""

    role: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """What an agent asked of a model. ``tools`` are the names on offer; ``stream`` says how the answer is wanted."""

    provider: str
    model: str | None
    messages: tuple[Message, ...]
    tools: tuple[str, ...] = ()
    stream: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """What the model said. ``usage`` counts tokens as the fixture does (``input_tokens``, ``output_tokens``)."""

    model: str | None
    parts: tuple[Part, ...]
    usage: Mapping[str, int] = field(default_factory=dict)
    finish: Literal["stop", "tool_call"] = "stop"


AnswerModel: TypeAlias = Callable[[ModelRequest], ModelAnswer]
"""Serve the next recorded answer; raises a `ReplayFault` when there is none."""
