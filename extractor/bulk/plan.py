"""The plan: where each trace stands, found in one pass over the sources, and which of them become cases.

It holds trace ids, positions and counts, no payload: a SQLite file beside the cases, its owner's alone.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeAlias

from extractor.errors import InputUnreadable
from extractor.model.reading import Note
from extractor.model.span import LATEST_NS
from extractor.read import Heard, Limits, Piece, Place, Progress, Source, pieces

from .choosing import Choice
from .own import writing
from .spill import Kept, Spill

NAME: Final = "plan.sqlite"
_BATCH: Final = 5_000  # rows
_SCHEMA: Final = """
create table source (number integer primary key, sha256 text);
create table told (
  id text, source integer, start integer, end integer, spans integer, errors integer, bits integer, bytes integer,
  primary key (id, source)
) without rowid;
create table trace (
  id text primary key, start integer, end integer, spans integer, errors integer, bits integer, bytes integer
) without rowid;
create table piece (
  trace text, source integer, number integer, part integer, start integer, end integer, form text, sought integer, digest text,
  kept_start integer, kept_end integer, kept_number integer, primary key (trace, source, number, part)
) without rowid;
"""
_ADDED: Final = """
do update set
  start = case when min(start, excluded.start) = 0 then max(start, excluded.start) else min(start, excluded.start) end,
  end = max(end, excluded.end), spans = spans + excluded.spans, errors = errors + excluded.errors,
  bits = bits | excluded.bits, bytes = bytes + excluded.bytes
"""
_TAKEN: Final = f"insert into told values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (id, source) {_ADDED}"  # noqa: S608  # our own words
_JOINED: Final = (
    "insert into trace select id, start, end, spans, errors, bits, bytes from told where true"  # noqa: S608  # our own words
    f" on conflict (id) {_ADDED}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One trace of the sources. Times are nanoseconds since the epoch, up to `LATEST_NS`, 0 for none; ``size`` is in bytes of its records."""

    trace_id: str
    start_ns: int
    end_ns: int
    spans: int
    errors: int
    bits: int
    size: int


