"""What the command line names, as an ordered list of byte sources: files, folders, globs, standard input."""

from __future__ import annotations

import glob
import hashlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from extractor.errors import InputUnreadable

from .limits import Limits
from .stores import Stored, is_uri, objects

INDEX_SUFFIX = ".efx"
_PIECE = 1 << 20
_LARGE = 16 << 20  # bytes


class Progress(Protocol):
    """Listens to a long read. One pass over the sources begins at 0 and ends at the total; there may be several."""

    def advance(self, bytes_done: int, bytes_total: int) -> None:
        """Take note that so many stored bytes of this pass are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One file, numbered from 1 in reading order. ``content`` is set when the bytes can be had only once."""

    number: int
    name: str
    size: int
    path: Path | None = None
    content: bytes | None = field(default=None, repr=False)
    stored: Stored | None = None
    sha256: str | None = None  # where it was computed before

    def open(self) -> BinaryIO:
        """Return the stored bytes from their beginning. Raises `InputUnreadable`."""
        if self.stored is not None:
            return self.stored.open()
        if self.path is None:
            return io.BytesIO(self.content or b"")
        try:
            return self.path.open("rb", buffering=0)
        except OSError:
            raise InputUnreadable(f"file {self.number} cannot be opened") from None

    def digest(self) -> Callable[[], str]:
        """Return what gives the digest of the bytes as stored, in hex; of a large file it is computed meanwhile."""
        if self.sha256 is not None:
            known = self.sha256
            return lambda: known
        if self.size < _LARGE:
            digest = self._sha256()
            return lambda: digest
        hashing = ThreadPoolExecutor(max_workers=1)
        promised = hashing.submit(self._sha256)
        hashing.shutdown(wait=False)
        return promised.result

    def _sha256(self) -> str:
        digest = hashlib.sha256()
        with self.open() as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
        return digest.hexdigest()


def expand(arguments: Sequence[str], stdin: BinaryIO | None, limits: Limits) -> tuple[Source, ...]:
    """Return every file that the arguments name, each once, folders walked in name order without following links.

    Raises `InputUnreadable` for what does not exist, an empty folder, or a pipe that breaks ``memory_bytes``.
    """
    found: list[Source] = []
    seen: set[str] = set()
    for position, argument in enumerate(arguments, 1):
        if argument == "-":
            content = _drain(stdin or sys.stdin.buffer, position, limits)
            found.append(Source(number=len(found) + 1, name="-", size=len(content), content=content))
            continue
        if is_uri(argument):
            found.extend(
                Source(number=number, name=one.name, size=one.size, stored=one)
                for number, one in enumerate(objects(argument, position), len(found) + 1)
            )
            continue
        for path in _paths(argument, position):
            identity = os.path.realpath(path)
            if identity in seen:
                continue
            seen.add(identity)
            found.append(_source(path, len(found) + 1, position, limits))
    if not found:
        raise InputUnreadable("no source was named", hint="name a file, a folder, a glob, or - for standard input")
    return tuple(found)


def _paths(argument: str, position: int) -> list[Path]:
    path = Path(argument)
    if path.is_dir():
        return _files_below(path, position)
    if os.path.lexists(path):
        return [path]
    # Path.glob takes no absolute pattern before Python 3.13.
    matches = [Path(match) for match in sorted(glob.glob(argument, recursive=True))]  # noqa: PTH207
    files = [
        file
        for match in matches
        if not _is_ours(match)
        for file in (_files_below(match, position) if match.is_dir() else [match])
    ]
    if not files:
        raise InputUnreadable(f"source {position} names no file", hint="check the path; globs are expanded here too")
    return files


def _is_ours(path: Path) -> bool:
    """Tell whether a file is an index, which is no export."""
    return path.suffix == INDEX_SUFFIX


def _files_below(folder: Path, position: int) -> list[Path]:
    def refuse(_error: OSError) -> None:
        raise InputUnreadable(f"source {position} is a folder that cannot be walked") from None

    files: list[Path] = []
    for directory, folders, names in os.walk(folder, onerror=refuse):
        folders.sort()
        files.extend(path for name in sorted(names) if (path := Path(directory, name)).is_file() and not _is_ours(path))
    if not files:
        raise InputUnreadable(
            f"source {position} is a folder without files", hint="name the folder of the exports, or a file of it"
        )
    return sorted(files)


def _source(path: Path, number: int, position: int, limits: Limits) -> Source:
    try:
        if path.is_file():
            return Source(number=number, name=path.name, size=path.stat().st_size, path=path)
        # A named pipe or a shell's process substitution gives its bytes only once.
        with path.open("rb") as pipe:
            content = _drain(pipe, position, limits)
    except OSError:
        raise InputUnreadable(f"source {position} cannot be read") from None
    return Source(number=number, name=path.name, size=len(content), content=content)


def _drain(stream: BinaryIO, position: int, limits: Limits) -> bytes:
    content = stream.read(limits.memory_bytes + 1)
    if len(content) > limits.memory_bytes:
        raise InputUnreadable(
            f"source {position} is a pipe of more than {limits.memory_bytes} bytes",
            hint="save it to a file first: a file is streamed, a pipe is held in memory",
        )
    return content
