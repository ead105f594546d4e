"""What cannot be read again from where it stands: kept encrypted, under a key that lives in memory alone.

Compressed files, tables, pipes and remote objects have no bytes of a record to come back to. What such records say of each trace
is written down once, each piece sealed by itself (AES-GCM, RFC 5116; the nonce counts the pieces, the key serves one file). Without
the process there is no key: what a killed run leaves is noise, and the next one removes it.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from extractor.errors import InputUnreadable
from extractor.read import Piece

from .own import writing

NAME: Final = "spill"
_NONCE: Final = 12  # bytes


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a piece was put: its ``[start, end)`` in the spill, and its number from 0."""

    start: int
    end: int
    number: int


@dataclass(frozen=True, slots=True)
class Key:
    """The key of one spill; it is handed to workers through a pipe and never written."""

    secret: bytes = field(repr=False)


class Spill:
    """The file being written. It is its owner's alone, and empty when it is opened."""

    def __init__(self, file: BinaryIO, key: Key) -> None:
        self.key = key
        self._file = file
        self._seal = AESGCM(key.secret)
        self._end = 0
        self._number = 0

    def put(self, piece: Piece) -> Kept:
        """Write a piece down and return where it is."""
        sealed = self._seal.encrypt(_nonce(self._number), pickle.dumps(piece, protocol=5), None)
        with writing():
            self._file.write(sealed)
        kept = Kept(self._end, self._end + len(sealed), self._number)
        self._end, self._number = kept.end, self._number + 1
        return kept

    def flush(self) -> None:
        """Let readers find all that was put."""
        with writing():
            self._file.flush()


@contextmanager
def spilling(folder: Path) -> Iterator[Spill]:
    """Yield a new spill in a folder; it is gone when the block ends."""
    path = folder / NAME
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    file = os.fdopen(descriptor, "wb")
    try:
        yield Spill(file, Key(AESGCM.generate_key(256)))
    finally:
        path.unlink(missing_ok=True)
        with suppress(OSError):  # what a full disk did not take, nobody needs any more
            file.close()


class Opened:
    """The spill as a worker reads it."""

    def __init__(self, folder: Path, key: Key) -> None:
        self._path = folder / NAME
        self._seal = AESGCM(key.secret)

    def piece(self, kept: Kept) -> Piece:
        """Return a piece. Raises `InputUnreadable` where the file no longer holds what was put there."""
        try:
            with self._path.open("rb") as file:
                file.seek(kept.start)
                sealed = file.read(kept.end - kept.start)
            # Only what this run sealed is opened: a pickle of somebody else does not pass the seal.
            found = pickle.loads(self._seal.decrypt(_nonce(kept.number), sealed, None))  # noqa: S301  # see above
        except (OSError, InvalidTag):
            raise InputUnreadable("what was set aside cannot be read again") from None
        return found  # type: ignore[no-any-return]  # what `Spill.put` took


def _nonce(number: int) -> bytes:
    return number.to_bytes(_NONCE, "big")
