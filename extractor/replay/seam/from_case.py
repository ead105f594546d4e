"""Answers out of a case, by its own matching: typed, in its order, idempotency keys by their relation."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from extractor.model.json import JsonValue
from extractor.replay.exchange import Message, ModelRequest
from extractor.replay.session import Session

from .errors import Kind, ToolError
from .messages import asked, returned
from .source import ModelCall, Served, ToolCall


class CaseSource:
    """A `Source` over the scripted parts of a session, be it open or not."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()

    def tool(self, call: ToolCall) -> Served:
        """Serve the recorded call that is due and equal."""
        arguments = self._without_new_defaults(call)
        added = call.args is not None and len(arguments) < len(call.args)
        return self._served(call.name, arguments, "defaults" if added else None)

    def next_tool(self, call: ToolCall) -> Served | None:
        """Serve the next recorded call of the name that is due."""
        event = self._session.tools.peek(call.name)
        if event is None:
            return None
        return self._served(call.name, event.arguments, "args")

    def model(self, call: ModelCall) -> Served:
        """Serve the next recorded answer."""
        messages = asked(call.input)
        request = ModelRequest(provider="", model=call.model, messages=messages)
        with self._lock:  # so that what diverged is what this call added
            before = len(self._session.ledger.diverged)
            answer = self._session.answer(request)
            added = [each.what for each in self._session.ledger.diverged[before:]]
        told_otherwise = "input" in added or self._other_instructions(messages)
        divergence = "input" if told_otherwise else next(iter(added), None)
        return Served(value=returned(answer.parts, call.returns, call.form), divergence=divergence)

    def peek(self, kind: Kind, name: str) -> JsonValue:
        """Return the next recorded result of a tool or answer of a model."""
        if kind == "tools":
            event = self._session.tools.peek(name)
            return event.value if event is not None and event.outcome_type == "result" else None
        exchange = self._session.model.peek(name)
        return None if exchange is None else returned(exchange.answer.parts, "value", "content")

    def unused(self) -> list[tuple[Kind, str]]:
        """Return every recorded call that did not come, a recorded violation among them."""
        tools: list[tuple[Kind, str]] = [("tools", event.tool) for _, event in self._session.tools.unconsumed()]
        return tools + [("llm", str(event.model)) for _, event in self._session.model.unconsumed()]

    def changes_something(self, tool: str) -> bool:
        """Say what the recorded side effects of the tool say."""
        case = self._session.case
        return any(
            event.tool == tool and event.side_effect != "none" for event in (*case.tool_events, *case.alternates)
        )

    def _other_instructions(self, messages: Sequence[Message]) -> bool:
        """Say whether the model was given instructions that no recorded template holds; templates without text say nothing."""
        held = [
            template.get("content")
            for template in self._session.case.listed("templates")
            if template.get("role") == "system"
        ]
        if not held or not all(isinstance(content, str) for content in held):
            return False
        told = (part.get("text") for each in messages if each.role == "system" for part in each.parts)
        return any(text is not None and text not in held for text in told)

    def _served(self, tool: str, arguments: Mapping[str, object], divergence: str | None) -> Served:
        try:
            return Served(value=self._session.call_tool(tool, arguments), divergence=divergence)
        except ToolError as failure:
            return Served(error=failure, divergence=divergence)

    def _without_new_defaults(self, call: ToolCall) -> Mapping[str, object]:
        """Leave out parameters that the recorded call did not have and that this one did not give."""
        arguments = call.args or {}
        due = self._session.tools.peek(call.name) if call.defaulted else None
        if due is None:
            return arguments
        return {name: value for name, value in arguments.items() if name in due.arguments or name not in call.defaulted}
