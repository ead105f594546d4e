"""What a call of the seam can end with.

ReplayFault (BaseException)
└── ReplayError        reason, kind, key, message, detail; outside `Exception`
    ├── Unanswered     missing, exhausted model answers, load (label incomplete); a `NothingRecorded` too
    └── Mismatched     mismatch, exhausted tool calls (label needs_review); a `CallMismatch` too

ToolError is `RecordedToolError`: the failure that production saw, for the agent to handle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from extractor.replay.faults import CallMismatch, NothingRecorded, RecordedToolError, ReplayFault

Reason: TypeAlias = Literal["missing", "exhausted", "mismatch", "load"]
Kind: TypeAlias = Literal["tools", "llm"]

ToolError = RecordedToolError


class ReplayError(ReplayFault):
    """A recording cannot answer a call, or cannot be loaded; never a live call.

    ``kind`` is ``tools`` or ``llm``, ``key`` the name of the tool or the model, ``detail`` what more is known.
    """

    def __init__(
        self,
        reason: Reason,
        kind: Kind | None,
        key: str | None,
        message: str,
        *,
        detail: str | None = None,
        nearest: str | None = None,
        path: str | None = None,
        cure: str | None = None,
    ) -> None:
        called = f"{kind}:{key}" if kind is not None else None
        super().__init__(message, code=reason, called=called, nearest=nearest, path=path, cure=cure)
        self.reason: Reason = reason
        self.kind: Kind | None = kind
        self.key = key
        self.detail = detail


class Unanswered(ReplayError, NothingRecorded):
    """Nothing was recorded that could answer."""


class Mismatched(ReplayError, CallMismatch):
    """Another call was recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayEvent:
    """A fault as a report tells it; ``reason`` is the code of the fault."""

    reason: str
    kind: str | None
    key: str | None
    message: str


def event_of(fault: ReplayFault) -> ReplayEvent:
    """Return what a report says of a fault."""
    kind, _, key = (fault.called or "").partition(":")
    return ReplayEvent(reason=fault.code, kind=kind or None, key=key or None, message=fault.message)


_REASONS: dict[str, Reason] = {"missing": "missing", "exhausted": "exhausted", "extra": "exhausted"}


def replay_error(fault: NothingRecorded | CallMismatch, kind: Kind, key: str) -> ReplayError:
    """Return a fault of the scripted parts as one of the seam."""
    made = Unanswered if isinstance(fault, NothingRecorded) else Mismatched
    return made(
        _REASONS.get(fault.code, "mismatch"),
        kind,
        key,
        fault.message,
        detail=fault.code,
        nearest=fault.nearest,
        path=fault.path,
        cure=fault.cure,
    )
