"""What one replay did, call by call: written by every part of it, from any thread, and read at its end."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from .faults import CallMismatch, NothingRecorded, ReplayFault

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
    """The record of one replay. Faults stay in it, whatever an agent catches.

    ``forward`` carries a fault of a forked child to the process that replays, and says whether it did.
    """

    turn: int = 1
    served: list[str] = field(default_factory=list)
    answered_by: Counter[str] = field(default_factory=Counter)
    diverged: list[Divergence] = field(default_factory=list)
    faults: list[tuple[int, ReplayFault]] = field(default_factory=list)
    forward: Callable[[ReplayFault], bool] | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def serve(self, kind: str, name: str, source: Source) -> None:
        """Record that a call was answered, and from where."""
        with self._lock:
            self.served.append(f"{kind}:{name}")
            self.answered_by[source] += 1

    def diverge(self, divergence: Divergence) -> None:
        """Record that an answer was given to a question that differs from the recorded one."""
        with self._lock:
            self.diverged.append(divergence)

    def report(self, fault: ReplayFault) -> None:
        """Record a fault; whoever found it raises it next. One that was recorded already is not told twice."""
        if self.forward is not None and self.forward(fault):
            return
        with self._lock:
            if all(each is not fault for _, each in self.faults):
                self.faults.append((self.turn, fault))

    def fail(self, fault: ReplayFault) -> ReplayFault:
        """Record a fault and return it, to be raised."""
        self.report(fault)
        return fault

    @property
    def missed(self) -> list[tuple[int, ReplayFault]]:
        """The calls that no recording answered, each with its turn."""
        return [(turn, fault) for turn, fault in self.faults if isinstance(fault, NothingRecorded | CallMismatch)]
