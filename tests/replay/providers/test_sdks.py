"""What an unchanged agent gets from a recording is what it got from the provider."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from extractor.replay.exchange import Message

from . import agents
from .fake_provider import ARGUMENTS, CALL_ID, FINAL, QUESTION, RESULT, SAID, SYSTEM, TOOL

AGENTS = (*agents.CHAT, *agents.RESPONSES, *agents.CLAUDE, *agents.GEMINI)
# google-genai's own way with aiohttp.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")
NOT_PROMISED = {"id", "created", "created_at", "item_id", "response_id", "completed_at"}


def run(agent, url):
    return asyncio.run(agent(url)) if inspect.iscoroutinefunction(agent) else agent(url)


def comparable(value, key=None):
    """Leave out ids and times; a tool call's id is the recorded one and stays."""
    if isinstance(value, dict):
        return {
            name: comparable(each, name) for name, each in value.items() if name not in NOT_PROMISED or each == CALL_ID
        }
    return [comparable(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.__name__)
def test_an_agent_sees_what_the_provider_sent(agent, provider, recording):
    """S83 S87: served in the provider's own types, and nothing reaches it."""
    live = run(agent, provider.url)
    assert FINAL in str(live)
    reached = len(provider.seen)
    assert reached == 2
    with recording.open():
        replayed = run(agent, provider.url)
    assert comparable(replayed) == comparable(live)
    assert len(provider.seen) == reached
    assert recording.answers == []
    assert recording.faults == []
    assert run(agent, provider.url) == live  # outside the block calls are live again
    assert len(provider.seen) == 2 * reached


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.__name__)
def test_a_request_is_read_into_the_fixtures_form(agent, recording):
    with recording.open():
        run(agent, "http://model.example")
    first, second = recording.asked
    assert first.model == "fake-1"
    assert first.tools == (TOOL,)
    assert first.stream == ("streamed" in agent.__name__)
    start = (
        Message(role="system", parts=({"type": "text", "text": SYSTEM},)),
        Message(role="user", parts=({"type": "text", "text": QUESTION},)),
    )
    assert first.messages == start
    said, answered = second.messages[2:]
    assert second.messages[:2] == start
    assert said.role == "assistant"
    assert [part["type"] for part in said.parts] == ["text", "tool_call"]
    assert said.parts[0]["text"] == SAID
    assert {name: said.parts[1][name] for name in ("call_id", "tool", "value")} == {
        "call_id": CALL_ID,
        "tool": TOOL,
        "value": ARGUMENTS,
    }
    (result,) = answered.parts
    assert (answered.role, result["call_id"], result["tool"], result["value"]) == ("tool", CALL_ID, TOOL, RESULT)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.__name__)
def test_two_replays_are_the_same(agent, record):
    """S87."""
    seen = []
    for _ in range(2):
        with record().open():
            seen.append(run(agent, "http://model.example"))
    assert seen[0] == seen[1]
