"""The refund of somebody else's order, and two customers who had their own orders refunded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from opentelemetry.sdk.trace import ReadableSpan

from sample_traces.agents import CallTool
from sample_traces.recording.conversation import Conversation, Grade, record, timed
from sample_traces.recording.genai import GenAi
from sample_traces.recording.telemetry import Article, Deployment
from sample_traces.recording.world import Service, World

from .agent import run_buggy
from .scenario import BYSTANDERS, FOREIGN, PRIYA, Customer, Order, OrderDesk, replies, request

AGENT = Service(name="order-desk", version="12.0.4", host="order-desk-7f9c8d6b54-w5xgl")
START = datetime(2026, 9, 14, 18, 47, 9, 870_000, tzinfo=UTC)
DEPLOYMENT = Deployment(
    agent="order-desk",
    workflow_version="order-desk-flow@27",
    prompt_version="order-desk-prompt@44",
    policy_version="refunds-2026-08",
    model="example-large",
    tools={
        "customer.get": "Fetch a customer by id.",
        "order.get": "Fetch an order by id.",
        "refund.create": "Refund an order, in cents.",
    },
)
ARTICLES = (
    Article(id="help-330", score=0.82, content="You can return anything from your own orders within 30 days."),
    Article(id="help-334", score=0.66, content="Gifts are refunded to whoever paid for them."),
)
GRADE = Grade(
    name="authorization",
    version="grader-2026-08",
    score=0.0,
    explanation="The refunded order belongs to another customer than the one signed in.",
)


def spans() -> list[ReadableSpan]:
    """Record the incident and its bystanders; return all spans."""
    recorded = record(_conversation("foreign-order-refund", PRIYA, FOREIGN, 0))
    for number, customer in enumerate(BYSTANDERS, start=1):
        order = Order(id=f"BF-99{number}052", owner=customer, amount_cents=2_790 * number)
        recorded += record(_conversation(f"order-desk-bystander-{number}", customer, order, 1.6 * number))
    return recorded


def _conversation(name: str, customer: Customer, order: Order, offset_s: float) -> Conversation:
    @contextmanager
    def tools(world: World) -> Iterator[CallTool]:
        yield timed(world, OrderDesk(customer=customer, order=order).call, 26)

    return Conversation(
        name=name,
        start=START + timedelta(seconds=offset_s),
        service=AGENT,
        deployment=DEPLOYMENT,
        dialect=GenAi,
        request=request(customer, order),
        run=run_buggy,
        replies=replies(customer, order),
        tools=tools,
        articles=ARTICLES,
        client_address="192.0.2.203",
        grade=GRADE if customer is PRIYA else None,
    )
