"""The folder that a run keeps beside the cases: for one run at a time, closed to others, on a disk that may be full."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from extractor.errors import UsageError
from extractor.write import shelves


@contextmanager
def own(folder: Path) -> Iterator[Path]:
    """Yield the run's own folder, closed to others and to git, for this process alone.

    Raises `UsageError` where another run is at work, or where it, or the store around it, cannot be written: better before the
    work than for each of its cases.
    """
    with shelves(folder.parent):
        pass
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.is_symlink():
            raise UsageError("the folder of bulk runs is a symbolic link")
        folder.chmod(0o700)
        (folder / ".gitignore").write_text("*\n", "utf-8")
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        raise UsageError("the folder for cases cannot be written") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise UsageError(
            "another bulk run is at work in this folder", hint="wait for it, or choose another --out"
        ) from None
    try:
        yield folder
    finally:
        os.close(lock)


@contextmanager
def writing() -> Iterator[None]:
    """Turn what the disk refuses to a run's own files into a `UsageError` that names no path."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "the disk is full, perhaps"
        raise UsageError(
            f"the run's own files cannot be written ({why})", hint="make room, and go on with --resume"
        ) from None
