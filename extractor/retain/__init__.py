"""Keeping the raw records of flagged traces until somebody has turned them into cases; then they go, with a record."""

from __future__ import annotations

from ._odds import odds
from ._store import Retained, purge, retain

__all__ = ["Retained", "odds", "purge", "retain"]
