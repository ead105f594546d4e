"""The scripted tools of a replay: recorded outcomes for recorded calls, and for nothing else."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping, Sequence
from typing import NoReturn

from extractor.model.json import JsonValue

from .deadline import Deadline
from .effects import Effects
from .events import Arguments, ToolEvent
from .faults import CallMismatch, NothingRecorded
from .ledger import Ledger
from .matching import Renaming, as_json, difference, keys_of, short
from .order import Order, Ordering

_REVIEW = (
    "decide whether this is the fix: correct the code, or capture a new version of the case from a run of the fixed code "
    "(recapture), or record the decision; the recorded sequence is never rewritten"
)
_RECAPTURE = (
    "if a fixed path makes this call, give the case an alternate for it, or recapture from a run of the fixed code"
)
_HARM = "if the recorded call is the harm itself, say so: annotate CASE --violation {attempt}"


class Unconsumed(AssertionError):
    """A replay ended before recorded calls that every implementation must make."""


class ScriptedTools:
    """Answers tool calls from a recording; thread-safe.

    A call is served by the recorded one that is due and equal to it: typed arguments, idempotency keys by their relation.
    Calls that only a fixed path makes are answered by ``alternates`` or, where a dependency had accepted the same call, by
    ``effects``. Every other call raises a fault that no ``except Exception`` catches, and stays in the ledger.
    """

    def __init__(
        self,
        events: Sequence[ToolEvent],
        *,
        ordering: Ordering = "total",
        alternates: Sequence[ToolEvent] = (),
        recorded_only: bool = False,
        ledger: Ledger | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        self._events = tuple(events)
        self._order = Order(self._events, ordering)
        self._alternates = [] if recorded_only else list(alternates)
        self._recorded_only = recorded_only
        self._ledger = ledger or Ledger()
        self._deadline = deadline
        self._names = Renaming()
        self._lock = threading.RLock()
        self.effects = Effects(self._events, self._names)
        self.calls: list[tuple[str, Arguments]] = []

    def call(self, tool: str, arguments: Mapping[str, object] | None = None) -> JsonValue:
        """Return the recorded result of this call, a copy of its own.

        Raises `RecordedToolError` where production saw an error; `CallMismatch`, `NothingRecorded` (outside `Exception`) where
        the recording has no answer.
        """
        event = self.serve(tool, arguments)
        if event.value is None and event.attempt is None:
            return {}  # written by hand, without a value
        return as_json(event.value)

    async def acall(self, tool: str, arguments: Mapping[str, object] | None = None) -> JsonValue:
        """Return what `call` does, for agents that await their tools; other tasks may run before the answer."""
        # Not asyncio.sleep(0): no event loop of one kind is taken for granted.
        await _Pause()
        return self.call(tool, arguments)

    def serve(self, tool: str, arguments: Mapping[str, object] | None = None) -> ToolEvent:
        """Return the event that answers a call, for adapters that need more than its value; raises as `call` does."""
        called = self._plain(tool, arguments or {})
        with self._lock:
            event = self._answer(tool, called)
            self.calls.append((tool, called))
            self.effects.record(event, called)
        if self._deadline is not None:
            event = self._deadline.settle(event)
        if event.outcome_type == "error":
            raise event.failure()
        return event

    def peek(self, tool: str) -> ToolEvent | None:
        """Return the next recorded call of a tool without consuming it, None when there is none."""
        with self._lock:
            return next((self._events[place] for place in self._order.due() if self._events[place].tool == tool), None)

    def unconsumed(self) -> list[tuple[int, ToolEvent]]:
        """Return the recorded calls that did not come, by position; those with role ``evidence`` must come."""
        with self._lock:
            return [(place, self._events[place]) for place in self._order.open()]

    def assert_consumed(self) -> None:
        """Raise `Unconsumed` unless every recorded call came that must; a call that missed is raised again."""
        for _, fault in self._ledger.missed:
            raise fault
        remaining = [event.tool for _, event in self.unconsumed() if event.role == "evidence"]
        if remaining:
            raise Unconsumed(f"replay ended before recorded calls: {remaining}")

    def _plain(self, tool: str, arguments: Mapping[str, object]) -> Arguments:
        try:
            plain = as_json(arguments)
        except TypeError as error:
            fault = CallMismatch(
                f"tool replay mismatch: {tool} was called with {error}, which no recording can hold",
                code="not_json",
                called=f"tools:{tool}",
                cure="convert the argument in the agent, as it must before the call leaves the process",
            )
            raise self._ledger.fail(fault) from None
        return plain if isinstance(plain, dict) else {}

    def _answer(self, tool: str, arguments: Arguments) -> ToolEvent:
        for place in self._order.due():
            event = self._events[place]
            if event.tool == tool and self._differs(event, arguments) is None:
                self._order.take(place)
                self._bind(event, arguments)
                self._ledger.serve("tools", tool, "recorded")
                return event
        for alternate in self._alternates:
            if alternate.tool == tool and self._differs(alternate, arguments) is None:
                self._alternates.remove(alternate)
                self._bind(alternate, arguments)
                self._ledger.serve("tools", tool, "alternate")
                return alternate
        if not self._recorded_only and not self._key_conflict(tool, arguments):
            made = self.effects.answer(tool, arguments)
            if made is not None:
                self._ledger.serve("tools", tool, "effects")
                return made
        return self._refuse(tool, arguments)

    def _differs(self, event: ToolEvent, arguments: Arguments) -> str | None:
        return difference(event.arguments, arguments, key=event.idempotency_key, names=self._names)

    def _bind(self, event: ToolEvent, arguments: Arguments) -> None:
        if event.idempotency_key is not None:
            for key in keys_of(event.arguments, arguments, event.idempotency_key):
                self._names.bind(event.idempotency_key, key)

    def _key_conflict(self, tool: str, arguments: Arguments) -> ToolEvent | None:
        """Return the evidence that is due and that only its key keeps from being this call."""
        for place in self._order.due():
            event = self._events[place]
            if event.tool != tool or event.role == "violation" or event.idempotency_key is None:
                continue
            if difference(event.arguments, arguments, key=event.idempotency_key, names=Renaming()) is None:
                return event
        return None

    def _refuse(self, tool: str, arguments: Arguments) -> NoReturn:
        called = f"tools:{tool}"
        due = [(place, self._events[place]) for place in self._order.due()]
        same = [(place, event) for place, event in due if event.tool == tool]
        ever = [(place, event) for place, event in enumerate(self._events) if event.tool == tool]
        message = f"unexpected extra tool call: {tool} {short(arguments)}"
        if due:
            expected = (same or due)[0][1]
            message = f"tool replay mismatch: expected {expected.tool} {short(expected.arguments)}, got {tool} {short(arguments)}"
        if not ever:
            fault: NothingRecorded | CallMismatch = NothingRecorded(
                f"no recorded call for {called}, never a live call\n{message}",
                code="missing",
                called=called,
                nearest=f"tool_events[{due[0][0]}]" if due else None,
                cure=_RECAPTURE,
            )
        else:
            place, event = (same or ever)[0]
            path = self._differs(event, arguments)
            conflict = self._key_conflict(tool, arguments)
            fault = CallMismatch(
                message,
                code="mismatch" if same else ("order" if due else "extra"),
                called=called,
                nearest=f"tool_events[{place}]",
                path=f"arguments{path}" if path is not None else None,
                cure=_HARM.format(attempt=event.attempt or place + 1) if conflict else _REVIEW,
            )
        raise self._ledger.fail(fault)


class _Pause:
    """Awaiting it lets the event loop go round once."""

    def __await__(self) -> Generator[None, None, None]:
        yield
