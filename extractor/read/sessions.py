"""Which attributes name the conversation that a span belongs to."""

from __future__ import annotations

from collections.abc import Iterator

from extractor.model.span import Attributes

SESSION_KEYS = frozenset(
    {
        "session.id",
        "gen_ai.conversation.id",
        "langfuse.session.id",
        "langsmith.metadata.session_id",
        "langsmith.metadata.thread_id",
        "langsmith.metadata.conversation_id",
        "traceloop.association.properties.session_id",
        "traceloop.association.properties.chat_id",
        "traceloop.association.properties.conversation_id",
        "ai.telemetry.metadata.sessionId",
        "gcp.vertex.agent.session_id",
        "mlflow.trace.session",
        "braintrust.metadata.session_id",
    }
)


def sessions_of(attributes: Attributes) -> Iterator[str]:
    """Yield the session ids among the attributes of a span or a trace."""
    for key, value in attributes:
        if key in SESSION_KEYS and isinstance(value, str) and value:
            yield value
