"""Put a proved case into quarantine: whole or not at all, and never over another without being asked."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from ..errors import CaseExists, UsageError
from ..model.case import Fixture
from ..model.json import JsonValue, MalformedJson, compact, parse
from ..model.layout import (
    CAPTURE,
    FILES,
    FIXTURE,
    FOLDERS,
    HISTORY,
    PEOPLES,
    PROVED,
    PROVENANCE,
    QUARANTINE,
    is_case_id,
)
from . import _folders as folders
from ._exchange import exchange
from ._synthetic import LOOKED_AT_BY, alternates

_PLACE = "case folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Where a case stands now, and whether this run wrote it."""

    case_id: str
    path: Path
    state: Literal["written", "unchanged", "replaced"]


Act: TypeAlias = Literal["extracted", "annotated", "minimised", "recaptured", "reviewed"]
_NO_COUNTS: Mapping[str, int] = MappingProxyType({})


def store(
    fixture: Fixture,
    capture: bytes | None,
    out: Path,
    *,
    replace: bool,
    act: Act = "extracted",
    at: str | None = None,
    counts: Mapping[str, int] = _NO_COUNTS,
) -> Stored:
    """Write ``out/quarantine/<case_id>/`` in one step, the files and the folder on disk before it has its name.

    The same fixture.json, README.md and provenance.json again: ``unchanged``, nothing is touched, save by a review, which may
    have left a mark in the capture alone. Other bytes raise
    `CaseExists`, unless ``replace``: then the old case stands until the new one does, and what people added to it
    (expect.yaml, approvals, controls, history) goes along. Raises `UsageError` for a folder that cannot be used.
    History gains one line: what was done, its ``counts``, and when (RFC 3339; without ``at``, when the capture says it was
    extracted); of a case with synthetic answers also how many, and which roles must look at them.
    A ``capture`` of None keeps the old case's own.

    A run that was cut short leaves the old case or the new one, and a temporary folder that the next run removes.
    Where the file system cannot swap two names (NFS), an interrupted replacement leaves the old case under a temporary
    name until the next run puts it back. Writers of one quarantine wait for each other.
    """
    case = fixture.case_id
    if not is_case_id(case):
        raise UsageError("a case id holds up to 100 of a-z, 0-9 and dashes, and does not begin with a dash")
    missing = [name for name in PROVED if name not in fixture.files]
    if missing:
        raise UsageError(f"a fixture without {', '.join(missing)} is not stored")
    path = out / QUARANTINE / case
    with folders.quarantine(out) as quarantine, folders.place(_PLACE):
        folders.heal(quarantine)
        present = folders.kind(quarantine, case) is not None
        if present and act != "reviewed" and _same(quarantine, fixture):
            return Stored(case_id=case, path=path, state="unchanged")
        if present and not replace:
            raise CaseExists(
                "a case of this id and other content is already in quarantine", hint="--replace writes over it"
            )
        try:
            event = "replaced" if present and act == "extracted" else act
            line = history_line(fixture.files[FIXTURE], event, at or _extracted_at(capture), counts)
            _build(quarantine, fixture, capture, line, present=present)
            publish(quarantine, case, present=present)
        finally:
            folders.heal(quarantine)
    return Stored(case_id=case, path=path, state="replaced" if present else "written")


def _same(quarantine: int, fixture: Fixture) -> bool:
    folder = folders.open_folder(quarantine, fixture.case_id)
    try:
        return all(folders.read(folder, name) == fixture.files[name] for name in PROVED)
    finally:
        os.close(folder)


def _build(quarantine: int, fixture: Fixture, capture: bytes | None, line: bytes, *, present: bool) -> None:
    """Lay the whole case down under its temporary name, the sidecar last."""
    fresh = f"{folders.FRESH}{fixture.case_id}"
    os.mkdir(fresh, 0o700, dir_fd=quarantine)
    target = folders.open_folder(quarantine, fresh)
    try:
        kept = PEOPLES if capture is not None else (*PEOPLES, CAPTURE)
        history = _carry(quarantine, fixture.case_id, target, kept) if present else b""
        for name in PROVED:
            if name != PROVENANCE:
                folders.write(target, name, fixture.files[name])
        if capture is not None:
            folders.write(target, CAPTURE, capture)
        folders.write(target, HISTORY, history + line)
        folders.write(target, PROVENANCE, fixture.files[PROVENANCE])
        os.fsync(target)
    finally:
        os.close(target)


def _carry(quarantine: int, case: str, target: int, kept: Sequence[str]) -> bytes:
    """Copy what stays of the old case; return its history, which names the old fixture's digest."""
    source = folders.open_folder(quarantine, case)
    try:
        refuse_strangers(source)
        for name in kept:
            folders.copy(source, target, name)
        history = folders.read(source, HISTORY) or b""
        return history if history.endswith(b"\n") or not history else history + b"\n"
    finally:
        os.close(source)


def refuse_strangers(case: int) -> None:
    """Raise `UsageError` where an open case folder holds what no case has: it would be lost with the folder."""
    if set(folders.names(case)) - FILES - FOLDERS:
        raise UsageError("the case folder holds what no case has; move it away before the case is replaced")


def history_line(fixture: bytes, event: str, at: JsonValue, counts: Mapping[str, int]) -> bytes:
    """Return a line of a case's history: what was done to which fixture.json, when, and how much of what."""
    digest = hashlib.sha256(fixture).hexdigest()
    told: dict[str, JsonValue] = {"at": at, "event": event, "fixture_sha256": digest, **counts}
    if made_up := _synthetic(fixture):
        told |= {"synthetic": made_up, "to_look_at": list(LOOKED_AT_BY)}
    return f"{compact(told)}\n".encode()


def _synthetic(content: bytes) -> int:
    """Return how many synthetic answers a fixture holds; what is no JSON holds none, and is for others to refuse."""
    try:
        return alternates(parse(content))
    except MalformedJson:
        return 0


def _extracted_at(capture: bytes | None) -> JsonValue:
    """Return the time of extraction: write reads no clock."""
    captured = parse(capture) if capture is not None else None
    return captured.get("extracted_at") if isinstance(captured, dict) else None


def publish(quarantine: int, case: str, *, present: bool) -> None:
    """Give the case that stands under its temporary name its own one; ``present`` where an older case has it."""
    fresh, aside = f"{folders.FRESH}{case}", f"{folders.ASIDE}{case}"
    if not present:
        os.rename(fresh, case, src_dir_fd=quarantine, dst_dir_fd=quarantine)
    elif not exchange(quarantine, fresh, case):
        os.rename(case, aside, src_dir_fd=quarantine, dst_dir_fd=quarantine)
        os.rename(fresh, case, src_dir_fd=quarantine, dst_dir_fd=quarantine)
    os.fsync(quarantine)
