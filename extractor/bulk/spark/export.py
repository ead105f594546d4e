"""An export as the tasks of Spark told of it: whole traces, faults of files, and what a wanted trace needs of all that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from extractor.bulk.one import Job, Result
from extractor.model.reading import Note
from extractor.read import Source

from .parts import Part
from .scan import Needed, Seen

UNREADABLE = "file_unreadable"
"""The fault of a source that nothing can be relied on of."""
_PLACES = 1_000  # of one fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What the sources hold: traces by id, faults, which sources cannot be relied on; and the parts that they were read in."""

    traces: Mapping[str, Seen] = field(repr=False)
    notes: tuple[Note, ...] = ()
    sources: tuple[Source, ...] = ()
    unreadable: tuple[int, ...] = ()
    parts: tuple[Part, ...] = field(default=(), repr=False)

    @property
    def readable(self) -> tuple[Part, ...]:
        """The parts of sources that can be relied on."""
        return tuple(part for part in self.parts if part.source not in self.unreadable)

    def bytes_needed(self, trace_id: str) -> int:
        """Return how many bytes of records stand together in one process when a trace is made into a case."""
        one = self.traces[trace_id]
        linked = (self.traces[each] for each in one.linked if each in self.traces)
        return one.source_bytes + sum(each.source_bytes for each in linked)

    def needed(self, wanted: Sequence[str]) -> Needed:
        """Return which traces' records are needed, and for which of the wanted ones."""
        groups: dict[str, list[str]] = {}
        for position, trace_id in enumerate(wanted):
            for each in (trace_id, *sorted(self.traces[trace_id].linked)):
                groups.setdefault(each, []).append(key_of(position, trace_id))
        return Needed(
            groups={trace_id: tuple(wanting) for trace_id, wanting in groups.items()},
            unspelled=any(self.traces[each].unspelled for each in groups if each in self.traces),
        )

    def too_large(self, trace_id: str, job: Job) -> Result:
        """Return the dead letter of a trace whose records exceed what one process may hold."""
        one = self.traces[trace_id]
        return Result(
            trace_ref=job.trace_ref(trace_id),
            state="dead",
            stage="read",
            code="too_large",
            place=one.place,
            source_bytes=one.source_bytes,
        )


def key_of(position: int, trace_id: str) -> str:
    """Return the key of a wanted trace: keys sort as the wanted traces do."""
    return f"{position:012}:{trace_id}"


def trace_of(key: str) -> str:
    """Return the trace that a key names."""
    return key.partition(":")[2]


def export_of(
    parts: Sequence[Part],
    seen: Iterable[Seen],
    notes: Iterable[tuple[int, Note]],
    sources: Sequence[Source],
) -> Export:
    """Return the whole of what parts told, in whatever order they did; ``notes`` come with their source."""
    counts: Counter[str] = Counter()
    places: dict[str, set[str]] = {}
    unreadable = set()
    for source, note in notes:
        counts[note.code] += note.count
        places.setdefault(note.code, set()).update(note.places)
        if note.code == UNREADABLE:
            unreadable.add(source)
    traces: dict[str, Seen] = {}
    for one in seen:
        if one.source not in unreadable:
            known = traces.get(one.trace_id)
            traces[one.trace_id] = one if known is None else joined(known, one)
    return Export(
        traces=traces,
        notes=tuple(
            Note(code=code, count=count, places=tuple(sorted(places[code], key=_position)[:_PLACES]))
            for code, count in sorted(counts.items())
        ),
        sources=tuple(sources),
        unreadable=tuple(sorted(unreadable)),
        parts=tuple(parts),
    )


def joined(one: Seen, other: Seen) -> Seen:
    """Return what two parts tell of one trace."""
    first = min(one, other, key=lambda each: (each.source, each.first))
    return replace(
        first,
        start_ns=min(filter(None, (one.start_ns, other.start_ns)), default=0),
        end_ns=max(one.end_ns, other.end_ns),
        records=one.records + other.records,
        source_bytes=one.source_bytes + other.source_bytes,
        marks=one.marks | other.marks,
        unspelled=one.unspelled or other.unspelled,
        linked=one.linked | other.linked,
    )


def _position(place: str) -> tuple[tuple[int, ...], str]:
    return tuple(int(word) for word in place.split() if word.isdigit()), place
