"""Writing an export and reading it back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from extractor.model.config import Wanted
from extractor.model.reading import Note, Reading
from extractor.read import Limits, read

from .build import TRACE

ReadBytes = Callable[..., Reading]


@pytest.fixture
def read_bytes(tmp_path: Path) -> ReadBytes:
    """Return a function that writes each argument to a file of its own and reads a trace from them."""

    def run(*contents: bytes, wanted: Wanted | None = None, limits: Limits | None = None) -> Reading:
        files = []
        for number, content in enumerate(contents, 1):
            file = tmp_path / f"{number:03d}.whatever"
            file.write_bytes(content)
            files.append(str(file))
        return read(files, wanted or Wanted(trace_ids=(TRACE,)), limits=limits or Limits())

    return run


def codes(notes: tuple[Note, ...]) -> dict[str, int]:
    """Return counts by code."""
    return {note.code: note.count for note in notes}


def places(notes: tuple[Note, ...], code: str) -> tuple[str, ...]:
    """Return the places of one code."""
    return next((note.places for note in notes if note.code == code), ())
