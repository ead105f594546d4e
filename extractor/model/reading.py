"""What reading yields: raw spans, where they stood, and what was wrong on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .span import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One ledger entry: a code, how often, and places by position only (``file 1 record 17``). No input text."""

    code: str
    count: int = 1
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file that held records of the wanted traces. ``ranges`` are ``[start, end)`` bytes of the decompressed file."""

    name: str
    container: str
    digest: Callable[[], str] = field(repr=False, compare=False)
    ranges: tuple[tuple[int, int], ...] = ()

    @property
    def sha256(self) -> str:
        """The digest of the bytes as stored, in hex; waits where it is still being computed."""
        return self.digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideRecord:
    """A span that was made of records from outside the trace: what kinds these were, in order."""

    span_id: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Spans of the wanted traces in product order, duplicates merged.

    ``file_notes`` are true of the files (records read, refused, merged) and go to ``capture.json``;
    ``span_notes`` are true of the spans whatever files held them and go to ``provenance.json``. ``outside`` says which spans
    are no spans of the trace but evidence that somebody added.
    """

    spans: tuple[Span, ...]
    files: tuple[SourceFile, ...] = ()
    file_notes: tuple[Note, ...] = ()
    span_notes: tuple[Note, ...] = ()
    outside: tuple[OutsideRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSummary:
    """What ``inspect`` says of one trace. Times: ``start`` RFC 3339 UTC, ``duration_ms`` milliseconds."""

    trace_id: str
    spans: int
    start: str
    duration_ms: int
    errors: int
    tools: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    sessions: tuple[str, ...] = field(default=())
