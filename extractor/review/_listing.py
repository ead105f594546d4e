"""The register as people read it: every case, where it stands, who answers for it, what is due, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..errors import InputUnreadable, UsageError
from ..model.json import JsonValue
from ..model.layout import PLACES, case_of
from ._folder import read_folder
from ._git import committed
from ._ground import Ground
from ._register import Facts, Record, facts, folders, last, vanished
from ._state import Label, State, StateName, retirement, state_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One case. Instants are RFC 3339; ``state`` is ``gone`` for a case of which records alone are left.

    ``expected_reviewed_by`` and ``_at`` are of the incident owner's approval that holds (S20), ``grade`` what they said of
    the grade that found the incident.
    """

    case_id: str
    state: StateName | str
    path: Path | None
    labels: tuple[Label, ...] = ()
    faults: tuple[str, ...] = ()
    incident_id: str | None = None
    workflow_version: str | None = None
    prompt_version: str | None = None
    facts: Facts
    extracted_at: str | None = None
    approved_at: str | None = None
    expires_at: str | None = None
    review_due_at: str | None = None
    ended_at: str | None = None
    reason: str | None = None
    successor: str | None = None
    expected_reviewed_by: str | None = None
    expected_reviewed_at: str | None = None
    grade: str | None = None

    def members(self) -> dict[str, JsonValue]:
        """Return the row for machines."""
        return {
            "case_id": self.case_id,
            "state": self.state,
            "path": str(self.path) if self.path else None,
            "labels": [*self.labels],
            "faults": [*self.faults],
            "incident_id": self.incident_id,
            "owners": dict(self.facts.owners),
            "author": self.facts.author,
            "versions": {
                "workflow": self.workflow_version,
                "prompt": self.prompt_version,
                "affected": self.facts.affected_version,
                "fixed": self.facts.fixed_version,
            },
            "covering_test": self.facts.covering_test,
            "red": dict(self.facts.red) or None,
            "expected_reviewed": {
                "by": self.expected_reviewed_by,
                "at": self.expected_reviewed_at,
                "grade": self.grade,
            },
            "dates": {
                "extracted": self.extracted_at,
                "approved": self.approved_at,
                "expires": self.expires_at,
                "review_due": self.review_due_at,
                "ended": self.ended_at,
            },
            "reason": self.reason,
            "successor": self.successor,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Register:
    """All cases in order of id, and the lines about those that are gone without a record.

    ``history_asked`` is whether git could be asked.
    """

    rows: tuple[Row, ...]
    problems: tuple[str, ...]
    history_asked: bool

    @property
    def unsound(self) -> tuple[str, ...]:
        """A line for each fault of a case that stands as approved."""
        return tuple(f"{row.case_id}: {fault}" for row in self.rows if row.state == "approved" for fault in row.faults)


def register(root: Path, *, now: datetime | None = None) -> Register:
    """Return the register of a store, from what is on disk and on record; nothing is changed.

    Raises `UsageError` where there is no store, `ProvenanceInvalid` for a register that cannot be read.
    """
    if not root.is_dir():
        raise UsageError("no store is there", hint="extraction makes one; --store names another")
    ground = Ground.of(root, now)
    asked = committed(root)
    rows = [_standing(path, place, ground) for place, path in folders(root)]
    here = {row.case_id for row in rows}
    gone = dict.fromkeys(record.case_id for record in ground.records if record.case_id not in here)
    rows += [_gone(case_id, ground) for case_id in gone]
    return Register(
        rows=tuple(sorted(rows, key=lambda row: (row.case_id, str(row.path)))),
        problems=tuple(vanished(root, ground.records, asked or ())),
        history_asked=asked is not None,
    )


def locate(root: Path, name: str) -> Path:
    """Return the folder of a case that is named by its path, or by its id in a store; of several, the one furthest on.

    Raises `UsageError` where there is none.
    """
    path = Path(name)
    if path.is_dir() and case_of(path.resolve().name) and path.resolve().parent.name in PLACES:
        return path.resolve()
    found = {place: folder for place, folder in folders(root) if name in {folder.name, case_of(folder.name)}}
    for place in ("approved", "quarantine", "retired", "rejected"):
        if place in found:
            return found[place]
    raise UsageError("no case of this name is in the store", hint="extract-fixture register lists them")


def _standing(path: Path, place: str, ground: Ground) -> Row:
    owner = case_of(path.name) or path.name
    try:
        case = read_folder(path)
    except InputUnreadable as error:
        known = Facts()
        return Row(case_id=owner, state=place, path=path, faults=(error.message,), facts=known)
    state, known, ended = state_of(case, ground), ground.facts(case), retirement(case)
    document, owner_said = case.document, _owner(state)
    return Row(
        case_id=case.case_id,
        state=state.name,
        path=path,
        labels=state.labels,
        faults=state.faults if state.place == "approved" else (),
        incident_id=_text(document.get("incident_id")),
        workflow_version=_text(document.get("workflow_version")),
        prompt_version=_text(document.get("prompt_version")),
        facts=known,
        extracted_at=_at(case.history, "extracted"),
        approved_at=_at(case.history, "approved") if place in {"approved", "retired"} else None,
        expires_at=state.expires_at,
        review_due_at=state.review_due_at,
        ended_at=_at(case.history, "retired" if place == "retired" else "rejected")
        if place in {"retired", "rejected"}
        else None,
        reason=_text(ended.get("reason")) if place == "retired" else None,
        successor=_text(ended.get("successor")) if place == "retired" else None,
        expected_reviewed_by=owner_said.get("by"),
        expected_reviewed_at=owner_said.get("at"),
        grade=owner_said.get("grade"),
    )


def _gone(case_id: str, ground: Ground) -> Row:
    record = last(ground.records, case_id) or last(ground.records, case_id, local=True)
    return Row(
        case_id=case_id,
        state=_ended(record),
        path=None,
        facts=facts(ground.records, case_id),
        ended_at=record.at if record else None,
        reason=_text(record.members.get("reason")) if record else None,
        successor=_text(record.members.get("successor")) if record else None,
    )


def _ended(record: Record | None) -> str:
    return record.event if record is not None and record.event in {"purged", "rejected"} else "gone"


def _owner(state: State) -> Mapping[str, str | None]:
    said = [
        held.statement for held in state.verdict.counting if held.statement and held.statement.role == "incident-owner"
    ]
    if not said:
        return {}
    return {"by": said[-1].reviewer, "at": said[-1].at, "grade": said[-1].confirmations.grade}


def _at(history: tuple[dict[str, JsonValue], ...], event: str) -> str | None:
    lines = [line for line in history if line.get("event") == event]
    return _text(lines[-1].get("at")) if lines else None


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None
