"""The scripted tools of a replay: recorded outcomes for recorded calls, and for nothing else."""

from __future__ import annotations

import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NoReturn

from extractor.model.json import JsonValue, leaves

from .deadline import Deadline
from .effects import Effects
from .events import Arguments, ToolEvent
from .faults import CallMismatch, NotExpressible, NothingRecorded
from .ledger import Divergence, Ledger, Source
from .matching import Renaming, as_json, difference, keys_of, short
from .order import Order, Ordering
from .racing.shared_state import SharedState

if TYPE_CHECKING:  # it imports asyncio, which takes longer than all of replay
    from .racing.schedule import Schedule

_REVIEW = (
    "decide whether this is the fix: correct the code, or capture a new version of the case from a run of the fixed code "
    "(recapture), or record the decision; the recorded sequence is never rewritten"
)
_RECAPTURE = (
    "if a fixed path makes this call, give the case an alternate for it, or recapture from a run of the fixed code"
)
_STALE = (
    "give the case an alternate for this read, with what it answers once the other worker's call was accepted, or recapture "
    "from a run of the fixed code"
)
_SCHEDULE = (
    "run it within explore() of extractor.replay.racing.explore (or with --interleavings N): a green run in one order says nothing "
    "about the others"
)
_RECORDED: Final[Source] = "recorded"
_ALTERNATE: Final[Source] = "alternate"
_HARM = "if the recorded call is the harm itself, say so: annotate CASE --violation {attempt}"


class Unconsumed(AssertionError):
    """A replay ended before recorded calls that every implementation must make."""


