"""What any way of writing an agent's spans can do; one class a dialect."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from opentelemetry.sdk.trace import Tracer

from sample_traces.agents import Arguments, CallModel, CallTool, JsonValue, Message, Request

from .world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """Which agent ran: its name, versions, model and the tools it may call (name → description)."""

    agent: str
    workflow_version: str
    prompt_version: str
    policy_version: str
    model: str
    tools: Mapping[str, str]
    parameters: Mapping[str, float | int] = field(default_factory=lambda: {"temperature": 0.2, "max_tokens": 800})


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """A page of the help centre, as retrieval returns it."""

    id: str
    score: float
    content: str


class Telemetry(ABC):
    """Wraps what an agent calls, so that each call becomes a span of one dialect; the agent knows nothing of it."""

    def __init__(self, world: World, tracer: Tracer, deployment: Deployment, request: Request) -> None:
        self.world = world
        self.tracer = tracer
        self.deployment = deployment
        self.request = request
        self._call_ids: dict[str, str] = {}

    def model(self, call_model: CallModel) -> CallModel:
        """Return the model with a span around each call."""

        def traced(instructions: str, messages: Sequence[Message]) -> Message:
            reply = self.chat(call_model, instructions, messages)
            self._call_ids = {part["name"]: part["id"] for part in reply["parts"] if part["type"] == "tool_call"}
            return reply

        return traced

    def tool(self, call_tool: CallTool) -> CallTool:
        """Return the tools with a span around each call; a call that the model asked for carries its id."""

        def traced(tool: str, arguments: Arguments) -> JsonValue:
            return self.execute(call_tool, tool, arguments, self._call_ids.get(tool))

        return traced

    @contextmanager
    @abstractmethod
    def agent(self, answers: list[str]) -> Iterator[None]:
        """Open the agent's span; the last of ``answers`` is what the user was told when it closes."""

    @abstractmethod
    def chat(self, call_model: CallModel, instructions: str, messages: Sequence[Message]) -> Message:
        """Call the model within a span."""

    @abstractmethod
    def execute(self, call_tool: CallTool, tool: str, arguments: Arguments, call_id: str | None) -> JsonValue:
        """Call a tool within a span."""

    @abstractmethod
    def retrieve(self, query: str, articles: Sequence[Article]) -> None:
        """Write the spans of a look into the help centre: an embedding and a retrieval."""


def tokens(text: str) -> int:
    """Return about how many tokens a text has."""
    return max(1, len(text) // 4)
