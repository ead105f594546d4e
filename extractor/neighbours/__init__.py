"""Neighbours of a written case: controls that differ in one outcome or instant, and its next version after a fix."""

from .making import Control, Wanted, controls
from .recapturing import recapture
from .told import KINDS, Kind, Told

__all__ = ["KINDS", "Control", "Kind", "Told", "Wanted", "controls", "recapture"]
