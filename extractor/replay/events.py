"""The recorded calls of a case, as a script holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from extractor.model.json import JsonValue

from .faults import RecordedToolError

Arguments: TypeAlias = Mapping[str, JsonValue]

_HOPELESS = frozenset({"local_deadline", "caller_cancelled"})
_WORTH_A_RETRY = frozenset({"remote_timeout", "connection_error", "late_response"})


@dataclass(frozen=True)  # no slots: the first five may be given by position
class ToolEvent:
    """One recorded attempt of a tool call, with its outcome: ``outcome_type`` is result or error.

    The first five members are all that a hand-written test needs. ``role`` is ``violation`` for the recorded harm, which a
    fixed version need not repeat; ``after`` names attempts that must come first; times are in ms from the case's start.
    """

    tool: str
    arguments: Arguments
    outcome_type: str
    value: JsonValue = None
    error: str | None = None
    attempt: int | None = field(default=None, kw_only=True)
    role: Literal["evidence", "violation"] = field(default="evidence", kw_only=True)
    call_id: str | None = field(default=None, kw_only=True)
    logical_call: int | None = field(default=None, kw_only=True)
    idempotency_key: str | None = field(default=None, kw_only=True)
    side_effect: str = field(default="none", kw_only=True)
    error_type: str | None = field(default=None, kw_only=True)
    ended_by: str | None = field(default=None, kw_only=True)
    value_text: str | None = field(default=None, kw_only=True)
    timing: Mapping[str, float | None] = field(default_factory=dict, kw_only=True)
    after: tuple[int, ...] | None = field(default=None, kw_only=True)

    def failure(self) -> RecordedToolError:
        """Return the recorded error, as the agent met it; an error without words is an error all the same."""
        retryable = None
        if self.ended_by in _WORTH_A_RETRY:
            retryable = True
        elif self.ended_by in _HOPELESS:
            retryable = False
        return RecordedToolError(
            self.error or "recorded tool error",
            error_class=self.error_type,
            ended_by=self.ended_by,
            retryable=retryable,
        )


def tool_event(event: Mapping[str, JsonValue]) -> ToolEvent:
    """Return one of ``tool_events[]`` or ``alternates[]`` of a fixture whose structure was checked."""
    outcome = _members(event.get("outcome"))
    timing = _members(event.get("timing"))
    after = event.get("after")
    arguments = event.get("arguments")
    return ToolEvent(
        tool=str(event["tool"]),
        arguments=arguments if isinstance(arguments, dict) else {"arguments": arguments},
        outcome_type=str(outcome.get("type")),
        value=outcome.get("value"),
        error=_text(outcome.get("error")),
        attempt=_number(event.get("attempt")),
        role="violation" if event.get("role") == "violation" else "evidence",
        call_id=_text(event.get("call_id")),
        logical_call=_number(event.get("logical_call")),
        idempotency_key=_text(event.get("idempotency_key")),
        side_effect=_text(event.get("side_effect")) or "none",
        error_type=_text(outcome.get("error_type")),
        ended_by=_text(outcome.get("ended_by")),
        value_text=_text(outcome.get("value_text")),
        timing={name: at if isinstance(at, int | float) else None for name, at in timing.items()},
        after=tuple(n for n in after if isinstance(n, int)) if isinstance(after, list) else None,
    )


def _members(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: JsonValue) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
