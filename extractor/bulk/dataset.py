"""Cases as a Parquet data set, for lakes and clusters: one row a case, with the very bytes of its files, and back."""

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

from extractor.assemble import incomplete
from extractor.errors import InputUnreadable, ProofFailed, UsageError
from extractor.model.case import Fixture
from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.layout import CAPTURE, FIXTURE, PROVED, PROVENANCE, README, is_case_id
from extractor.model.replayable import replayable
from extractor.read.footer import Group, groups
from extractor.read.parquet import MAGIC
from extractor.verify import reopened

if TYPE_CHECKING:
    import pyarrow as pa

_FILES: Final[Mapping[str, str]] = {
    "fixture": FIXTURE, "provenance": PROVENANCE, "readme": README, "capture": CAPTURE,
}  # fmt: skip
_PART_BYTES: Final = 64 << 20
_PART_ROWS: Final = 5_000
# What reading bears with: a cluster may write larger parts, not boundless ones.
_GROUP_BYTES: Final = 1 << 30
_FOOTER_BYTES: Final = 16 << 20
_BATCH_BYTES: Final = 16 << 20
_ROWS_AT_ONCE: Final = 64
_TAIL: Final = 8  # the footer's length and the magic


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


def read(folder: Path) -> Iterator[Row]:
    """Yield the rows of a data set, part by part, whoever wrote it. Raises `InputUnreadable` for what is none, for bytes that are not those
    of their digest, and for parts that declare more than honest ones hold.
    """
    parts = sorted(path for path in folder.glob("*.parquet") if path.name[0] not in "._")
    if not parts:
        raise InputUnreadable("there is no data set of cases")
    for number, path in enumerate(parts, 1):
        yield from _read_part(path, number)


def _read_part(path: Path, number: int) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        widest = max((group.plain_bytes // max(group.rows, 1) for group in _declared(path, number)), default=1)
        with pq.ParquetFile(path, pre_buffer=False) as file:
            at_once = max(1, min(_ROWS_AT_ONCE, _BATCH_BYTES // max(widest, 1)))
            for batch in file.iter_batches(at_once, columns=schema().names, use_threads=False):
                if batch.nbytes > _GROUP_BYTES:
                    raise _too_large(number)
                yield from (_row(each, number) for each in batch.to_pylist())
    except (OSError, pa.ArrowException, KeyError, ValueError, OverflowError, IndexError, MemoryError, RecursionError):
        raise InputUnreadable(f"part {number} of the data set cannot be read") from None


def _declared(path: Path, number: int) -> Sequence[Group]:
    """Return what a part says of itself, read without pyarrow, which trusts it."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _TAIL, 0))
        tail = file.read(_TAIL)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or length > size - _TAIL:
            raise ValueError
        if length > _FOOTER_BYTES:
            raise _too_large(number)
        file.seek(size - _TAIL - length)
        found = groups(file.read(length))
    if any(group.plain_bytes > _GROUP_BYTES for group in found):
        raise _too_large(number)
    return found


def _too_large(number: int) -> InputUnreadable:
    return InputUnreadable(f"part {number} of the data set expands beyond the bounds of an honest one")


def _row(told: Mapping[str, object], number: int) -> Row:
    files: dict[str, bytes] = {}
    for column, name in _FILES.items():
        content = told[column]
        if content is None:
            continue
        if not isinstance(content, bytes) or hashlib.sha256(content).hexdigest() != told[f"{column}_sha256"]:
            raise InputUnreadable(f"part {number} of the data set holds a file that is not that of its digest")
        files[name] = content
    case_id = told["case_id"]
    if not isinstance(case_id, str) or not is_case_id(case_id) or not set(PROVED) <= files.keys():
        raise InputUnreadable(f"part {number} of the data set holds a row that is no case")
    return Row(case_id=case_id, trace_ref=str(told["trace_ref"]), files=files)


def fixture(row: Row) -> Fixture:
    """Return a row's case as one that may be stored: its sidecar speaks of these very bytes, and of this trace. Raises `ProofFailed`."""
    files = {name: row.files[name] for name in PROVED}
    try:
        document, sidecar = parse(files[FIXTURE]), parse(files[PROVENANCE])
        if not isinstance(document, dict) or document.get("case_id") != row.case_id:
            raise ProofFailed([f"{FIXTURE} is another case than its row says"])
        if row.trace_ref not in _trace_refs(sidecar):
            raise ProofFailed([f"{PROVENANCE} speaks of another trace than its row"])
        return reopened(files, row.case_id, incomplete=incomplete(document), replayable=replayable(document))
    except MalformedJson:
        raise ProofFailed([f"{FIXTURE} or {PROVENANCE} is no JSON"]) from None


def _trace_refs(sidecar: JsonValue) -> Sequence[JsonValue]:
    predicate = sidecar.get("predicate") if isinstance(sidecar, dict) else None
    source = predicate.get("source") if isinstance(predicate, dict) else None
    refs = source.get("trace_refs") if isinstance(source, dict) else None
    return refs if isinstance(refs, list) else ()


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
