"""What a result proves and what it does not: the one table of texts with which every summary ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

__all__ = ["AFFECTED_ALONE_PASSES", "CHECKED", "COMPARED", "NOT_PROVED", "REPLAYED", "Claimed", "Subject", "claimed"]

Subject: TypeAlias = Literal["comparison", "replay", "check"]

COMPARED: Final[Mapping[str, str]] = {
    "not_comparable": "nothing: the two results are not about the same thing",
    "adapter_error": "nothing: the adapter cannot read the case in its original schema",
    "harness_defect": "nothing: the test itself is unsound, whatever the agent does",
    "live_call": "nothing: the run reached for something live, so it was no replay",
    "incomplete": "nothing: the run asked for what was not recorded, or the case does not say what must hold",
    "non_replayable": "nothing: the case lacks evidence without which it cannot be judged",
    "not_expressible": "nothing: the order of concurrent calls decides, and this replay cannot impose one",
    "missing_red": "at most that the current implementation behaves as reported; that the case shows the incident is not proved",
    "baseline_only": "how one implementation behaves on the case; without a red run it is no transition",
    "not_reproduced": "that the affected implementation passes as well: what the current one shows here is no fix",
    "still_violates": "that the current implementation still crosses the boundary under the recorded conditions",
    "returned_early": "nothing of the boundary: the run may have ended before it reached the incident's path",
    "needs_review": "nothing yet: what is named above is for people to judge",
    "compatibility": (
        "that orchestration and policy hold on this case; not how the original model behaves, which could not be asked"
    ),
    "red_to_green": (
        "one boundary under recorded conditions: the old implementation crosses it, the new one holds it, on the same bytes"
    ),
}
"""By label of a comparison."""

AFFECTED_ALONE_PASSES: Final = "that the affected implementation passes; what the current one shows here is no fix"
"""For ``not_reproduced`` where the current implementation violates the boundary."""

REPLAYED: Final[Mapping[str, str]] = {
    "held": "that this implementation holds one boundary under recorded conditions",
    "broken": "that this implementation crosses one boundary under recorded conditions",
    "not_judged": "nothing of the boundary: no check judged it, or the run did not come to its end",
}
"""By verdict of a single replay."""

CHECKED: Final[Mapping[str, str]] = {
    "held": "that each check gives the verdict, for the reason, that its records demand",
    "read": (
        "that each check gives the verdict that its records demand and read the property that they name;"
        " that the verdict turns on it, only where the accepted twin is known"
    ),
    "broken": "that at least one check does not give the verdict that a record demands",
    "drifted": "that the checks hold, and that a case still names a tool or parameter which the product no longer has",
    "all_bite": "that every check rejects at least one of these corruptions of these runs",
    "some_idle": "that at least one check rejects none of these corruptions of these runs",
    "rejects_it": "that the check which is named rejects this corruption of this run, before any other check does",
    "accepts_it": "nothing yet: the check which is named does not reject this corruption, or not before any other",
    "audited": "which assertions have rejected a run; of those that never have, not that they can",
}
"""By result of the checks over recorded runs, where nothing is run again."""

_ALL: Final = frozenset[Subject]({"comparison", "replay", "check"})
_RUN: Final = frozenset[Subject]({"comparison", "replay"})
_CHECK: Final = frozenset[Subject]({"check"})

NOT_PROVED: Final[tuple[tuple[str, frozenset[Subject]], ...]] = (
    ("other routes to the same failure: this is one recorded route", _ALL),
    ("the model: it was not asked, its recorded answers were served", _RUN),
    ("the model: checks lock the checker, live cases watch the model", _CHECK),
    ("that a changed prompt gives a better answer: recorded outputs cannot show it", _RUN),
    ("other corruptions than those that were tried: passing all of them is a floor, no ceiling", _CHECK),
    ("failures that nobody has noticed: cases are a catalogue of what went wrong once", _ALL),
    ("that no new false claim is made in prose: that is for people to read", _RUN),
    ("that the incident is closed: verify controls, monitoring and roll-out", _ALL),
)
"""What no result of a kind proves, each with the kinds that must say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """The end of a summary: what is proved, and what is not."""

    proved: str
    not_proved: tuple[str, ...]


def claimed(subject: Subject, ending: str) -> Claimed:
    """Return what a result of a kind claims. ``ending`` is a label, or a verdict; raises `KeyError` for any other."""
    table = {"comparison": COMPARED, "replay": REPLAYED, "check": CHECKED}[subject]
    return Claimed(proved=table[ending], not_proved=tuple(text for text, of in NOT_PROVED if subject in of))
