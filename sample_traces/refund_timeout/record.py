"""The refund incident and two ordinary refunds, over HTTP to a payment service of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import httpx
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind

from sample_traces.agents import Arguments, CallTool, JsonValue, ToolTimeout
from sample_traces.recording.conversation import Conversation, Grade, record
from sample_traces.recording.genai import GenAi
from sample_traces.recording.loopback import Event, Loopback, Receive, Send
from sample_traces.recording.telemetry import Article, Deployment
from sample_traces.recording.world import Service, World, span

from .agent import run_buggy
from .scenario import BYSTANDERS, MAREN, Customer, Payments, order, replies, request

AGENT = Service(name="refund-agent", version="2026.7.3", host="refund-agent-7c9d5b6f4-x2lkq")
PAYMENTS = Service(name="payments", version="41.2.0", host="payments-5f7b8d9c66-m8vzt")
URL = "http://payments.example.net/v1/refunds"
CLIENT_TIMEOUT_S = 2.0
SETTLES_AFTER_S = (3.4, 2.9)
"""How long the payment service held the first and the second attempt of the incident."""
START = datetime(2026, 7, 18, 9, 30, 4, 118_000, tzinfo=UTC)
DEPLOYMENT = Deployment(
    agent="refund-agent",
    workflow_version="refund-flow@12",
    prompt_version="refund-prompt@31",
    policy_version="refunds-v7",
    model="example-large",
    tools={"order.lookup": "Look an order up by its id.", "refund.create": "Refund an order, in cents."},
)
ARTICLES = (
    Article(id="help-112", score=0.91, content="Damaged goods are refunded in full within 30 days of delivery."),
    Article(id="help-087", score=0.64, content="A refund reaches your card within five working days."),
)
GRADE = Grade(
    name="unsupported-claim",
    version="grader-2026-06",
    score=0.08,
    explanation="The answer says that the refund completed; no tool result confirms it.",
)


def spans() -> list[ReadableSpan]:
    """Record the incident and its bystanders; return all spans."""
    recorded = record(_conversation("refund-timeout", MAREN, 0, SETTLES_AFTER_S))
    for number, customer in enumerate(BYSTANDERS, start=1):
        recorded += record(_conversation(f"refund-bystander-{number}", customer, 1.9 * number, (0.31,)))
    return recorded


def _conversation(name: str, customer: Customer, offset_s: float, settles_s: tuple[float, ...]) -> Conversation:
    return Conversation(
        name=name,
        start=START + timedelta(seconds=offset_s),
        service=AGENT,
        deployment=DEPLOYMENT,
        dialect=GenAi,
        request=request(customer),
        run=run_buggy,
        replies=replies(customer),
        tools=_tools(customer, settles_s),
        articles=ARTICLES,
        client_address="203.0.113.24",
        grade=GRADE if customer is MAREN else None,
    )


def _tools(customer: Customer, settles_s: tuple[float, ...]) -> Callable[[World], AbstractContextManager[CallTool]]:
    @contextmanager
    def opened(world: World) -> Iterator[CallTool]:
        service = _PaymentService(
            world=world, payments=Payments(customer=customer, silent=False), waits=list(settles_s)
        )
        loopback = Loopback(world, AGENT, PAYMENTS, service)

        def call(tool: str, arguments: Arguments) -> JsonValue:
            if tool == "order.lookup":
                return _read_order(world, customer)
            return _refund(world, loopback, arguments)

        try:
            yield call
            world.wait(1_000 * sum(settles_s))  # what the service still does, it does before the socket goes
        finally:
            loopback.close()

    return opened


def _read_order(world: World, customer: Customer) -> JsonValue:
    attributes = {
        "db.system.name": "postgresql",
        "db.operation.name": "SELECT",
        "db.collection.name": "orders",
        "db.query.text": "SELECT document FROM orders WHERE order_id = $1",
        "db.query.parameter.1": customer.order_id,
        "server.address": "orders-db.example.net",
    }
    with span(world.tracer(AGENT, "orders.db"), "SELECT orders", attributes, kind=SpanKind.CLIENT):
        world.wait(9.6)
    return order(customer)


def _refund(world: World, loopback: Loopback, arguments: Arguments) -> JsonValue:
    body = {name: value for name, value in arguments.items() if name != "idempotency_key"}
    deadline = world.clock.now() + timedelta(seconds=CLIENT_TIMEOUT_S)
    headers = {
        "idempotency-key": str(arguments["idempotency_key"]),
        "x-request-deadline": deadline.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }
    try:
        response = loopback.post(URL, body, headers, CLIENT_TIMEOUT_S)
    except httpx.ReadTimeout:
        raise ToolTimeout("no answer from payments within 2000 ms") from None
    answer: JsonValue = response.json()
    return answer


@dataclass(slots=True, kw_only=True)
class _PaymentService:
    """The service's side: takes a refund at once, answers when the bank has settled it."""

    world: World
    payments: Payments
    waits: list[float]

    async def __call__(self, _scope: Event, receive: Receive, send: Send) -> None:
        key = next(value for name, value in _scope["headers"] if name == b"idempotency-key").decode()
        arguments = json.loads((await receive())["body"]) | {"idempotency_key": key}
        replayed = key in self.payments.refunds
        refund = self.payments.accept(arguments)
        if not replayed:
            await self._insert()
        await asyncio.sleep(self.waits.pop(0))
        body = json.dumps(refund).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        if replayed:
            headers.append((b"idempotent-replayed", b"true"))
        await send({"type": "http.response.start", "status": 200 if replayed else 201, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _insert(self) -> None:
        attributes = {
            "db.system.name": "postgresql",
            "db.operation.name": "INSERT",
            "db.collection.name": "refunds",
            "db.response.status_code": "00000",
        }
        with span(self.world.tracer(PAYMENTS, "refunds.db"), "INSERT refunds", attributes, kind=SpanKind.CLIENT):
            await asyncio.sleep(0.004)
