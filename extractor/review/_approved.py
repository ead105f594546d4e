"""Whether approved cases are what people approved: every case of a store's approved folder, every fault by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..errors import InputUnreadable, ProvenanceInvalid
from ..model.layout import APPROVALS, APPROVED, CAPTURE, FIXTURE, case_of
from ..validate import validate_case
from ._folder import CaseFolder, read_folder, sha256
from ._ground import Ground
from ._register import last
from ._state import State, state_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedCase:
    """One entry of an approved folder; ``state`` is None for what is no case. It is sound where ``faults`` is empty."""

    name: str
    state: State | None
    faults: tuple[str, ...]


def validate_approved(folder: Path, *, now: datetime | None = None) -> tuple[ApprovedCase, ...]:
    """Judge every case of a store's approved folder; ``folder`` is that one, or the store's own.

    Raises `InputUnreadable` where there is no approved case: an empty folder proves nothing.
    """
    approved = folder / APPROVED if (folder / APPROVED).is_dir() else folder
    if approved.resolve().name != APPROVED or not approved.is_dir():
        raise InputUnreadable(
            "no approved folder is there: name a store, or its folder of approved cases",
            hint="extract-fixture approve CASE moves the first case there; extract-fixture register lists what there is",
        )
    ground = Ground.of(approved.resolve().parent, now)
    entries = sorted(entry for entry in approved.resolve().iterdir() if not entry.name.startswith("."))
    if not entries:
        raise InputUnreadable("no approved case is there")
    return tuple(_judged(entry, number, ground) for number, entry in enumerate(entries, start=1))


def approved_content(case: Path, *, now: datetime | None = None) -> bytes:
    """Return the fixture.json of one case, as people approved it.

    Raises `ProvenanceInvalid` for a case that stands elsewhere, or that is not what people approved; `InputUnreadable`
    where no case is.
    """
    folder = read_folder(case)
    if folder.place != APPROVED:
        raise ProvenanceInvalid(f"{folder.case_id}: is not approved")
    require_approved((_judged(folder.path, 1, Ground.of(folder.root, now)),))
    return folder.files[FIXTURE]


def _judged(entry: Path, number: int, ground: Ground) -> ApprovedCase:
    if case_of(entry.name) is None or entry.is_symlink() or not entry.is_dir():
        return ApprovedCase(name=f"entry {number} by name", state=None, faults=("is no case",))
    try:
        case = read_folder(entry)
    except InputUnreadable as error:
        return ApprovedCase(name=entry.name, state=None, faults=(error.message,))
    state = state_of(case, ground)
    faults = [*state.faults, *_off_the_record(case, ground), *_of_files(case)]
    return ApprovedCase(name=entry.name, state=state, faults=tuple(dict.fromkeys(faults)))


def _off_the_record(case: CaseFolder, ground: Ground) -> Iterator[str]:
    """Yield where the folder differs from what the register has of it.

    It is what binds the bytes of statements that nobody signed, and what keeps a signed one from being taken away.
    """
    record = last(ground.records, case.case_id)
    if record is None or record.event != "approved":
        yield "the register has no record of its approval"
        return
    if record.members.get("fixture_sha256") != case.digests.get("fixture.json"):
        yield "fixture.json is not the one that the register recorded"
    recorded = record.members.get(APPROVALS)
    known = recorded if isinstance(recorded, dict) else {}
    for name, content in case.approvals.items():
        if name not in known:
            yield f"{_place(case, name)}: the register has no record of it"
        elif known[name] != sha256(content):
            yield f"{_place(case, name)}: is not the statement that the register recorded"
    for name in sorted(set(known) - set(case.approvals)):
        yield f"{APPROVALS}/{name}: is gone"


def _place(case: CaseFolder, name: str) -> str:
    """Return a statement's place; a name that we did not give is told by its position."""
    role, _, rest = name.partition(".")
    ours = rest.removesuffix(".json").isdecimal() and role.replace("-", "").isalpha() and role.isascii()
    return f"{APPROVALS}/{name}" if ours else f"{APPROVALS}, entry {list(case.approvals).index(name) + 1} by name"


def _of_files(case: CaseFolder) -> Iterator[str]:
    if CAPTURE in case.files:
        yield f"{CAPTURE} stands in an approved case; any change of the store takes it away"
    for report in validate_case(case.path).cases:
        yield from (f"{problem.voice}: {problem.line}" for problem in report.problems)


def require_approved(cases: tuple[ApprovedCase, ...]) -> None:
    """Raise `ProvenanceInvalid` naming each case and fault; return when there is none."""
    lines = [f"{case.name}: {fault}" for case in cases for fault in case.faults]
    if lines:
        raise ProvenanceInvalid("\n".join(lines))