class ScriptedTools:
    """Answers tool calls from a recording; thread-safe.

    A call is served by the recorded one that is due and equal to it: typed arguments, idempotency keys by their relation.
    Calls that only a fixed path makes are answered by ``alternates`` or, where a dependency had accepted the same call, by
    ``effects``. Every other call raises a fault that no ``except Exception`` catches, and stays in the ledger.

    With a ``schedule`` each call waits for its turn. Without one, a second worker in the concurrent section of the recording
    is `NotExpressible`. In that section a read whose recorded answer knew of other effects than this run has seen is answered
    by an alternate, which stands in for it, or not at all.

    ``lenient`` serves the next recorded call of a tool, where one is due, to a call that nothing else answers, and the ledger says
    where they differ.
    """

    def __init__(
        self,
        events: Sequence[ToolEvent],
        *,
        ordering: Ordering = "total",
        alternates: Sequence[ToolEvent] = (),
        recorded_only: bool = False,
        lenient: bool = False,
        ledger: Ledger | None = None,
        deadline: Deadline | None = None,
        schedule: Schedule | None = None,
    ) -> None:
        self._events = tuple(events)
        self._order = Order(self._events, ordering)
        self._alternates = [] if recorded_only else list(alternates)
        self._recorded_only = recorded_only
        self._lenient = lenient
        self._ledger = ledger or Ledger()
        self._deadline = deadline
        self._schedule = schedule
        self._home = threading.current_thread()
        self._workers: set[object] = set()
        self._state = SharedState(self._events, self._order.section)
        self._names = Renaming()
        self._data = _data(self._events)
        self._lock = threading.RLock()
        self.effects = Effects(self._events, self._names)
        self._calls: list[tuple[str, Arguments]] = []

    @property
    def calls(self) -> list[tuple[str, Arguments]]:
        """The calls that were made, answered or not, in their order: a list of the caller's own."""
        return list(self._calls)

    def call(self, tool: str, arguments: Mapping[str, object] | None = None) -> JsonValue:
        """Return the recorded result of this call, a copy of its own.

        Raises `RecordedToolError` where production saw an error; `CallMismatch`, `NothingRecorded` (outside `Exception`) where
        the recording has no answer.
        """
        return self._value(self.serve(tool, arguments))

    def _value(self, event: ToolEvent) -> JsonValue:
        if event.value is None and event.attempt is None:
            return {}  # written by hand, without a value
        return as_json(event.value)

    async def acall(self, tool: str, arguments: Mapping[str, object] | None = None) -> JsonValue:
        """Return what `call` does, for agents that await their tools; other tasks may run before the answer."""
        if self._schedule is not None:
            await self._schedule.apark(tool, self._plain(tool, arguments or {}))
            return self._value(self._served(tool, arguments, parked=True))
        # Not asyncio.sleep(0): no event loop of one kind is taken for granted.
        await _Pause()
        return self.call(tool, arguments)

    def serve(self, tool: str, arguments: Mapping[str, object] | None = None) -> ToolEvent:
        """Return the event that answers a call, for adapters that need more than its value; raises as `call` does."""
        # Parking a task's thread would park its whole event loop: such a call comes whenever it comes.
        parked = self._schedule is not None and _task() is None
        if self._schedule is not None and parked:
            self._schedule.park(tool, self._plain(tool, arguments or {}))
        return self._served(tool, arguments, parked=parked)

    def place(self, tool: str, arguments: Arguments) -> int:
        """Return the position of the recorded call that would answer, behind all of them when there is none."""
        with self._lock:
            place = self._due(tool, arguments)
        return len(self._events) if place is None else place

    @property
    def concurrent(self) -> bool:
        """Whether calls overlapped in production, so that one order of them does not speak for the others."""
        return bool(self._order.section)

    def _served(self, tool: str, arguments: Mapping[str, object] | None, *, parked: bool) -> ToolEvent:
        called = self._plain(tool, arguments or {})
        with self._lock:
            if not parked:
                self._alone(tool)
            event, place = self._answer(tool, called)
            self._calls.append((tool, called))
            self._state.accept(event, place, called)
            self.effects.record(event, called)
        if self._deadline is not None:
            event = self._deadline.settle(event)
        if event.outcome_type == "error":
            raise event.failure()
        return event

    def peek(self, tool: str) -> ToolEvent | None:
        """Return the next recorded call of a tool without consuming it, None when there is none."""
        with self._lock:
            place = self._next(tool)
        return None if place is None else self._events[place]

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

    def _alone(self, tool: str) -> None:
        """Refuse a second worker where the order of workers decides and nothing imposes one."""
        if not self._order.in_section:
            return
        # Kept themselves, not by id: an id may come back once its task has gone. A pool serves two workers with one thread
        # when the first is quick enough, so any thread but the session's own is one among others.
        self._workers.add(_task() or self._home)
        if len(self._workers) > 1 or threading.current_thread() is not self._home:
            raise self._ledger.fail(
                NotExpressible(
                    f"{tool} was called by a second worker, and nothing orders the calls that overlapped in production",
                    code="no_schedule",
                    called=f"tools:{tool}",
                    nearest=f"tool_events[{self._order.section.places.start}]",
                    cure=_SCHEDULE,
                )
            )

    def _due(self, tool: str, arguments: Arguments) -> int | None:
        """Return the position of the recorded call that is due and equal to this one, None when there is none."""
        for place in self._order.due():
            if self._events[place].tool == tool and self._differs(self._events[place], arguments) is None:
                return place
        return None

    def _answer(self, tool: str, arguments: Arguments) -> tuple[ToolEvent, int | None]:
        """Return what answers a call, and the position of the recorded call that it is, None for one that was not recorded."""
        place = self._due(tool, arguments)
        if place is not None:
            return self._take(place, arguments), place
        for alternate in self._alternates:
            if (
                alternate.tool == tool
                and self._differs(alternate, arguments) is None
                and not self._too_early(alternate, arguments)
            ):
                self._alternates.remove(alternate)
                self._bind(alternate, arguments)
                self._ledger.serve("tools", tool, "alternate")
                return alternate, None
        if not self._recorded_only and not self._key_conflict(tool, arguments):
            made = self.effects.answer(tool, arguments)
            if made is not None:
                self._ledger.serve("tools", tool, "effects")
                return made, None
        if self._lenient and (place := self._next(tool)) is not None:
            what = f"arguments{self._differs(self._events[place], arguments) or ''}"
            self._ledger.diverge(Divergence(kind="tools", name=tool, position=place, what=what))
            return self._take(place, arguments), place
        return self._refuse(tool, arguments)

    def _next(self, tool: str) -> int | None:
        return next((place for place in self._order.due() if self._events[place].tool == tool), None)

    def _take(self, place: int, arguments: Arguments) -> ToolEvent:
        """Return the answer of a recorded call that is due, which is consumed."""
        event, source = self._events[place], _RECORDED
        if self._state.outdated(place, arguments):
            event, source = self._instead(place, arguments), _ALTERNATE
        self._order.take(place)
        self._bind(event, arguments)
        self._ledger.serve("tools", event.tool, source)
        return event

    def _too_early(self, alternate: ToolEvent, arguments: Arguments) -> bool:
        """Say whether an alternate of a read in the section would tell of an effect before there is one."""
        if alternate.side_effect != "none" or not self._state.untouched(arguments):
            return False
        reads = [self._events[place] for place in self._order.section.places]
        return any(
            event.tool == alternate.tool and event.side_effect == "none" and self._differs(event, arguments) is None
            for event in reads
        )

    def _instead(self, place: int, arguments: Arguments) -> ToolEvent:
        """Return the alternate that stands in for an outdated read; it may stand in for several."""
        tool = self._events[place].tool
        for alternate in self._alternates:
            if alternate.tool == tool and self._differs(alternate, arguments) is None:
                return alternate
        raise self._ledger.fail(
            NothingRecorded(
                f"{tool} {short(arguments)} comes after other effects than in the recording: its recorded answer is not true here",
                code="outdated",
                called=f"tools:{tool}",
                nearest=f"tool_events[{place}]",
                cure=_STALE,
            )
        )

    def _differs(self, event: ToolEvent, arguments: Arguments) -> str | None:
        # A key that other calls have for data names something, such as the order itself: then its text is what counts.
        key = None if event.idempotency_key in self._data else event.idempotency_key
        return difference(event.arguments, arguments, key=key, names=self._names)

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


def _data(events: Sequence[ToolEvent]) -> frozenset[str]:
    """Return the recorded keys that another call has in its arguments without having them for its key."""
    keys = {event.idempotency_key for event in events} - {None}
    return frozenset(
        text
        for event in (events if keys else ())
        for _, text in leaves(dict(event.arguments))
        if isinstance(text, str) and text in keys and text != event.idempotency_key
    )


def _task() -> object | None:
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None  # nobody can be in a task of what was never imported
    try:
        task: object = asyncio.current_task()
    except RuntimeError:
        return None
    return task


class _Pause:
    """Awaiting it lets the event loop go round once."""

    def __await__(self) -> Generator[None, None, None]:
        yield
