"""Where answers come from while nothing is live: a case, an imported bundle, or the session that is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from extractor.model.json import JsonValue

from .errors import Kind, ToolError
from .messages import Form, Returns


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of a tool. ``args`` is None where the agent gave none; ``defaulted`` are names that it left to their defaults."""

    name: str
    args: Mapping[str, object] | None
    defaulted: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A question to a model, and in what form its answer is wanted."""

    model: str
    input: object
    returns: Returns
    form: Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A recorded answer: a value, or the failure that production saw.

    ``divergence`` says what of the question differs from the recorded one, None for nothing.
    """

    value: JsonValue = None
    error: ToolError | None = None
    divergence: str | None = None


class Source(Protocol):
    """Serves recorded answers, from any thread; raises a `ReplayFault` where it cannot."""

    def tool(self, call: ToolCall) -> Served:
        """Serve a recorded call that equals this one."""
        ...

    def next_tool(self, call: ToolCall) -> Served | None:
        """Serve the next recorded call of this name, whatever its arguments; None when there is none."""
        ...

    def model(self, call: ModelCall) -> Served:
        """Serve the next recorded answer of this model, else of any."""
        ...

    def peek(self, kind: Kind, name: str) -> JsonValue:
        """Return the next recorded output without consuming it, None when there is none or it is an error."""
        ...

    def unused(self) -> list[tuple[Kind, str]]:
        """Return what was recorded and not asked for."""
        ...

    def changes_something(self, tool: str) -> bool:
        """Say whether a recorded call of this tool had a side effect, or may have had one."""
        ...
