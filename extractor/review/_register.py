"""The register: append-only lines about cases, and what they come to. Disk is what is true; lines say what should be."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from ..errors import InputUnreadable, ProvenanceInvalid
from ..model.json import JsonValue, MalformedJson, parse
from ..model.layout import APPROVED, LOCAL_REGISTER, PLACES, QUARANTINE, REGISTER, RETIRED, case_of, is_case_id
from ._folder import CaseFolder, read_folder, sha256
from ._statement import Malformed, instant

Event: TypeAlias = Literal["extracted", "set", "superseded", "approved", "rejected", "retired", "purged", "expired"]
"""``superseded`` says which case of quarantine stands for another result of the same trace, mostly one of the same id. ``expired`` is a line about a capture or a source copy that was removed; the case itself stays."""

_EVENTS: tuple[Event, ...] = get_args(Event)
# Where a case may stand after its last public line; a case that was purged or rejected need not stand anywhere.
_EXPECTED: Mapping[str, frozenset[str]] = {
    "approved": frozenset({APPROVED, RETIRED}),
    "retired": frozenset({RETIRED}),
}
_MOVES = frozenset({"approved", "rejected", "retired"})
_MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One line. ``members`` holds what the event has of its own; ``local`` lines stand in quarantine's half."""

    at: str
    event: Event
    case_id: str
    members: Mapping[str, JsonValue] = field(default_factory=dict)
    local: bool = False

    def line(self) -> dict[str, JsonValue]:
        """Return the line as the register has it."""
        return {"at": self.at, "event": self.event, "case_id": self.case_id, **self.members}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What people have put on record about a case, the last word of each kind. ``owners`` are people by role or boundary.

    ``red`` names the bytes that a run was red on, and the implementation that was run.
    """

    owners: Mapping[str, str] = field(default_factory=dict)
    author: str | None = None
    affected_version: str | None = None
    fixed_version: str | None = None
    covering_test: str | None = None
    red: Mapping[str, str] = field(default_factory=dict)

    def members(self) -> dict[str, JsonValue]:
        """Return what is known, as a line has it."""
        said: dict[str, JsonValue] = {
            "owners": dict(self.owners),
            "author": self.author,
            "affected_version": self.affected_version,
            "fixed_version": self.fixed_version,
            "covering_test": self.covering_test,
            "red": dict(self.red),
        }
        return {name: value for name, value in said.items() if value}


def records(root: Path) -> tuple[Record, ...]:
    """Return the lines of both halves, in the order in which they were written, the local half first.

    Raises `ProvenanceInvalid` for a line that is no record: a register that cannot be read vouches for nothing. A last
    line without its end is what a crash leaves, and is passed over.
    """
    return (
        *_lines(root / QUARANTINE / LOCAL_REGISTER, local=True),
        *_lines(root / REGISTER, local=False),
    )


def facts(lines: Iterable[Record], case_id: str) -> Facts:
    """Return what is on record about a case."""
    found: dict[str, JsonValue] = {}
    for record in lines:
        said = record.members.get("facts")
        if record.case_id != case_id or not isinstance(said, dict):
            continue
        owners, given = found.get("owners"), said.get("owners")
        found.update(said)
        if isinstance(owners, dict) and isinstance(given, dict):
            found["owners"] = {**owners, **given}
    return Facts(
        owners=_texts(found.get("owners")),
        author=_text(found.get("author")),
        affected_version=_text(found.get("affected_version")),
        fixed_version=_text(found.get("fixed_version")),
        covering_test=_text(found.get("covering_test")),
        red=_texts(found.get("red")),
    )


def seen_red(known: Facts, case: CaseFolder) -> bool:
    """Say whether a red run of these very bytes of fixture.json is on record."""
    return known.red.get("fixture_sha256") == case.digests.get("fixture.json")


def last(lines: Iterable[Record], case_id: str, *, local: bool = False) -> Record | None:
    """Return the last line of a half that says where a case stands."""
    moves = [
        one for one in lines if one.case_id == case_id and one.local == local and one.event not in {"set", "expired"}
    ]
    return moves[-1] if moves else None


def of_move(event: Event, at: str, case: CaseFolder, known: Facts, **more: JsonValue) -> Record:
    """Return the line about a case that has left quarantine, or retired: what identifies it, and what is known of it."""
    source = case.predicate.get("source")
    refs = source.get("trace_refs") if isinstance(source, dict) else None
    return Record(
        at=at,
        event=event,
        case_id=case.case_id,
        members={
            "fixture_sha256": case.digests.get("fixture.json"),
            "trace_refs": refs if isinstance(refs, list) else [],
            **(
                {"approvals": {name: sha256(content) for name, content in case.approvals.items()}}
                if event == "approved"
                else {}
            ),
            **more,
            **({"facts": said} if (said := known.members()) else {}),
        },
    )


def folders(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield every case folder of a store with its place, in order of place and name."""
    for place in PLACES:
        folder = root / place
        if folder.is_symlink() or not folder.is_dir():
            continue
        for entry in sorted(folder.iterdir()):
            if case_of(entry.name) and entry.is_dir() and not entry.is_symlink():
                yield place, entry


