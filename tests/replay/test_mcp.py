"""Tools over MCP: an unchanged client gets what was recorded, and nothing is started or reached."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import agents
import mcp
import pytest
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.client.session import ClientSession as SameSession
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from extractor.replay.exchange import ModelAnswer
from extractor.replay.faults import CallMismatch, LiveCall, RecordedToolError
from extractor.replay.mcp import scripted_mcp
from extractor.replay.providers import intercept

NOWHERE = StdioServerParameters(command="/nonexistent/mcp-server")
ORDER = {"order_id": "A-7001", "total": 10.5, "lines": [1, None]}


class Tools:
    def __init__(self, *outcomes):
        self.outcomes = list(outcomes)
        self.calls = []
        self.faults = []

    def call(self, tool, arguments):
        self.calls.append((tool, dict(arguments)))
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def open(self):
        return scripted_mcp(self.call, ("get_order", "refund", "get_order"), self.faults.append)


async def over_stdio(work):
    async with stdio_client(NOWHERE) as streams, ClientSession(*streams) as session:
        await session.initialize()
        return await work(session)


async def over_http(work):
    async with streamable_http_client("http://mcp.example/mcp") as streams, SameSession(*streams[:2]) as session:
        await session.initialize()
        return await work(session)


async def over_sse(work):
    async with sse_client("http://mcp.example/sse") as streams, mcp.ClientSession(*streams) as session:
        await session.initialize()
        return await work(session)


async def with_client(work):
    async with mcp.Client("http://mcp.example/mcp") as client:
        return await work(client)


async def in_process(work):
    async with mcp.Client(mcp.server.MCPServer("orders")) as client:
        return await work(client)


WAYS = (over_stdio, over_http, over_sse, with_client, in_process)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_call_is_answered_whatever_the_transport(way):
    tools = Tools(ORDER)

    async def work(session):
        return await session.call_tool("get_order", {"order_id": "A-7001"})

    with tools.open():
        result = asyncio.run(way(work))
    assert isinstance(result, mcp.types.CallToolResult)
    assert tools.calls == [("get_order", {"order_id": "A-7001"})]
    assert result.model_dump(by_alias=True, exclude_none=True)["structuredContent"] == ORDER
    assert json.loads(result.content[0].text) == ORDER
    assert not result.model_dump(by_alias=True)["isError"]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_listing_gives_the_recorded_names_and_open_schemas(way):
    async def work(session):
        return await session.list_tools()

    with Tools().open():
        listed = asyncio.run(way(work)).model_dump(by_alias=True)["tools"]
    assert [each["name"] for each in listed] == ["get_order", "refund"]
    assert all(each["inputSchema"] == {"type": "object", "additionalProperties": True} for each in listed)


@pytest.mark.parametrize(
    ("value", "text"), [("shipped", "shipped"), ([1, "π"], '[1,"π"]'), (None, "null"), (True, "true"), ("", "")]
)
def test_what_is_no_object_is_text_alone(value, text):
    async def work(session):
        return await session.call_tool("get_order")

    with Tools(value).open():
        result = asyncio.run(over_stdio(work)).model_dump(by_alias=True, exclude_none=True)
    assert [each["text"] for each in result["content"]] == [text]
    assert "structuredContent" not in result


def test_a_recorded_whole_result_is_given_as_it_stands():
    whole = {"content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "isError": False}

    async def work(session):
        return await session.call_tool("get_order")

    with Tools(whole).open():
        result = asyncio.run(over_stdio(work))
    assert [each.text for each in result.content] == ["one", "two"]


def test_a_recorded_failure_is_a_result_that_says_so():
    async def work(session):
        return await session.call_tool("refund", {"order_id": "A-7001"})

    with Tools(RecordedToolError("gateway timeout", error_class="TimeoutError")).open():
        result = asyncio.run(over_stdio(work)).model_dump(by_alias=True)
    assert result["isError"] is True
    assert result["content"][0]["text"] == "gateway timeout"


def leaves(group):
    return (
        [leaf for each in group.exceptions for leaf in leaves(each)]
        if isinstance(group, BaseExceptionGroup)
        else [group]
    )


def test_a_miss_is_no_error_that_an_agent_handles():
    fault = CallMismatch("another call was due", code="mismatch")

    async def work(session):
        try:
            await session.call_tool("refund")
        except Exception:  # noqa: BLE001  # as agents do
            return "handled"

    with Tools(fault).open(), pytest.raises(BaseException) as caught:  # a group around the fault
        asyncio.run(over_stdio(work))
    assert leaves(caught.value) == [fault]


def test_what_is_no_tool_call_is_blocked_and_told():
    tools = Tools()

    async def work(session):
        return await session.list_resources()

    with tools.open(), pytest.raises(BaseException) as caught:  # a group around the fault
        asyncio.run(over_stdio(work))
    assert leaves(caught.value) == tools.faults
    (fault,) = tools.faults
    assert isinstance(fault, LiveCall)
    assert (fault.code, fault.called) == ("mcp_request", "mcp:resources/list")


def test_outside_the_block_all_is_as_before():
    before = dict(vars(ClientSession))
    with Tools().open() as scripted:
        assert scripted.state()["mcp.client.session"] == "patched"
        assert scripted.state()["mcp.client.stdio"] == "patched"
    assert dict(vars(ClientSession)) == before

    async def work(session):
        return await session.list_tools()

    with pytest.raises(BaseException) as caught:  # whatever mcp makes of a missing command
        asyncio.run(over_stdio(work))
    assert isinstance(leaves(caught.value)[0], OSError)


LATE = """
from extractor.replay.mcp import scripted_mcp
import asyncio, sys
assert not {"mcp", "anyio"} & set(sys.modules)
with scripted_mcp(lambda tool, arguments: {"ok": tool}, ("get_order",), print) as scripted:
    before = scripted.state()["mcp.client.session"]
    from mcp import ClientSession, StdioServerParameters, stdio_client
    async def main():
        async with stdio_client(StdioServerParameters(command="/nonexistent")) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return (await session.call_tool("get_order")).content[0].text
    print(before, scripted.state()["mcp.client.session"], asyncio.run(main()))
