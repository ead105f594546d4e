"""Agents as people write them: a tool loop over a real SDK, each in its four forms. Nothing here knows of a replay."""

from __future__ import annotations

import json

import anthropic
import openai
from google import genai
from google.genai import types

from .fake_provider import QUESTION, RESULT, SYSTEM, TOOL

SCHEMA = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
MODEL = "fake-1"


def get_order(**_arguments):
    return RESULT


# --- OpenAI chat completions

CHAT_TOOLS = [{"type": "function", "function": {"name": TOOL, "parameters": SCHEMA}}]


def _chat_start():
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}]


def _chat_next(messages, message):
    messages.append(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
    for call in message.tool_calls or ():
        result = get_order(**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    return not message.tool_calls


def chat(url):
    with openai.OpenAI(api_key="k", base_url=f"{url}/v1") as client:
        messages, seen = _chat_start(), []
        while True:
            completion = client.chat.completions.create(model=MODEL, messages=messages, tools=CHAT_TOOLS)
            seen.append(completion.model_dump())
            if _chat_next(messages, completion.choices[0].message):
                return seen


async def chat_async(url):
    async with openai.AsyncOpenAI(api_key="k", base_url=f"{url}/v1") as client:
        messages, seen = _chat_start(), []
        while True:
            completion = await client.chat.completions.create(model=MODEL, messages=messages, tools=CHAT_TOOLS)
            seen.append(completion.model_dump())
            if _chat_next(messages, completion.choices[0].message):
                return seen


def chat_streamed(url):
    with openai.OpenAI(api_key="k", base_url=f"{url}/v1") as client:
        messages, seen = _chat_start(), []
        while True:
            asked = {"model": MODEL, "messages": messages, "tools": CHAT_TOOLS}
            with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
                seen.append(_kinds(stream))
                completion = stream.get_final_completion()
            seen.append(completion.model_dump())
            if _chat_next(messages, completion.choices[0].message):
                return seen


async def chat_streamed_async(url):
    async with openai.AsyncOpenAI(api_key="k", base_url=f"{url}/v1") as client:
        messages, seen = _chat_start(), []
        while True:
            asked = {"model": MODEL, "messages": messages, "tools": CHAT_TOOLS}
            async with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
                seen.append(_kinds([event async for event in stream]))
                completion = await stream.get_final_completion()
            seen.append(completion.model_dump())
            if _chat_next(messages, completion.choices[0].message):
                return seen


# --- OpenAI responses

RESPONSE_TOOLS = [{"type": "function", "name": TOOL, "parameters": SCHEMA, "strict": False}]


def _responses_next(items, response):
    items += [item.model_dump(exclude_none=True) for item in response.output]
    calls = [item for item in response.output if item.type == "function_call"]
    for call in calls:
        result = get_order(**json.loads(call.arguments))
        items.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(result)})
    return not calls


def _responses_asked(items):
    return {"model": MODEL, "instructions": SYSTEM, "input": items, "tools": RESPONSE_TOOLS}


def responses(url):
    with openai.OpenAI(api_key="k", base_url=f"{url}/v1") as client:
        items, seen = [{"role": "user", "content": QUESTION}], []
        while True:
            response = client.responses.create(**_responses_asked(items))
            seen.append(response.model_dump())
            if _responses_next(items, response):
                return seen


async def responses_async(url):
    async with openai.AsyncOpenAI(api_key="k", base_url=f"{url}/v1") as client:
        items, seen = [{"role": "user", "content": QUESTION}], []
        while True:
            response = await client.responses.create(**_responses_asked(items))
            seen.append(response.model_dump())
            if _responses_next(items, response):
                return seen


def responses_streamed(url):
    with openai.OpenAI(api_key="k", base_url=f"{url}/v1") as client:
        items, seen = [{"role": "user", "content": QUESTION}], []
        while True:
            with client.responses.stream(**_responses_asked(items)) as stream:
                seen.append(_kinds(stream))
                response = stream.get_final_response()
            seen.append(response.model_dump())
            if _responses_next(items, response):
                return seen


async def responses_streamed_async(url):
    async with openai.AsyncOpenAI(api_key="k", base_url=f"{url}/v1") as client:
        items, seen = [{"role": "user", "content": QUESTION}], []
        while True:
            async with client.responses.stream(**_responses_asked(items)) as stream:
                seen.append(_kinds([event async for event in stream]))
                response = await stream.get_final_response()
            seen.append(response.model_dump())
            if _responses_next(items, response):
                return seen


# --- Anthropic messages


def _claude_asked(messages):
    tools = [{"name": TOOL, "input_schema": SCHEMA}]
    return {"model": MODEL, "max_tokens": 100, "system": SYSTEM, "messages": messages, "tools": tools}


