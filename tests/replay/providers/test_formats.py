"""Corners of the four formats, held to the providers' own types."""

from __future__ import annotations

import json

import anthropic
import httpx
import openai
import pytest
from google import genai
from google.genai import types

from extractor.model.json import parse
from extractor.replay.exchange import Message, ModelAnswer, ModelRequest
from extractor.replay.faults import NothingRecorded
from extractor.replay.providers import anthropic_messages, google_generate, openai_chat, openai_responses

from .fake_provider import QUESTION

ASKED = {"model": "fake-1", "messages": [{"role": "user", "content": QUESTION}]}
THOUGHT = "The customer asks where the order is; I shall look."
TWO_CALLS = (
    {"type": "reasoning", "text": THOUGHT},
    {"type": "tool_call", "tool": "first", "value": {"at": parse("10.10"), "π": [None]}},
    {"type": "tool_call", "tool": "second"},
)


def answer(*parts, **more):
    return ModelAnswer(model=None, parts=parts, finish="tool_call" if len(parts) > 1 else "stop", **more)


def chat(stream=False):
    client = openai.OpenAI(api_key="k")
    if not stream:
        return client.chat.completions.create(**ASKED).choices[0].message
    with client.chat.completions.stream(**ASKED) as events:
        return events.get_final_completion().choices[0].message


def responses(stream=False):
    client = openai.OpenAI(api_key="k")
    if not stream:
        return client.responses.create(model="fake-1", input=QUESTION)
    with client.responses.stream(model="fake-1", input=QUESTION) as events:
        return events.get_final_response()


def claude(stream=False):
    client = anthropic.Anthropic(api_key="k")
    if not stream:
        return client.messages.create(**ASKED, max_tokens=9)
    with client.messages.stream(**ASKED, max_tokens=9) as events:
        return events.get_final_message()


def gemini(stream=False):
    with genai.Client(api_key="k") as client:
        if not stream:
            return client.models.generate_content(model="fake-1", contents=QUESTION).candidates[0].content.parts
        chunks = client.models.generate_content_stream(model="fake-1", contents=QUESTION)
        return [part for chunk in chunks for part in chunk.candidates[0].content.parts]


def replay(record, ask, *parts, **more):
    recording = record((answer(*parts, **more),))
    with recording.open():
        return ask()


@pytest.mark.parametrize("stream", [False, True])
def test_chat_carries_reasoning_calls_without_ids_and_exact_numbers(stream, record):
    message = replay(record, lambda: chat(stream), *TWO_CALLS)
    assert message.content in (None, "")
    assert [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls] == [
        ("call_replay_1_1", "first", '{"at":10.10,"π":[null]}'),
        ("call_replay_1_2", "second", "{}"),
    ]
    if not stream:
        assert message.reasoning_content == THOUGHT


@pytest.mark.parametrize("stream", [False, True])
def test_responses_carry_reasoning_and_calls_as_items(stream, record):
    response = replay(record, lambda: responses(stream), *TWO_CALLS)
    assert [item.type for item in response.output] == ["reasoning", "function_call", "function_call"]
    assert response.output[0].summary[0].text == THOUGHT
    assert response.output[1].arguments == '{"at":10.10,"π":[null]}'
    assert response.usage is None


@pytest.mark.parametrize("stream", [False, True])
def test_messages_carry_reasoning_and_calls_as_blocks(stream, record):
    message = replay(record, lambda: claude(stream), *TWO_CALLS)
    assert [block.type for block in message.content] == ["thinking", "tool_use", "tool_use"]
    assert message.content[0].thinking == THOUGHT
    assert [block.input for block in message.content[1:]] == [{"at": 10.1, "π": [None]}, {}]
    assert (message.stop_reason, message.usage.output_tokens) == ("tool_use", 0)


