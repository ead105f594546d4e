"""Decisive steps become the fixture's document, still with originals, in memory only."""

from __future__ import annotations

from ._alternates import alternates
from ._case import assemble
from ._expected import demanded, restated, vague
from ._lane import hold_lane
from ._missing import incomplete

__all__ = ["alternates", "assemble", "demanded", "hold_lane", "incomplete", "restated", "vague"]
