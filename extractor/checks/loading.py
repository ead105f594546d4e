"""Folders to fixtures that test checks: ours (``fixture.json``) and the chapter's (``case.yaml``, ``record.json``)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from extractor.errors import InputUnreadable, UsageError
from extractor.model import layout
from extractor.model.json import JsonValue

from .case import CheckCase
from .documents import json_object
from .expectation import Expectation, expectation
from .record import RunRecord, instant
from .yaml_texts import MalformedYaml, document

CASE: Final = "case.yaml"
RECORD: Final = "record.json"
CHAPTER: Final = frozenset({CASE, RECORD, layout.EXPECT, layout.README})
"""What a folder of the chapter holds; README.md may be absent."""

WANTED: Final = "a fixture is a folder with expect.yaml beside fixture.json, or beside case.yaml and record.json"
"""What to say to whom no fixture was found for."""

_OURS = layout.FILES | layout.FOLDERS | {".gitignore"}
_CASE_MEMBERS = frozenset({"input", "expectations", "facts", "now", "incident_id"})
_MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFixture:
    """A record, its case, and the verdict that checks must return on it. ``name`` is the folder's (a control's: CASE/CONTROL)."""

    name: str
    folder: Path
    record: RunRecord = field(repr=False)
    case: CheckCase = field(repr=False)
    expectation: Expectation
    case_id: str
    incident_id: str | None = None
    control_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The folders below some places: those that are fixtures, how many cases expect nothing of checks, how many are retired."""

    folders: tuple[Path, ...]
    without_expectation: int
    retired: int = 0


def find(places: Sequence[Path]) -> Found:
    """Return the fixture folders at or below places, each once, by path. Raises `UsageError` for a place that is no folder."""
    folders: dict[Path, bool] = {}
    for place in places:
        if not place.is_dir():
            raise UsageError("a place of fixtures is no folder", hint=WANTED)
        folders.update(_below(place))
    standing = {folder: expects for folder, expects in folders.items() if not is_retired(folder)}
    expecting = sorted(folder for folder, expects in standing.items() if expects)
    return Found(
        folders=tuple(expecting),
        without_expectation=len(standing) - len(expecting),
        retired=len(folders) - len(standing),
    )


def is_retired(folder: Path) -> bool:
    """Say whether a case stands in the place of retired ones: nothing is claimed of it any more, and it stays on record."""
    return folder.resolve().parent.name == layout.RETIRED


def _below(folder: Path) -> Iterator[tuple[Path, bool]]:
    entries = sorted(os.scandir(folder), key=lambda each: each.name)
    held = {each.name for each in entries}
    if layout.FIXTURE in held:
        yield folder, layout.EXPECT in held
        controls = folder / layout.CONTROLS
        yield from _below(controls) if controls.is_dir() else ()
        return
    if held & {RECORD, CASE, layout.EXPECT}:
        yield folder, True
        return
    for each in entries:
        if each.name.startswith(".") or each.name == layout.RESTRICTED:
            continue
        if each.is_symlink():
            raise UsageError("a link stands among the fixtures: it is not followed")
        if each.is_dir():
            yield from _below(folder / each.name)


def name_of(folder: Path) -> str:
    """Return what a fixture is called: its folder's name, after its case's where it is a control."""
    beside = folder.parent
    return f"{beside.parent.name}/{folder.name}" if beside.name == layout.CONTROLS else folder.name


def load_fixture(folder: Path) -> CheckFixture:
    """Return the fixture of a folder. Raises `InputUnreadable` for one that is not whole or holds a file of no fixture."""
    try:
        ours = _is_ours(folder)
        told = expectation(_read(folder / layout.EXPECT))
        return _ours(folder, told) if ours else _chapter(folder, told)
    except ValueError as fault:
        raise InputUnreadable(str(fault)) from None
    except OSError:
        raise InputUnreadable("the folder cannot be read") from None


def load_case(file: str | Path) -> CheckCase:
    """Return the case of a case.yaml: ``input``, ``expectations``, ``now``, ``facts``. Raises `ValueError`, quoting nothing."""
    return _case(Path(file))[0]


def _is_ours(folder: Path) -> bool:
    held = {each.name for each in folder.iterdir()}
    ours = layout.FIXTURE in held
    strange = len(held - (_OURS if ours else CHAPTER))
    if strange:
        may = "those of a case, and expect.yaml" if ours else ", ".join(sorted(CHAPTER))
        raise ValueError(
            f"the folder holds {strange} entries that belong to no fixture (it has no code in it): it may hold {may}"
        )
    return ours


def _ours(folder: Path, told: Expectation) -> CheckFixture:
    fixture = json_object(_read(folder / layout.FIXTURE), "fixture")
    events = fixture.get("tool_events")
    if not layout.is_case_id(fixture.get("case_id")):
        raise ValueError("the fixture has no case_id")
    if not isinstance(events, list) or not all(isinstance(event, dict) and "tool" in event for event in events):
        raise ValueError("the fixture's tool_events is no list of events")
    try:
        case = CheckCase.of(fixture)
    except (KeyError, ValueError):
        raise ValueError("the fixture's frozen_at is no instant with an offset") from None
    return CheckFixture(
        name=name_of(folder),
        folder=folder,
        record=RunRecord.of(fixture),
        case=case,
        expectation=told,
        case_id=str(fixture["case_id"]),
        incident_id=_text(fixture.get("incident_id")),
        control_of=_text(fixture.get("control_of")),
    )


def _chapter(folder: Path, told: Expectation) -> CheckFixture:
    case, incident = _case(folder / CASE)
    return CheckFixture(
        name=name_of(folder),
        folder=folder,
        record=RunRecord.from_json(_read(folder / RECORD)),
        case=case,
        expectation=told,
        case_id=folder.name,
        incident_id=incident,
    )


def _case(file: Path) -> tuple[CheckCase, str | None]:
    try:
        told = document(_read(file))
    except MalformedYaml as fault:
        raise ValueError(f"case.yaml is not accepted: {fault}") from None
    strange = sum(name not in _CASE_MEMBERS for name in told)
    if strange:
        raise ValueError(f"case.yaml has {strange} members beside {', '.join(sorted(_CASE_MEMBERS))}")
    now = told.get("now")
    try:
        moment = None if now is None else instant(now if isinstance(now, str) else "")
    except ValueError:
        raise ValueError("case.yaml: now must be an ISO 8601 instant with its offset") from None
    case = CheckCase(
        name=file.parent.name,
        now=moment,
        input=told.get("input"),
        expectations=_object(told, "expectations"),
        facts=_object(told, "facts"),
    )
    return case, _text(told.get("incident_id"))


def _object(told: dict[str, JsonValue], name: str) -> dict[str, JsonValue]:
    value = told.get(name, {})
    if not isinstance(value, dict):
        raise ValueError(f"case.yaml: {name} must be a mapping")  # noqa: TRY004  # what a caller catches for all
    return value


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            content = stream.read(_MAX_BYTES + 1)
    except OSError:
        raise ValueError(f"{file.name} cannot be read") from None
    if len(content) > _MAX_BYTES:
        raise ValueError(f"{file.name} is too large")
    return content
