"""The calls of the seam: live in production, with a span each, and served from a recording in a replay."""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias, TypeVar, cast

from .block import active
from .canonical import plain
from .messages import Returns, answered, asked, form_of, wire, wire_answer
from .source import ModelCall, Served, ToolCall
from .spans import Attribute, Spans, span

T = TypeVar("T")
Usage: TypeAlias = "tuple[int, int] | Mapping[str, int] | None"
"""Tokens of input and output, or counts by the names of OpenTelemetry's ``gen_ai.usage.*``."""


class Agent:
    """An agent that runs; `answer` says what it told the user."""

    def __init__(self, opened: Spans) -> None:
        self._opened = opened

    def answer(self, text: str) -> str:
        """Record the final words of the run and return them."""
        self._opened.set("gen_ai.output.messages", _json(wire_answer(({"type": "text", "text": text},))))
        return text


@contextmanager
def agent(
    name: str,
    *,
    input: object = None,  # noqa: A002  # the name that callers of such seams know
    conversation: str | None = None,
    attributes: Mapping[str, str] | None = None,
) -> Iterator[Agent]:
    """Run an agent: the root of its calls. ``input`` is what the user said, ``attributes`` what else is known of the run."""
    block = active()
    told: dict[str, Attribute | None] = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": name,
        "gen_ai.conversation.id": conversation,
        "gen_ai.input.messages": None if input is None else _json(wire(asked(input))),
        "tracely.replay.mode": None if block is None or block.source is None else block.report.mode,
        **(attributes or {}),
    }
    with span(f"invoke_agent {name}", told, root=True) as opened:
        yield Agent(opened)


def call_tool(
    name: str, fn: Callable[[], T], *, args: Mapping[str, object] | None = None, side_effect: bool = False
) -> T:
    """Return what ``fn`` returns, or in a replay what the recorded call with these arguments returned.

    ``side_effect`` says that it changes something: then it never runs beside a recording, not even a lenient one.
    Raises what ``fn`` raises; in a replay `ToolError` for a recorded failure and `ReplayError`, outside `Exception`, where
    the recording has no answer. `TypeError` for a function that has to be awaited.
    """
    return tool_called(ToolCall(name=name, args=args), fn, side_effect=side_effect)


async def acall_tool(
    name: str, fn: Callable[[], Awaitable[T]], *, args: Mapping[str, object] | None = None, side_effect: bool = False
) -> T:
    """Do what `call_tool` does, with a function that is awaited."""
    return await tool_awaited(ToolCall(name=name, args=args), fn, side_effect=side_effect)


def call_llm(
    model: str,
    fn: Callable[[], T],
    *,
    input: object = None,  # noqa: A002  # the name that callers of such seams know
    usage: Usage = None,
    returns: Returns = "value",
) -> T:
    """Return what ``fn`` returns, or in a replay the next recorded answer of this model, else of any.

    ``input`` is what the model is asked: a text, or messages with ``content`` or ``parts``. ``returns`` is ``value`` for a
    text or JSON, ``message`` for an assistant's message in the form of the input, tool calls included. Raises as `call_tool`.
    """
    call = ModelCall(model=model, input=input, returns=returns, form=form_of(input))
    return model_called(call, fn, usage=usage)


async def acall_llm(
    model: str,
    fn: Callable[[], Awaitable[T]],
    *,
    input: object = None,  # noqa: A002  # the name that callers of such seams know
    usage: Usage = None,
    returns: Returns = "value",
) -> T:
    """Do what `call_llm` does, with a function that is awaited."""
    call = ModelCall(model=model, input=input, returns=returns, form=form_of(input))
    return await model_awaited(call, fn, usage=usage)


def tool_called(call: ToolCall, fn: Callable[[], T], *, side_effect: bool) -> T:
    """Answer a call of a tool that is not awaited."""
    _not_awaited(call.name, fn)
    with _tool_span(call) as opened:
        served = _served_tool(call, opened, side_effect=side_effect)
        value = fn() if served is None else _value(served)
        _not_awaitable(call.name, value)
        opened.set("gen_ai.tool.call.result", _json(plain(value)))
        return cast("T", value)


async def tool_awaited(call: ToolCall, fn: Callable[[], Awaitable[T]], *, side_effect: bool) -> T:
    """Answer a call of a tool that is awaited; other tasks may run before a recorded answer too."""
    with _tool_span(call) as opened:
        await _pause()
        served = _served_tool(call, opened, side_effect=side_effect)
        value = await fn() if served is None else _value(served)
        opened.set("gen_ai.tool.call.result", _json(plain(value)))
        return cast("T", value)


def model_called(call: ModelCall, fn: Callable[[], T], *, usage: Usage) -> T:
    """Answer a call of a model that is not awaited."""
    _not_awaited(call.model, fn)
    with _model_span(call) as opened:
        served = _served_model(call, opened)
        value = fn() if served is None else _value(served)
        _not_awaitable(call.model, value)
        _told_answer(opened, call, value, usage)
        return cast("T", value)


async def model_awaited(call: ModelCall, fn: Callable[[], Awaitable[T]], *, usage: Usage) -> T:
    """Answer a call of a model that is awaited."""
    with _model_span(call) as opened:
        await _pause()
        served = _served_model(call, opened)
        value = await fn() if served is None else _value(served)
        _told_answer(opened, call, value, usage)
        return cast("T", value)


@contextmanager
def _tool_span(call: ToolCall) -> Iterator[Spans]:
    told: dict[str, Attribute | None] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": _json(plain(call.args or {})),
    }
    with span(f"execute_tool {call.name}", told) as opened:
        yield opened


@contextmanager
def _model_span(call: ModelCall) -> Iterator[Spans]:
    messages = asked(call.input)
    told: dict[str, Attribute | None] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": call.model,
        "gen_ai.input.messages": _json(wire(messages)) if messages else None,
    }
    with span(f"chat {call.model}", told, client=True) as opened:
        yield opened


def _served_tool(call: ToolCall, opened: Spans, *, side_effect: bool) -> Served | None:
    block = active()
    served = None if block is None else block.tool(call, side_effect=side_effect)
    return _stamped(served, opened)


def _served_model(call: ModelCall, opened: Spans) -> Served | None:
    block = active()
    return _stamped(None if block is None else block.model(call), opened)


def _stamped(served: Served | None, opened: Spans) -> Served | None:
    if served is not None:
        opened.set("tracely.replay.fixture", value=True)
        opened.set("tracely.replay.divergence", served.divergence)
    return served


def _value(served: Served) -> object:
    if served.error is not None:
        raise served.error
    return served.value


def _told_answer(opened: Spans, call: ModelCall, value: object, usage: Usage) -> None:
    opened.set("gen_ai.output.messages", _json(wire_answer(answered(value, call.returns))))
    counts = {"input_tokens": usage[0], "output_tokens": usage[1]} if isinstance(usage, tuple) else usage or {}
    for name, count in counts.items():
        opened.set(f"gen_ai.usage.{name}", count)


def _not_awaited(name: str, fn: Callable[[], object]) -> None:
    if inspect.iscoroutinefunction(fn):
        raise TypeError(f"{name} has to be awaited: use acall_tool or acall_llm")


def _not_awaitable(name: str, value: object) -> None:
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError(f"{name} has to be awaited: use acall_tool or acall_llm")


@types.coroutine
def _pause() -> Generator[None, None, None]:
    # Not asyncio.sleep(0): no event loop of one kind is taken for granted.
    yield


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
