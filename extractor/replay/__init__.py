"""What a test imports to replay a case. No heavy import, ever: the standard library alone."""

from __future__ import annotations

from .boundary import Check, Run, Verdict
from .case import ReplayCase, case_folders, load_case
from .clock import FrozenClock
from .deadline import Deadline
from .effects import Effects
from .events import ToolEvent
from .exchange import Message, ModelAnswer, ModelRequest
from .faults import (
    AdapterFailed,
    AgentFailed,
    CallMismatch,
    HarnessDefect,
    LiveCall,
    NotExpressible,
    NothingRecorded,
    RecordedToolError,
    ReplayFault,
)
from .guard import Allow, Guard
from .identity import Identity
from .scripted_model import ScriptedModel
from .session import Session, current
from .tools import ScriptedTools, Unconsumed
from .turns import Turn

__all__ = [
    "AdapterFailed",
    "AgentFailed",
    "Allow",
    "CallMismatch",
    "Check",
    "Deadline",
    "Effects",
    "FrozenClock",
    "Guard",
    "HarnessDefect",
    "Identity",
    "LiveCall",
    "Message",
    "ModelAnswer",
    "ModelRequest",
    "NotExpressible",
    "NothingRecorded",
    "RecordedToolError",
    "ReplayCase",
    "ReplayFault",
    "Run",
    "ScriptedModel",
    "ScriptedTools",
    "Session",
    "ToolEvent",
    "Turn",
    "Unconsumed",
    "Verdict",
    "case_folders",
    "current",
    "load_case",
]
