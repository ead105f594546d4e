"""Agents over real SDKs, as people write them; live and replayed they are the same code. Their tool is observed, no more.

``instrumented`` records the SDKs' model calls as GenAI instrumentations do: a span a call, from outside the agent.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import anthropic
import openai
from anthropic.resources.messages import Messages
from openai.resources.chat.completions import Completions
from opentelemetry import trace
from pydantic_ai import Agent, InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from extractor.replay import seam
from tests.replay.providers.fake_provider import RESULT, SYSTEM, TOOL

SCHEMA = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
MODEL = "fake-1"
looked_up: list[str] = []
"""What reached the shop itself."""


@seam.observe(as_type="tool", name=TOOL)
def get_order(order_id: str, verbose: bool = False, limit: float = 1.0) -> dict[str, Any]:
    looked_up.append(order_id)
    return RESULT


def over_openai(url: str, text: str) -> str:
    tools = [{"type": "function", "function": {"name": TOOL, "parameters": SCHEMA}}]
    messages: list[Any] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]
    with openai.OpenAI(api_key="k", base_url=f"{url}/v1") as client:
        while True:
            completion = client.chat.completions.create(model=MODEL, messages=messages, tools=tools)
            message = completion.choices[0].message
            messages.append(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
            if not message.tool_calls:
                return str(message.content)
            for call in message.tool_calls:
                found = get_order(**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(found)})


def over_anthropic(url: str, text: str) -> str:
    messages: list[Any] = [{"role": "user", "content": text}]
    with anthropic.Anthropic(api_key="k", base_url=url) as client:
        while True:
            message = client.messages.create(
                model=MODEL,
                max_tokens=100,
                system=SYSTEM,
                messages=messages,
                tools=[{"name": TOOL, "input_schema": SCHEMA}],
            )
            messages.append({"role": "assistant", "content": [each.model_dump() for each in message.content]})
            results = [
                {"type": "tool_result", "tool_use_id": each.id, "content": json.dumps(get_order(**each.input))}
                for each in message.content
                if each.type == "tool_use"
            ]
            if not results:
                return "".join(each.text for each in message.content if each.type == "text")
            messages.append({"role": "user", "content": results})


async def over_pydantic_ai(url: str, text: str) -> str:
    async with openai.AsyncOpenAI(api_key="k", base_url=f"{url}/v1") as client:
        agent = Agent(
            OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=client)), instructions=SYSTEM, name="desk"
        )

        @agent.tool_plain(name=TOOL)
        def get(order_id: str, verbose: bool, limit: float) -> dict[str, Any]:
            return get_order(order_id, verbose, limit)

        async def each(_context: object, events: Any) -> None:
            async for _ in events:
                pass

        # With a handler of events each request is a streamed one.
        return (await agent.run(text, event_stream_handler=each)).output


@contextmanager
def instrumented() -> Iterator[None]:
    """Write a span of each model call of ``openai`` and ``anthropic``, and of each run of ``pydantic-ai``."""
    with ExitStack() as stack:
        for owner, read in ((Completions, _chat), (Messages, _claude)):
            stack.enter_context(mock.patch.object(owner, "create", _recorded(owner.create, read)))
        Agent.instrument_all(InstrumentationSettings(tracer_provider=trace.get_tracer_provider()))
        stack.callback(Agent.instrument_all, False)
        yield


def _recorded(create: Callable[..., Any], read: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    @functools.wraps(create)
    def recorded(self: Any, **asked: Any) -> Any:
        tracer = trace.get_tracer("instrumentation")
        with tracer.start_as_current_span(f"chat {asked['model']}", kind=trace.SpanKind.CLIENT) as span:
            answer = create(self, **asked)
            question, said, tokens = read(asked, answer)
            span.set_attributes(
                {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": asked["model"],
                    "gen_ai.response.model": answer.model,
                    "gen_ai.input.messages": json.dumps(question),
                    "gen_ai.output.messages": json.dumps([said]),
                    "gen_ai.usage.input_tokens": tokens[0],
                    "gen_ai.usage.output_tokens": tokens[1],
                }
            )
            return answer

    return recorded


def _text(content: str) -> dict[str, Any]:
    return {"type": "text", "content": content}


def _call(name: str, ident: str, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": ident, "name": name, "arguments": arguments}


def _chat(asked: Any, answer: Any) -> Any:
    def parts(message: Any) -> list[Any]:
        if message["role"] == "tool":
            answered = {"id": message["tool_call_id"], "response": json.loads(message["content"])}
            return [{"type": "tool_call_response", **answered}]
        said = [_text(message["content"])] if message.get("content") else []
        calls = ((each["id"], each["function"]) for each in message.get("tool_calls") or ())
        return said + [_call(each["name"], ident, json.loads(each["arguments"])) for ident, each in calls]

    question = [{"role": each["role"], "parts": parts(each)} for each in asked["messages"]]
    choice = answer.choices[0]
    said = {"role": "assistant", "parts": parts(choice.message.model_dump()), "finish_reason": choice.finish_reason}
    return question, said, (answer.usage.prompt_tokens, answer.usage.completion_tokens)


def _claude(asked: Any, answer: Any) -> Any:
    def part(each: Any) -> Any:
        if each["type"] == "tool_use":
            return _call(each["name"], each["id"], each["input"])
        if each["type"] == "tool_result":
            answered = {"id": each["tool_use_id"], "response": json.loads(each["content"])}
            return {"type": "tool_call_response", **answered}
        return _text(each["text"])

    def parts(content: Any) -> list[Any]:
        return [_text(content)] if isinstance(content, str) else [part(each) for each in content]

    question = [{"role": "system", "parts": [_text(asked["system"])]}]
    question += [{"role": each["role"], "parts": parts(each["content"])} for each in asked["messages"]]
    said = {"role": "assistant", "parts": parts(answer.model_dump()["content"]), "finish_reason": answer.stop_reason}
    return question, said, (answer.usage.input_tokens, answer.usage.output_tokens)
