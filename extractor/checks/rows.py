"""What assertions did: one row an assertion, case and run, in a SQLite store that several processes may write at once.

A row holds ids and a verdict. No value of a record is in it: a reason that is no plain name of a property is left out.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from extractor.errors import InputUnreadable

from .running import Outcome, Verdict

if TYPE_CHECKING:
    import sqlite3

VERDICTS: Final[tuple[Verdict, ...]] = ("not_applicable", "error", "accepted", "rejected")
"""From weakest to strongest: where one run judges a case twice, the stronger verdict is its row's."""

_APPLICATION: Final = 0x65664141
_BATCH: Final = 2000
_SECONDS: Final = 1.0
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_PROPERTY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
_ID: Final = 500

_TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS assertion (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, place TEXT)",
    "CREATE TABLE IF NOT EXISTS subject (id INTEGER PRIMARY KEY, case_id TEXT NOT NULL, record TEXT NOT NULL, UNIQUE (case_id, record))",
    """CREATE TABLE IF NOT EXISTS judged (
      assertion INTEGER NOT NULL, at INTEGER NOT NULL, subject INTEGER NOT NULL, verdict INTEGER NOT NULL, reason TEXT,
      PRIMARY KEY (assertion, at, subject)
    ) WITHOUT ROWID""",
)
_PUT: Final = (
    "INSERT INTO judged SELECT a.id, ?, s.id, ?, ? FROM assertion a, subject s WHERE a.name = ? AND s.case_id = ? AND s.record = ?"
    " ON CONFLICT DO UPDATE SET verdict = excluded.verdict, reason = excluded.reason WHERE excluded.verdict > verdict"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One verdict of one assertion on one record of a case. All rows of a run have its instant ``at``, with an offset.

    ``place`` is the file and line of the assertion, where it is known. Raises `ValueError` for an id that is empty, has a line
    break or more than 500 characters.
    """

    assertion_id: str
    case_id: str
    record: str
    verdict: Verdict
    at: datetime
    reason: str | None = None
    place: str | None = None

    def __post_init__(self) -> None:
        """Refuse what would make a table that cannot be read."""
        for name in ("assertion_id", "case_id", "record"):
            text = getattr(self, name)
            if not text.isprintable() or not 0 < len(text) <= _ID:
                raise ValueError(f"{name} must be one line of at most {_ID} characters")
        if self.at.tzinfo is None:
            raise ValueError("the instant of a run needs an offset")

    @classmethod
    def of(cls, outcome: Outcome, *, case_id: str, record: str, at: datetime, place: str | None = None) -> Row:
        """Return the row of what a check said of a record, in the run that began ``at``; ids are made to fit a line."""
        return cls(
            assertion_id=one_line(outcome.check),
            case_id=one_line(case_id),
            record=one_line(record),
            verdict=outcome.verdict,
            reason=outcome.reason if outcome.verdict == "rejected" else None,
            at=at,
            place=place,
        )


def one_line(text: str) -> str:
    """Return a text as an id may stand in a row: one line that can be printed, and no longer than the longest; others by a digest."""
    if text.isprintable() and 0 < len(text) <= _ID:
        return text
    plain = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return f"{plain[: _ID - 20]}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


Sink: TypeAlias = Callable[[Row], None]


@contextmanager
def recording(store: Path) -> Iterator[Sink]:
    """Yield what takes rows and writes them, two thousand or those of a second at a time, and the last at the end.

    A process that is killed loses those of its last second.

    Raises `InputUnreadable` where ``store`` is no table of assertions or cannot be written.
    """
    with opened(store, make=True):
        pass  # what cannot be written is told before the run, not after it
    held: list[Row] = []
    written = time.monotonic()

    def take(row: Row) -> None:
        nonlocal written
        held.append(row)
        if len(held) >= _BATCH or time.monotonic() - written > _SECONDS:
            write(store, held)
            held.clear()
            written = time.monotonic()

    try:
        yield take
    finally:
        write(store, held)


def write(store: Path, rows: Sequence[Row]) -> None:
    """Add rows in one transaction. Raises `InputUnreadable`."""
    if not rows:
        return
    with opened(store, make=True) as database, database:
        database.execute("BEGIN IMMEDIATE")
        database.executemany(
            "INSERT INTO assertion (name, place) VALUES (?, ?) ON CONFLICT DO UPDATE SET place = coalesce(excluded.place, place)",
            sorted({each.assertion_id: each.place for each in rows}.items()),
        )
        database.executemany(
            "INSERT OR IGNORE INTO subject (case_id, record) VALUES (?, ?)",
            sorted({(each.case_id, each.record) for each in rows}),
        )
        database.executemany(_PUT, map(_members, rows))


def prune(store: Path, *, before: datetime) -> int:
    """Forget rows of runs that began earlier, and assertions without any row; return how many rows. Raises `InputUnreadable`."""
    with opened(store, make=False) as database, database:
        database.execute("BEGIN IMMEDIATE")
        gone = database.execute("DELETE FROM judged WHERE at < ?", (microseconds(before),)).rowcount
        if gone:
            database.execute("DELETE FROM assertion WHERE id NOT IN (SELECT assertion FROM judged)")
            database.execute("DELETE FROM subject WHERE id NOT IN (SELECT DISTINCT subject FROM judged)")
        return gone


@contextmanager
def opened(store: Path, *, make: bool) -> Iterator[sqlite3.Connection]:
    """Yield an open store; with ``make`` an absent one is made. Raises `InputUnreadable` for what is none, quoting nothing."""
    # Replays and checks that keep no table pay nothing for it.
    import sqlite3

    if not make and not store.is_file():
        raise InputUnreadable(
            "there is no table of assertions here yet",
            hint="extract-fixture check --audit or pytest --audit-asserts fills one",
        )
    try:
        store.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(store, timeout=60, isolation_level=None)
    except (OSError, sqlite3.Error):
        raise InputUnreadable("the table of assertions cannot be opened") from None
    try:
        _prepare(database, make=make)
        yield database
    except sqlite3.Error:
        raise InputUnreadable("this file is no table of assertions, or it is broken or locked") from None
    finally:
        database.close()


def _prepare(database: sqlite3.Connection, *, make: bool) -> None:
    if not _is_ours(database):
        if not make:
            raise InputUnreadable("this file is no table of assertions")
        _make(database)
    if make:
        _let_readers_pass(database)
        database.execute("PRAGMA synchronous = NORMAL")  # a crash of the machine may lose the last run, never the store


def _is_ours(database: sqlite3.Connection) -> bool:
    (application,) = database.execute("PRAGMA application_id").fetchone()
    return bool(application == _APPLICATION)


def _make(database: sqlite3.Connection) -> None:
    # Several processes may find the same empty file: the first to hold it makes the store, and the others look again.
    with database:
        database.execute("BEGIN IMMEDIATE")
        if _is_ours(database):
            return
        (filled,) = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if filled:
            raise InputUnreadable("this file is no table of assertions")
        for table in _TABLES:
            database.execute(table)
        database.execute(f"PRAGMA application_id = {_APPLICATION}")


def _let_readers_pass(database: sqlite3.Connection) -> None:
    import sqlite3

    # With a log written ahead, readers never wait for a writer. The mode stays with the file, and SQLite refuses to change it at
    # once while another process holds the file: then the next one that opens the store does.
    (mode,) = database.execute("PRAGMA journal_mode").fetchone()
    if mode != "wal":
        with suppress(sqlite3.OperationalError):
            database.execute("PRAGMA journal_mode = WAL")


def microseconds(at: datetime) -> int:
    """Return an instant as the store keeps it: microseconds since 1970 in UTC."""
    return (at - _EPOCH) // _MICROSECOND


def instant(value: int) -> datetime:
    """Return the instant that the store keeps as ``value``."""
    return _EPOCH + value * _MICROSECOND


def _members(row: Row) -> tuple[int, int, str | None, str, str, str]:
    reason = row.reason if row.reason and _PROPERTY.fullmatch(row.reason) else None
    return (microseconds(row.at), VERDICTS.index(row.verdict), reason, row.assertion_id, row.case_id, row.record)
