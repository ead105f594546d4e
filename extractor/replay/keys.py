"""Idempotency keys for agents that draw them from their seam: the recorded ones first, so that their relations return."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence

from .events import ToolEvent


class Keys:
    """Hands out the distinct recorded keys in the order of their first use, then synthetic ones; thread-safe."""

    def __init__(self, events: Sequence[ToolEvent]) -> None:
        recorded = dict.fromkeys(event.idempotency_key for event in events if event.idempotency_key is not None)
        fresh = (f"replay-key-{number:04d}" for number in itertools.count(1))
        self._keys = itertools.chain(recorded, fresh)
        self._lock = threading.Lock()

    def draw(self) -> str:
        """Return the next key."""
        with self._lock:
            return next(self._keys)
