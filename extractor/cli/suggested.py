"""Neighbouring cases that would show which side of a limit a product decides on: suggestions, nothing is written."""

from __future__ import annotations

from collections.abc import Iterator

from extractor.model.instants import limits, other_offset

from .view import CaseView

_MOST = 3


def suggested(view: CaseView) -> Iterator[str]:
    """Yield instants close to the limits of a case's time facts, nearest to its own first, as ``--frozen-at`` takes them."""
    for limit in limits(view.fixture)[:_MOST]:
        yield f"{limit.before.isoformat()} and {limit.at.isoformat()}, either side of {limit.fact}"
    if (other := other_offset(view.fixture)) is not None:
        yield f"{other.isoformat()}, the same local time under another offset"
