"""Simulated time: a clock that moves when somebody waits, and an event loop that lives by it."""

from __future__ import annotations

import asyncio
import math
import selectors
from datetime import UTC, datetime

LOOK_US = (3, 11, 7, 29, 5, 17)


class SimulatedClock:
    """Microseconds since the start. Reading it costs a few, so that no two events of a run coincide."""

    def __init__(self, start: datetime) -> None:
        self._start_us = round(start.timestamp() * 1_000_000)
        self._looks = 0
        self.passed_us = 0

    def time_ns(self) -> int:
        """Return nanoseconds from the Unix epoch; stands in for `time.time_ns`."""
        self._looks += 1
        self.passed_us += LOOK_US[self._looks % len(LOOK_US)]
        return (self._start_us + self.passed_us) * 1_000 + self._looks * 37 % 1_000

    def now(self) -> datetime:
        """Return the instant, in UTC, without moving the clock."""
        return datetime.fromtimestamp((self._start_us + self.passed_us) / 1_000_000, UTC)

    def pass_seconds(self, seconds: float) -> None:
        """Let time go by, rounded up to whole microseconds so that a timer which is due really fires."""
        self.passed_us += max(1, math.ceil(seconds * 1_000_000))


class _Selector(selectors.DefaultSelector):
    """Never waits: when no socket has news, time jumps to the next timer.

    Everything that a run talks to lives in this very thread, behind Unix sockets: what was written can be read at once.
    """

    def __init__(self, clock: SimulatedClock) -> None:
        super().__init__()
        self._clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        news = super().select(0)
        if news or timeout == 0:
            return news
        if timeout is None:
            msg = "a recording waits for something that nobody will send"
            raise RuntimeError(msg)
        self._clock.pass_seconds(timeout)
        return news


class SimulatedLoop(asyncio.SelectorEventLoop):
    """An event loop whose timers, and so every time-out of a client, obey a `SimulatedClock`."""

    def __init__(self, clock: SimulatedClock) -> None:
        self._simulated = clock
        super().__init__(_Selector(clock))

    def time(self) -> float:
        """Return seconds since the start."""
        return self._simulated.passed_us / 1_000_000
