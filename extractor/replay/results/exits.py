"""What the command line ends with for each label of a comparison: one table for commands, helps and pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .manifest import Lane

__all__ = ["EXITS", "MEANINGS", "PROVIDER", "in_lane"]

EXITS: Final[Mapping[str, int]] = {
    "red_to_green": 0,
    "still_violates": 1,
    "returned_early": 1,
    "needs_review": 1,
    "compatibility": 1,
    "incomplete": 4,
    "non_replayable": 4,
    "not_expressible": 4,
    "missing_red": 4,
    "baseline_only": 4,
    "not_reproduced": 10,
    "not_comparable": 11,
    "adapter_error": 12,
    "harness_defect": 13,
    "live_call": 14,
}

PROVIDER: Final = 15
"""Whatever is wrong in the lane of runs that depend on a provider: it neither hides the other lanes nor is hidden by them."""

MEANINGS: Final[Mapping[int, str]] = {
    0: "red_to_green; with --by-lane any label in the lane shadow, and compatibility in the lane provider",
    1: "judged: still_violates, returned_early, needs_review, compatibility",
    4: "evidence missing: incomplete, non_replayable, not_expressible, missing_red, baseline_only",
    6: "a manifest or the case cannot be read",
    10: "not_reproduced: the affected implementation passes",
    11: "not_comparable",
    12: "adapter_error",
    13: "harness_defect",
    14: "live_call",
    15: "with --by-lane: any label but compatibility and red_to_green in the lane provider",
}
"""Each status and what it tells, as the help of `compare` and the page about it have them."""


def in_lane(label: str | None, status: int, lane: Lane | None) -> int:
    """Return what a label with this status of its own ends with in a lane; a lane that is not known blocks like ``gate``."""
    if lane == "shadow":
        return 0
    if lane == "provider":
        return 0 if status == 0 or label == "compatibility" else PROVIDER
    return status
