"""The plan: where each trace stands, found in one pass over the sources, and which of them become cases.

It holds trace ids, positions and counts, no payload: a SQLite file beside the cases, its owner's alone.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from extractor.errors import InputUnreadable
from extractor.model.reading import Note
from extractor.read import Heard, Limits, Piece, Place, Progress, Source, pieces

from .choosing import Choice
from .spill import Kept, Spill

NAME: Final = "plan.sqlite"
_BATCH: Final = 5_000  # rows
_SCHEMA: Final = """
create table source (number integer primary key, name text, sha256 text, damaged integer);
create table note (code text, count integer, places text);
create table trace (
  id text primary key, start integer, end integer, spans integer, errors integer, bits integer, bytes integer
) without rowid;
create table piece (
  trace text, source integer, number integer, part integer, start integer, end integer, form text, sought integer,
  kept_start integer, kept_end integer, kept_number integer, primary key (trace, source, number, part)
) without rowid;
"""
_TAKEN: Final = """
insert into trace values (?, ?, ?, ?, ?, ?, ?) on conflict (id) do update set
  start = case when min(start, excluded.start) = 0 then max(start, excluded.start) else min(start, excluded.start) end,
  end = max(end, excluded.end), spans = spans + excluded.spans, errors = errors + excluded.errors,
  bits = bits | excluded.bits, bytes = bytes + excluded.bytes
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One trace of the sources. Times are nanoseconds since the epoch, 0 for none; ``size`` is in bytes of its records."""

    trace_id: str
    start_ns: int
    end_ns: int
    spans: int
    errors: int
    bits: int
    size: int


Where: TypeAlias = tuple[Place, Kept | None]
"""A record's place, and where its piece was set aside if it cannot be sought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan that was made; it is read from here on."""

    path: Path
    damaged: frozenset[int]
    notes: tuple[Note, ...] = field(default=())

    def traces(self) -> Iterator[Known]:
        """Yield every trace that has a span, by start and id."""
        with closing(_opened(self.path)) as base:
            query = "select id, start, end, spans, errors, bits, bytes from trace where spans > 0 order by start, id"
            for trace_id, start, end, spans, errors, bits, size in base.execute(query):
                yield Known(
                    trace_id=trace_id, start_ns=start, end_ns=end, spans=spans, errors=errors, bits=bits, size=size
                )

    def where(self, trace_id: str) -> list[Where]:
        """Return where every record stands that says something of a trace, in the order of sources and records."""
        with closing(_opened(self.path)) as base:
            rows = base.execute(
                "select source, number, start, end, form, sought, kept_start, kept_end, kept_number from piece"
                " where trace = ? order by source, number, part",
                (trace_id,),
            ).fetchall()
        return [
            (
                Place(source=source, number=number, start=start, end=end, form=form, sought=bool(sought)),
                None if first is None else Kept(first, last, count),
            )
            for source, number, start, end, form, sought, first, last, count in rows
        ]

    def sources(self) -> dict[int, str]:
        """Return the digest of each source by its number."""
        with closing(_opened(self.path)) as base:
            return dict(base.execute("select number, sha256 from source"))


def make(
    sources: Sequence[Source],
    choice: Choice,
    folder: Path,
    spill: Spill,
    *,
    limits: Limits,
    container: str | None = None,
    progress: Progress | None = None,
) -> Plan:
    """Return the plan of some sources, written into a folder. What cannot be sought again is set aside in ``spill``.

    Sources that break a bound are left there as damaged: what they gave counts for nothing. Raises `InputUnreadable` where all of them are.
    """
    path = folder / NAME
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    digests = ThreadPoolExecutor(max_workers=1).map(_digest, sources)  # meanwhile
    damaged: dict[int, InputUnreadable] = {}
    heard = Heard(shown=limits.places)
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.executescript("pragma journal_mode = off; pragma synchronous = off;" + _SCHEMA)
        base.execute("begin")
        found = pieces(sources, limits, container=container, progress=progress, damaged=damaged, ledger=heard)
        for rows in _batches(found, choice, spill):
            base.executemany(_TAKEN, rows.traces)
            base.executemany("insert into piece values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows.pieces)
        for number in damaged:
            base.execute("delete from piece where source = ?", (number,))
        base.executemany(
            "insert into source values (?, ?, ?, ?)",
            [
                (each.number, each.name, digest, int(each.number in damaged))
                for each, digest in zip(sources, digests, strict=True)
            ],
        )
        base.execute("commit")
    spill.flush()
    if damaged and len(damaged) == len(sources):
        raise next(iter(damaged.values()))
    return Plan(path=path, damaged=frozenset(damaged), notes=heard.notes())


@dataclass(slots=True)
class _Rows:
    traces: list[tuple[str | int, ...]] = field(default_factory=list)
    pieces: list[tuple[str | int | None, ...]] = field(default_factory=list)


def _batches(found: Iterable[Mapping[str, Sequence[Piece]]], choice: Choice, spill: Spill) -> Iterator[_Rows]:
    rows = _Rows()
    for record in found:
        for trace_id, parts in record.items():
            for part, piece in enumerate(parts):
                _add(rows, trace_id, part, piece, choice, spill)
        if len(rows.pieces) >= _BATCH:
            yield rows
            rows = _Rows()
    yield rows


def _add(rows: _Rows, trace_id: str, part: int, piece: Piece, choice: Choice, spill: Spill) -> None:
    place, spans = piece.place, piece.spans
    starts = [span.start_ns for span in spans if span.start_ns]
    rows.traces.append(
        (
            trace_id,
            min(starts, default=0),
            max((span.end_ns or span.start_ns for span in spans), default=0),
            len(spans),
            sum(span.status_code == "error" for span in spans),
            choice.bits(spans),
            place.end - place.start if part == 0 else 0,
        )
    )
    if place.sought and part:
        return  # the record as a whole is read again
    kept = None if place.sought else spill.put(piece)
    aside = (None, None, None) if kept is None else (kept.start, kept.end, kept.number)
    rows.pieces.append(
        (trace_id, place.source, place.number, part, place.start, place.end, place.form, int(place.sought), *aside)
    )


def _digest(source: Source) -> str:
    return source.digest()()


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
