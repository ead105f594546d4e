"""Many traces: which of an export become cases, and the line applied to each, on one machine or on many."""

from __future__ import annotations
