"""The recovery on the day the clocks changed, and two of the same minute in other zones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from opentelemetry.sdk.trace import ReadableSpan

from sample_traces.agents import CallTool
from sample_traces.recording.conversation import Conversation, Grade, record, timed
from sample_traces.recording.openinference import OpenInference
from sample_traces.recording.telemetry import Article, Deployment
from sample_traces.recording.world import Service, World

from .agent import run_buggy
from .scenario import BYSTANDERS, INSTANT, NADIA, Holder, RecoveryDesk, replies, request

AGENT = Service(name="recovery-agent", version="1.9.2", host="recovery-agent-84d5f6b9c7-b2rkv")
DEPLOYMENT = Deployment(
    agent="recovery-agent",
    workflow_version="recovery-flow@5",
    prompt_version="recovery-prompt@9",
    policy_version="recovery-policy@2026-06",
    model="example-small",
    tools={
        "account.find": "Find an account by its address.",
    },
)
ARTICLES = (
    Article(id="help-203", score=0.86, content="The recovery team works from 8 to 18 o'clock, local time, every day."),
    Article(id="help-210", score=0.71, content="After hours you can recover a mailbox with the recovery address."),
)
GRADE = Grade(
    name="wrong-branch",
    version="grader-2026-10",
    score=0.2,
    explanation="Self-service was chosen although the desk reported three people on shift.",
)


def spans() -> list[ReadableSpan]:
    """Record the incident and its bystanders; return all spans."""
    recorded = record(_conversation("recovery-dst", NADIA, 0))
    for number, holder in enumerate(BYSTANDERS, start=1):
        recorded += record(_conversation(f"recovery-bystander-{number}", holder, 0.45 * number))
    return recorded


def _conversation(name: str, holder: Holder, offset_s: float) -> Conversation:
    @contextmanager
    def tools(world: World) -> Iterator[CallTool]:
        yield timed(world, RecoveryDesk(holder=holder).call, 22)

    return Conversation(
        name=name,
        start=INSTANT + timedelta(seconds=offset_s),
        service=AGENT,
        deployment=DEPLOYMENT,
        dialect=OpenInference,
        request=request(holder),
        run=run_buggy,
        replies=replies(holder),
        tools=tools,
        articles=ARTICLES,
        client_address="203.0.113.158",
        grade=GRADE if holder is NADIA else None,
    )
