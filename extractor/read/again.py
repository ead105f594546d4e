"""Traces from records that an earlier pass cut out: what each record says of each trace, and where the record stands."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import groupby

from extractor.errors import InputChanged, InputUnreadable
from extractor.model.reading import Reading
from extractor.model.span import Span

from .containers.interface import Attachment
from .frames import Form, Frame
from .gather import gather_again, is_partial
from .ledger import Entry, Heard, Ledger
from .limits import Limits
from .locate import Needles
from .scan import Hit, Scanner
from .sources import Progress, Source

_KEPT = 32 << 20  # bytes of records that are kept parsed, which takes about ten times as much


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a record stands: source and record, numbered from 1, and its ``[start, end)`` bytes of the plain file.

    ``sought`` says that the stored file's own bytes there are the record: not so in what is compressed, or a table. Then ``digest``
    is theirs (BLAKE2b of 64 bits, hex), by which a record that was written over since is noticed.
    """

    source: int
    number: int
    start: int
    end: int
    form: Form
    sought: bool
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What one record says of one trace. ``notes`` are what reading the record entered in the ledger."""

    place: Place
    container: str
    spans: tuple[Span, ...] = field(repr=False)
    attachments: tuple[Attachment, ...] = field(default=(), repr=False)
    notes: tuple[Entry, ...] = ()


PiecesOf = Callable[[str], Iterable[Piece]]
"""Gives what every record says of a trace, in the order of sources and records."""


def pieces(
    sources: Sequence[Source],
    limits: Limits,
    *,
    container: str | None = None,
    progress: Progress | None = None,
    damaged: dict[int, InputUnreadable] | None = None,
    ledger: Heard | None = None,
    wanted: Collection[str] | None = None,
) -> Iterator[Mapping[str, Sequence[Piece]]]:
    """Yield for each record of the sources its pieces by trace id, in one pass.

    With ``wanted`` only records that hold such an id are parsed, found by fresh indexes or by searching bytes: an id that a record
    spells in a way of its own is not found so. ``damaged`` takes sources that break a bound; without it they raise `InputUnreadable`.
    """
    heard = ledger or Heard(shown=limits.places)
    scanner = Scanner(
        sources=tuple(sources),
        limits=limits,
        ledger=heard,
        progress=progress,
        container=container,
        damaged=damaged,
    )
    yield from by_record(scanner.hits(None if wanted is None else Needles(trace_ids=tuple(sorted(wanted)))), heard)


def by_record(hits: Iterable[Hit], heard: Heard) -> Iterator[Mapping[str, Sequence[Piece]]]:
    """Yield for each record its pieces by trace id; ``heard`` is the ledger of who reads the hits."""
    for (source, number), group in groupby(hits, key=lambda hit: (hit.source.number, hit.frame.number)):
        of_record = list(group)
        notes = heard.taken(source, number)
        found: dict[str, list[Piece]] = defaultdict(list)
        for hit in of_record:
            place = _place(hit)
            for trace_id, (spans, attachments) in _by_trace(hit).items():
                found[trace_id].append(
                    Piece(
                        place=place,
                        container=hit.container,
                        spans=tuple(spans),
                        attachments=tuple(attachments),
                        notes=notes,
                    )
                )
        yield found


def _by_trace(hit: Hit) -> Mapping[str, tuple[list[Span], list[Attachment]]]:
    """Return what a record says of each trace, gone through once: a record may hold tens of thousands of traces."""
    found: dict[str, tuple[list[Span], list[Attachment]]] = defaultdict(lambda: ([], []))
    for span in hit.spans:
        found[span.trace_id][0].append(span)
    for told in hit.attachments:
        found[told.trace_id][1].append(told)
    return found


def _place(hit: Hit) -> Place:
    frame = hit.frame
    sought = hit.source.path is not None and "+" not in hit.container and not frame.made
    return Place(
        source=hit.source.number,
        number=frame.number,
        start=frame.start,
        end=frame.end,
        form=frame.form,
        sought=sought,
        digest=_digest(frame.data) if sought else "",
    )


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


class Records:
    """Reads records of files again at the places where they stand; those read lately are kept, since traces share them."""

    def __init__(self, sources: Iterable[Source], limits: Limits, container: str | None = None) -> None:
        self._sources = {source.number: source for source in sources}
        self._limits = limits
        self._container = container
        self._kept: OrderedDict[Place, Mapping[str, Sequence[Piece]]] = OrderedDict()
        self._size = 0

    def pieces(self, trace_id: str, place: Place) -> Sequence[Piece]:
        """Return what the record at a place says of a trace. Raises `InputChanged` where it no longer stands there."""
        if place in self._kept:
            self._kept.move_to_end(place)
        else:
            self._keep(place, self._read(place))
        # A record whose bytes are the same says the same.
        return self._kept[place][trace_id]

    def _keep(self, place: Place, found: Mapping[str, Sequence[Piece]]) -> None:
        self._kept[place] = found
        self._size += place.end - place.start
        while self._size > _KEPT and len(self._kept) > 1:
            old, _ = self._kept.popitem(last=False)
            self._size -= old.end - old.start

    def _read(self, place: Place) -> Mapping[str, Sequence[Piece]]:
        source = self._sources[place.source]
        with source.open() as file:
            file.seek(place.start)
            data = file.read(place.end - place.start)
        if _digest(data) != place.digest:
            raise InputChanged(f"file {place.source} changed while it was read")
        heard = Heard(shown=self._limits.places)
        scanner = Scanner(sources=(source,), limits=self._limits, ledger=heard, container=self._container)
        frame = Frame(number=place.number, start=place.start, end=place.end, form=place.form, data=data)
        return next(by_record(scanner.again(source, frame), heard), {})


def reading_again(
    sources: Sequence[Source],
    limits: Limits,
    trace_id: str,
    pieces_of: PiecesOf,
    *,
    damaged: Collection[int] = (),
) -> Reading:
    """Return what `read.read` gives for a whole id: the same spans and notes about them, linked traces included.

    ``damaged`` are sources that broke a bound; where the trace does not stand whole in the others, `InputUnreadable` is raised.
    Raises `TraceNotFound`.
    """
    ledger = Ledger(shown=limits.places)
    for number in damaged:
        ledger.add("file_unreadable", file=number)
    scanner = Scanner(sources=tuple(sources), limits=limits, ledger=ledger)
    by_number = {source.number: source for source in sources}

    def hits_of(wanted: str) -> Iterator[Hit]:
        for piece in pieces_of(wanted):
            place = piece.place
            for entry in piece.notes:
                ledger.enter(entry)
            frame = Frame(number=place.number, start=place.start, end=place.end, form=place.form, data=b"")
            yield Hit(
                source=by_number[place.source],
                container=piece.container,
                frame=frame,
                spans=piece.spans,
                attachments=piece.attachments,
            )

    reading = gather_again(scanner, trace_id, hits_of)
    if damaged and is_partial(reading):
        raise InputUnreadable(f"file {min(damaged)} is damaged, and may hold more of the trace")
    return reading


def named(source: Source, sha256: str | None = None) -> Source:
    """Return a source without content that is held: what another process needs to name it."""
    return replace(source, content=None, stored=None, sha256=sha256)
