"""One seam for an agent's calls: live in production, recorded as spans; answered from a recording in a replay.

Outside of `fixtures` and of a session everything is live. Inside, everything of the process is answered from the recording:
threads and pools too, since what is open is open for the whole process. docs/replay-seam.md.
"""

from .calls import Agent, acall_llm, acall_tool, agent, call_llm, call_tool
from .decorator import observe
from .errors import ReplayError, ReplayEvent, ToolError
from .fixtures import fixture, fixtures
from .recording import recording
from .report import Report

__all__ = [
    "Agent",
    "ReplayError",
    "ReplayEvent",
    "Report",
    "ToolError",
    "acall_llm",
    "acall_tool",
    "agent",
    "call_llm",
    "call_tool",
    "fixture",
    "fixtures",
    "observe",
    "recording",
]
