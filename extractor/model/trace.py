"""A trace as acts: the steps that spans of any dialect tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .json import JsonValue
from .reading import Note
from .span import Span

StepKind: TypeAlias = Literal[
    "user_message",
    "assistant_message",
    "model_call",
    "tool_call",
    "retrieval",
    "handoff",
    "guardrail",
    "dependency_call",
    "dependency_receipt",
    "other",
]
Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a message.

    ``type`` is text (``text``), tool_call (``call_id, tool, value`` = arguments), tool_result (``call_id, value``),
    reasoning (``text``) or other (``value`` = the part as it came). ``value_text`` is set when the source held the
    arguments or result as a string; ``value`` is then its parsed form where it parses, else that string.
    """

    type: Literal["text", "tool_call", "tool_result", "reasoning", "other"]
    text: str | None = None
    call_id: str | None = None
    tool: str | None = None
    value: JsonValue = None
    value_text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    role: Role
    parts: tuple[Part, ...]
    name: str | None = None


UNNAMED = "unnamed"
"""The tool of a call of which neither a span nor a message says the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One attempt of a tool. ``arguments`` and ``result`` are parsed; ``*_text`` is set when the source was a string.

    ``error`` is the message the application saw, None when the call succeeded; ``error_type`` its class.
    """

    name: str
    call_id: str | None = None
    arguments: JsonValue = None
    arguments_text: str | None = None
    result: JsonValue = None
    result_text: str | None = None
    error: str | None = None
    error_type: str | None = None
    idempotency_key: str | None = None
    has_result: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """One call of a model: its input in order, its output, and what was asked of it."""

    model: str | None
    provider: str | None = None
    operation: str | None = None
    parameters: Mapping[str, JsonValue] = field(default_factory=dict)
    input: tuple[Message, ...] = ()
    output: tuple[Message, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    content_captured: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One retrieval: the query and the documents as they came."""

    query: str | None
    documents: tuple[JsonValue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """One side of a call to a service. ``status`` is the protocol's code as text, None when none was received."""

    side: Literal["client", "server"]
    protocol: str
    method: str | None = None
    target: str | None = None
    status: str | None = None
    idempotency_key: str | None = None
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One meaningful act and the span it came from; exactly one of the typed members fits its ``kind``.

    ``error_type`` and ``error_message`` are what the span itself says of its failure (status, exception event).
    """

    kind: StepKind
    span: Span
    dialect: str
    tool: ToolCall | None = None
    model: ModelCall | None = None
    retrieval: Retrieval | None = None
    dependency: Dependency | None = None
    error_type: str | None = None
    error_message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Who the run was for, and under which versions, as context attributes of any span say it.

    Each is None, or empty, when no span says it.
    """

    session: str | None = None
    user: str | None = None
    tenant: str | None = None
    roles: tuple[str, ...] = ()
    claims: Mapping[str, JsonValue] = field(default_factory=dict)
    locale: str | None = None
    time_zone: str | None = None
    workflow_version: str | None = None
    prompt_version: str | None = None
    policy_version: str | None = None
    service: str | None = None
    service_version: str | None = None
    environment: str | None = None
    flags: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One incident's spans, and one step for each of them, both in product order (start, trace id, span id)."""

    trace_ids: tuple[str, ...]
    spans: tuple[Span, ...]
    steps: tuple[Step, ...]
    subject: Subject
    dialects: tuple[str, ...]
    notes: tuple[Note, ...] = ()
