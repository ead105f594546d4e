"""One turn of a user through a deployed agent, with everything around it that a production trace holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import Span, SpanKind

from sample_traces.agents import Arguments, CallModel, CallTool, JsonValue, Message, Request, Seam

from .telemetry import Article, Deployment, Telemetry
from .world import Flat, Service, World, span


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """What an automated grader said of the answer afterwards: evidence, not truth."""

    name: str
    version: str
    score: float
    explanation: str

    def attributes(self) -> Flat:
        """Return the label as ``eval.*`` attributes."""
        return {
            "eval.name": self.name,
            "eval.version": self.version,
            "eval.label": "fail",
            "eval.score": self.score,
            "eval.explanation": self.explanation,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What is to be recorded. ``name`` seeds the ids; ``replies`` is what the model said, in order."""

    name: str
    start: datetime
    service: Service
    deployment: Deployment
    dialect: type[Telemetry]
    request: Request
    run: Callable[[Request, Seam], str]
    replies: Sequence[Message]
    tools: Callable[[World], AbstractContextManager[CallTool]]
    articles: Sequence[Article]
    client_address: str
    keys: Sequence[str] = ()
    grade: Grade | None = None


def record(conversation: Conversation) -> list[ReadableSpan]:
    """Run the agent and return every span that was written meanwhile, in the order in which they ended."""
    world = World(conversation.name, conversation.start)
    with world.running(), conversation.tools(world) as call_tool:
        _health_check(world, conversation.service)
        world.wait(140)
        with _gateway(world, conversation) as root:
            _prepare(world, conversation)
            _answer(world, conversation, call_tool)
            _moderate(world, conversation.service, "output")
            _audit(world, conversation.service)
            if conversation.grade:
                root.set_attributes(conversation.grade.attributes())
    return world.finished


def scripted(replies: Sequence[Message]) -> CallModel:
    """Return a model that gives the next of its replies whatever it is asked."""
    rest = iter(replies)
    return lambda _instructions, _messages: next(rest)


def timed(world: World, call_tool: CallTool, milliseconds: float) -> CallTool:
    """Return tools that take their time."""

    def call(tool: str, arguments: Arguments) -> JsonValue:
        world.wait(milliseconds + 3 * len(tool))
        return call_tool(tool, arguments)

    return call


def _answer(world: World, conversation: Conversation, call_tool: CallTool) -> None:
    deployment, request = conversation.deployment, conversation.request
    tracer = world.tracer(conversation.service, f"agents.{deployment.agent}", conversation.service.version)
    telemetry = conversation.dialect(world, tracer, deployment, request)
    keys = iter(conversation.keys)
    seam = Seam(
        call_model=telemetry.model(scripted(conversation.replies)),
        call_tool=telemetry.tool(call_tool),
        now=world.clock.now,
        new_key=lambda: next(keys),
    )
    answers: list[str] = []
    with telemetry.agent(answers):
        telemetry.retrieve(request.text, conversation.articles)
        answers.append(conversation.run(request, seam))


@contextmanager
def _gateway(world: World, conversation: Conversation) -> Iterator[Span]:
    request, deployment = conversation.request, conversation.deployment
    attributes: Flat = {
        "http.request.method": "POST",
        "http.route": "/v1/conversations/{id}/turns",
        "url.path": f"/v1/conversations/{request.conversation}/turns",
        "client.address": conversation.client_address,
        "user.id": request.subject,
        "user.roles": list(request.roles),
        "session.id": request.conversation,
        "app.tenant.id": request.tenant,
        "app.identity.verified": request.verified,
        "app.locale": request.locale,
        "app.time_zone": request.time_zone,
        "app.workflow.version": deployment.workflow_version,
        "app.prompt.version": deployment.prompt_version,
        "app.policy.version": deployment.policy_version,
        "app.request.deadline_ms": 30_000,
    }
    tracer = world.tracer(conversation.service, "support.gateway", conversation.service.version)
    with span(tracer, "POST /v1/conversations/{id}/turns", attributes, kind=SpanKind.SERVER) as root:
        flag = {"feature_flag.key": "streamed-answers", "feature_flag.result.variant": "off"}
        root.add_event("feature_flag.evaluation", {**flag, "feature_flag.provider.name": "flags"})
        yield root
        root.set_attribute("http.response.status_code", 200)


def _prepare(world: World, conversation: Conversation) -> None:
    """Write what a gateway does before an agent is asked: session, rate limit, profile, moderation."""
    request = conversation.request
    cache: Flat = {"db.system.name": "redis", "server.address": "cache.example.net"}
    session = {"db.operation.name": "GET", "db.query.text": f"GET session:{request.conversation}"}
    _call(world, conversation.service, "cache.client", "GET", cache | session, 1.3)
    limit = {"db.operation.name": "INCR", "db.query.text": f"INCR rate:{request.subject}"}
    _call(world, conversation.service, "cache.client", "INCR", cache | limit, 0.8)
    profile: Flat = {
        "db.system.name": "postgresql",
        "db.operation.name": "SELECT",
        "db.collection.name": "profiles",
        "db.query.text": "SELECT locale, time_zone FROM profiles WHERE subject = $1",
        "db.query.parameter.1": request.subject,
        "server.address": "profiles-db.example.net",
    }
    _call(world, conversation.service, "profiles.db", "SELECT profiles", profile, 5.1)
    _moderate(world, conversation.service, "input")


def _moderate(world: World, service: Service, side: str) -> None:
    attributes: Flat = {
        "http.request.method": "POST",
        "url.full": "https://moderation.example.net/v2/scores",
        "server.address": "moderation.example.net",
        "http.response.status_code": 200,
        "moderation.side": side,
        "moderation.flagged": False,
    }
    _call(world, service, "moderation.client", "POST", attributes, 37)


def _call(world: World, service: Service, scope: str, name: str, attributes: Flat, milliseconds: float) -> None:
    with span(world.tracer(service, scope), name, attributes, kind=SpanKind.CLIENT):
        world.wait(milliseconds)


def _audit(world: World, service: Service) -> None:
    attributes = {
        "messaging.system": "kafka",
        "messaging.operation.type": "send",
        "messaging.destination.name": "audit.turns",
    }
    with span(world.tracer(service, "audit"), "send audit.turns", attributes, kind=SpanKind.PRODUCER):
        world.wait(2.2)


def _health_check(world: World, service: Service) -> None:
    attributes: Flat = {"http.request.method": "GET", "http.route": "/healthz", "http.response.status_code": 200}
    with span(
        world.tracer(service, "support.gateway", service.version), "GET /healthz", attributes, kind=SpanKind.SERVER
    ):
        world.wait(0.4)
