"""Where a redaction is written: standard output as it goes, or a file that appears only when it is complete."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from extractor.errors import UsageError


@contextmanager
def sink(out: Path | None) -> Iterator[Callable[[str], None]]:
    """Give what writes text, in UTF-8 and without touching line endings.

    A file is written beside its place (mode 0600), and named when all went well; it must not exist. Raises `UsageError`.
    """
    if out is None:
        stream = sys.stdout.buffer
        sys.stdout.flush()
        yield lambda text: _written(stream.write, text)
        stream.flush()
        return
    if os.path.lexists(out):
        raise UsageError("--out exists already; nothing is written over")
    unfinished = out.with_name(f".{secrets.token_hex(8)}.unfinished")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        raise UsageError("--out cannot be made: its folder does not allow it") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield lambda text: _written(file.write, text)
            file.flush()
            os.fsync(file.fileno())
        _named(unfinished, out)
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()


def _written(write: Callable[[bytes], int], text: str) -> None:
    write(text.encode("utf-8"))


def _named(unfinished: Path, out: Path) -> None:
    try:
        os.link(unfinished, out)  # fails where a file of the name has come meanwhile
    except FileExistsError:
        raise UsageError("--out exists already; nothing is written over") from None
    except OSError:  # a file system without links
        unfinished.rename(out)
