"""What a reviewer decides on the page becomes a statement, as at the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from ...model.layout import PROVENANCE
from .._decisions import decide
from .._folder import read_folder
from .._ground import Ground
from .._state import state_of
from .._statement import Confirmations, Grading
from . import account
from .lenient import CaseFiles, members
from .ports import Decided


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """Decides with the reviewer's private key, or unsigned where the policy allows it."""

    signing: Path | None = None

    def __call__(
        self,
        case: Path,
        *,
        role: str,
        reviewer: str,
        decision: Literal["approve", "reject"],
        reason: str | None,
        confirmations: Sequence[str],
    ) -> Decided:
        """Put the decision into the case and say where that leaves it. Raises what `decide` raises."""
        statement = decide(
            case,
            role=role,
            reviewer=reviewer,
            decision="approved" if decision == "approve" else "rejected",
            reason=reason,
            key=self.signing,
            confirmations=_confirmed(case, confirmations) if decision == "approve" else None,
        )
        folder = read_folder(statement.parent.parent)
        state = state_of(folder, Ground.of(folder.root))
        lacking = ", ".join(f"{role} {number}" for role, number in sorted(state.missing.items()) if number)
        told = f"{'Approved' if decision == 'approve' else 'Rejected'} by {role}. The case is {state.name.replace('_', ' ')}."
        return Decided(told=f"{told} Still needed: {lacking}." if lacking else told, case=folder.path)


_GRADES: Final[Mapping[Grading, str]] = {"confirmed": "grade:confirmed", "overruled": "grade:overruled"}


def _confirmed(case: Path, names: Sequence[str]) -> Confirmations:
    """Return what the ticked boxes say: rotation counts when every credential was confirmed."""
    predicate = members(CaseFiles.of(case).document(PROVENANCE).get("predicate"))
    wanted = [name for name, _ in account.confirmations(predicate) if name.startswith("rotated:")]
    return Confirmations(
        rotated=bool(wanted) and set(wanted) <= set(names),
        flags=tuple(name.removeprefix("accepted:") for name in names if name.startswith("accepted:")),
        grade=next((said for said, name in _GRADES.items() if name in names), None),
    )
