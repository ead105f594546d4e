"""Making an index, whole or of what an export has grown by; and exporting it as Parquet."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from extractor.errors import UsageError
from extractor.model.span import LATEST_NS

from . import index
from .index import Entry, Index, Place, Traces
from .scan import Hit, Scanner
from .sources import INDEX_SUFFIX, Source
from .survey import Teller


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """What came of one source: where its index stands, how many traces it has, how many bytes were read for it."""

    path: Path
    traces: int
    bytes_read: int


def make(scanner: Scanner, folder: Path | None, tell: Teller | None) -> tuple[Indexed, ...]:
    """Write an index for each source. Raises `UsageError`, `InputUnreadable`."""
    return tuple(_made(scanner, source, folder, tell) for source in scanner.sources)


def _made(scanner: Scanner, source: Source, folder: Path | None, tell: Teller | None) -> Indexed:
    known = index.opened(source, folder)
    if known is not None and known.is_fresh(source):
        return Indexed(path=known.path, traces=sum(1 for _ in known.entries()), bytes_read=0)
    begun: tuple[int, int] = (0, 0)
    traces = Traces()
    if known is not None and known.is_prefix(source):
        traces, begun = known.traces(), (known.known_size, known.records)
    for hit in scanner.of_source(source, begun):
        _take(traces, hit, tell)
    return Indexed(
        path=index.write(source, traces, folder), traces=len(traces.entries), bytes_read=source.size - begun[0]
    )


def _take(traces: Traces, hit: Hit, tell: Teller | None) -> None:
    place = Place(number=hit.frame.number, begin=hit.frame.start, end=hit.frame.end)
    traces.containers.add(hit.container)
    for span in hit.spans:
        tool = tell(span)[1] if tell else None
        traces.add(
            Entry(
                trace_id=span.trace_id,
                start_ns=min(span.start_ns, LATEST_NS),
                spans=1,
                errors=int(span.status_code == "error"),
                tools=(tool,) if tool else (),
            ),
            place,
        )
    for told in hit.attachments:
        traces.places.setdefault(told.trace_id, {})[place.number] = place


def to_parquet(indexes: Sequence[Index], path: Path) -> int:
    """Write the traces of indexes as one Parquet table and return how many. Raises `UsageError`."""
    # Heavy, and asked for by name.
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        {
            "trace_id": entry.trace_id,
            "file": found.path.name.removesuffix(INDEX_SUFFIX),
            "start_ns": entry.start_ns,
            "spans": entry.spans,
            "errors": entry.errors,
            "tools": list(entry.tools),
            "begin": min((place.begin for place in found.places((entry.trace_id,))), default=0),
            "end": max((place.end for place in found.places((entry.trace_id,))), default=0),
        }
        for found in indexes
        for entry in found.entries()
    ]
    schema = pa.schema(
        [
            ("trace_id", pa.string()), ("file", pa.string()), ("start_ns", pa.int64()), ("spans", pa.int64()), ("errors", pa.int64()),
            ("tools", pa.list_(pa.string())), ("begin", pa.int64()), ("end", pa.int64()),
        ]
    )  # fmt: skip
    unfinished = path.with_name(f".{secrets.token_hex(8)}.unfinished")
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            pq.write_table(pa.Table.from_pylist(sorted(rows, key=lambda row: str(row["trace_id"])), schema), file)
        unfinished.replace(path)
    except OSError:
        raise UsageError("the Parquet file cannot be written") from None
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()
    return len(rows)
