"""An export as the tasks of Spark told of it: whole traces, faults of files, and what a wanted trace needs of all that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from extractor.bulk.one import Job, Result
from extractor.bulk.plan import Known
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
        return one.held + sum(each.held for each in linked)

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

    def records(self, needed: Needed) -> dict[str, int]:
        """Return how many records tell of each of the needed traces."""
        return {trace_id: self.traces[trace_id].records for trace_id in needed.groups if trace_id in self.traces}

    @property
    def known(self) -> Iterator[Known]:
        """Every trace that has a span, by start and id, as a plan on one machine has them."""
        for one in sorted(self.traces.values(), key=lambda each: (each.start_ns, each.trace_id)):
            if one.spans:
                yield Known(
                    trace_id=one.trace_id,
                    start_ns=one.start_ns,
                    end_ns=one.end_ns,
                    spans=one.spans,
                    errors=one.errors,
                    bits=one.marks,
                    size=one.size,
                )

    @property
    def unmet(self) -> frozenset[str]:
        """The traces that others link to and that were not met."""
        return frozenset[str]().union(*(one.linked for one in self.traces.values())) - self.traces.keys()

    def and_also(self, other: Export) -> Export:
        """Return what two passes over the same parts told, each of traces of its own; a fault that both met is one."""
        notes = {note.code: note for note in self.notes}
        for note in other.notes:
            before = notes.get(note.code, note)
            places = tuple(sorted({*before.places, *note.places}, key=_position)[:_PLACES])
            notes[note.code] = Note(code=note.code, count=max(before.count, note.count, len(places)), places=places)
        return replace(
            self,
            traces={**self.traces, **other.traces},
            notes=tuple(note for _, note in sorted(notes.items())),
            unreadable=tuple(sorted({*self.unreadable, *other.unreadable})),
        )

    def dead(self, trace_id: str, job: Job, code: str) -> Result:
        """Return the dead letter of a trace whose records could not be brought together."""
        one = self.traces[trace_id]
        ref = job.trace_ref(trace_id)
        return Result(trace_ref=ref, state="dead", stage="read", code=code, place=one.place, source_bytes=one.size)


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
        spans=one.spans + other.spans,
        errors=one.errors + other.errors,
        size=one.size + other.size,
        held=one.held + other.held,
        marks=one.marks | other.marks,
        unspelled=one.unspelled or other.unspelled,
        linked=one.linked | other.linked,
    )


def _position(place: str) -> tuple[tuple[int, ...], str]:
    return tuple(int(word) for word in place.split() if word.isdigit()), place
