"""Passing runs to corrupt: any case of ours, and the chapter's folders, whether or not they say what checks must return."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from extractor.errors import InputUnreadable, UsageError
from extractor.model import layout

from .case import CheckCase
from .documents import json_object
from .expectation import Expectation, expectation
from .loading import CASE, RECORD, load_case, name_of
from .record import RunRecord

WANTED: Final = "a run is a folder with fixture.json, or with case.yaml and record.json"
"""What to say to whom no run was found for."""

_MAX_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A recorded run, its case, and what its expect.yaml says, where there is one."""

    name: str
    record: RunRecord = field(repr=False)
    case: CheckCase = field(repr=False)
    expectation: Expectation | None = None


def load_run(folder: Path) -> Run:
    """Return the run that a folder holds. Raises `InputUnreadable`, quoting nothing of it."""
    try:
        told = expectation(_read(folder / layout.EXPECT)) if (folder / layout.EXPECT).exists() else None
        if (folder / layout.FIXTURE).exists():
            fixture = json_object(_read(folder / layout.FIXTURE), "fixture")
            record, case = RunRecord.of(fixture), CheckCase.of(fixture)
        else:
            record, case = RunRecord.from_json(_read(folder / RECORD)), load_case(folder / CASE)
    except KeyError:
        raise InputUnreadable("a fixture does not say its frozen_at") from None
    except ValueError as fault:
        raise InputUnreadable(f"a run cannot be read: {fault}") from None
    except OSError:
        raise InputUnreadable("a run cannot be read: a file of it is missing or closed", hint=WANTED) from None
    return Run(name=name_of(folder), record=record, case=case, expectation=told)


def runs_below(places: Sequence[Path]) -> tuple[Path, ...]:
    """Return the folders at and below places that hold a run, each once, by path. Raises `UsageError` for none."""
    found = {folder for place in places for folder in _below(place)}
    if not found:
        raise UsageError("there is no run here", hint=WANTED)
    return tuple(sorted(found))


def _below(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        raise UsageError("a place of runs is no folder", hint=WANTED)
    for folder, inner, names in os.walk(place):  # links are not followed
        inner[:] = [name for name in inner if not name.startswith(".") and name != layout.RESTRICTED]
        if {layout.FIXTURE, RECORD} & set(names):
            yield Path(folder)


def _read(file: Path) -> bytes:
    with file.open("rb") as stream:
        content = stream.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise ValueError(f"{file.name} is too large")
    return content
