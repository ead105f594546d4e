"""A store opened for a change: under its lock, with what an earlier run left undone brought to its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ..errors import InputUnreadable
from ..model.json import JsonValue
from ..model.layout import APPROVED, REJECTED, RETIRED
from ..write import Shelves, shelves
from ._folder import CaseFolder, read_folder
from ._ground import Ground
from ._judging import judge
from ._register import Event, Record, folders, of_move

_MOVED: tuple[tuple[str, Event], ...] = ((APPROVED, "approved"), (REJECTED, "rejected"), (RETIRED, "retired"))


@contextmanager
def opened_store(root: Path, now: datetime | None = None) -> Iterator[tuple[Shelves, Ground]]:
    """Yield a store's places and its ground, for this process alone. Raises what `shelves` and `Ground.of` raise."""
    with shelves(root) as held:
        ground = Ground.of(root, now)
        late = tuple(_unrecorded(ground))
        for record in late:
            held.record(record.line())
        yield held, replace(ground, records=(*ground.records, *late))


def _unrecorded(ground: Ground) -> Iterator[Record]:
    """Yield the lines that a run owed the register when it ended after its move: the folder and its history tell them."""
    known = {(record.event, record.case_id, record.at) for record in ground.records}
    for place, path in folders(ground.root):
        event = next((name for where, name in _MOVED if where == place), None)
        if event is None:
            continue
        try:
            case = read_folder(path)
        except InputUnreadable:
            continue
        line = _last(case, event)
        at = line.get("at")
        if not isinstance(at, str) or (event, case.case_id, at) in known:
            continue
        # What somebody only put there is no approval, and gets no record.
        if event == "approved" and judge(case, ground.context(case)).lines():
            continue
        more = {name: line[name] for name in ("reason", "successor", "role") if name in line}
        yield of_move(event, at, case, ground.facts(case), **more)


def _last(case: CaseFolder, event: Event) -> dict[str, JsonValue]:
    moves = [line for line in case.history if line.get("event") in {name for _, name in _MOVED}]
    return dict(moves[-1]) if moves and moves[-1].get("event") == event else {}
