"""The side effects of one replay: what the recorded dependencies accepted, under which keys, and how often."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from .events import Arguments, ToolEvent
from .matching import Renaming, difference, keys_of

_EFFECTIVE = frozenset({"accepted", "rejected", "unknown"})


@dataclass(slots=True)
class Count:
    """How often a tool was called, and what that changed; ``keys`` are the distinct idempotency keys of its calls."""

    calls: int = 0
    accepted: int = 0
    unknown: int = 0
    keys: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision of the workflow (``authorization`` is ``allow``), and how many side effects had been accepted before it."""

    kind: str
    value: str
    effects_before: int


class Effects:
    """A simulator at the tool boundary: it knows which keys were accepted, so a retry with one of them is no second effect.

    ``accepted`` and ``calls`` count what this run did, not what was recorded.
    """

    def __init__(self, events: Sequence[ToolEvent] = (), names: Renaming | None = None) -> None:
        self._events = events
        self._names = names or Renaming()
        self._counts: dict[str, Count] = {}
        self._taken: set[tuple[str, str]] = set()
        self._unsure: list[tuple[str, frozenset[str]]] = []
        self._lock = threading.Lock()
        self._decisions: list[Decision] = []
        self._order: list[tuple[str, Arguments]] = []

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions of the workflow, in their order."""
        return tuple(self._decisions)

    @property
    def order(self) -> tuple[tuple[str, Arguments], ...]:
        """The calls whose side effects were accepted, in their order."""
        return tuple(self._order)

    def record(self, event: ToolEvent, arguments: Arguments) -> None:
        """Count a call that was answered by ``event``. What became of a key is known once one of its attempts is accepted."""
        keys = list(_keys(event, arguments))
        with self._lock:
            count = self._counts.setdefault(event.tool, Count())
            count.calls += 1
            count.keys.update(keys)
            if event.side_effect == "unknown":
                self._unsure.append((event.tool, frozenset(keys)))
            if event.side_effect == "accepted":
                fresh = [key for key in keys if (event.tool, key) not in self._taken]
                self._taken.update((event.tool, key) for key in keys)
                if fresh or not keys:
                    count.accepted += 1
                    self._order.append((event.tool, arguments))
            self._recount(event.tool)

    def _recount(self, tool: str) -> None:
        """Count what is still of unknown outcome: attempts without a key, and keys that no attempt settled."""
        open_keys, keyless = set(), 0
        for each, keys in self._unsure:
            if each == tool and not keys:
                keyless += 1
            elif each == tool and not any((tool, key) in self._taken for key in keys):
                open_keys.add(keys)
        self._counts[tool].unknown = keyless + len(open_keys)

    def answer(self, tool: str, arguments: Arguments) -> ToolEvent | None:
        """Return the event that a dependency would answer an unrecorded call with, None when nothing recorded tells.

        The call must equal a recorded one with a side effect but for its key. A key that was accepted brings what the
        dependency had made of it and no further effect; a new one is a second effect.
        """
        for event in self._events:
            if event.tool != tool or event.side_effect not in _EFFECTIVE or event.idempotency_key is None:
                continue
            # Any text may stand where the key stood: a fresh renaming fits every one.
            if difference(event.arguments, arguments, key=event.idempotency_key, names=Renaming()) is not None:
                continue
            known = any((tool, key) in self._taken for key in _keys(event, arguments))
            made = self._made_of(event)
            if made is not None:
                again = "rejected" if made.side_effect == "rejected" else "accepted"
                return _answering(event, made, effect="none" if known else again)
        return None

    def _made_of(self, event: ToolEvent) -> ToolEvent | None:
        """Return the recorded result of the same call, under whichever attempt it came."""
        same = [
            each
            for each in self._events
            if each.outcome_type == "result"
            and each.tool == event.tool
            and each.idempotency_key is not None
            and difference(event.arguments, each.arguments, key=event.idempotency_key, names=Renaming()) is None
        ]
        return next((each for each in same if each.idempotency_key == event.idempotency_key), same[0] if same else None)

    def decide(self, kind: str, value: str) -> None:
        """Record a decision of the workflow, such as ``decide("authorization", "allow")``, when it falls."""
        with self._lock:
            before = sum(count.accepted for count in self._counts.values())
            self._decisions.append(Decision(kind=kind, value=value, effects_before=before))

    def accepted(self, tool: str) -> int:
        """Return how many side effects of a tool were accepted in this run."""
        return self._counts.get(tool, Count()).accepted

    def calls(self, tool: str) -> int:
        """Return how often a tool was called in this run."""
        return self._counts.get(tool, Count()).calls

    def counts(self) -> Mapping[str, Count]:
        """Return the counts by tool, in the order of the first calls."""
        return dict(self._counts)


def _keys(event: ToolEvent, arguments: Arguments) -> Iterator[str]:
    if event.idempotency_key is not None:
        yield from dict.fromkeys(keys_of(event.arguments, arguments, event.idempotency_key))


def _answering(event: ToolEvent, made: ToolEvent, *, effect: str) -> ToolEvent:
    return ToolEvent(
        tool=event.tool,
        arguments=event.arguments,
        outcome_type="result",
        value=made.value,
        attempt=made.attempt,
        logical_call=event.logical_call,
        idempotency_key=event.idempotency_key,
        side_effect=effect,
        value_text=made.value_text,
    )
