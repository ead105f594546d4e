"""The duplicate shipment and two ordinary ones, over gRPC to a shipping service that is told by its spans alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind

from sample_traces.agents import Arguments, CallTool, JsonValue, ToolFailed
from sample_traces.recording.conversation import Conversation, record, timed
from sample_traces.recording.genai import GenAi
from sample_traces.recording.telemetry import Article, Deployment
from sample_traces.recording.world import Flat, Service, World, span

from .agent import run_buggy
from .scenario import BYSTANDERS, IDRIS, KEYS, Customer, Desk, replies, request

AGENT = Service(name="shipping-agent", version="5.18.0", host="shipping-agent-6b8f4d7c5-q9wzn")
SHIPPING = Service(name="shipping", version="2.44.1", host="shipping-59c7d4f8bb-t4hjc")
SERVICE = "shipping.v2.Shipments"
METHOD = f"{SERVICE}/Create"
START = datetime(2026, 8, 27, 16, 2, 41, 305_000, tzinfo=UTC)
DEPLOYMENT = Deployment(
    agent="shipping-agent",
    workflow_version="shipping-flow@8",
    prompt_version="shipping-prompt@15",
    policy_version="replacements-v3",
    model="example-large",
    tools={
        "order.lookup": "Look an order up by its id.",
        "shipment.create": "Create a shipment and its label.",
        "shipment.list": "List the shipments of an order.",
    },
)
ARTICLES = (
    Article(id="help-041", score=0.88, content="Parts that arrive damaged are replaced once, free of charge."),
    Article(id="help-019", score=0.57, content="Ground parcels take three to five working days."),
)


def spans() -> list[ReadableSpan]:
    """Record the incident and its bystanders; return all spans."""
    recorded = record(_conversation("duplicate-shipment", IDRIS, 0, 1, KEYS))
    for number, customer in enumerate(BYSTANDERS, start=1):
        key = f"shp-{customer.conversation[5:13]}-7a1e"
        recorded += record(_conversation(f"shipment-bystander-{number}", customer, 1.3 * number, 0, (key,)))
    return recorded


def _conversation(
    name: str, customer: Customer, offset_s: float, lost_answers: int, keys: tuple[str, ...]
) -> Conversation:
    return Conversation(
        name=name,
        start=START + timedelta(seconds=offset_s),
        service=AGENT,
        deployment=DEPLOYMENT,
        dialect=GenAi,
        request=request(customer),
        run=run_buggy,
        replies=replies(customer),
        tools=_tools(Desk(customer=customer, lost_answers=lost_answers)),
        articles=ARTICLES,
        client_address="198.51.100.77",
        keys=keys,
    )


def _tools(desk: Desk) -> Callable[[World], AbstractContextManager[CallTool]]:
    @contextmanager
    def opened(world: World) -> Iterator[CallTool]:
        quick = timed(world, desk.call, 14)

        def call(tool: str, arguments: Arguments) -> JsonValue:
            return _create(world, desk, arguments) if tool == "shipment.create" else quick(tool, arguments)

        yield call

    return opened


def _create(world: World, desk: Desk, arguments: Arguments) -> JsonValue:
    attributes: Flat = {
        "rpc.system": "grpc",
        "rpc.service": SERVICE,
        "rpc.method": "Create",
        "rpc.request.metadata.idempotency-key": [str(arguments["idempotency_key"])],
        "server.address": "shipping.example.net",
        "server.port": 443,
    }
    tracer = world.tracer(AGENT, "grpc.client")
    with span(tracer, METHOD, attributes, kind=SpanKind.CLIENT) as client:
        world.wait(7.4)
        try:
            answer = _serve(world, desk, arguments, attributes)
        except ToolFailed:
            world.wait(212)
            client.set_attribute("rpc.grpc.status_code", 14)
            raise
        world.wait(7.1)
        client.set_attribute("rpc.grpc.status_code", 0)
    return answer


def _serve(world: World, desk: Desk, arguments: Arguments, attributes: Flat) -> JsonValue:
    """Run the service's side: to itself every request went well, also the one whose answer was lost on the way."""
    lost: ToolFailed | None = None
    answer: JsonValue = None
    with span(world.tracer(SHIPPING, "grpc.server"), METHOD, attributes, kind=SpanKind.SERVER) as server:
        label = {"db.system.name": "postgresql", "db.operation.name": "INSERT", "db.collection.name": "shipments"}
        with span(world.tracer(SHIPPING, "shipments.db"), "INSERT shipments", label, kind=SpanKind.CLIENT):
            world.wait(6.2)
        try:
            answer = desk.call("shipment.create", arguments)
        except ToolFailed as failure:
            lost = failure
        world.wait(83)
        server.set_attribute("rpc.grpc.status_code", 0)
    if lost:
        raise lost
    return answer
