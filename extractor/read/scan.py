"""One pass over the sources: bytes to frames to spans, parsing only the records that hold what is sought."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path

from extractor.errors import InputUnreadable
from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.reading import Note
from extractor.model.span import Span

from . import comma, index, parquet, prefixed, records, text
from .ahead import ahead
from .containers.interface import Attachment, RefusedError, Report
from .frames import Broken, Form, Frame, Framing
from .index import Place
from .inflate import CountedFile, chunks
from .ledger import Ledger
from .limits import Limits
from .locate import Needles, searchable
from .parquet_source import parquet_file
from .records import Decoded
from .sources import Progress, Source
from .tables import shaped

_HINTS = {
    "file_javascript_text": "the JavaScript console exporter prints text that no program can read: write JSON.stringify(span) instead",
    "file_empty": "the file holds nothing: was the export finished, and did spans reach it before the program ended?",
    "record_not_recognised": "--format NAME says how spans are wrapped, where the bytes do not; docs/reading.md names the containers",
    "file_not_recognised": "name an export of spans: docs/reading.md names the containers; --format NAME says which of them it is",
    "file_comma_separated": "export the traces as JSON lines or Parquet: a CSV of spans has lost their types",
}
_PROTOBUF = "otlp_proto"
_STRANGE_ROWS = 100
_LARGE = 8 << 20  # bytes of a source
_CONTROL = frozenset(range(9)) | frozenset(range(14, 32))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A record that was parsed, and its spans."""

    source: Source
    container: str
    frame: Frame
    spans: tuple[Span, ...] = field(repr=False)
    attachments: tuple[Attachment, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanner:
    """Reads the same sources as often as needed; what it must leave out is entered in the ledger."""

    sources: tuple[Source, ...]
    limits: Limits
    ledger: Ledger
    progress: Progress | None = None
    index_folder: Path | None = None  # where indexes are; None for beside the sources
    use_indexes: bool = True
    container: str | None = None  # by name, whatever the bytes say
    damaged: dict[int, InputUnreadable] | None = (
        None  # by source, where one that breaks a bound ends not the whole pass
    )

    def hits(self, needles: Needles | None) -> Iterator[Hit]:
        """Yield every record that holds a needle, in source order; every record there is without needles.

        Raises `InputUnreadable` for sources that break a bound, unless ``damaged`` takes them: such a source is left there,
        entered in the ledger as ``file_unreadable``, and passed over from then on. What it gave before counts for nothing.
        """
        total = sum(source.size for source in self.sources)
        done = 0
        for source in self.sources:
            if self.progress:
                self.progress.advance(done, total)
            if self.damaged is None:
                yield from self._in_source(source, needles, done, total)
            elif source.number not in self.damaged:
                yield from self._unless_damaged(self._in_source(source, needles, done, total), source, self.damaged)
            done += source.size
        if self.progress:
            self.progress.advance(total, total)

    def _unless_damaged(
        self, hits: Iterator[Hit], source: Source, damaged: dict[int, InputUnreadable]
    ) -> Iterator[Hit]:
        try:
            yield from hits
        except InputUnreadable as fault:
            damaged[source.number] = fault
            self.ledger.add("file_unreadable", file=source.number)

    def no_span(self, *, logs_of: int = 0) -> InputUnreadable:
        """Return the error for sources without any span; it says what was found instead, as logs of so many traces."""
        notes = self.ledger.notes()
        found = ", ".join(map(_told, notes))
        if logs_of:
            found = f"logs of {logs_of} {'trace' if logs_of == 1 else 'traces'}" + (f", {found}" if found else "")
        hints = [_HINTS[note.code] for note in notes if note.code in _HINTS]
        hint = hints[0] if hints else "name the export of the spans as well" if logs_of else None
        return InputUnreadable("the sources hold no span" + (f" ({found})" if found else ""), hint=hint)

    def of_source(self, source: Source, begun: tuple[int, int]) -> Iterator[Hit]:
        """Yield every record of one source behind the first ``(bytes, records)``, which end where a record ends."""
        yield from self._whole(source, None, 0, source.size, begun)

    def _in_source(self, source: Source, needles: Needles | None, before: int, total: int) -> Iterator[Hit]:
        places = None if needles is None or needles.sessions else self._places(source, needles)
        if places is None or not (yield from self._at(source, places, needles or Needles())):
            yield from self._whole(source, needles, before, total)

    def _places(self, source: Source, needles: Needles) -> list[Place] | None:
        """Return where an index says that wanted records stand; None where no index can be trusted."""
        known = index.opened(source, self.index_folder) if self.use_indexes and source.path else None
        if known is None:
            return None
        if not known.is_fresh(source):
            self.ledger.add("index_stale", file=source.number)
            return None
        places = known.places(needles.trace_ids)
        return None if places and "+" in known.container else places  # compressed: it only says which file

    def _at(self, source: Source, places: Sequence[Place], needles: Needles) -> Generator[Hit, None, bool]:
        """Yield the records at some places; return whether each held what was wanted, as the index said."""
        with source.open() as file:
            for place in places:
                file.seek(place.begin)
                data = file.read(place.end - place.begin)
                form: Form = "json" if data[:1] in (b"{", b"[") else "protobuf"
                frame = Frame(number=place.number, start=place.begin, end=place.end, form=form, data=data)
                hits = list(self._parsed(source, frame, None))
                told = {span.trace_id for hit in hits for span in hit.spans}
                told.update(attachment.trace_id for hit in hits for attachment in hit.attachments)
                if not any(trace_id.startswith(needles.trace_ids) for trace_id in told):
                    self.ledger.add("index_stale", file=source.number)
                    return False
                yield from hits
        self.ledger.add("index_used", file=source.number)
        return True

    def _whole(
        self, source: Source, needles: Needles | None, before: int, total: int, begun: tuple[int, int] = (0, 0)
    ) -> Iterator[Hit]:
        within = 0

        def advance(size: int) -> None:
            nonlocal within
            within += size
            if self.progress:
                self.progress.advance(min(before + within, total), total)

        def report(code: str) -> None:
            self.ledger.add(code, file=source.number)

        with source.open() as opened:
            if begun[0]:
                opened.seek(begun[0])
            file = CountedFile(opened, advance, source.number)
            compressed, plain = chunks(file, source.number, self.limits, report)
            fetched = ahead(plain) if source.size > _LARGE else plain
            try:
                to_its_end = yield from self._cut(source, compressed, fetched, needles, begun)
                if to_its_end and source.path is not None and begun[0] + file.consumed != source.size:
                    report("file_changed_while_read")
            finally:
                fetched.close()

    def _cut(
        self,
        source: Source,
        compressed: str | None,
        plain: Iterator[bytes],
        needles: Needles | None,
        begun: tuple[int, int],
    ) -> Generator[Hit, None, bool]:
        """Yield the records of plain bytes; return whether all bytes were read, one after another."""
        head, stream, whole = _peek(plain, self.limits.head_bytes)
        if head.startswith((parquet.MAGIC, parquet.ENCRYPTED)):
            yield from self._in_table(source, compressed, stream, needles)
            return False
        size = source.size if compressed is None else None
        framing = prefixed.bare if self.container == _PROTOBUF and whole else _framing(head, whole=whole, size=size)
        if framing is None:
            self.ledger.add(text.kind_of(head) if head else "file_empty", file=source.number)
            return False
        finder = needles.finder(head) if needles is not None and searchable(head) else None
        for item in framing(stream, finder, self.limits):
            number = item.number + begun[1]
            if isinstance(item, Broken):
                self.ledger.add("record_refused", file=source.number, record=number, reason=item.code)
            else:
                frame = replace(item, number=number, start=item.start + begun[0], end=item.end + begun[0])
                yield from self._parsed(source, frame, compressed)
        return True

    def _in_table(
        self, source: Source, compressed: str | None, stream: Iterator[bytes], needles: Needles | None
    ) -> Iterator[Hit]:
        """Yield the rows of a Parquet file; a table none of whose first rows is known is left at that."""

        def report(code: str) -> None:
            self.ledger.add(code, file=source.number)

        suffix = f"+parquet+{compressed}" if compressed else "+parquet"
        known = False
        with parquet_file(source, compressed, stream, self.limits) as file:
            for row in parquet.rows(file, source.number, needles, self.limits, report):
                frame = Frame(number=row.number, start=row.start, end=row.end, form="json", data=row.trace_id.encode())
                decode = partial(records.decode, shaped(row.record), self.container)
                for hit in self._hits(source, frame, suffix, decode):
                    known = True
                    yield hit
                if not known and row.number >= _STRANGE_ROWS:
                    report("table_not_recognised")
                    return

    def again(self, source: Source, frame: Frame) -> Iterator[Hit]:
        """Yield what a record tells whose bytes were cut out of an uncompressed file before."""
        yield from self._parsed(source, frame, None)

    def _parsed(self, source: Source, frame: Frame, compressed: str | None) -> Iterator[Hit]:
        layer = compressed or ("zstd" if frame.compressed else None)
        yield from self._hits(source, frame, f"+{layer}" if layer else "", partial(_decode, frame, self.container))

    def _hits(self, source: Source, frame: Frame, suffix: str, decode: Callable[[Report], Decoded]) -> Iterator[Hit]:
        reports = 0

        def report(code: str) -> None:
            nonlocal reports
            reports += 1
            self.ledger.add(code, file=source.number, record=frame.number, item=reports)

        try:
            for name, found in decode(report):
                yield Hit(
                    source=source,
                    container=name + suffix,
                    frame=frame,
                    spans=tuple(item for item in found if isinstance(item, Span)),
                    attachments=tuple(item for item in found if isinstance(item, Attachment)),
                )
        except RefusedError as refusal:
            self.ledger.add("record_refused", file=source.number, record=frame.number, reason=refusal.code)


def _told(note: Note) -> str:
    """Return an entry with the reasons that its places name: codes of ours."""
    reasons = sorted({place.rpartition(" (")[2][:-1] for place in note.places if place.endswith(")")})
    return f"{note.code} {note.count}" + (f" ({', '.join(reasons)})" if reasons else "")


def _peek(plain: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes], bool]:
    """Return the first bytes, the whole stream, and whether those first bytes are all of it."""
    taken: list[bytes] = []
    held = 0
    whole = True
    for chunk in plain:
        taken.append(chunk)
        held += len(chunk)
        if held > size:
            whole = False
            break
    return b"".join(taken)[:size], chain(taken, plain), whole


def _framing(head: bytes, *, whole: bool, size: int | None) -> Framing | None:
    if not _CONTROL.isdisjoint(head[:512]):
        binary = prefixed.framing_of(head, len(head) if whole else size)
        if binary is not None:
            return binary
    return comma.framing_of(head) or text.framing_of(head)


def _decode(frame: Frame, container: str | None, report: Report) -> Decoded:
    if frame.form == "protobuf":
        from .containers import otlp_proto  # loads protobuf, and most sources are JSON

        name, found = otlp_proto.decode(frame.data, report)
        yield name, tuple(found)
        return
    yield from records.decode(_json(frame.data, report), container, report)


def _json(data: bytes, report: Report) -> JsonValue:
    try:
        return parse(data)
    except MalformedJson as refusal:
        code = refusal.code
    if code == "not_finite":
        report("non_finite_number")
        try:
            return parse(data, non_finite_as_text=True)
        except MalformedJson as refusal:
            code = refusal.code
    raise RefusedError(code)