"""


def test_a_package_imported_in_a_session_is_patched():
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=True)
    assert done.stdout == 'absent patched {"ok":"get_order"}\n'


@pytest.mark.parametrize("remote", [False, True])
def test_an_agent_of_a_framework_runs_with_its_mcp_server(remote):
    tools = Tools(ORDER)
    answers = [
        ModelAnswer(
            model="fake-1",
            parts=({"type": "tool_call", "call_id": "c1", "tool": "get_order", "value": {"order_id": "A-7001"}},),
            finish="tool_call",
        ),
        ModelAnswer(model="fake-1", parts=({"type": "text", "text": "It was shipped."},)),
    ]
    asked = []

    def answer(request):
        asked.append(request)
        return answers.pop(0)

    async def run():
        server = (
            MCPServerStreamableHttp({"url": "http://mcp.example/mcp"})
            if remote
            else MCPServerStdio({"command": "/nonexistent/mcp-server"})
        )
        async with server:
            model = agents.OpenAIChatCompletionsModel("fake-1", openai_client=agents_client())
            agent = agents.Agent(name="orders", model=model, mcp_servers=[server])
            return (await agents.Runner.run(agent, "Where is A-7001?")).final_output

    def agents_client():
        from openai import AsyncOpenAI

        return AsyncOpenAI(api_key="k", base_url="http://model.example/v1")

    agents.set_tracing_disabled(True)
    with intercept(answer, tools.faults.append), tools.open():
        assert asyncio.run(run()) == "It was shipped."
    agents.set_tracing_disabled(False)
    assert asked[0].tools == ("get_order", "refund")
    assert tools.calls == [("get_order", {"order_id": "A-7001"})]
    assert "10.5" in str(asked[1].messages[-1].parts)
    assert tools.faults == []
