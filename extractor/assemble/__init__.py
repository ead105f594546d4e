"""Decisive steps become the fixture's document, still with originals, in memory only."""

from __future__ import annotations

from ._case import assemble
from ._expected import authorization, effects, vague
from ._missing import incomplete

__all__ = ["assemble", "authorization", "effects", "incomplete", "vague"]
