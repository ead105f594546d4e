"""Frameworks run their own loops over a recording, unchanged."""

from __future__ import annotations

import asyncio

import agents as openai_agents
import openai
import pytest
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

from extractor.replay.faults import LiveCall, NothingRecorded

from .fake_provider import ARGUMENTS, FINAL, QUESTION, RESULT, SYSTEM


def sdk(url):
    return openai.AsyncOpenAI(api_key="k", base_url=f"{url}/v1")


def pydantic_agent(client, model, called):
    agent = Agent(model("fake-1", provider=OpenAIProvider(openai_client=client)), instructions=SYSTEM, retries=3)

    @agent.tool_plain
    def get_order(order_id: str, verbose: bool, limit: float) -> dict[str, object]:
        called.append({"order_id": order_id, "verbose": verbose, "limit": limit})
        return RESULT

    return agent


def openai_agent(client, model, called):
    @openai_agents.function_tool
    def get_order(order_id: str, verbose: bool, limit: float) -> str:
        called.append({"order_id": order_id, "verbose": verbose, "limit": limit})
        return str(RESULT)

    return openai_agents.Agent(
        name="orders", instructions=SYSTEM, model=model("fake-1", openai_client=client), tools=[get_order]
    )


async def consume(_context, events):
    async for _ in events:
        pass


@pytest.fixture
def no_tracing():
    openai_agents.set_tracing_disabled(True)
    yield
    openai_agents.set_tracing_disabled(False)


@pytest.mark.parametrize("model", [OpenAIChatModel, OpenAIResponsesModel])
@pytest.mark.parametrize("streamed", [False, True])
def test_pydantic_ai_runs_its_loop(model, streamed, provider, recording):
    called = []

    async def run():
        async with sdk(provider.url) as client:
            agent = pydantic_agent(client, model, called)
            # With a handler of events each request is a streamed one.
            result = await agent.run(QUESTION, event_stream_handler=consume if streamed else None)
            return result.output, result.usage

    live = asyncio.run(run())
    assert live[0] == FINAL
    reached = len(provider.seen)
    with recording.open():
        replayed = asyncio.run(run())
    assert str(replayed) == str(live)
    assert called == [ARGUMENTS, ARGUMENTS]
    assert len(provider.seen) == reached
    assert (recording.answers, recording.faults) == ([], [])


@pytest.mark.usefixtures("no_tracing")
@pytest.mark.parametrize("model", [openai_agents.OpenAIChatCompletionsModel, openai_agents.OpenAIResponsesModel])
@pytest.mark.parametrize("streamed", [False, True])
def test_openai_agents_runs_its_loop(model, streamed, provider, recording):
    called = []

    async def run():
        async with sdk(provider.url) as client:
            agent = openai_agent(client, model, called)
            if not streamed:
                return (await openai_agents.Runner.run(agent, QUESTION)).final_output
            result = openai_agents.Runner.run_streamed(agent, QUESTION)
            await consume(None, result.stream_events())
            return result.final_output

    assert asyncio.run(run()) == FINAL
    reached = len(provider.seen)
    with recording.open():
        assert asyncio.run(run()) == FINAL
    assert called == [ARGUMENTS, ARGUMENTS]
    assert len(provider.seen) == reached
    assert (recording.answers, recording.faults) == ([], [])


def test_a_miss_in_a_frameworks_loop_ends_it(record):
    recording = record(())

    async def run():
        async with sdk("http://model.example") as client:
            return await pydantic_agent(client, OpenAIChatModel, []).run(QUESTION)

    with recording.open(), pytest.raises(NothingRecorded):
        asyncio.run(run())
    assert len(recording.asked) == 1


def test_the_upload_of_traces_is_told_as_a_live_call(recording):
    # openai-agents sends its own traces from a thread; a test switches that off, or reads here that it was tried.
    exporter = openai_agents.tracing.processors.BackendSpanExporter(api_key="k")
    with recording.open(), pytest.raises(LiveCall) as caught:
        exporter._client.post(url=exporter.endpoint, json={"data": []})
    exporter.close()
    assert caught.value.called == "POST /v1/traces/ingest on httpx2"
