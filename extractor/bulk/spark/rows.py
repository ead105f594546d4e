"""Rows between Spark's stages, as Arrow has them: what parts tell, records on their way, results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from extractor.bulk.one import Result
from extractor.bulk.telling import Signature
from extractor.model.reading import Note
from extractor.read import Piece

from .scan import Seen, packed, unpacked

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Row

TOLD = (
    "source int, first long, trace_id string, start_ns long, end_ns long, records long, spans long, errors long, size long, held long,"
    " marks long, unspelled boolean, linked array<string>, code string, count long, places array<string>"
)
"""What parts tell, as Spark's schema: of a trace, or, where ``code`` is set, of what is wrong with a source."""
RECORDS = "wanted string, trace string, source int, number long, part int, data binary"
"""What records say of traces, each with the key of the wanted trace that needs it."""
RESULTS = "wanted string, result string, files map<string,binary>"
"""What became of wanted traces: as JSON all but the files."""
_BATCH_BYTES = 16 << 20
_BATCH_ROWS = 1_000


def told(source: int, seen: Sequence[Seen], notes: Sequence[Note]) -> pa.RecordBatch:
    """Return what a part tells as a batch of `TOLD`."""
    import pyarrow as pa  # heavy, and loaded by PySpark anyway

    rows: list[dict[str, object]] = [{**asdict(one), "linked": sorted(one.linked)} for one in seen]
    rows += [{"source": source, "code": note.code, "count": note.count, "places": list(note.places)} for note in notes]
    schema = pa.schema(
        [
            ("source", pa.int32()),
            ("first", pa.int64()),
            ("trace_id", pa.string()),
            ("start_ns", pa.int64()),
            ("end_ns", pa.int64()),
            ("records", pa.int64()),
            ("spans", pa.int64()),
            ("errors", pa.int64()),
            ("size", pa.int64()),
            ("held", pa.int64()),
            ("marks", pa.int64()),
            ("unspelled", pa.bool_()),
            ("linked", pa.list_(pa.string())),
            ("code", pa.string()),
            ("count", pa.int64()),
            ("places", pa.list_(pa.string())),
        ]
    )
    return pa.RecordBatch.from_pylist(rows, schema=schema)


def seen_of(row: Row) -> Seen:
    """Return what a row of `TOLD` tells of a trace."""
    members = row.asDict()
    for name in ("code", "count", "places"):
        del members[name]
    return Seen(**{**members, "linked": frozenset(row.linked)})


def note_of(row: Row) -> Note:
    """Return the fault that a row of `TOLD` tells."""
    return Note(code=row.code, count=row["count"], places=tuple(row.places))


def records(found: Iterable[tuple[str, str, int, Piece]]) -> Iterator[pa.RecordBatch]:
    """Yield what records say as batches of `RECORDS`, of some megabytes each."""
    held: list[tuple[str, str, int, Piece, bytes]] = []
    size = 0
    for wanted, trace_id, part, piece in found:
        data = packed(piece)
        held.append((wanted, trace_id, part, piece, data))
        size += len(data)
        if size > _BATCH_BYTES or len(held) >= _BATCH_ROWS:
            yield _batch(held)
            held, size = [], 0
    if held:
        yield _batch(held)


def _batch(held: Sequence[tuple[str, str, int, Piece, bytes]]) -> pa.RecordBatch:
    import pyarrow as pa  # loaded already

    columns = {
        "wanted": pa.array([wanted for wanted, _, _, _, _ in held], pa.string()),
        "trace": pa.array([trace_id for _, trace_id, _, _, _ in held], pa.string()),
        "source": pa.array([piece.place.source for _, _, _, piece, _ in held], pa.int32()),
        "number": pa.array([piece.place.number for _, _, _, piece, _ in held], pa.int64()),
        "part": pa.array([part for _, _, part, _, _ in held], pa.int32()),
        "data": pa.array([data for _, _, _, _, data in held], pa.binary()),
    }
    return pa.RecordBatch.from_pydict(columns)


def pieces_of(table: pa.Table) -> tuple[str, dict[str, list[Piece]], int]:
    """Return the key of the wanted trace, what is known of it and of those that it links to, and how many bytes that was."""
    rows = table.to_pylist()
    rows.sort(key=lambda row: (row["source"], row["number"], row["part"]))
    found: dict[str, list[Piece]] = {}
    for row in rows:
        found.setdefault(row["trace"], []).append(unpacked(row["data"]))
    return str(rows[0]["wanted"]), found, sum(len(row["data"]) for row in rows)


def results(found: Sequence[tuple[str, Result]]) -> pa.Table:
    """Return results, with the keys of their traces, as rows of `RESULTS`."""
    import pyarrow as pa  # loaded already

    columns = {
        "wanted": pa.array([wanted for wanted, _ in found], pa.string()),
        "result": pa.array([_text(result) for _, result in found], pa.string()),
        "files": pa.array([list(result.files.items()) for _, result in found], pa.map_(pa.string(), pa.binary())),
    }
    return pa.Table.from_pydict(columns)


def result_of(text: str, files: Mapping[str, bytes]) -> Result:
    """Return the result of one row."""
    members = json.loads(text)
    signature = members.pop("signature")
    return Result(
        **members,
        files={name: bytes(content) for name, content in files.items()},
        signature=None if signature is None else Signature(**signature),
    )


def _text(result: Result) -> str:
    # What proved it stays where it was proved: it remembers originals.
    members = {name: getattr(result, name) for name in Result.__dataclass_fields__ if name not in ("files", "fixture")}
    members["signature"] = None if result.signature is None else asdict(result.signature)
    members["classes"] = dict(result.classes)
    return json.dumps(members, sort_keys=True, separators=(",", ":"))
