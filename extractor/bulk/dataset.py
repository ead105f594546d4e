"""Cases as a Parquet data set, for lakes and clusters: one row a case, with the very bytes of its files, and back."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from extractor.assemble import incomplete
from extractor.errors import InputUnreadable, ProofFailed, UsageError
from extractor.model.case import Fixture
from extractor.model.json import parse
from extractor.model.layout import CAPTURE, FIXTURE, PROVED, PROVENANCE, README, is_case_id
from extractor.model.replayable import replayable
from extractor.verify import reopened

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
    """Write a data set into a folder that has none, and return its number of rows. The same rows give the same bytes.

    Rows come sorted by case id. Parts are bounded, and each appears whole. Raises `UsageError`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    count = 0
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if any(folder.glob("*.parquet")):
            raise UsageError("there is a data set already", hint="name a folder of its own for each run")
        for number, part in enumerate(_parts(rows)):
            table = pa.Table.from_pylist([columns(row) for row in part], schema())
            fresh = folder / f".{secrets.token_hex(8)}.part"
            try:
                with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    pq.write_table(table, file, compression="zstd")
                fresh.replace(folder / f"part-{number:05}.parquet")
            finally:
                with suppress(FileNotFoundError):
                    fresh.unlink()
            count += len(part)
    except OSError:
        raise UsageError("the data set cannot be written there") from None
    return count


def _parts(rows: Iterable[Row]) -> Iterator[list[Row]]:
    part: list[Row] = []
    held = 0
    for row in rows:
        size = sum(map(len, row.files.values()))
        if part and (held + size > _PART_BYTES or len(part) >= _PART_ROWS):
            yield part
            part, held = [], 0
        part.append(row)
        held += size
    if part:
        yield part


def read(folder: Path) -> Iterator[Row]:
    """Yield the rows of a data set, part by part. Raises `InputUnreadable` for what is none, or for bytes that are not those of their digest."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = sorted(folder.glob("*.parquet"))
    if not parts:
        raise InputUnreadable("there is no data set of cases")
    for number, path in enumerate(parts, 1):
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=64, columns=schema().names):
                    yield from (_row(each, number) for each in batch.to_pylist())
        except (OSError, pa.ArrowException, KeyError, ValueError):
            raise InputUnreadable(f"part {number} of the data set cannot be read") from None


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
    """Return a row's case as one that may be stored: its sidecar speaks of these very bytes. Raises `ProofFailed`."""
    document = parse(row.files[FIXTURE])
    if not isinstance(document, dict) or document.get("case_id") != row.case_id:
        raise ProofFailed([f"{FIXTURE} is another case than its row says"])
    files = {name: row.files[name] for name in PROVED}
    return reopened(files, row.case_id, incomplete=incomplete(document), replayable=replayable(document))


def standing(cases: Sequence[tuple[str, str]], quarantine: Path, *, capture: bool) -> Iterator[Row]:
    """Yield the rows of cases in quarantine, given by id and trace, sorted by id. Those that have left are passed over."""
    names = (*PROVED, CAPTURE) if capture else PROVED
    for case_id, trace_ref in sorted(cases):
        try:
            files = {name: (quarantine / case_id / name).read_bytes() for name in names}
        except OSError:
            continue
        yield Row(case_id=case_id, trace_ref=trace_ref, files=files)
