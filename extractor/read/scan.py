"""One pass over the sources: bytes to frames to spans, parsing only the records that hold what is sought."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

from extractor.errors import InputUnreadable
from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.span import Span

from . import comma, parquet, prefixed, text
from .containers import JSON_CONTAINERS
from .containers.interface import RefusedError, Report
from .frames import Broken, Frame, Framing
from .inflate import CountedFile, chunks
from .ledger import Ledger
from .limits import Limits
from .locate import Needles
from .parquet_source import parquet_file
from .sources import Progress, Source
from .tables import shaped

_CONTROL = frozenset(range(9)) | frozenset(range(14, 32))
_STRANGE_ROWS = 100
_OTHER_SIGNALS = ("resourceLogs", "resource_logs", "resourceMetrics", "resource_metrics")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A record that was parsed, and its spans."""

    source: Source
    container: str
    frame: Frame
    spans: tuple[Span, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanner:
    """Reads the same sources as often as needed; what it must leave out is entered in the ledger."""

    sources: tuple[Source, ...]
    limits: Limits
    ledger: Ledger
    progress: Progress | None = None

    def hits(self, needles: Needles | None) -> Iterator[Hit]:
        """Yield every record that holds a needle, in source order; every record there is without needles.

        Raises `InputUnreadable` for sources that break a bound.
        """
        total = sum(source.size for source in self.sources)
        done = 0
        for source in self.sources:
            if self.progress:
                self.progress.advance(done, total)
            yield from self._in_source(source, needles, done, total)
            done += source.size
        if self.progress:
            self.progress.advance(total, total)

    def no_span(self) -> InputUnreadable:
        """Return the error for sources without any span; it says what was found instead."""
        found = ", ".join(f"{note.code} {note.count}" for note in self.ledger.notes())
        return InputUnreadable("the sources hold no span" + (f" ({found})" if found else ""))

    def _in_source(self, source: Source, needles: Needles | None, before: int, total: int) -> Iterator[Hit]:
        within = 0

        def advance(size: int) -> None:
            nonlocal within
            within += size
            if self.progress:
                self.progress.advance(min(before + within, total), total)

        def report(code: str) -> None:
            self.ledger.add(code, file=source.number)

        with source.open() as opened:
            file = CountedFile(opened, advance, source.number)
            compressed, plain = chunks(file, source.number, self.limits, report)
            head, stream, whole = _peek(plain, self.limits.head_bytes)
            if head.startswith((parquet.MAGIC, parquet.ENCRYPTED)):
                yield from self._rows(source, needles, compressed, stream)
                return
            framing = _framing(head, whole=whole, size=source.size if compressed is None else None)
            if framing is None:
                report("file_not_recognised" if head else "file_empty")
                return
            finder = None if needles is None else needles.finder(head)
            for item in framing(stream, finder, self.limits):
                if isinstance(item, Broken):
                    self.ledger.add("record_refused", file=source.number, record=item.number, reason=item.code)
                else:
                    yield from self._parsed(source, item, compressed)

    def _rows(
        self, source: Source, needles: Needles | None, compressed: str | None, stream: Iterator[bytes]
    ) -> Iterator[Hit]:
        """Yield the rows of a Parquet file as hits; a table none of whose first rows is known is left at that."""
        suffix = f"+parquet+{compressed}" if compressed else "+parquet"
        known = False
        with parquet_file(source, compressed, stream, self.limits) as file:
            for row in parquet.rows(file, source.number, needles, self.limits, self._reporter(source.number)):
                frame = Frame(number=row.number, start=row.start, end=row.end, form="json", data=row.trace_id.encode())
                hits = [
                    Hit(source=source, container=name + suffix, frame=frame, spans=spans)
                    for name, spans in _decode_record(shaped(row.record), self._reporter(source.number, row.number))
                ]
                known = known or bool(hits)
                yield from hits
                if not known and row.number >= _STRANGE_ROWS:
                    self.ledger.add("table_not_recognised", file=source.number)
                    return

    def _reporter(self, file: int, record: int = 0) -> Report:
        reports = 0

        def report(code: str) -> None:
            nonlocal reports
            reports += 1 if record else 0
            self.ledger.add(code, file=file, record=record, item=reports)

        return report

    def _parsed(self, source: Source, frame: Frame, compressed: str | None) -> Iterator[Hit]:
        reports = 0

        def report(code: str) -> None:
            nonlocal reports
            reports += 1
            self.ledger.add(code, file=source.number, record=frame.number, item=reports)

        layer = compressed or ("zstd" if frame.compressed else None)
        suffix = f"+{layer}" if layer else ""
        try:
            for name, spans in _decode(frame, report):
                yield Hit(source=source, container=name + suffix, frame=frame, spans=spans)
        except RefusedError as refusal:
            self.ledger.add("record_refused", file=source.number, record=frame.number, reason=refusal.code)


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


def _decode(frame: Frame, report: Report) -> Iterator[tuple[str, tuple[Span, ...]]]:
    if frame.form == "protobuf":
        from .containers import otlp_proto  # loads protobuf, and most sources are JSON

        yield otlp_proto.NAME, tuple(otlp_proto.spans(frame.data, report))
        return
    value = _json(frame.data, report)
    for record in value if isinstance(value, list) else [value]:
        if isinstance(record, dict):
            yield from _decode_record(record, report)
        else:
            raise RefusedError("not_an_object")


def _decode_record(record: dict[str, JsonValue], report: Report) -> Iterator[tuple[str, tuple[Span, ...]]]:
    for container in JSON_CONTAINERS:
        if container.recognises(record):
            yield container.name, tuple(container.spans(record, report))
            return
    report("other_signal_not_read" if any(name in record for name in _OTHER_SIGNALS) else "record_not_recognised")


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
