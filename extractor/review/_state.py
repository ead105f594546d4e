"""The state of a case: from the place of its folder, its files and its statements, each time anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeAlias

from ..model.json import JsonValue
from ..model.layout import APPROVED, CAPTURE, QUARANTINE, REJECTED, RETIRED
from ._faults import expiry
from ._folder import CaseFolder
from ._ground import Ground
from ._judging import Held, Verdict, judge
from ._statement import Malformed, Statement, instant

StateName: TypeAlias = Literal[
    "incomplete", "in_review", "non_replayable", "approved", "rejected", "retired", "superseded"
]
Label: TypeAlias = Literal["missing_red", "expired", "review_due", "needs_re_review", "unfinished", "unsigned"]

_PLACE_OF: Final[Mapping[str, str]] = {"approved": APPROVED, "rejected": REJECTED, "retired": RETIRED}


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Where a case is in its life.

    ``labels`` add what asks for attention: no red run on record, a capture or an approval past its end, a look that is due,
    terms that changed since approval, a move that was begun and not made, approvals that no key of the policy has signed. ``faults`` are lines about statements and roles;
    in quarantine they say what is still lacking, in approved that the approval does not hold.
    """

    case_id: str
    path: Path
    place: str
    name: StateName
    labels: tuple[Label, ...]
    verdict: Verdict
    expires_at: str | None = None
    review_due_at: str | None = None

    @property
    def faults(self) -> tuple[str, ...]:
        """What stands in the way, one line each."""
        return tuple(str(fault) for fault in self.verdict.lines())

    @property
    def missing(self) -> Mapping[str, int]:
        """How many people each role still needs, or any one of several: "workflow or dependency"."""
        return self.verdict.missing

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong with where the case stands: an approved one is approved indeed."""
        return self.name != "approved" or not self.verdict.lines()


def state_of(case: CaseFolder, ground: Ground) -> State:
    """Return the state of a case in its store."""
    context = ground.context(case)
    verdict = judge(case, context)
    name = _name(case)
    counting = [held.statement for held in verdict.counting if held.statement]
    ends = [end for held in verdict.held if (end := _end(held, ground)) is not None]
    days = ground.policy.review_due_days
    due = min((instant(said.at) for said in counting), default=None) if name == "approved" and days else None
    due = due + timedelta(days=days) if due is not None and days else None
    labels: dict[Label, bool] = {
        "missing_red": case.place in {QUARANTINE, APPROVED} and not context.red,
        "expired": (case.place == QUARANTINE and _over(case.capture.get("expires_at"), ground))
        or (case.place == APPROVED and any(end <= ground.now for end in ends)),
        "review_due": due is not None and due <= ground.now,
        "needs_re_review": name == "approved" and any(said.terms != ground.terms for said in counting),
        "unfinished": _unfinished(case),
        "unsigned": name == "approved" and not all(held.key_id for held in verdict.counting),
    }
    return State(
        case_id=case.case_id,
        path=case.path,
        place=case.place,
        name=name,
        labels=tuple(label for label, holds in labels.items() if holds),
        verdict=verdict,
        expires_at=min(ends).isoformat() if ends else _text(case.capture.get("expires_at")),
        review_due_at=due.isoformat() if due else None,
    )


def retirement(case: CaseFolder) -> Mapping[str, JsonValue]:
    """Return the line of history by which a case was retired; empty where there is none."""
    lines = [line for line in case.history if line.get("event") == "retired"]
    return lines[-1] if lines else {}


def _name(case: CaseFolder) -> StateName:
    match case.place:
        case "approved":
            return "approved"
        case "rejected":
            return "rejected"
        case "retired":
            return "superseded" if retirement(case).get("successor") else "retired"
        case _ if not case.replayable:
            return "non_replayable"
        case _:
            return "incomplete" if case.incomplete else "in_review"


def _end(held: Held, ground: Ground) -> datetime | None:
    said: Statement | None = held.statement
    return expiry(said, ground.policy) if said is not None and not held.outdated else None


def _over(value: JsonValue, ground: Ground) -> bool:
    try:
        return isinstance(value, str) and instant(value) <= ground.now
    except Malformed:
        return True


def _unfinished(case: CaseFolder) -> bool:
    """Say whether history tells of a move that the folder has not made, or a capture stands where none may."""
    moves = [line.get("event") for line in case.history if line.get("event") in _PLACE_OF]
    begun = _PLACE_OF.get(str(moves[-1])) if moves else None
    return (begun is not None and begun != case.place) or (case.place in {APPROVED, RETIRED} and CAPTURE in case.files)


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) else None
