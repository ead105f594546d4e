"""Cases as records to run checks over, whatever they expect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from extractor.errors import InputUnreadable, UsageError
from extractor.model import layout
from extractor.model.json import JsonValue, MalformedJson, parse

from .case import CheckCase
from .record import RunRecord

_NOT_CASES = (layout.CONTROLS, layout.RESTRICTED)


def runs_below(places: Sequence[Path]) -> list[tuple[str, RunRecord, CheckCase]]:
    """Return each case at or below the places, by name: its record and what the checks take for the case.

    Raises `UsageError` for no case at all, `InputUnreadable` for one that is no fixture, by its position.
    """
    found = []
    for number, (folder, fixture) in enumerate(fixtures_below(places), start=1):
        try:
            found.append((folder.name, RunRecord.of(fixture), CheckCase.of(fixture)))
        except (KeyError, TypeError, ValueError):
            raise InputUnreadable(f"case {number} cannot be read as a record: validate it first") from None
    return found


def fixtures_below(places: Sequence[Path]) -> Iterator[tuple[Path, dict[str, JsonValue]]]:
    """Yield the folder and the fixture of every case at or below the places. Raises as `runs_below` does."""
    folders = [folder for place in places for folder in _folders(place)]
    if not folders:
        raise UsageError("there is no case here: name a case folder, or a folder that holds some")
    for number, folder in enumerate(folders, start=1):
        try:
            fixture = parse((folder / layout.FIXTURE).read_bytes())
        except (OSError, MalformedJson):
            raise InputUnreadable(f"the fixture of case {number} cannot be read") from None
        if not isinstance(fixture, dict):
            raise InputUnreadable(f"the fixture of case {number} is no JSON object")
        yield folder, fixture


def _folders(place: Path) -> Iterator[Path]:
    if (place / layout.FIXTURE).is_file():
        yield place
    elif place.is_dir():
        for folder in sorted(each for each in place.iterdir() if each.is_dir() and not each.name.startswith(".")):
            yield from _folders(folder) if folder.name not in _NOT_CASES else ()
