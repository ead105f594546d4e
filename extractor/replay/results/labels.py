"""The labels of a comparison, in the order in which they are told: the first that fits is the one."""

from __future__ import annotations

from typing import Final

LABELS: Final = (
    "not_comparable",
    "adapter_error",
    "harness_defect",
    "live_call",
    "incomplete",
    "non_replayable",
    "not_expressible",
    "missing_red",
    "baseline_only",
    "not_reproduced",
    "still_violates",
    "returned_early",
    "needs_review",
    "compatibility",
    "red_to_green",
)


def first_of(labels: set[str]) -> str | None:
    """Return the label that is told first, None for an empty set."""
    return min(labels, key=LABELS.index, default=None)
