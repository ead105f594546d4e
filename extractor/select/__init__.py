"""Which spans are decisive: a backward walk from the boundary, with a reason for each span kept and each dropped."""

from __future__ import annotations

from ._explain import ExplainLine, Explanation, explain
from ._select import select

__all__ = ["ExplainLine", "Explanation", "explain", "select"]
