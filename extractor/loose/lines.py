"""The lines of a source, plain or compressed, in batches as they arrive; and lines held for a second reading."""

from __future__ import annotations

import io
import os
import secrets
import stat
import sys
import tempfile
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

from extractor.errors import InputChanged, InputUnreadable
from extractor.read import Limits
from extractor.read.inflate import CountedFile, chunks, compression

LIMITS = Limits(chunk_bytes=1 << 20)
MAX_LINE = LIMITS.record_bytes
MAX_HELD = 64 << 30  # bytes of standard input, or of a compressed file, that wait sealed on disk for a second reading
_BATCH = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line with its ending. ``number`` counts from 1, ``start`` is its first byte in the plain text."""

    number: int
    start: int
    data: bytes = field(repr=False)

    @property
    def filled(self) -> bool:
        """Whether anything but white space stands there."""
        return bool(self.data.strip(b"\xef\xbb\xbf \t\r\n"))

    def text(self) -> str:
        """Return the text. Raises `InputUnreadable` with the line and byte where it is no UTF-8."""
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError as fault:
            raise InputUnreadable(f"line {self.number} is no UTF-8 from its byte {fault.start} on") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """An opened source. ``file`` is set when its plain bytes can be read again, in any order."""

    stream: BinaryIO = field(repr=False)
    file: BinaryIO | None = field(repr=False)

    def batches(self) -> Iterator[list[Line]]:
        """Yield lines as they arrive, some hundred at a time. Raises `InputUnreadable`."""
        number, start = 1, 0
        for block in _blocks(self._plain()):
            batch: list[Line] = []
            for data in io.BytesIO(block):
                batch.append(Line(number=number, start=start, data=data))
                number, start = number + 1, start + len(data)
                if len(batch) == _BATCH:
                    yield batch
                    batch = []
            if batch:
                yield batch

    def _plain(self) -> Iterator[bytes]:
        def broken(_code: str) -> None:
            raise InputUnreadable("the source ends in the middle of its compressed data")

        counted = CountedFile(_Arriving(self.stream), lambda _size: None, 1)  # type: ignore[arg-type]  # read() is all it calls
        yield from chunks(counted, 1, LIMITS, broken)[1]


@contextmanager
def opened(source: str) -> Iterator[Source]:
    """Give a source by its name, ``-`` for standard input. Raises `InputUnreadable`."""
    if source == "-":
        yield Source(stream=sys.stdin.buffer, file=None)
        return
    try:
        file = Path(source).open("rb")  # noqa: SIM115  # closed below, whatever the reader does
    except (OSError, ValueError):  # ValueError: a NUL in the name
        raise InputUnreadable(
            "the source cannot be read", hint="name a file that is there, or - for standard input"
        ) from None
    with file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            yield Source(stream=file, file=None)
            return
        before = os.fstat(file.fileno())
        again = compression(file.peek(4)[:4]) is None
        yield Source(stream=file, file=file if again else None)
        after = os.fstat(file.fileno())
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise InputChanged("the source changed while it was read")


class _Arriving:
    """A stream that gives what has arrived rather than wait for more."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._stream.read1(size)  # type: ignore[attr-defined]  # what is opened here is buffered
        return data


def _blocks(plain: Iterator[bytes]) -> Iterator[bytes]:
    """Yield bytes that end where a line ends. Raises `InputUnreadable` for a line beyond the bound."""
    parts: list[bytes] = []
    held = 0
    for chunk in plain:
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join((*parts, chunk[:cut]))
            parts, held = [chunk[cut:]], len(chunk) - cut
        else:
            parts.append(chunk)
            held += len(chunk)
        if held > MAX_LINE:
            raise InputUnreadable(f"a line holds more than {MAX_LINE >> 20} MiB")
    if held:
        yield b"".join(parts)


class Held(Protocol):
    """Lines that can be read a second time, in any order, by their index from 0."""

    def add(self, line: Line) -> None:
        """Take in the next line."""

    def __len__(self) -> int:
        """Return how many there are."""

    def line(self, index: int) -> Line:
        """Return a line again. Raises `InputUnreadable`."""


class InFile:
    """Lines of a file that stays where it is: eight bytes of memory a line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._starts = array("Q", [0])

    def add(self, line: Line) -> None:
        """Remember where the line ends."""
        self._starts.append(line.start + len(line.data))

    def __len__(self) -> int:
        """Return how many lines there are."""
        return len(self._starts) - 1

    def line(self, index: int) -> Line:
        """Read a line where it stands. Raises `InputUnreadable`."""
        start, end = self._starts[index], self._starts[index + 1]
        try:
            self._file.seek(start)
            data = self._file.read(end - start)
        except OSError:
            raise InputUnreadable(
                "the source cannot be read", hint="name a file that is there, or - for standard input"
            ) from None
        return Line(number=index + 1, start=start, data=data)


class Sealed:
    """Lines of what can be read only once, encrypted in a nameless temporary file under a key that only memory holds."""

    def __init__(self) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # only runs that hold lines need it

        self._cipher = AESGCM(secrets.token_bytes(32))  # nothing else knows this key
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # it has no name, and goes with the process
        self._starts = array("Q", [0])

    def add(self, line: Line) -> None:
        """Seal a line and write it down. Raises `InputUnreadable` beyond `MAX_HELD`, or when the disk is full."""
        sealed = self._cipher.encrypt(self._nonce(len(self)), line.data, None)
        if self._starts[-1] + len(sealed) > MAX_HELD:
            raise InputUnreadable(f"what can be read only once holds more than {MAX_HELD >> 30} GiB")
        try:
            self._file.seek(self._starts[-1])
            self._file.write(sealed)
        except OSError:
            raise InputUnreadable("there is no room to hold the source for its second reading") from None
        self._starts.append(self._starts[-1] + len(sealed))

    def __len__(self) -> int:
        """Return how many lines there are."""
        return len(self._starts) - 1

    def line(self, index: int) -> Line:
        """Open a line again."""
        self._file.seek(self._starts[index])
        sealed = self._file.read(self._starts[index + 1] - self._starts[index])
        return Line(number=index + 1, start=0, data=self._cipher.decrypt(self._nonce(index), sealed, None))

    def close(self) -> None:
        """Give the disk back."""
        self._file.close()

    @staticmethod
    def _nonce(index: int) -> bytes:
        return index.to_bytes(12, "big")  # each index is sealed once under this key


@contextmanager
def holding(source: Source) -> Iterator[Held]:
    """Give what holds the lines of a source for a second reading."""
    if source.file is not None:
        yield InFile(source.file)
        return
    sealed = Sealed()
    try:
        yield sealed
    finally:
        sealed.close()
