"""What traces the sources hold: one summary each, in one pass that keeps no span."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeAlias

from extractor.model.reading import Note, TraceSummary
from extractor.model.span import Span

from .observe import faults
from .scan import Scanner
from .sessions import sessions_of

# What only the whole trace can tell; `_Tally.problems` answers those.
_RELATIVE = frozenset({"orphan_span", "clock_inversion"})


Teller: TypeAlias = Callable[[Span], tuple[str, str | None]]
"""Says of a span which dialect it speaks, if any, and which tool it calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Summaries in order of start and trace id, and what was wrong with the files."""

    traces: tuple[TraceSummary, ...]
    file_notes: tuple[Note, ...] = ()

    def __iter__(self) -> Iterator[TraceSummary]:
        """Yield the summaries."""
        return iter(self.traces)


@dataclass(slots=True, kw_only=True)
class _Tally:
    """The little that is kept of a trace; of each span its id, parent and start."""

    start_ns: int = 0
    end_ns: int = 0
    spans: dict[str, tuple[str | None, int]] = field(default_factory=dict)
    errors: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)
    containers: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    problems: set[str] = field(default_factory=set)
    dialects: set[str] = field(default_factory=set)

    def add(self, span: Span, container: str) -> None:
        """Count a span; one that was seen before adds nothing new."""
        if span.start_ns and (not self.start_ns or span.start_ns < self.start_ns):
            self.start_ns = span.start_ns
        self.end_ns = max(self.end_ns, span.end_ns or span.start_ns)
        self.spans[span.span_id] = (span.parent_id, span.start_ns)
        if span.status_code == "error":
            self.errors.add(span.span_id)
        self.containers.add(container)
        self.sessions.update(sessions_of(span.attributes))
        self.problems.update(code for code in faults(span, None) if code not in _RELATIVE)

    def told(self, dialect: str, tool: str | None) -> None:
        """Take note of what a span says."""
        if dialect:
            self.dialects.add(dialect)
        if tool:
            self.tools.add(tool)

    def summary(self, trace_id: str) -> TraceSummary:
        """Return what `inspect` shows."""
        return TraceSummary(
            trace_id=trace_id,
            spans=len(self.spans),
            start=_rfc3339(self.start_ns),
            duration_ms=max(self.end_ns - self.start_ns, 0) // 1_000_000,
            errors=len(self.errors),
            tools=tuple(sorted(self.tools)),
            dialects=tuple(sorted(self.dialects)),
            containers=tuple(sorted(self.containers)),
            problems=tuple(sorted(self.problems | set(self._relative()))),
            sessions=tuple(sorted(self.sessions)),
        )

    def _relative(self) -> Iterator[str]:
        if all(parent for parent, _ in self.spans.values()):
            yield "missing_root"
        for parent, start in self.spans.values():
            if parent is None:
                continue
            known = self.spans.get(parent)
            if known is None:
                yield "orphan_span"
            elif start and start < known[1]:
                yield "clock_inversion"


def survey_traces(scanner: Scanner, tell: Teller | None) -> Survey:
    """Return the survey. Raises `InputUnreadable` when the sources hold no span."""
    tallies: dict[str, _Tally] = {}
    attached: dict[str, set[str]] = {}
    for hit in scanner.hits(None):
        for span in hit.spans:
            tally = tallies.setdefault(span.trace_id, _Tally())
            tally.add(span, hit.container)
            if tell:
                tally.told(*tell(span))
        for attachment in hit.attachments:
            attached.setdefault(attachment.trace_id, set()).update(sessions_of(attachment.attributes))
    if not tallies:
        raise scanner.no_span(logs_of=len(attached))
    for trace_id, sessions in attached.items():
        if trace_id in tallies:
            tallies[trace_id].sessions.update(sessions)
    notes = scanner.ledger.notes()
    if without := len(attached.keys() - tallies.keys()):
        notes = tuple(sorted((*notes, Note(code="trace_without_spans", count=without)), key=lambda note: note.code))
    ordered = sorted(tallies.items(), key=lambda item: (item[1].start_ns, item[0]))
    return Survey(traces=tuple(tally.summary(trace_id) for trace_id, tally in ordered), file_notes=notes)


def _rfc3339(ns: int) -> str:
    seconds, rest = divmod(ns, 10**9)
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return ""  # beyond the year 9999: a time, but none that RFC 3339 can write
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest // 1_000_000:03d}Z"
