"""Where cases stand after extraction: whole folders that change their place in one step, and what goes beside them.

The one step is the rename of the case's folder, under the lock of the store's quarantine. Before it only things are
added that are true on either side; after it only things are done that the next holder of the lock does as well. So
whatever moment a run ends at, a case stands in one place, whole.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ..errors import CaseExists, UsageError
from ..model.json import JsonValue, compact
from ..model.layout import (
    AGAIN,
    APPROVED,
    CAPTURE,
    HISTORY,
    LOCAL_REGISTER,
    QUARANTINE,
    REGISTER,
    REJECTED,
    RESTRICTED,
    RETIRED,
    case_of,
)
from . import _folders as folders

PART: Final = ".part-"
GONE: Final = ".gone-"
# What git is not to take: everything, or what an interrupted run may have left for the next one to finish.
_IGNORED: Mapping[str, bytes] = MappingProxyType(
    {
        QUARANTINE: b"*\n",
        REJECTED: b"*\n",
        RESTRICTED: b"*\n",
        APPROVED: b"capture.json\n.part-*\n.gone-*\n",
        RETIRED: b"capture.json\n.part-*\n.gone-*\n",
    }
)
_OPEN_TO_ALL = frozenset({APPROVED, RETIRED})


@contextmanager
def shelves(out: Path) -> Iterator[Shelves]:
    """Yield the places of a store, for this process alone; what an interrupted run left is finished first.

    Raises `UsageError` for folders that cannot be used.
    """
    with folders.quarantine(out) as quarantine, folders.place("store"):
        folders.heal(quarantine)
        root = folders.open_folder(quarantine, "..")
        try:
            held = Shelves(root=root)
            held.finish()
            yield held
        finally:
            os.close(root)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelves:
    """A store under its lock; ``root`` is a descriptor of its folder."""

    root: int

    @contextmanager
    def place(self, name: str) -> Iterator[int]:
        """Yield a descriptor of a place, made where absent, closed to others and to git as far as it must be."""
        mode = 0o755 if name in _OPEN_TO_ALL else 0o700
        with suppress(FileExistsError):
            os.mkdir(name, mode, dir_fd=self.root)
            os.fsync(self.root)
        descriptor = folders.open_folder(self.root, name)
        try:
            if mode == 0o700:
                os.fchmod(descriptor, mode)
            folders.put(descriptor, ".gitignore", _IGNORED[name], mode=0o600 if mode == 0o700 else 0o644)
            yield descriptor
        finally:
            os.close(descriptor)

    def standing(self, place: str) -> list[str]:
        """Return the names of the case folders in a place, sorted."""
        if folders.kind(self.root, place) is None:
            return []
        with self.place(place) as held:
            return [name for name in folders.names(held) if case_of(name) and folders.kind(held, name) == "folder"]

    def add(self, place: str, name: str, within: str, file: str, content: bytes) -> None:
        """Put a file into a folder of a case, in one step; ``within`` is empty for the case's own folder."""
        with self.place(place) as held, _opened(held, name) as case:
            if not within:
                _put(held, case, name, file, content)
                return
            with suppress(FileExistsError):
                os.mkdir(within, 0o700, dir_fd=case)
                os.fsync(case)
            with _opened(case, within) as inner:
                _put(held, inner, name, file, content)

    def note(self, place: str, name: str, line: Mapping[str, JsonValue]) -> None:
        """Add a line to a case's history; the same line again is not added."""
        with self.place(place) as held, _opened(held, name) as case:
            history = folders.read(case, HISTORY) or b""
            added = _line(line)
            if history.endswith(added):
                return
            if history and not history.endswith(b"\n"):
                history += b"\n"
            _put(held, case, name, HISTORY, history + added)

    def move(self, name: str, source: str, target: str) -> str:
        """Rename a case's folder from one place to another; return its name there.

        In approved an id stands once: another raises `CaseExists`. The target's entry reaches the disk first.
        """
        with self.place(source) as before, self.place(target) as after:
            case = case_of(name) or ""
            new = case if target == APPROVED else _free(after, case)
            if folders.kind(after, new) is not None:
                raise CaseExists("an approved case of this id stands already", hint="retire it first")
            with _opened(before, name) as folder:
                os.fsync(folder)
            os.rename(name, new, src_dir_fd=before, dst_dir_fd=after)
            os.fsync(after)
            os.fsync(before)
        self._restrict(target, new)
        return new

    def remove(self, place: str, name: str) -> None:
        """Take a case's folder away: out of sight in one step, then off the disk."""
        with self.place(place) as held:
            gone = f"{GONE}{name}"
            if folders.kind(held, gone) is not None:
                shutil.rmtree(gone, dir_fd=held)
            os.rename(name, gone, src_dir_fd=held, dst_dir_fd=held)
            os.fsync(held)
            shutil.rmtree(gone, dir_fd=held)
            os.fsync(held)

    def record(self, line: Mapping[str, JsonValue], *, local: bool = False) -> None:
        """Append a line to the register, or to its local half; it is on the disk when this returns."""
        if local:
            with self.place(QUARANTINE) as held:
                _append(held, LOCAL_REGISTER, _line(line), mode=0o600)
        else:
            _append(self.root, REGISTER, _line(line), mode=0o644)

    def finish(self) -> None:
        """Do what an interrupted run left: remove its temporary files, and take captures out of approved folders."""
        for place in (*_IGNORED,):
            if folders.kind(self.root, place) is None:
                continue
            with self.place(place) as held:
                for entry in folders.names(held):
                    if entry.startswith(GONE):
                        shutil.rmtree(entry, dir_fd=held)
                    elif entry.startswith(PART):
                        os.unlink(entry, dir_fd=held)
            if place in _OPEN_TO_ALL:
                for name in self.standing(place):
                    self._restrict(place, name)

    def _restrict(self, place: str, name: str) -> None:
        """Move a case's capture.json into the restricted store, where one stands in a folder that is to be committed."""
        if place not in _OPEN_TO_ALL:
            return
        with self.place(place) as held, _opened(held, name) as case:
            capture = folders.read(case, CAPTURE)
            if capture is None:
                return
            with self.place(RESTRICTED) as restricted:
                owner = case_of(name) or ""
                with suppress(FileExistsError):
                    os.mkdir(owner, 0o700, dir_fd=restricted)
                    os.fsync(restricted)
                with _opened(restricted, owner) as own:
                    _put(restricted, own, owner, CAPTURE, capture)
            os.unlink(CAPTURE, dir_fd=case)
            os.fsync(case)


