"""Open folders and the files in them: by descriptor, never through a link, on the disk before they count."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import UsageError
from ..model.layout import QUARANTINE, is_case_id

FRESH = ".new-"
ASIDE = ".old-"

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe in place of a file must not block
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_REASONS = {errno.ELOOP: "is or holds a symbolic link", errno.ENOTDIR: "is no folder", errno.EEXIST: "is no folder"}


@contextmanager
def place(name: str) -> Iterator[None]:
    """Turn an `OSError` inside into a `UsageError` that names the place by its role, not by its path."""
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0) or f"cannot be used ({error.strerror or 'input or output failed'})"
        raise UsageError(f"the {name} {reason}") from None


@contextmanager
def quarantine(out: Path) -> Iterator[int]:
    """Yield a descriptor of ``out/quarantine``, made where absent, locked for this process alone.

    It is 0700 with an ignore file, so that nothing in it is committed by accident; beside it ``.gitattributes`` keeps
    git from changing bytes. Raises `UsageError` for what is a link, no folder, or not ours to write.
    """
    with place("output folder"):
        if out.is_symlink():
            raise OSError(errno.ELOOP, "")
        made = not out.exists()
        out.mkdir(parents=True, exist_ok=True)
        root = os.open(out, _FOLDER)
    try:
        if made:
            _sync_above(root)
        with place("quarantine folder"):
            with suppress(FileExistsError):
                os.mkdir(QUARANTINE, 0o700, dir_fd=root)
                os.fsync(root)
            inner = open_folder(root, QUARANTINE)
        try:
            with place("quarantine folder"):
                os.fchmod(inner, 0o700)
                fcntl.flock(inner, fcntl.LOCK_EX)
                put(inner, ".gitignore", b"*\n", mode=0o600)
            with place("output folder"):
                if kind(root, ".gitattributes") is None:
                    put(root, ".gitattributes", b"* -text\n", mode=0o644)
            yield inner
        finally:
            os.close(inner)
    finally:
        os.close(root)


def _sync_above(folder: int) -> None:
    with place("folder above the output folder"):
        above = os.open("..", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        try:
            os.fsync(above)
        finally:
            os.close(above)


def kind(folder: int, name: str) -> str | None:
    """Return ``folder``, ``file`` or ``other`` (links too) for an entry, None where there is none."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def names(folder: int) -> list[str]:
    """Return the names of an open folder's entries, sorted."""
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries)


def open_folder(within: int, name: str) -> int:
    """Return a descriptor of a folder in an open folder; `OSError` with ELOOP where it is a link."""
    if kind(within, name) == "other":
        raise OSError(errno.ELOOP, "")
    return os.open(name, _FOLDER, dir_fd=within)


def read(folder: int, name: str) -> bytes | None:
    """Return a regular file's bytes, None where there is none."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.ELOOP, "")
        return stream.read()


def write(folder: int, name: str, content: bytes, *, mode: int = 0o600) -> None:
    """Create a file that was not there, and wait until the disk holds it."""
    descriptor = os.open(name, _CREATE, mode, dir_fd=folder)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(descriptor)


def put(folder: int, name: str, content: bytes, *, mode: int) -> None:
    """Make a file hold exactly these bytes, in one step; nothing is done where it does."""
    if kind(folder, name) == "file" and read(folder, name) == content:
        return
    fresh = f"{FRESH}{name}"
    if kind(folder, fresh) is not None:
        os.unlink(fresh, dir_fd=folder)
    write(folder, fresh, content, mode=mode)
    os.rename(fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
    os.fsync(folder)


def copy(source: int, target: int, name: str) -> None:
    """Copy a file or folder; links and devices are refused with ELOOP."""
    match kind(source, name):
        case None:
            return
        case "file":
            write(target, name, read(source, name) or b"")
        case "folder":
            os.mkdir(name, 0o700, dir_fd=target)
            inner, copied = open_folder(source, name), open_folder(target, name)
            try:
                for entry in names(inner):
                    copy(inner, copied, entry)
                os.fsync(copied)
            finally:
                os.close(inner)
                os.close(copied)
        case _:
            raise OSError(errno.ELOOP, "")


def heal(folder: int) -> None:
    """Undo what an interrupted run left: put a case that was set aside back, remove our own temporary folders.

    Only for the holder of the lock: nobody else's work is under way then.
    """
    for name in names(folder):
        case = name.removeprefix(FRESH).removeprefix(ASIDE)
        if case == name or not is_case_id(case):
            continue
        if name.startswith(ASIDE) and kind(folder, case) is None:
            os.rename(name, case, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            shutil.rmtree(name, dir_fd=folder)
