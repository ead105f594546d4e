"""What people put on record about a case, and how a case ends: retired with its reason, or purged when its time is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from ..errors import ApprovalRefused, InputUnreadable, UsageError
from ..model.json import JsonValue, MalformedJson, parse
from ..model.layout import APPROVED, CAPTURE, FIXTURE, PLACES, QUARANTINE, REJECTED, RESTRICTED, RETIRED, is_case_id
from ..replay.fixture_check import MAX_BYTES
from ._folder import CaseFolder, read_folder
from ._ground import Ground
from ._known import enrol_all
from ._opened import opened_store
from ._register import Facts, Record, folders, of_move
from ._roles import is_machine
from ._statement import Malformed, instant, spelled

_LONGEST = 500


def put_on_record(case: Path, given: Facts, *, now: datetime | None = None) -> None:
    """Add to what the register knows of a case; what is not given stays. The last word of each kind counts.

    Raises `UsageError` when nothing is given, `ApprovalRefused` for an owner or author that is a program.
    """
    said = given.members()
    if not said:
        raise UsageError("nothing to put on record: give at least one option")
    if any(is_machine(one) for one in (*given.owners.values(), *((given.author,) if given.author else ()))):
        raise ApprovalRefused(["an owner is a person, or a team of them; a program answers for nothing"])
    with opened_store(_store_of(case), now) as (held, ground):
        folder = read_folder(case)
        record = Record(at=spelled(ground.now), event="set", case_id=folder.case_id, members={"facts": said})
        # What concerns a case that nobody may commit stays beside it, until the case leaves.
        held.record(record.line(), local=folder.place in {QUARANTINE, REJECTED})


def red_run(case: Path, manifest: Path) -> Mapping[str, str]:
    """Return what makes a replay's manifest a red run of a case: its bytes, and the implementation that failed.

    Raises `ApprovalRefused` for a manifest of another case, of other bytes, or of a run that did not fail.
    """
    folder = read_folder(case)
    try:
        with manifest.open("rb") as stream:
            document = parse(stream.read(MAX_BYTES))
    except (OSError, MalformedJson):
        raise InputUnreadable("the manifest cannot be read as JSON") from None
    found = document if isinstance(document, dict) else {}
    digest, version = folder.digests[FIXTURE], found.get("implementation_version")
    faults = []
    if found.get("case_id") != folder.case_id or str(found.get("fixture_hash")).removeprefix("sha256:") != digest:
        faults.append("the manifest is about another case, or other bytes of this one")
    if found.get("boundary_passed") is not False:
        faults.append("the manifest tells of no red run: its boundary did not fail")
    if not isinstance(version, str) or not version:
        faults.append("the manifest does not say which implementation was run")
    if faults:
        raise ApprovalRefused(faults)
    return {"fixture_sha256": digest, "implementation_version": str(version)}


def retire(case: Path, *, reason: str, successor: str | None = None, now: datetime | None = None) -> Path:
    """Move an approved case to the retired ones, with the reason and the case that takes its place; return its folder.

    Raises `UsageError` for a case that is not approved, a reason that says nothing, or a successor that is not known.
    """
    said = " ".join(reason.split())
    if not said or len(said) > _LONGEST or not said.isprintable():
        raise UsageError(f"a reason is one line of up to {_LONGEST} printable characters")
    with opened_store(_store_of(case), now) as (held, ground):
        folder = read_folder(case)
        if folder.place != APPROVED:
            hint = "extract-fixture reject CASE takes a case out of quarantine" if folder.place == QUARANTINE else None
            raise UsageError(f"only an approved case is retired; this one stands in {folder.place}", hint=hint)
        known = {record.case_id for record in ground.records} | {entry.name for _, entry in folders(folder.root)}
        if successor is not None and (successor not in known or successor == folder.case_id):
            raise UsageError("the successor is no other case of this store")
        at = spelled(ground.now)
        more: dict[str, JsonValue] = {"reason": said, **({"successor": successor} if successor else {})}
        held.note(APPROVED, folder.path.name, {"at": at, "event": "retired", **more})
        target = held.move(folder.path.name, APPROVED, RETIRED)
        held.record(of_move("retired", at, folder, ground.facts(folder), **more).line())
        return folder.root / RETIRED / target


def _store_of(case: Path) -> Path:
    folder = read_folder(case)
    if folder.place not in PLACES:
        raise UsageError("the case does not stand in a store")
    return folder.root


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What was removed: a quarantined or rejected case as a whole, or what the restricted store held for one."""

    case_id: str
    place: str
    expired_at: str


def purge(
    root: Path, *, ttl_days: int | None = None, dry_run: bool = False, now: datetime | None = None
) -> Sequence[Purged]:
    """Remove what is past its time, each with a record, and return it. Approved and retired cases stay.

    The time of a quarantined or rejected case and of a restricted capture is the one that its capture.json names; with
    ``ttl_days``, that many days after extraction where this is sooner. A capture that names none, or is gone, keeps its
    case: what cannot be told is not removed. Raises `UsageError` where there is no store.
    """
    if not root.is_dir():  # opening would make it
        raise UsageError("no store is there", hint="extraction makes one; --store names another")
    with opened_store(root, now) as (held, ground):
        due = [*_due_cases(ground, ttl_days), *_due_restricted(ground, ttl_days)]
        if dry_run:
            return [one for one, _ in due]
        for one, path in due:
            at = spelled(ground.now)
            if one.place == RESTRICTED:
                line = Record(at=at, event="expired", case_id=one.case_id, members={"expired_at": one.expired_at})
                held.record(line.line())
            else:
                case = read_folder(path)
                held.record(_purging(case, at, one, ground).line())
            held.remove(one.place, path.name)
        return [one for one, _ in due]


def _purging(case: CaseFolder, at: str, one: Purged, ground: Ground) -> Record:
    return of_move("purged", at, case, ground.facts(case), expired_at=one.expired_at, stood=one.place)


def _due_cases(ground: Ground, ttl_days: int | None) -> Iterator[tuple[Purged, Path]]:
    for place, path in folders(ground.root):
        if place not in {QUARANTINE, REJECTED}:
            continue
        try:
            case = read_folder(path)
        except InputUnreadable:
            continue
        end = _end(case.capture, ttl_days)
        if end is not None and end <= ground.now:
            yield Purged(case_id=case.case_id, place=place, expired_at=spelled(end)), path


def _due_restricted(ground: Ground, ttl_days: int | None) -> Iterator[tuple[Purged, Path]]:
    folder = ground.root / RESTRICTED
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if not is_case_id(path.name) or path.is_symlink() or not path.is_dir():
            continue
        try:
            capture = parse((path / CAPTURE).read_bytes())
        except (OSError, MalformedJson):
            continue
        end = _end(capture if isinstance(capture, dict) else {}, ttl_days)
        if end is not None and end <= ground.now:
            yield Purged(case_id=path.name, place=RESTRICTED, expired_at=spelled(end)), path


def _end(capture: Mapping[str, JsonValue], ttl_days: int | None) -> datetime | None:
    ends = []
    for name, days in (("expires_at", 0), *((("extracted_at", ttl_days),) if ttl_days is not None else ())):
        value = capture.get(name)
        try:
            if isinstance(value, str):
                ends.append(instant(value) + timedelta(days=days))
        except Malformed:
            continue
    return min(ends, default=None)


def enrol(root: Path, case_id: str, *, now: datetime | None = None) -> None:
    """Put an extracted case on record, in the register's local half; a case that is on record there already is not put again."""
    enrol_all(root, [case_id], now=now)
