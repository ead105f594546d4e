"""Evidence from outside the trace: request records of a dependency, connection logs of a client, as spans beside the others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from extractor.errors import InputUnreadable
from extractor.model.exchanges import EVIDENCE_ID, EVIDENCE_SENT
from extractor.model.json import JsonValue, MalformedJson, compact, parse
from extractor.model.reading import Note, OutsideRecord, Reading, SourceFile
from extractor.model.span import Attributes, Resource, Span, SpanKind, StatusCode

from .containers.times import nanoseconds

MOST_BYTES = 16 << 20
MOST_RECORDS = 10_000
_PLACES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """What one kind of record says: on which side, whether it opens or closes an exchange, and how it ended."""

    side: SpanKind
    opens: bool = False
    error: str | None = None
    status: str | None = None


KINDS = {
    "received": _Kind(side="server", opens=True),
    "completed": _Kind(side="server", status="200"),
    "rejected": _Kind(side="server", status="400"),
    "failed": _Kind(side="server", status="500"),
    "sent": _Kind(side="client", opens=True),
    "answered": _Kind(side="client", status="200"),
    "refused": _Kind(side="client", error="ConnectionRefused"),
    "reset": _Kind(side="client", error="ConnectionReset"),
    "timed_out": _Kind(side="client", error="ReadTimeout"),
    "cancelled": _Kind(side="client", error="Cancelled"),
}
"""``received`` to ``failed`` are what a dependency's records say, the others what a client's log says."""

_MEMBERS = frozenset({"time", "clock", "key", "id", "kind", "status", "method", "target"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """One record; ``reference`` is what ties it to an attempt: ``("key", …)`` or ``("id", …)``."""

    place: str
    time_ns: int
    clock: str
    reference: tuple[str, str]
    kind: str
    attributes: Attributes
    status: str | None


def with_evidence(reading: Reading, files: Sequence[Path]) -> Reading:
    """Return the reading with one span for each exchange that the files tell of, as one of the trace's own would stand.

    Each line is ``{"time", "clock", "kind", and "key" or "id"}``: an instant (ISO 8601 or a Unix time), the name of the
    clock or service that wrote it, one of `KINDS`, and the idempotency key, call id or span id of the attempt; ``status``,
    ``method`` and ``target`` may be added. Records of one clock, side and attempt make one exchange up to its close.
    Raises `InputUnreadable` by file and record, never by content.
    """
    if not files:
        return reading
    records: list[_Record] = []
    sources: list[SourceFile] = []
    for number, path in enumerate(files, start=1):
        content = _content(path, number)
        records.extend(_records(content, number))
        digest = hashlib.sha256(content).hexdigest
        sources.append(SourceFile(name=str(path), container="evidence", digest=digest))
    trace_id = min(span.trace_id for span in reading.spans)
    taken = {span.span_id for span in reading.spans}
    made = sorted((_span(group, trace_id) for group in _exchanges(records)), key=lambda pair: pair[0].order)
    fresh = {span.span_id: (span, record) for span, record in made if span.span_id not in taken}
    return replace(
        reading,
        spans=tuple(sorted((*reading.spans, *(span for span, _ in fresh.values())), key=lambda span: span.order)),
        files=(*reading.files, *sources),
        file_notes=(
            *reading.file_notes,
            Note(code="evidence", count=len(records), places=tuple(each.place for each in records[:_PLACES])),
        ),
        outside=tuple(record for _, record in fresh.values()),
    )


def _content(path: Path, number: int) -> bytes:
    try:
        with path.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError:
        raise InputUnreadable(f"evidence {number} cannot be opened") from None
    if len(content) > MOST_BYTES:
        raise InputUnreadable(f"evidence {number} is larger than {MOST_BYTES >> 20} MiB")
    return content


def _records(content: bytes, number: int) -> Iterator[_Record]:
    found = 0
    for line, text in enumerate(content.split(b"\n"), start=1):
        if not text.strip():
            continue
        found += 1
        if found > MOST_RECORDS:
            raise InputUnreadable(f"evidence {number} holds more than {MOST_RECORDS} records")
        yield _record(text, f"evidence {number} record {line}")
    if not found:
        raise InputUnreadable(f"evidence {number} holds no record")


def _record(text: bytes, place: str) -> _Record:
    try:
        found = parse(text)
    except MalformedJson as fault:
        raise InputUnreadable(f"{place} is no JSON: {fault.code}") from None
    if not isinstance(found, dict) or not _MEMBERS.issuperset(found):
        raise InputUnreadable(f"{place} must be an object of {', '.join(sorted(_MEMBERS))}")
    kind, clock = found.get("kind"), found.get("clock")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputUnreadable(f"{place}: kind must be one of {', '.join(KINDS)}")
    if not isinstance(clock, str) or not clock.strip():
        raise InputUnreadable(f"{place}: clock must name the clock or service that wrote it")
    named = [(name, value) for name in ("key", "id") if isinstance(value := found.get(name), str) and value]
    if len(named) != 1:
        raise InputUnreadable(f"{place}: one of key and id must name the attempt")
    odd: list[str] = []
    time_ns = nanoseconds(found.get("time"), odd.append)
    if odd or not time_ns:
        raise InputUnreadable(f"{place}: time must be an instant, ISO 8601 or a Unix time")
    attributes = [
        (f"evidence.{name}", value) for name in ("method", "target") if (value := found.get(name)) is not None
    ]
    return _Record(
        place=place,
        time_ns=time_ns,
        clock=clock,
        reference=named[0],
        kind=kind,
        attributes=tuple(attributes),
        status=_status(found.get("status"), place),
    )


def _status(value: JsonValue, place: str) -> str | None:
    if value is None:
        return None
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not text.isascii() or not text.isdigit() or len(text) > 3:
        raise InputUnreadable(f"{place}: status must be a code of up to three digits")
    return text


def _exchanges(records: Sequence[_Record]) -> Iterator[list[_Record]]:
    """Yield the records of each exchange, in order of time; a new opening, or anything after a close, begins another."""
    open_ones: dict[tuple[str, str, tuple[str, str]], list[_Record]] = {}
    for record in sorted(records, key=lambda each: (each.time_ns, _canonical(each))):
        kind = KINDS[record.kind]
        who = (record.clock, kind.side, record.reference)
        if kind.opens and who in open_ones:
            yield open_ones.pop(who)
        open_ones.setdefault(who, []).append(record)
        if not kind.opens:
            yield open_ones.pop(who)
    yield from open_ones.values()


def _span(group: Sequence[_Record], trace_id: str) -> tuple[Span, OutsideRecord]:
    first, last = group[0], group[-1]
    ending = KINDS[last.kind]
    name, value = first.reference
    status = last.status or ending.status
    attributes: list[tuple[str, JsonValue]] = [("evidence.kind", last.kind)]
    attributes.append((EVIDENCE_ID, value) if name == "id" else ("evidence.idempotency_key", value))
    if any(each.kind == "sent" for each in group):
        attributes.append((EVIDENCE_SENT, True))
    if status is not None:
        attributes.append(("evidence.status", status))
    if ending.error is not None:
        attributes.append(("error.type", ending.error))
    attributes.extend(dict(pair for each in group for pair in each.attributes).items())
    span_id = hashlib.sha256("\n".join([trace_id, *map(_canonical, group)]).encode()).hexdigest()[:16]
    failed: StatusCode = "error" if ending.error is not None else "unset"
    span = Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=None,
        name="evidence",
        kind=ending.side,
        start_ns=first.time_ns,
        end_ns=None if ending.opens else last.time_ns,
        attributes=tuple(attributes),
        status_code=failed,
        resource=Resource(attributes=(("service.name", first.clock),)),
    )
    return span, OutsideRecord(span_id=span_id, kinds=tuple(each.kind for each in group))


def _canonical(record: _Record) -> str:
    return compact(
        [record.time_ns, record.clock, *record.reference, record.kind, record.status, *map(list, record.attributes)]
    )
