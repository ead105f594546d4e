"""What one replay did, call by call: written by every part of it, from any thread, and read at its end."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .faults import CallMismatch, HarnessDefect, NothingRecorded, ReplayFault

Source: TypeAlias = Literal["recorded", "alternate", "effects"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Served, though the run asked for something else: ``what`` differs (``input``, ``model``), at ``path``."""

    kind: str
    name: str
    position: int
    what: str
    path: str = ""


@dataclass(slots=True)
class Ledger:
    """The record of one replay. Faults stay in it, whatever an agent catches: they can be added, and read."""

    turn: int = 1
    _served: list[str] = field(default_factory=list)
    _answered_by: Counter[Source] = field(default_factory=Counter)
    _diverged: list[Divergence] = field(default_factory=list)
    _faults: list[tuple[int, ReplayFault]] = field(default_factory=list)
    _forward: Callable[[ReplayFault], bool] | None = field(default=None, repr=False)
    _closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def serve(self, kind: str, name: str, source: Source) -> None:
        """Record that a call was answered, and from where."""
        with self._lock:
            self._served.append(f"{kind}:{name}")
            self._answered_by[source] += 1
        if self._closed:
            self.report(
                HarnessDefect(
                    f"a call came after the run had ended: {kind}:{name}",
                    code="call_after_end",
                    called=f"{kind}:{name}",
                    cure="let the entry point return when its work is done: what comes later is not judged",
                )
            )

    def diverge(self, divergence: Divergence) -> None:
        """Record that an answer was given to a question that differs from the recorded one."""
        with self._lock:
            self._diverged.append(divergence)

    def report(self, fault: ReplayFault) -> None:
        """Record a fault; whoever found it raises it next. One that was recorded already is not told twice."""
        if self._forward is not None and self._forward(fault):
            return
        with self._lock:
            if all(each is not fault for _, each in self._faults):
                self._faults.append((self.turn, fault))

    def close(self) -> None:
        """The run has ended: a call that is answered from now on is a fault."""
        self._closed = True

    def forward_by(self, forward: Callable[[ReplayFault], bool]) -> None:
        """Name what carries a fault of a forked child to the process that replays, and says whether it did; once."""
        if self._forward is not None:
            raise AttributeError("the ledger has its way to the process that replays")
        self._forward = forward

    @property
    def served(self) -> tuple[str, ...]:
        """The calls that were answered, in their order: ``tools:refund.create``."""
        return tuple(self._served)

    @property
    def answered_by(self) -> Mapping[Source, int]:
        """How many calls each source answered; those that answered none are left out."""
        return dict(self._answered_by)

    @property
    def diverged(self) -> tuple[Divergence, ...]:
        """What was served although the run asked for something else, in order."""
        return tuple(self._diverged)

    @property
    def faults(self) -> tuple[tuple[int, ReplayFault], ...]:
        """Every fault with its turn, in the order in which they were reported."""
        with self._lock:
            return tuple(self._faults)

    def fail(self, fault: ReplayFault) -> ReplayFault:
        """Record a fault and return it, to be raised."""
        self.report(fault)
        return fault

    @property
    def missed(self) -> list[tuple[int, ReplayFault]]:
        """The calls that no recording answered, each with its turn."""
        return [(turn, fault) for turn, fault in self.faults if isinstance(fault, NothingRecorded | CallMismatch)]
