"""All that is known of one wanted trace, in one process: what it takes to make it into a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from extractor.bulk.one import Job, Result, convert
from extractor.model.reading import Reading
from extractor.pipeline import Occasion
from extractor.read import Limits, Piece, Source, reading_again


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """A wanted trace: what records say of it and of those that it links to, by trace id, in the order of sources and records."""

    trace_id: str
    pieces: Mapping[str, Sequence[Piece]] = field(repr=False)
    size: int
    sources: tuple[Source, ...] = ()
    limits: Limits = field(default_factory=Limits)
    damaged: tuple[int, ...] = ()

    @property
    def place(self) -> str | None:
        """Where its first record stands, by position."""
        own = self.pieces.get(self.trace_id)
        return f"file {own[0].place.source} record {own[0].place.number}" if own else None

    @property
    def needed(self) -> set[str]:
        """The trace itself, those that it links to, and whatever else came with it."""
        own = self.pieces.get(self.trace_id, ())
        linked = {link.trace_id for piece in own for span in piece.spans for link in span.links}
        return {self.trace_id, *linked, *self.pieces}

    def records(self, trace_id: str) -> int:
        """Return how many records say something of a trace."""
        return len({(piece.place.source, piece.place.number) for piece in self.pieces.get(trace_id, ())})

    def reading(self) -> Reading:
        """Return its reading. Raises what `reading_again` does."""
        return reading_again(
            self.sources, self.limits, self.trace_id, lambda wanted: self.pieces.get(wanted, ()), damaged=self.damaged
        )


def made(gathered: Gathered, job: Job, occasion: Occasion) -> Result:
    """Return the case of a trace, or why there is none."""
    return convert(gathered.trace_id, gathered.reading, job, occasion, place=gathered.place, source_bytes=gathered.size)
