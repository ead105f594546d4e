"""An index of an export: which records hold a trace, so that finding one again reads those bytes alone.

A SQLite file beside the export, or in a folder of its own: ``NAME.efx``. It knows the export's size, time and the digests
of its beginning and end, and is used only while they hold.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from extractor.errors import InputUnreadable, UsageError

from .sources import INDEX_SUFFIX, Source

if TYPE_CHECKING:
    import sqlite3

_VERSION = 1
_EDGE = 64 << 10  # bytes whose digest tells that a beginning or an end is the same
_SCHEMA = """
create table source (version integer, size integer, time integer, head blob, tail blob, container text, records integer, whole integer);
create table trace (id text primary key, start integer, spans integer, errors integer, tools text) without rowid;
create table record (trace text, number integer, start_at integer, end_at integer, primary key (trace, number)) without rowid;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One trace of an export; ``start_ns`` is 0 where no span has a start."""

    trace_id: str
    start_ns: int
    spans: int
    errors: int
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a record stands: its number from 1, and its ``[begin, end)`` bytes."""

    number: int
    begin: int
    end: int


@dataclass(slots=True, kw_only=True)
class Traces:
    """What is gathered of an export while it is read."""

    entries: dict[str, Entry] = field(default_factory=dict)
    places: dict[str, dict[int, Place]] = field(default_factory=dict)
    containers: set[str] = field(default_factory=set)
    records: int = 0

    def add(self, entry: Entry, place: Place) -> None:
        """Take in what one record says of a trace."""
        known = self.entries.get(entry.trace_id)
        if known is not None:
            entry = Entry(
                trace_id=entry.trace_id,
                start_ns=min(filter(None, (known.start_ns, entry.start_ns)), default=0),
                spans=known.spans + entry.spans,
                errors=known.errors + entry.errors,
                tools=tuple(sorted({*known.tools, *entry.tools})),
            )
        self.entries[entry.trace_id] = entry
        self.places.setdefault(entry.trace_id, {})[place.number] = place
        self.records = max(self.records, place.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index that was found; ``known_size`` bytes of the export are in it."""

    path: Path
    known_size: int
    time: int
    head: bytes
    tail: bytes
    container: str
    records: int
    is_whole: bool

    def is_fresh(self, source: Source) -> bool:
        """Tell whether the export is what it was when it was indexed."""
        if source.path is None or source.size != self.known_size:
            return False
        return source.path.stat().st_mtime_ns == self.time and self._has_edges(source)

    def is_prefix(self, source: Source) -> bool:
        """Tell whether the export has only grown since, by whole lines."""
        return self.is_whole and source.size > self.known_size and self._has_edges(source)

    def places(self, trace_ids: Iterable[str]) -> list[Place]:
        """Return where records of the traces stand, in order; an id may be a prefix."""
        found: dict[int, Place] = {}
        with closing(_connected(self.path)) as base:
            for trace_id in trace_ids:
                rows = base.execute(
                    "select number, start_at, end_at from record where trace >= ? and trace < ?",
                    (trace_id, trace_id + "g"),
                )
                found.update((number, Place(number=number, begin=begin, end=end)) for number, begin, end in rows)
        return [found[number] for number in sorted(found)]

    def entries(self) -> Iterator[Entry]:
        """Yield the traces in order of their ids."""
        with closing(_connected(self.path)) as base:
            for trace_id, start, spans, errors, tools in base.execute("select * from trace order by id"):
                yield Entry(
                    trace_id=trace_id, start_ns=start, spans=spans, errors=errors, tools=tuple(json.loads(tools))
                )

    def traces(self) -> Traces:
        """Return all that the index holds, to be added to."""
        traces = Traces(records=self.records, containers={self.container} - {""})
        with closing(_connected(self.path)) as base:
            traces.entries = {entry.trace_id: entry for entry in self.entries()}
            for trace_id, number, begin, end in base.execute("select * from record"):
                traces.places.setdefault(trace_id, {})[number] = Place(number=number, begin=begin, end=end)
        return traces

    def _has_edges(self, source: Source) -> bool:
        with source.open() as file:
            return (self.head, self.tail) == _edges(file, self.known_size)


def path_of(source: Source, folder: Path | None) -> Path | None:
    """Return where the index of a source stands, None for a source that is no file."""
    if source.path is None:
        return None
    return (folder or source.path.parent) / (source.path.name + INDEX_SUFFIX)


def opened(source: Source, folder: Path | None) -> Index | None:
    """Return the index of a source, fresh or not; None where there is none that can be read."""
    path = path_of(source, folder)
    if path is None or not path.is_file():
        return None
    import sqlite3  # only where an index stands

    try:
        with closing(_connected(path)) as base:
            version, *rest = base.execute("select * from source").fetchone()
    except (sqlite3.Error, TypeError, ValueError):
        return None
    if version != _VERSION:
        return None
    size, time, head, tail, container, records, whole = rest
    return Index(
        path=path,
        known_size=size,
        time=time,
        head=head,
        tail=tail,
        container=container,
        records=records,
        is_whole=bool(whole),
    )


def write(source: Source, traces: Traces, folder: Path | None) -> Path:
    """Write the index of a source, in place of an older one, and return its path (mode 0600).

    Raises `UsageError` where it cannot be written, `InputUnreadable` where the source is no file.
    """
    import sqlite3  # only where an index is made

    path = path_of(source, folder)
    if path is None or source.path is None:
        raise InputUnreadable(f"source {source.number} is no file, so that nothing can be found in it again")
    unfinished = path.with_name(f".{secrets.token_hex(8)}.unfinished")
    try:
        os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as base:
            base.executescript("pragma journal_mode = off; pragma synchronous = off; begin;" + _SCHEMA)
            _fill(base, source, traces)
            base.execute("commit")
        unfinished.replace(path)
    except (OSError, sqlite3.Error):
        raise UsageError("the index cannot be written", hint="--out FOLDER puts it elsewhere") from None
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()
    return path


def _fill(base: sqlite3.Connection, source: Source, traces: Traces) -> None:
    with source.open() as file:
        head, tail = _edges(file, source.size)
        file.seek(max(source.size - 1, 0))
        ends = file.read(1) == b"\n"
    time = source.path.stat().st_mtime_ns if source.path else 0
    container = ",".join(sorted(traces.containers))
    whole = ends and "+" not in container
    base.execute(
        "insert into source values (?, ?, ?, ?, ?, ?, ?, ?)",
        (_VERSION, source.size, time, head, tail, container, traces.records, whole),
    )
    base.executemany(
        "insert into trace values (?, ?, ?, ?, ?)",
        (
            (entry.trace_id, entry.start_ns, entry.spans, entry.errors, json.dumps(entry.tools))
            for _, entry in sorted(traces.entries.items())
        ),
    )
    base.executemany(
        "insert into record values (?, ?, ?, ?)",
        (
            (trace_id, place.number, place.begin, place.end)
            for trace_id, places in sorted(traces.places.items())
            for place in places.values()
        ),
    )


def _edges(file: BinaryIO, size: int) -> tuple[bytes, bytes]:
    file.seek(0)
    head = file.read(min(_EDGE, size))
    file.seek(max(size - _EDGE, 0))
    return hashlib.sha256(head).digest(), hashlib.sha256(file.read(min(_EDGE, size))).digest()


def _connected(path: Path) -> sqlite3.Connection:
    import sqlite3  # only where an index stands

    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
