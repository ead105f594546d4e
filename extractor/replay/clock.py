"""A clock that is injected, never the workstation's: one instant in one time zone, and time that passes only by sleeping."""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo


class FrozenClock:
    """Stands at an offset-aware instant until somebody sleeps; thread-safe.

    ``zone`` decides what local time it is there, midnight and daylight saving included: an instant alone does not.
    """

    def __init__(self, value: datetime, zone: tzinfo | str | None = None) -> None:
        if value.tzinfo is None:
            raise ValueError("a frozen instant needs an offset")
        place = ZoneInfo(zone) if isinstance(zone, str) else zone
        self._start = value if place is None else value.astimezone(place)
        self._passed = 0.0
        self._lock = threading.Lock()

    @property
    def zone(self) -> tzinfo | None:
        """The time zone in which `now` and `today` answer."""
        return self._start.tzinfo

    def now(self, tz: tzinfo | None = None) -> datetime:
        """Return the current instant, in the clock's own zone or in ``tz``."""
        # Over UTC: adding to a local time would ignore a change of its offset.
        offset = self._start.utcoffset() or timedelta(0)
        moment = (self._start.replace(tzinfo=None) - offset + timedelta(seconds=self._passed)).replace(tzinfo=UTC)
        return moment.astimezone(tz or self._start.tzinfo) if self._passed or tz else self._start

    def today(self) -> date:
        """Return the local date."""
        return self.now().date()

    def time(self) -> float:
        """Return the seconds since the epoch."""
        return self.now().timestamp()

    def monotonic(self) -> float:
        """Return the seconds that have passed since the replay began, none but those slept or waited for."""
        return self._passed

    def sleep(self, seconds: float) -> None:
        """Let time pass without waiting."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.advance_to(self._passed + seconds)

    async def asleep(self, seconds: float) -> None:
        """Let time pass without waiting, for agents that await their pauses."""
        self.sleep(seconds)

    def advance_to(self, seconds: float) -> None:
        """Move to a later moment, in seconds since the replay began; an earlier one changes nothing."""
        with self._lock:
            self._passed = max(self._passed, seconds)
