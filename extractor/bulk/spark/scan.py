"""What Spark's first tasks do on executors: read parts of the sources, and tell of traces or hand on what records say of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from extractor.errors import InputUnreadable
from extractor.model.reading import Note
from extractor.model.span import LATEST_NS, Span
from extractor.read import Heard, Limits, Piece, Source
from extractor.read.again import by_record
from extractor.read.locate import Needles
from extractor.read.scan import Hit, Scanner

from .parts import Part, hits

_MOST_NEEDLES = 20_000  # beyond these, searching takes longer than parsing
_PLACES = 1_000  # of one kind of fault in one part
_TABLE = "parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How executors read: sources by number from 1, bounds, and how spans are wrapped where that was asked for."""

    sources: tuple[Source, ...] = field(repr=False)
    limits: Limits = field(default_factory=Limits)
    container: str | None = None

    def hits(self, part: Part, heard: Heard, needles: Needles | None) -> Iterator[Hit]:
        """Yield the records of a part. Raises `InputUnreadable`."""
        source = self.sources[part.source - 1]
        scanner = Scanner(sources=(source,), limits=self.limits, ledger=heard, container=self.container)
        yield from hits(scanner, source, part, needles)


@dataclass(slots=True, kw_only=True)
class Seen:
    """What parts tell of one trace. Times are nanoseconds since the epoch, 0 for none.

    ``source`` and ``first`` are where its first record stands. ``size`` are the bytes of its records, ``held`` about those that a process
    holds with all that they say of it. ``marks`` are bits, one for each property that some span has, ``linked`` other traces that its
    spans link to. ``unspelled`` says that a record holds the trace under an id that no search of bytes finds.
    """

    source: int
    first: int
    trace_id: str
    start_ns: int = 0
    end_ns: int = 0
    records: int = 0
    spans: int = 0
    errors: int = 0
    size: int = 0
    held: int = 0
    marks: int = 0
    unspelled: bool = False
    linked: frozenset[str] = frozenset()

    @property
    def place(self) -> str:
        """Where its first record stands, by position."""
        return f"file {self.source} record {self.first}"

    def add(self, pieces: Sequence[Piece], marks: Callable[[Span], int], *, alone: bool) -> None:
        """Take in what a record says of the trace; ``alone`` where it says nothing of others."""
        place = pieces[0].place
        self.records += 1
        self.size += place.end - place.start
        # What is packed is measured where the record's own bytes are those of a table's group of rows, or of many traces.
        whole = alone and _TABLE not in pieces[0].container
        self.held += place.end - place.start if whole else sum(len(packed(piece)) for piece in pieces)
        for span in (span for piece in pieces for span in piece.spans):
            self.spans += 1
            self.errors += span.status_code == "error"
            start_ns, end_ns = min(span.start_ns, LATEST_NS), min(span.end_ns or span.start_ns, LATEST_NS)
            if start_ns and (not self.start_ns or start_ns < self.start_ns):
                self.start_ns = start_ns
            self.end_ns = max(self.end_ns, end_ns)
            if span.links:
                self.linked |= {link.trace_id for link in span.links} - {self.trace_id}
            self.marks |= marks(span)


def seen(
    reader: Reader, part: Part, marks: Callable[[Span], int], sought: frozenset[str] | None = None
) -> tuple[list[Seen], tuple[Note, ...]]:
    """Return what a part tells of each trace, of those that are ``sought`` alone where some are, and what was wrong in it.

    A source that turns out damaged is noted as ``file_unreadable``; nothing that it told can be relied on.
    """
    heard = Heard(shown=_PLACES)
    found: dict[str, Seen] = {}
    unspelled: set[str] = set()
    try:
        for record in by_record(_watched(reader.hits(part, heard, _needles(sought)), unspelled), heard):
            for trace_id, pieces in record.items():
                if sought is not None and trace_id not in sought:
                    continue
                first = pieces[0].place.number
                one = found.setdefault(trace_id, Seen(source=part.source, first=first, trace_id=trace_id))
                one.add(pieces, marks, alone=len(record) == 1)
    except InputUnreadable:
        heard.add("file_unreadable", file=part.source)
    for trace_id in unspelled & found.keys():
        found[trace_id].unspelled = True
    return list(found.values()), heard.notes()


def packed(piece: Piece) -> bytes:
    """Return a piece as bytes that `unpacked` takes; they cross between processes of one run, encrypted by Spark."""
    return pickle.dumps(piece, protocol=5)


def unpacked(data: bytes) -> Piece:
    """Return a piece that a process of this run packed."""
    found: Piece = pickle.loads(data)  # noqa: S301  # from `packed`, through Spark's own encrypted exchange
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """Which traces' records are needed, and for which wanted traces: their own, and those that they link to.

    A wanted trace is named by its key: its position among the wanted ones, and its id.
    """

    groups: Mapping[str, tuple[str, ...]]
    unspelled: bool = False

    def needles(self) -> Needles | None:
        """Return what to search bytes for; None where all must be parsed."""
        return None if self.unspelled else _needles(self.groups)


def records(reader: Reader, part: Part, needed: Needed) -> Iterator[tuple[str, str, int, Piece]]:
    """Yield what the records of a part say of needed traces: the key of the wanted trace, the trace itself, part and piece.

    Ends early where a source turns out damaged, as `seen` has noted already.
    """
    heard = Heard(shown=1)
    try:
        for record in by_record(reader.hits(part, heard, needed.needles()), heard):
            for trace_id, pieces in record.items():
                for wanted in needed.groups.get(trace_id, ()):
                    yield from ((wanted, trace_id, number, piece) for number, piece in enumerate(pieces))
    except InputUnreadable:
        return


def _needles(trace_ids: Collection[str] | None) -> Needles | None:
    if trace_ids is None or len(trace_ids) > _MOST_NEEDLES:
        return None
    return Needles(trace_ids=tuple(sorted(trace_ids)))


def _watched(found: Iterator[Hit], unspelled: set[str]) -> Iterator[Hit]:
    """Yield hits, and keep the ids that no search of bytes would find in their records."""
    for hit in found:
        ids = {span.trace_id for span in hit.spans} | {told.trace_id for told in hit.attachments}
        unspelled.update(trace_id for trace_id in ids if not _spelled(hit, trace_id))
        yield hit


def _spelled(hit: Hit, trace_id: str) -> bool:
    """Tell whether a search of bytes finds the id in a record; of a table's row they are the id as it is written."""
    if trace_id.encode() in hit.frame.data:
        return True
    return bool(Needles(trace_ids=(trace_id,)).finder(b"").positions(hit.frame.form, hit.frame.data))