def vanished(root: Path, lines: Sequence[Record], committed: Iterable[str] = ()) -> list[str]:
    """Return a line for each case that is no longer where the register, or git's history (``committed``), had it."""
    standing: dict[str, set[str]] = {}
    moved: dict[str, str] = {}
    for place, folder in folders(root):
        case_id = case_of(folder.name) or ""
        standing.setdefault(case_id, set()).add(place)
        moved[case_id] = max(moved.get(case_id, ""), _last_move(folder))
    problems = []
    for case_id in dict.fromkeys(record.case_id for record in lines):
        places = standing.get(case_id, set())
        public, private = last(lines, case_id), last(lines, case_id, local=True)
        if public is not None and public.event in _EXPECTED and not places & _EXPECTED[public.event]:
            problems.append(f"{case_id}: was {public.event}, and its folder is gone without a record")
        since = max(public.at if public else "", moved.get(case_id, ""))
        replaced = private is not None and private.members.get("by", case_id) != case_id
        if private is not None and not replaced and private.at > since and QUARANTINE not in places:
            problems.append(f"{case_id}: was in quarantine, and its folder is gone without a record")
    told = {record.case_id for record in lines if record.event in {"retired", "approved"} and not record.local}
    problems += [
        f"{case_id}: stands in git's history as approved, and is gone without a record"
        for case_id in sorted(set(committed) - told)
        if not standing.get(case_id, set()) & {"approved", "retired"}
    ]
    return problems


def _last_move(folder: Path) -> str:
    """Return when a case last left a place, by its own history: a run may have ended before the register knew."""
    try:
        history = read_folder(folder).history
    except InputUnreadable:
        return ""
    moves = [str(line.get("at")) for line in history if line.get("event") in _MOVES]
    return max(moves, default="")


def _lines(file: Path, *, local: bool) -> Iterator[Record]:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    except OSError:
        raise InputUnreadable(f"{REGISTER} cannot be read") from None
    with os.fdopen(descriptor, "rb") as stream:
        content = stream.read(_MAX_BYTES)
    lines = content.split(b"\n")
    for number, line in enumerate(lines, start=1):
        record = _record(line, local=local)
        if record is not None:
            yield record
        elif line and number < len(lines) and not _torn(line):
            raise ProvenanceInvalid(f"line {number} of {'the local register' if local else REGISTER} is no record")


def _torn(line: bytes) -> bool:
    """Say whether a line is the beginning of one: a crash of the machine cut it short, and the next writer closed it."""
    return re.match(rb'\{"at":"', line) is not None and not line.endswith(b"}")


def _record(line: bytes, *, local: bool) -> Record | None:
    try:
        document = parse(line)
    except MalformedJson:
        return None
    if not isinstance(document, dict):
        return None
    at, event, case_id = (document.pop(name, None) for name in ("at", "event", "case_id"))
    if not isinstance(at, str) or not isinstance(case_id, str) or not is_case_id(case_id) or event not in _EVENTS:
        return None
    try:
        instant(at)
    except Malformed:
        return None
    return Record(
        at=at, event=next(name for name in _EVENTS if name == event), case_id=case_id, members=document, local=local
    )


def _text(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: JsonValue) -> dict[str, str]:
    return {name: text for name, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}
