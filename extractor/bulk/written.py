"""The report of a run on the disk: for machines, for tables, for a browser."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from extractor.errors import UsageError
from extractor.model.json import JsonValue, compact, pretty

from .page import page
from .reports import Report

JSON: Final = "report.json"
TABLE: Final = "report.parquet"
PAGE: Final = "report.html"
DEAD: Final = "dead.jsonl"


def write(report: Report, folder: Path) -> None:
    """Write report.json, report.parquet (a row a trace), report.html and dead.jsonl, each in one step. Raises `UsageError`."""
    dead = [
        {"trace_ref": each.trace_ref, "stage": each.stage, "code": each.code, "place": each.place}
        for each in report.dead
    ]
    texts: dict[str, str] = {
        JSON: pretty(report.members()),
        PAGE: page(report),
        DEAD: "".join(f"{compact(each)}\n" for each in dead),  # type: ignore[arg-type]  # texts by name
    }
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, text in texts.items():
            _put(folder / name, lambda file, text=text: file.write(text.encode()))  # type: ignore[misc]
        _put(folder / TABLE, lambda file: _table(report, file))
    except OSError:
        raise UsageError("the report cannot be written there") from None


def _put(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    fresh = path.with_name(f".{path.name}")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        fill(file)
    fresh.replace(path)


def _table(report: Report, file: BinaryIO) -> None:
    import pyarrow as pa  # heavy, and needed at the end of a run alone
    import pyarrow.parquet as pq

    columns: dict[str, pa.DataType] = {
        "run": pa.int64(), "trace_ref": pa.string(), "outcome": pa.string(), "case_id": pa.string(), "signature": pa.string(),
        "stage": pa.string(), "code": pa.string(), "place": pa.string(), "replayable": pa.bool_(), "residuals": pa.int64(),
        "classes": pa.map_(pa.string(), pa.int64()), "spans": pa.int64(), "source_bytes": pa.int64(), "seconds": pa.float64(),
    }  # fmt: skip
    rows = []
    for entry in report.entries:
        told: dict[str, JsonValue | list[tuple[str, int]]] = {**entry.members()}
        told["classes"] = [*entry.classes.items()]
        rows.append(told)
    pq.write_table(pa.Table.from_pylist(rows, pa.schema([*columns.items()])), file, compression="zstd")