_Records: TypeAlias = Iterable[Mapping[str, Sequence[Piece]]]
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
                "select source, number, start, end, form, sought, digest, kept_start, kept_end, kept_number from piece"
                " where trace = ? order by source, number, part",
                (trace_id,),
            ).fetchall()
        return [
            (
                Place(
                    source=source, number=number, start=start, end=end, form=form, sought=bool(sought), digest=digest
                ),
                None if first is None else Kept(first, last, count),
            )
            for source, number, start, end, form, sought, digest, first, last, count in rows
        ]

    def place(self, trace_id: str) -> str:
        """Return where the first record of a trace stands, by position."""
        with closing(_opened(self.path)) as base:
            query = "select source, number from piece where trace = ? order by source, number limit 1"
            source, number = base.execute(query, (trace_id,)).fetchone() or (0, 0)
        return f"file {source} record {number}"

    def sources(self) -> dict[int, str]:
        """Return the digest of each source that could be read, by its number."""
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

    A list alone is sought by its ids, in fresh indexes or in bytes; a plan made so knows of no other traces.

    Sources that break a bound are left there as damaged: what they gave counts for nothing. Raises `InputUnreadable` where all of them are.
    """
    path = folder / NAME
    digests = ThreadPoolExecutor(max_workers=1).map(_digest, sources)  # meanwhile
    pass_over = partial(pieces, sources, limits, container=container, progress=progress)
    made = _sought(pass_over, choice, path, spill, limits.places) if choice.only_listed else None
    if made is None:
        made = _Making(path, choice, spill, shown=limits.places)
        with made:
            made.take(pass_over)
    made.finish(sources, digests)
    spill.flush()
    if made.damaged and len(made.damaged) == len(sources):
        raise next(iter(made.damaged.values()))
    return Plan(path=path, damaged=frozenset(made.damaged), notes=made.heard.notes())


def _sought(pass_over: Callable[..., _Records], choice: Choice, path: Path, spill: Spill, shown: int) -> _Making | None:
    """Return the plan of a list by its ids alone, and of the traces that they link to; None where one was not found so."""
    made = _Making(path, choice, spill, shown=shown)
    with made:
        made.take(pass_over, wanted=choice.flagged)
        if made.seen & choice.flagged != choice.flagged:
            made.close()
            return None
        if linked := made.linked - made.seen:
            made.take(pass_over, wanted=linked)
    return made


@dataclass(slots=True)
class _Rows:
    traces: list[tuple[str | int, ...]] = field(default_factory=list)
    pieces: list[tuple[str | int | None, ...]] = field(default_factory=list)


class _Making:
    """A plan that is being written. What is sought by ids comes in several passes, and a record in the first of them alone."""

    def __init__(self, path: Path, choice: Choice, spill: Spill, *, shown: int) -> None:
        with writing():
            path.unlink(missing_ok=True)
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            self._base = sqlite3.connect(path, isolation_level=None)
        self._choice = choice
        self._spill = spill
        self._rows = _Rows()
        self.heard = Heard(shown=shown)
        self.damaged: dict[int, InputUnreadable] = {}
        self.seen: set[str] = set()
        self.linked: set[str] = set()

    def __enter__(self) -> Self:
        with writing():
            self._base.executescript("pragma journal_mode = off; pragma synchronous = off;" + _SCHEMA)
            self._base.execute("begin")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.close()

    def close(self) -> None:
        """Leave the file as it is."""
        self._base.close()

    def take(self, pass_over: Callable[..., _Records], *, wanted: AbstractSet[str] | None = None) -> None:
        """Go through the sources once; ``wanted`` are the only traces that count."""
        for record in pass_over(wanted=wanted, damaged=self.damaged, ledger=self.heard):
            for trace_id, parts in record.items():
                if wanted is None or trace_id in wanted:
                    self._add(trace_id, parts, listed=wanted is not None)
            if len(self._rows.pieces) >= _BATCH:
                self._put()
        self._put()

    def finish(self, sources: Sequence[Source], digests: Iterable[str | InputUnreadable]) -> None:
        """Leave out what damaged sources gave, those that have gone meanwhile among them, and close the file."""
        found: list[tuple[int, str]] = []
        for source, digest in zip(sources, digests, strict=True):
            if isinstance(digest, str):
                found.append((source.number, digest))
            elif source.number not in self.damaged:
                self.damaged[source.number] = digest
                self.heard.add("file_unreadable", file=source.number)
        with writing():
            for number in self.damaged:
                self._base.execute("delete from piece where source = ?", (number,))
                self._base.execute("delete from told where source = ?", (number,))
            self._base.execute(_JOINED)
            self._base.executemany("insert into source values (?, ?)", found)
            self._base.execute("commit")
        self.close()

    def _put(self) -> None:
        with writing():
            self._base.executemany(_TAKEN, self._rows.traces)
            self._base.executemany("insert into piece values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", self._rows.pieces)
        self._rows = _Rows()

    def _add(self, trace_id: str, parts: Sequence[Piece], *, listed: bool) -> None:
        if listed:
            self.seen.add(trace_id)
            self.linked.update(link.trace_id for piece in parts for span in piece.spans for link in span.links)
        for part, piece in enumerate(parts):
            self._rows.traces.append(_counted(trace_id, piece, self._choice.bits(piece.spans), first=part == 0))
            if not (piece.place.sought and part):  # of what is sought the record as a whole is read again
                kept = None if piece.place.sought else self._spill.put(piece)
                self._rows.pieces.append(_placed(trace_id, part, piece.place, kept))


def _counted(trace_id: str, piece: Piece, bits: int, *, first: bool) -> tuple[str | int, ...]:
    spans, place = piece.spans, piece.place
    return (
        trace_id,
        place.source,
        min(min((span.start_ns for span in spans if span.start_ns), default=0), LATEST_NS),
        min(max((span.end_ns or span.start_ns for span in spans), default=0), LATEST_NS),
        len(spans),
        sum(span.status_code == "error" for span in spans),
        bits,
        place.end - place.start if first else 0,
    )


def _placed(trace_id: str, part: int, place: Place, kept: Kept | None) -> tuple[str | int | None, ...]:
    aside = (None, None, None) if kept is None else (kept.start, kept.end, kept.number)
    stands = (place.source, place.number, part, place.start, place.end, place.form, int(place.sought), place.digest)
    return (trace_id, *stands, *aside)


def _digest(source: Source) -> str | InputUnreadable:
    try:
        return source.digest()()
    except InputUnreadable as fault:
        return fault
    except OSError:
        return InputUnreadable(f"file {source.number} cannot be read")


def _opened(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
