"""Sources in object stores, by URI: read through pyarrow's file systems, in ranges, credentials from the environment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, cast

from extractor.errors import InputUnreadable

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_URI = re.compile(r"(?:s3|gs|gcs|abfss?|hdfs|viewfs|file)://.", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One object: where it is is never told, since a URI may hold a secret."""

    name: str
    size: int
    _path: str = field(repr=False)
    _store: FileSystem = field(repr=False)

    def open(self) -> BinaryIO:
        """Return the bytes from their beginning. Raises `InputUnreadable`."""
        import pyarrow as pa  # loaded already

        try:
            return cast("BinaryIO", self._store.open_input_file(self._path))
        except (OSError, pa.ArrowException):
            raise InputUnreadable("an object of the store cannot be opened") from None


def is_uri(argument: str) -> bool:
    """Tell whether a source is named by the URI of an object store."""
    return _URI.match(argument) is not None


def objects(uri: str, position: int) -> Iterator[Stored]:
    """Yield the object that a URI names, or all below a prefix in order of their names.

    Raises `InputUnreadable` for what is not there, and for a store that cannot be reached; the message holds no URI.
    """
    # Heavy, and only where a URI was named.
    import pyarrow as pa
    from pyarrow.fs import FileSelector, FileSystem, FileType

    try:
        store, path = FileSystem.from_uri(uri)
        info = store.get_file_info(path)
        if info.type == FileType.Directory:
            found = store.get_file_info(FileSelector(path, recursive=True))
            infos = sorted((one for one in found if one.type == FileType.File), key=lambda one: one.path)
        else:
            infos = [info] if info.type == FileType.File else []
    except (OSError, ValueError, pa.ArrowException):
        raise InputUnreadable(
            f"source {position} cannot be read from its store",
            hint="credentials come from the environment; the URI may name an endpoint, as in ?endpoint_override=…",
        ) from None
    if not infos:
        raise InputUnreadable(f"source {position} names no object")
    for one in infos:
        yield Stored(name=PurePosixPath(one.path).name, size=one.size, _path=one.path, _store=store)
