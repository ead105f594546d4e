"""What traces the sources hold: one summary each, in one pass that keeps no span."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeAlias

from extractor.model.reading import Note, TraceSummary
from extractor.model.span import Span

from .observe import faults
from .scan import Scanner
from .sessions import sessions_of
from .whole_trace import is_of_trace

_TOOL_KEYS = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name")
# What only the whole trace can tell; `_Tally.problems` answers those.
_RELATIVE = frozenset({"orphan_span", "clock_inversion"})


DialectsOf: TypeAlias = Callable[[Span], Iterable[str]]


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
        """Count a span; one that was seen before adds what was not known of it."""
        self.containers.add(container)
        self.sessions.update(sessions_of(span))
        if is_of_trace(span):
            return
        if span.start_ns and (not self.start_ns or span.start_ns < self.start_ns):
            self.start_ns = span.start_ns
        self.end_ns = max(self.end_ns, span.end_ns or span.start_ns)
        parent, start = self.spans.get(span.span_id, (None, 0))
        self.spans[span.span_id] = (span.parent_id or parent, span.start_ns or start)
        if span.status_code == "error":
            self.errors.add(span.span_id)
        for key in _TOOL_KEYS:
            name = span.get(key)
            if isinstance(name, str) and name:
                self.tools.add(name)
        self.problems.update(code for code in faults(span, None) if code not in _RELATIVE)

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


def survey_traces(scanner: Scanner, dialects_of: DialectsOf | None) -> Survey:
    """Return the survey. Raises `InputUnreadable` when the sources hold no span."""
    tallies: dict[str, _Tally] = {}
    for hit in scanner.hits(None):
        for span in hit.spans:
            tally = tallies.setdefault(span.trace_id, _Tally())
            tally.add(span, hit.container)
            if dialects_of and not is_of_trace(span):
                tally.dialects.update(dialects_of(span))
    with_spans = [item for item in tallies.items() if item[1].spans]
    if not with_spans:
        raise scanner.no_span()
    ordered = sorted(with_spans, key=lambda item: (item[1].start_ns, item[0]))
    notes = scanner.ledger.notes()
    if len(with_spans) < len(tallies):
        without = Note(code="trace_without_spans", count=len(tallies) - len(with_spans))
        notes = tuple(sorted((*notes, without), key=lambda note: note.code))
    return Survey(traces=tuple(tally.summary(trace_id) for trace_id, tally in ordered), file_notes=notes)


def _rfc3339(ns: int) -> str:
    seconds, rest = divmod(ns, 10**9)
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return ""  # beyond the year 9999: a time, but none that RFC 3339 can write
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest // 1_000_000:03d}Z"
