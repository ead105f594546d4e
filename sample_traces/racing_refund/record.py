"""The double refund and two ordinary ones; both workers run as tasks of one event loop, so their spans overlap."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from opentelemetry.sdk.trace import ReadableSpan

from sample_traces.agents import Arguments, AsyncCallTool, CallTool, JsonValue, Part, Request, Seam
from sample_traces.recording.conversation import Conversation, record
from sample_traces.recording.genai import GenAi
from sample_traces.recording.telemetry import Article, Deployment
from sample_traces.recording.world import Service, World

from .agent import ConcurrentSeam, Work, run_buggy
from .scenario import BYSTANDERS, KEYS, TOMASZ, Customer, Refunds, replies, request

AGENT = Service(name="refund-desk", version="3.9.1", host="refund-desk-5c6d9f8b7-w2hxt")
START = datetime(2026, 5, 6, 15, 12, 9, 640_000, tzinfo=UTC)
DEPLOYMENT = Deployment(
    agent="refund-desk",
    workflow_version="refund-desk-flow@19",
    prompt_version="refund-desk-prompt@7",
    policy_version="refunds-v9",
    model="example-large",
    tools={
        "order.lookup": "Look an order up by its id.",
        "refund.find": "Find the refund of an order, if there is one.",
        "refund.create": "Refund an order, in cents.",
    },
)
ARTICLES = (
    Article(id="help-203", score=0.83, content="Parcels that never arrive are refunded in full."),
    Article(id="help-177", score=0.59, content="A refund reaches your card within five working days."),
)
TAKES_MS = {"order.lookup": (21.0,), "refund.find": (34.0, 38.0), "refund.create": (120.0, 131.0)}
"""How long the first and the second call of a tool take; the second worker is a little slower throughout."""


def spans() -> list[ReadableSpan]:
    """Record the incident and its bystanders; return all spans."""
    recorded = record(_conversation("racing-refund", TOMASZ, 0, KEYS))
    for number, customer in enumerate(BYSTANDERS, start=1):
        key = f"rfd-{customer.conversation[5:13]}-30c4"
        recorded += record(_conversation(f"racing-bystander-{number}", customer, 1.1 * number, (key,)))
    return recorded


def _conversation(name: str, customer: Customer, offset_s: float, keys: tuple[str, ...]) -> Conversation:
    desk = _Desk(refunds=Refunds(customer=customer))
    return Conversation(
        name=name,
        start=START + timedelta(seconds=offset_s),
        service=AGENT,
        deployment=DEPLOYMENT,
        dialect=GenAi,
        request=request(customer),
        run=desk.run,
        replies=replies(customer),
        tools=desk.tools(),
        articles=ARTICLES,
        client_address="203.0.113.61",
        keys=keys,
    )


@dataclass(slots=True, kw_only=True)
class _Desk:
    """Gives the agent tools that it can await, each call in a span, in the world's own event loop."""

    refunds: Refunds
    _worlds: list[World] = field(default_factory=list)
    _calls: dict[str, int] = field(default_factory=dict)

    def tools(self) -> Callable[[World], AbstractContextManager[CallTool]]:
        @contextmanager
        def opened(world: World) -> Iterator[CallTool]:
            self._worlds.append(world)
            yield self.refunds.call

        return opened

    def run(self, request: Request, seam: Seam) -> str:
        (world,) = self._worlds
        tracer = world.tracer(AGENT, f"agents.{DEPLOYMENT.agent}", AGENT.version)
        telemetry = GenAi(world, tracer, DEPLOYMENT, request)
        concurrent = ConcurrentSeam(
            call_model=seam.call_model,
            call_tool=seam.call_tool,
            now=seam.now,
            new_key=seam.new_key,
            acall_tool=self._traced(telemetry),
            together=lambda work: world.finish(_all(work)),
        )
        return run_buggy(request, concurrent)

    def _traced(self, telemetry: GenAi) -> AsyncCallTool:
        async def call(tool: str, arguments: Arguments) -> JsonValue:
            number = self._calls[tool] = self._calls.get(tool, 0) + 1
            asked = {"order.lookup": "call_lookup_1", "refund.create": f"call_refund_{number}"}
            return await telemetry.aexecute(self._slow(number), tool, arguments, asked.get(tool))

        return call

    def _slow(self, number: int) -> AsyncCallTool:
        async def call(tool: str, arguments: Arguments) -> JsonValue:
            await asyncio.sleep(TAKES_MS[tool][number - 1] / 1_000)
            return self.refunds.call(tool, arguments)

        return call


async def _all(work: Sequence[Work]) -> Sequence[Part]:
    return await asyncio.gather(*work)