@pytest.mark.parametrize("stream", [False, True])
def test_generated_content_carries_reasoning_and_calls_as_parts(stream, record):
    parts = replay(record, lambda: gemini(stream), *TWO_CALLS)
    assert "".join(part.text for part in parts if part.thought) == THOUGHT
    calls = [part.function_call for part in parts if part.function_call]
    assert [(call.id, call.name, call.args) for call in calls] == [
        (None, "first", {"at": 10.1, "π": [None]}),
        (None, "second", {}),
    ]


@pytest.mark.parametrize("ask", [chat, responses, claude, gemini])
@pytest.mark.parametrize("stream", [False, True])
def test_an_empty_answer_is_an_answer(ask, stream, record):
    replay(record, lambda: ask(stream))


@pytest.mark.parametrize("ask", [chat, responses, claude, gemini])
def test_a_part_that_no_provider_says_is_refused_and_told(ask, record):
    recording = record((answer({"type": "other", "value": {"secret": "x"}}),))
    with recording.open(), pytest.raises(NothingRecorded) as caught:
        ask()
    assert recording.faults == [caught.value]
    assert caught.value.code == "not_in_format"
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("ask", [claude, gemini])
def test_arguments_that_are_no_object_are_said_by_openai_alone(ask, record):
    broken = {"type": "tool_call", "tool": "first", "value": '{"at": ', "value_text": '{"at": '}
    with pytest.raises(NothingRecorded):
        replay(record, ask, broken)
    assert replay(record, chat, broken).tool_calls[0].function.arguments == '{"at": '


def test_counts_of_tokens_stand_in_each_providers_own_members(record):
    usage = {
        "input_tokens": 7,
        "output_tokens": 5,
        "cache_read_tokens": 3,
        "reasoning_tokens": 2,
        "cache_write_tokens": 1,
    }
    said = {"type": "text", "text": "Yes."}
    given = replay(record, responses, said, usage=usage).usage
    assert (given.input_tokens, given.output_tokens, given.total_tokens) == (7, 5, 12)
    assert (given.input_tokens_details.cached_tokens, given.output_tokens_details.reasoning_tokens) == (3, 2)
    given = replay(record, claude, said, usage=usage).usage
    assert (given.input_tokens, given.cache_read_input_tokens, given.cache_creation_input_tokens) == (7, 3, 1)

    def counted():
        with genai.Client(api_key="k") as client:
            return client.models.generate_content(model="fake-1", contents=QUESTION).usage_metadata

    given = replay(record, counted, said, usage=usage)
    assert (given.total_token_count, given.cached_content_token_count, given.thoughts_token_count) == (12, 3, 2)


def test_answers_bear_the_instant_of_the_session_and_the_asked_model(record):
    recording = record((answer({"type": "text", "text": "Yes."}),))
    with recording.open(instant=1767225600):
        completion = openai.OpenAI(api_key="k").chat.completions.create(**ASKED)
    assert (completion.created, completion.model, completion.id) == (1767225600, "fake-1", "chatcmpl-replay-1")


def test_a_usage_chunk_comes_only_when_asked_for(record):
    recording = record((answer({"type": "text", "text": "Yes."}, usage={"input_tokens": 1}),) * 2)
    client = openai.OpenAI(api_key="k")
    with recording.open():
        without = [*client.chat.completions.create(**ASKED, stream=True)]
        counted = [*client.chat.completions.create(**ASKED, stream=True, stream_options={"include_usage": True})]
    assert all(chunk.usage is None for chunk in without)
    assert (counted[-1].choices, counted[-1].usage.prompt_tokens) == ([], 1)


def test_a_google_stream_without_events_is_an_array(record):
    recording = record((answer({"type": "text", "text": "Here is a text of more than one piece."}),))
    with recording.open():
        said = httpx.post("http://x.example/v1beta/models/m:streamGenerateContent", json={"contents": []}).json()
    parts = [each["candidates"][0]["content"]["parts"][0]["text"] for each in said]
    assert len(parts) > 1
    assert "".join(parts) == "Here is a text of more than one piece."


