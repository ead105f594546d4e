"""Which traces a store knows: those whose cases stand, and those whose cases people decided on or time removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ..errors import InputUnreadable
from ..model.json import JsonValue
from ..model.layout import FIXTURE, QUARANTINE
from ..write import shelves
from ._folder import read_folder
from ._register import Record, folders, records
from ._statement import spelled

_MOVES: Final = frozenset({"approved", "rejected", "retired", "purged"})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTrace:
    """The case that a trace became: its id, and where it stands, None where nothing stands any more.

    ``open`` are the ids of all its cases in quarantine: a run that ended while one took another's place leaves both.
    """

    case_id: str
    place: str | None
    open: tuple[str, ...] = ()


def known_traces(root: Path) -> Mapping[str, KnownTrace]:
    """Return the traces that cases were made of, by their keyed digests. Links are no such traces: the first of a case's is its own."""
    found: dict[str, KnownTrace] = {}
    for record in records(root):
        if record.event in _MOVES and (ref := _first(record.members.get("trace_refs"))):
            found[ref] = KnownTrace(case_id=record.case_id, place=None)
    for place, path in folders(root):
        try:
            case = read_folder(path)
        except InputUnreadable:
            continue
        source = case.predicate.get("source")
        ref = _first(source.get("trace_refs")) if isinstance(source, dict) else None
        if ref is not None:
            before = found[ref].open if ref in found else ()
            open_ = (*before, case.case_id) if place == QUARANTINE else before
            found[ref] = KnownTrace(case_id=case.case_id, place=place, open=open_)
    return found


def enrol_all(root: Path, case_ids: Iterable[str], *, now: datetime | None = None) -> None:
    """Put extracted cases on record, in the register's local half; what is on record there already is not put again."""
    # Not the whole ground: a policy that is not understood must not stand in the way of an extraction.
    with shelves(root) as held:
        lines = records(root)
        begun: dict[str, str] = {}
        ended: dict[str, str] = {}
        for one in lines:
            if one.local and one.event == "extracted":
                begun[one.case_id] = one.at
            elif not one.local:
                ended[one.case_id] = max(one.at, ended.get(one.case_id, ""))
        at = spelled(now or datetime.now(UTC))
        for case_id in dict.fromkeys(case_ids):
            if case_id not in begun or ended.get(case_id, "") >= begun[case_id]:
                held.record(Record(at=at, event="extracted", case_id=case_id).line(), local=True)


def supersede(root: Path, old: str, by: str, *, now: datetime | None = None) -> None:
    """Put on record that the result of a trace has changed, and that ``by`` stands in quarantine for it; ``old`` goes if that is another id."""
    with shelves(root) as held:
        members: dict[str, JsonValue] = {"by": by}
        if old in held.standing(QUARANTINE):
            members["fixture_sha256"] = read_folder(root / QUARANTINE / old).digests.get(FIXTURE)
        at = spelled(now or datetime.now(UTC))
        held.record(Record(at=at, event="superseded", case_id=old, members=members).line(), local=True)
        if old != by and old in held.standing(QUARANTINE):
            held.remove(QUARANTINE, old)


def _first(value: JsonValue) -> str | None:
    return value[0] if isinstance(value, list) and value and isinstance(value[0], str) else None
