"""What a block of fixtures tells about itself."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Literal, TypeAlias

from extractor.model.json import JsonValue

from .errors import Kind, ReplayEvent
from .source import Source

Mode: TypeAlias = Literal["recorded", "lenient", "live"]


class Report:
    """What was served, and how that differs from the recording; entries read ``tools:get_order``. Written from any thread.

    ``unused`` is evidence of a divergence, no failure. ``live`` are calls that ran their function. ``errors`` are the
    faults, whether or not something caught them. ``providers`` names client libraries that answer from the recording: the
    seam itself patches none.
    """

    def __init__(self, mode: Mode, source: Source | None) -> None:
        self.mode: Mode = mode
        self.served: list[str] = []
        self.divergences: list[tuple[str, str]] = []
        self.live: list[str] = []
        self.errors: list[ReplayEvent] = []
        self.providers: Mapping[str, str] = {}
        self._source = source
        self._lock = threading.Lock()

    def serve(self, kind: Kind, name: str, divergence: str | None) -> None:
        """Record an answer; ``divergence`` says what of the question was not the recorded one."""
        with self._lock:
            self.served.append(f"{kind}:{name}")
            if divergence is not None:
                self.divergences.append((f"{kind}:{name}", divergence))

    def ran(self, kind: Kind, name: str) -> None:
        """Record a call that ran its function."""
        with self._lock:
            self.live.append(f"{kind}:{name}")

    def fail(self, event: ReplayEvent) -> None:
        """Record a fault."""
        with self._lock:
            self.errors.append(event)

    @property
    def diverged(self) -> list[str]:
        """What was served although the question was another one; `divergences` says what differed."""
        return [name for name, _ in self.divergences]

    @property
    def unused(self) -> list[str]:
        """What was recorded and not asked for, with how often, sorted."""
        left = Counter(f"{kind}:{name}" for kind, name in self._source.unused()) if self._source else Counter[str]()
        return sorted(f"{name} ×{count}" for name, count in left.items())

    @property
    def clean(self) -> bool:
        """Whether this was a recorded run that reproduced its recording exactly."""
        return self.mode == "recorded" and not (self.unused or self.divergences or self.live or self.errors)

    def to_dict(self) -> dict[str, JsonValue]:
        """Return the report as JSON."""
        return {
            "mode": self.mode,
            "served": [*self.served],
            "unused": [*self.unused],
            "diverged": [*self.diverged],
            "live": [*self.live],
            "errors": [asdict(event) for event in self.errors],
            "providers": dict(self.providers),
            "clean": self.clean,
        }