@contextmanager
def _opened(within: int, name: str) -> Iterator[int]:
    try:
        descriptor = folders.open_folder(within, name)
    except FileNotFoundError:
        raise UsageError("the case is no longer where it was") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _put(place: int, folder: int, case: str, name: str, content: bytes) -> None:
    """Make a file hold these bytes; until then they stand beside the case, never as a strange file inside it."""
    part = f"{PART}{case}"
    with suppress(FileNotFoundError):
        os.unlink(part, dir_fd=place)
    folders.write(place, part, content)
    if folders.kind(folder, name) not in {None, "file"}:
        raise OSError(errno.ELOOP, "")
    os.rename(part, name, src_dir_fd=place, dst_dir_fd=folder)
    os.fsync(folder)


def _free(place: int, case: str) -> str:
    number = 1
    while folders.kind(place, name := case if number == 1 else f"{case}{AGAIN}{number}") is not None:
        number += 1
    return name


def _append(folder: int, name: str, line: bytes, *, mode: int) -> None:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, mode, dir_fd=folder)
    try:
        end = os.lseek(descriptor, 0, os.SEEK_END)
        # A line that a crash of the machine cut short is closed, not continued.
        torn = end > 0 and os.pread(descriptor, 1, end - 1) != b"\n"
        os.pwrite(descriptor, b"\n" + line if torn else line, end)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.fsync(folder)


def _line(members: Mapping[str, JsonValue]) -> bytes:
    return f"{compact(dict(members))}\n".encode()
