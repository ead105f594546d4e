"""The guard of a replay session: nothing leaves the process, and it has proved that it bites."""

from __future__ import annotations

from .allow import Allow
from .guarding import Clock, Guard, GuardState, Read

__all__ = ["Allow", "Clock", "Guard", "GuardState", "Read"]
