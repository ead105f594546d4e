"""How far a long run is: how many are done, how many fail, how fast it goes, how long it will take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from extractor.bulk.units import span_of_time


@dataclass(slots=True)
class Counter:
    """Writes one line over the last one, some times a second."""

    show: Callable[[str], None]
    every: float = 0.2
    _since: float = field(default_factory=time.monotonic)
    _last: float = 0.0

    def count(self, done: int, total: int, failed: int) -> None:
        """Show that so many of all are done, and so many failed."""
        now = time.monotonic()
        if now - self._last < self.every and done < total:
            return
        self._last = now
        rate = done / max(now - self._since, 0.001)
        left = f", {span_of_time((total - done) / rate)} left" if rate and done < total else ""
        bad = f", {failed} failed" if failed else ""
        self.show(f"{done:,} of {total:,} traces{bad}, {rate:.1f} a second{left}")
