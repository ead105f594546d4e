"""Unchanged agents over real SDKs: live against a provider on loopback, extracted from their trace, replayed without it."""

from __future__ import annotations

import asyncio
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from extractor.replay import seam
from extractor.replay.case import load_case
from extractor.replay.results.telling import finished
from extractor.replay.session import Session
from tests.replay.providers.fake_provider import FINAL, QUESTION, FakeProvider

from . import sdk_agents

ROOT = Path(__file__).parent.parent.parent
AGENTS = (sdk_agents.over_openai, sdk_agents.over_anthropic, sdk_agents.over_pydantic_ai)
STATED = (
    *("--incident", "INC-1", "--failure", "The agent said what no tool confirmed.", "--prohibit", "the order was lost"),
    *("--evidence-needed", "A result of the tool.", "--workflow-version", "desk@1", "--prompt-version", "p@1"),
    *("--time-zone", "Europe/Berlin", "--locale", "en-US", "--keep", "all"),
)

pytestmark = pytest.mark.nlp


@pytest.fixture
def exporter(monkeypatch):
    """The application's own OpenTelemetry, with an exporter that a test can read."""
    found = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(found))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    return found


def live(agent, url):
    with seam.agent("desk", input=QUESTION) as running:
        found = agent(url, QUESTION)
        return running.answer(asyncio.run(found) if inspect.isawaitable(found) else found)


def extract(spans, key, place):
    """Return the case that the command line makes of an export."""
    export = place / "export.binpb"
    export.write_bytes(encode_spans(spans).SerializeToString())
    trace_id = format(spans[-1].context.trace_id, "032x")
    command = [
        sys.executable,
        "-m",
        "extractor",
        "--trace-id",
        trace_id,
        str(export),
        *STATED,
        "--out",
        str(place / "c"),
    ]
    environment = os.environ | {"EXTRACT_FIXTURE_KEY_FILE": str(key), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, cwd=place)
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = (place / "c").rglob("fixture.json")
    return load_case(file.parent)


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.__name__)
def test_an_unchanged_agent_replays_what_it_did_live(agent, exporter, key_file, tmp_path):
    """S72 S83."""
    sdk_agents.looked_up.clear()
    provider = FakeProvider()
    try:
        with sdk_agents.instrumented():
            assert live(agent, provider.url) == FINAL
        reached, url = len(provider.seen), provider.url
    finally:
        provider.close()
    assert (reached, sdk_agents.looked_up) == (2, ["A-7001"])
    streamed = {body.get("stream") is True for _, body in provider.seen}
    assert streamed == {agent is sdk_agents.over_pydantic_ai}

    case = extract(exporter.get_finished_spans(), key_file, tmp_path)
    session = Session(case, version="v1", expect="green")
    if inspect.iscoroutinefunction(agent):

        async def same(text):
            return await agent(url, text)
    else:

        def same(text):
            return agent(url, text)

    session.run(same)
    session.hold()
    told = finished(session)
    assert told.label is None
    assert told.unconsumed == ()
    assert told.diverged == ()
    assert told.served == ("llm:fake-1", "tools:get_order", "llm:fake-1")
    assert told.outcome == case.document["final_output"]
    # What the agent said live, in the case's own synthetic order.
    order = case.document["tool_events"][0]["arguments"]["order_id"]
    assert told.outcome == FINAL.replace("A-7001", order)
    assert [line for line in told.guard.covers if line.startswith("httpx") and "answered" in line]
    assert sdk_agents.looked_up == ["A-7001"]