@pytest.mark.parametrize(
    ("read", "asked", "messages"),
    [
        (
            openai_chat.read,
            {
                "messages": [
                    {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
                    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]},
                    {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": "{}"}},
                    {"role": "function", "name": "old", "content": "gone"},
                ]
            },
            [
                ("system", {"type": "text", "text": "Be brief."}),
                ("user", {"type": "other", "value": {"type": "image_url", "image_url": {"url": "u"}}}),
                ("assistant", {"type": "tool_call", "tool": "old", "value": {}, "value_text": "{}"}),
                ("tool", {"type": "tool_result", "tool": "old", "value": "gone", "value_text": "gone"}),
            ],
        ),
        (
            openai_responses.read,
            {
                "input": [
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
                    {"type": "message", "role": "user", "content": [{"type": "input_image", "image_url": "u"}]},
                    {"type": "item_reference", "id": "msg_1"},
                ]
            },
            [
                ("assistant", {"type": "reasoning", "text": "Hm."}),
                ("user", {"type": "other", "value": {"type": "input_image", "image_url": "u"}}),
                ("assistant", {"type": "other", "value": {"type": "item_reference", "id": "msg_1"}}),
            ],
        ),
        (
            anthropic_messages.read,
            {
                "system": [{"type": "text", "text": "Be brief."}],
                "messages": [
                    {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]},
                    {
                        "role": "user",
                        "content": [
                            {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "[1]"}]},
                            {"type": "image", "source": {}},
                        ],
                    },
                ],
            },
            [
                ("system", {"type": "text", "text": "Be brief."}),
                ("assistant", {"type": "reasoning", "text": "Hm."}),
                ("tool", {"type": "tool_result", "call_id": "t", "value": [1], "value_text": "[1]"}),
                ("user", {"type": "other", "value": {"type": "image", "source": {}}}),
            ],
        ),
        (
            google_generate.read,
            {
                "system_instruction": {"parts": {"text": "Be brief."}},
                "contents": [
                    {"role": "model", "parts": [{"text": "Hm.", "thought": True}]},
                    {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"result": 1}}}]},
                    {"parts": [{"inlineData": {"data": "x"}}]},
                ],
            },
            [
                ("system", {"type": "text", "text": "Be brief."}),
                ("assistant", {"type": "reasoning", "text": "Hm."}),
                ("tool", {"type": "tool_result", "tool": "f", "value": 1}),
                ("user", {"type": "other", "value": {"inlineData": {"data": "x"}}}),
            ],
        ),
    ],
    ids=["chat", "responses", "messages", "google"],
)
def test_each_kind_of_part_is_read(read, asked, messages):
    request = read(asked, "/v1/models/m:generateContent")
    assert isinstance(request, ModelRequest)
    assert request.messages == tuple(Message(role=role, parts=(part,)) for role, part in messages)


@pytest.mark.parametrize(
    "read", [openai_chat.read, openai_responses.read, anthropic_messages.read, google_generate.read]
)
@pytest.mark.parametrize("odd", [None, 1, "x", [], {}, [None, 1, []], {"a": 1}])
def test_odd_bodies_are_read_without_an_error(read, odd):
    names = ("messages", "input", "contents", "system", "instructions", "tools", "model", "stream", "systemInstruction")
    read(dict.fromkeys(names, odd), "/v1/models/m:generateContent")
    for inner in ("role", "content", "parts", "tool_calls", "type", "function_call"):
        items = [{inner: odd, "type": kind} for kind in ("tool_use", "tool_result", "function_call", "thinking", odd)]
        read(dict.fromkeys(("messages", "input", "contents"), items), "")


def test_vertex_and_gemini_paths_are_one_format(record):
    recording = record((answer({"type": "text", "text": "Yes."}),) * 2)
    vertex = "/v1/projects/p/locations/l/publishers/google/models/gemini-x:generateContent"
    with recording.open():
        for path in ("/v1beta/models/gemini-x:generateContent", vertex):
            said = httpx.post(f"http://x.example{path}", content=json.dumps({"contents": []})).json()
            types.GenerateContentResponse.model_validate(said)
    assert [request.model for request in recording.asked] == ["gemini-x", "gemini-x"]
