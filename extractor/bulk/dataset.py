"""Cases as a Parquet data set, for lakes: one row a case, with the very bytes of its files."""

from __future__ import annotations

import filecmp
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extractor.errors import UsageError
from extractor.model.layout import CAPTURE, FIXTURE, PROVED, PROVENANCE, README

if TYPE_CHECKING:
    import pyarrow as pa

_FILES: Final[Mapping[str, str]] = {
    "fixture": FIXTURE, "provenance": PROVENANCE, "readme": README, "capture": CAPTURE,
}  # fmt: skip
_PART_BYTES: Final = 64 << 20
_PART_ROWS: Final = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A case: ``files`` are its bytes by name; capture.json, which leads back to the trace, may be left out."""

    case_id: str
    trace_ref: str
    files: Mapping[str, bytes] = field(repr=False)


def schema() -> pa.Schema:
    """Return the columns: ids, and for each file its bytes and their SHA-256 in hex."""
    import pyarrow as pa  # heavy, and only for who writes or reads a data set

    columns = [("case_id", pa.string()), ("trace_ref", pa.string())]
    for column in _FILES:
        columns += [(column, pa.binary()), (f"{column}_sha256", pa.string())]
    return pa.schema(columns)


def columns(row: Row) -> dict[str, str | bytes | None]:
    """Return a row as the data set has it."""
    told: dict[str, str | bytes | None] = {"case_id": row.case_id, "trace_ref": row.trace_ref}
    for column, name in _FILES.items():
        content = row.files.get(name)
        told[column] = content
        told[f"{column}_sha256"] = None if content is None else hashlib.sha256(content).hexdigest()
    return told


def write(rows: Iterable[Row], folder: Path) -> int:
    """Write a data set, which appears whole or not at all, and return its number of rows. The same rows give the same bytes.

    Rows come sorted by case id, each once; memory holds one part of bounded size. The same data set again is left as it is, so that a
    run which was cut short can be gone on with; raises `UsageError` where another one stands, or anything else.
    """
    place = folder.resolve()
    fresh = place.with_name(f".{place.name}.unfinished")
    count = 0
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        _remove(fresh)
        fresh.mkdir(mode=0o700)
        try:
            for number, part in enumerate(_parts(_sorted(rows))):
                _write_part(part, fresh / f"part-{number:05}.parquet")
                count += len(part)
            _publish(fresh, place)
        finally:
            _remove(fresh)
    except OSError:
        raise UsageError("the data set cannot be written there") from None
    return count


def _write_part(part: Sequence[Row], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist([columns(row) for row in part], schema())
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        # Least and greatest of a file's bytes tell nobody anything; files hardly repeat, so that a dictionary would but hold them twice.
        pq.write_table(table, file, compression="zstd", use_dictionary=False, write_statistics=["case_id", "trace_ref"])
        file.flush()
        os.fsync(file.fileno())


def _publish(fresh: Path, place: Path) -> None:
    """Give a finished data set its name. Raises `UsageError` where something else has it."""
    if not (_is_taken(place) and _same(fresh, place)):
        require_free(place)
        fresh.rename(place)
    above = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(above)
    finally:
        os.close(above)


def require_free(folder: Path) -> None:
    """Raise `UsageError` where a data set, or anything else, stands already: better before a run than at its end."""
    if _is_taken(folder):
        raise UsageError("there is a data set already, or something else", hint="name a folder of its own for each run")


def _is_taken(folder: Path) -> bool:
    return folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))


def _same(one: Path, other: Path) -> bool:
    if not other.is_dir():
        return False
    names = sorted(path.name for path in one.iterdir())
    if names != sorted(path.name for path in other.iterdir()):
        return False
    return all(filecmp.cmp(one / name, other / name, shallow=False) for name in names)


def _remove(folder: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)


def _sorted(rows: Iterable[Row]) -> Iterator[Row]:
    before = ""
    for row in rows:
        if row.case_id <= before:
            raise UsageError("a data set holds each case once, sorted by id")
        yield row
        before = row.case_id


def _parts(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield the rows in parts, at least one: a data set without a case has a part that says what its columns are."""
    part: list[Row] = []
    held, empty = 0, True
    for row in rows:
        size = sum(map(len, row.files.values()))
        if part and (held + size > _PART_BYTES or len(part) >= _PART_ROWS):
            yield part
            part, held, empty = [], 0, False
        part.append(row)
        held += size
    if part or empty:
        yield part


def standing(cases: Iterable[tuple[str, str]], quarantine: Path, *, capture: bool) -> Iterator[Row]:
    """Yield the rows of cases in quarantine, given by id and trace, sorted by id. Those that have left are passed over."""
    names = (*PROVED, CAPTURE) if capture else PROVED
    for case_id, trace_ref in sorted(cases):
        try:
            files = _files(quarantine / case_id, names)
        except OSError:
            continue
        yield Row(case_id=case_id, trace_ref=trace_ref, files=files)


def _files(case: Path, names: Sequence[str]) -> dict[str, bytes]:
    """Return files of a folder, never through a link."""
    folder = os.open(case, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = {}
        for name in names:
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            with os.fdopen(descriptor, "rb") as file:
                found[name] = file.read()
        return found
    finally:
        os.close(folder)