def _claude_next(messages, message):
    messages.append(
        {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]}
    )
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": json.dumps(get_order(**block.input))}
        for block in message.content
        if block.type == "tool_use"
    ]
    messages.append({"role": "user", "content": results})
    return not results


def claude(url):
    with anthropic.Anthropic(api_key="k", base_url=url) as client:
        messages, seen = [{"role": "user", "content": QUESTION}], []
        while True:
            message = client.messages.create(**_claude_asked(messages))
            seen.append(message.model_dump())
            if _claude_next(messages, message):
                return seen


async def claude_async(url):
    async with anthropic.AsyncAnthropic(api_key="k", base_url=url) as client:
        messages, seen = [{"role": "user", "content": QUESTION}], []
        while True:
            message = await client.messages.create(**_claude_asked(messages))
            seen.append(message.model_dump())
            if _claude_next(messages, message):
                return seen


def claude_streamed(url):
    with anthropic.Anthropic(api_key="k", base_url=url) as client:
        messages, seen = [{"role": "user", "content": QUESTION}], []
        while True:
            with client.messages.stream(**_claude_asked(messages)) as stream:
                seen.append(_kinds(stream))
                message = stream.get_final_message()
            seen.append(message.model_dump())
            if _claude_next(messages, message):
                return seen


async def claude_streamed_async(url):
    async with anthropic.AsyncAnthropic(api_key="k", base_url=url) as client:
        messages, seen = [{"role": "user", "content": QUESTION}], []
        while True:
            async with client.messages.stream(**_claude_asked(messages)) as stream:
                seen.append(_kinds([event async for event in stream]))
                message = await stream.get_final_message()
            seen.append(message.model_dump())
            if _claude_next(messages, message):
                return seen


# --- Google


def _gemini_client(url):
    return genai.Client(api_key="k", http_options=types.HttpOptions(base_url=url))


def _gemini_asked(contents):
    declared = types.FunctionDeclaration(name=TOOL, parameters_json_schema=SCHEMA)
    config = types.GenerateContentConfig(
        system_instruction=SYSTEM, tools=[types.Tool(function_declarations=[declared])]
    )
    return {"model": MODEL, "contents": contents, "config": config}


def _gemini_start():
    return [types.Content(role="user", parts=[types.Part(text=QUESTION)])]


def _gemini_next(contents, parts):
    contents.append(types.Content(role="model", parts=parts))
    calls = [part.function_call for part in parts if part.function_call]
    answers = [
        types.Part(
            function_response=types.FunctionResponse(id=call.id, name=call.name, response=get_order(**call.args))
        )
        for call in calls
    ]
    contents.append(types.Content(role="user", parts=answers))
    return not calls


def _gemini_seen(response):
    return response.model_dump(mode="json", exclude={"sdk_http_response"})


def _gemini_joined(chunks):
    parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
    text = "".join(part.text for part in parts if part.text)
    calls = [part for part in parts if part.function_call]
    last = _gemini_seen(chunks[-1])
    for each in last["candidates"]:
        each.pop("content")
    return [types.Part(text=text), *calls], [text, [part.model_dump(mode="json") for part in calls], last]


def gemini(url):
    with _gemini_client(url) as client:
        contents, seen = _gemini_start(), []
        while True:
            response = client.models.generate_content(**_gemini_asked(contents))
            seen.append(_gemini_seen(response))
            if _gemini_next(contents, response.candidates[0].content.parts):
                return seen


async def gemini_async(url):
    async with _gemini_client(url).aio as client:
        contents, seen = _gemini_start(), []
        while True:
            response = await client.models.generate_content(**_gemini_asked(contents))
            seen.append(_gemini_seen(response))
            if _gemini_next(contents, response.candidates[0].content.parts):
                return seen


def gemini_streamed(url):
    with _gemini_client(url) as client:
        contents, seen = _gemini_start(), []
        while True:
            parts, joined = _gemini_joined([*client.models.generate_content_stream(**_gemini_asked(contents))])
            seen.append(joined)
            if _gemini_next(contents, parts):
                return seen


async def gemini_streamed_async(url):
    async with _gemini_client(url).aio as client:
        contents, seen = _gemini_start(), []
        while True:
            stream = await client.models.generate_content_stream(**_gemini_asked(contents))
            parts, joined = _gemini_joined([chunk async for chunk in stream])
            seen.append(joined)
            if _gemini_next(contents, parts):
                return seen


def _kinds(events):
    """Return the kinds of a stream's events as they first come; how many pieces a text came in is nobody's promise."""
    return list(dict.fromkeys(event.type for event in events))


CHAT = (chat, chat_async, chat_streamed, chat_streamed_async)
RESPONSES = (responses, responses_async, responses_streamed, responses_streamed_async)
CLAUDE = (claude, claude_async, claude_streamed, claude_streamed_async)
GEMINI = (gemini, gemini_async, gemini_streamed, gemini_streamed_async)
