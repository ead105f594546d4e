"""Put proved controls into the folder of their case, all in one step, and none over what people have said in one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from ..errors import UsageError
from ..model.case import Fixture
from ..model.json import JsonValue, MalformedJson, parse
from ..model.layout import CONTROLS, EXPECT, FIXTURE, HISTORY, PROVED, PROVENANCE, QUARANTINE, is_case_id
from . import _folders as folders
from ._store import history_line, publish, refuse_strangers

State: TypeAlias = Literal["written", "unchanged", "replaced", "kept"]
_PLACE = "case folder"


def store_controls(
    case: Path, controls: Mapping[str, Fixture], *, replace: bool, act: str, at: str
) -> Mapping[str, State]:
    """Write ``case/controls/<name>/`` for each control of a quarantined case; the whole case is swapped for one with them.

    A control that people have changed since it was made is ``kept`` as it stands, unless ``replace``; other controls of the
    case, and an expect.yaml in one that is replaced, stay. History gains one line when anything was written: ``act``, when
    (RFC 3339), how many. Raises `UsageError` for a folder that cannot be used.
    """
    path = case.resolve()
    name = path.name
    if path.parent.name != QUARANTINE or not is_case_id(name):
        raise UsageError("controls are written beside a case in quarantine")
    if not all(is_case_id(each) for each in controls):
        raise UsageError("a control's name holds a-z, 0-9 and dashes")
    with folders.quarantine(path.parent.parent) as quarantine, folders.place(_PLACE):
        folders.heal(quarantine)
        states = _states(quarantine, name, controls, replace=replace)
        written = {each: controls[each] for each, state in states.items() if state in {"written", "replaced"}}
        if written:
            try:
                _build(quarantine, name, written, act, at)
                publish(quarantine, name, present=True)
            finally:
                folders.heal(quarantine)
    return states


def _states(quarantine: int, name: str, controls: Mapping[str, Fixture], *, replace: bool) -> dict[str, State]:
    case = folders.open_folder(quarantine, name)
    try:
        refuse_strangers(case)
        if folders.kind(case, CONTROLS) is None:
            return dict.fromkeys(controls, "written")
        beside = folders.open_folder(case, CONTROLS)
        try:
            return {each: _state(beside, each, fixture, replace=replace) for each, fixture in controls.items()}
        finally:
            os.close(beside)
    finally:
        os.close(case)


def _state(beside: int, name: str, fixture: Fixture, *, replace: bool) -> State:
    if folders.kind(beside, name) is None:
        return "written"
    control = folders.open_folder(beside, name)
    try:
        standing = {each: folders.read(control, each) for each in PROVED}
    finally:
        os.close(control)
    if all(standing[each] == fixture.files[each] for each in PROVED):
        return "unchanged"
    return "replaced" if replace or _as_made(standing) else "kept"


def _as_made(standing: Mapping[str, bytes | None]) -> bool:
    """Say whether a control is what was made by rule: no person has said anything in it since."""
    sidecar, fixture = standing[PROVENANCE], standing[FIXTURE]
    try:
        statement: JsonValue = parse(sidecar) if sidecar is not None else None
    except MalformedJson:
        return False
    predicate = statement.get("predicate") if isinstance(statement, dict) else None
    control = predicate.get("control") if isinstance(predicate, dict) else None
    made = control.get("generated_sha256") if isinstance(control, dict) else None
    return fixture is not None and made == hashlib.sha256(fixture).hexdigest()


def _build(quarantine: int, name: str, written: Mapping[str, Fixture], act: str, at: str) -> None:
    """Lay the case down under its temporary name: everything that it has, and the controls."""
    fresh = f"{folders.FRESH}{name}"
    os.mkdir(fresh, 0o700, dir_fd=quarantine)
    source, target = folders.open_folder(quarantine, name), folders.open_folder(quarantine, fresh)
    try:
        for entry in folders.names(source):
            if entry not in {CONTROLS, HISTORY}:
                folders.copy(source, target, entry)
        history = folders.read(source, HISTORY) or b""
        history += b"" if history.endswith(b"\n") or not history else b"\n"
        line = history_line(folders.read(source, FIXTURE) or b"", act, at, {"controls": len(written)})
        folders.write(target, HISTORY, history + line)
        _build_controls(source, target, written)
        os.fsync(target)
    finally:
        os.close(source)
        os.close(target)


def _build_controls(source: int, target: int, written: Mapping[str, Fixture]) -> None:
    os.mkdir(CONTROLS, 0o700, dir_fd=target)
    beside = folders.open_folder(target, CONTROLS)
    before = folders.open_folder(source, CONTROLS) if folders.kind(source, CONTROLS) else None
    try:
        standing = folders.names(before) if before is not None else []
        for name in standing:
            if name not in written and before is not None:
                folders.copy(before, beside, name)
        for name, fixture in written.items():
            os.mkdir(name, 0o700, dir_fd=beside)
            control = folders.open_folder(beside, name)
            try:
                for each in PROVED:
                    folders.write(control, each, fixture.files[each])
                if before is not None and name in standing:
                    _carry(before, name, control)
                os.fsync(control)
            finally:
                os.close(control)
        os.fsync(beside)
    finally:
        os.close(beside)
        if before is not None:
            os.close(before)


def _carry(before: int, name: str, control: int) -> None:
    old = folders.open_folder(before, name)
    try:
        folders.copy(old, control, EXPECT)
    finally:
        os.close(old)
