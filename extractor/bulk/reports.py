"""What a run came to, for people and for machines: counts, failures, kinds of failure, classes of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Final

from extractor.model.json import JsonValue
from extractor.model.reading import Note

from .journal import Entry
from .run import Run

REPORT: Final = "report.json"
DEAD: Final = "dead.jsonl"
LOST: Final = frozenset(
    {
        "record_refused",
        "span_refused",
        "file_truncated",
        "file_changed_while_read",
        "file_not_recognised",
        "file_unreadable",
    }
)
"""What the reading notes that may have cost a trace."""

PASSED: Final[Mapping[str, str]] = {
    "not_chosen": "not chosen",
    "known": "known already",
    "settling": "too young (--settle)",
    "over_limit": "over --limit, left for another run",
    "absent": "flagged, and not in the sources",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A run in numbers. No member holds a value of a trace: digests under the key name traces, positions name places."""

    traces: int
    passed: Mapping[str, int]
    outcomes: Mapping[str, int]
    dead: tuple[Entry, ...]
    replayable: int
    residuals: int
    classes: Mapping[str, int]
    signatures: Mapping[str, int]
    notes: tuple[Note, ...]
    spans: int
    source_bytes: int
    peak_bytes: int
    seconds: Mapping[str, float]
    exit_status: int
    entries: tuple[Entry, ...]

    @classmethod
    def of(cls, run: Run, *, exit_status: int) -> Report:
        """Return the report of a run."""
        made = [each for each in run.entries if each.outcome != "dead"]
        classes: Counter[str] = Counter()
        for each in made:
            classes.update(each.classes)
        return cls(
            traces=run.traces,
            passed=asdict(run.passed),
            outcomes=dict(sorted(Counter(each.outcome for each in run.entries).items())),
            dead=run.dead,
            replayable=sum(each.replayable for each in made),
            residuals=sum(each.residuals for each in made),
            classes=dict(sorted(classes.items())),
            signatures=dict(Counter(each.signature or "" for each in made).most_common()),
            notes=run.notes,
            spans=sum(each.spans for each in made),
            source_bytes=sum(each.source_bytes for each in run.entries),
            peak_bytes=run.peak,
            seconds={**run.seconds, "converting, all workers": sum(each.seconds for each in run.entries)},
            exit_status=exit_status,
            entries=run.entries,
        )

    @property
    def made(self) -> int:
        """How many cases came of the chosen traces, those that were kept back and those that stood already among them."""
        return sum(count for name, count in self.outcomes.items() if name != "dead")

    def members(self) -> dict[str, JsonValue]:
        """Return the report as JSON."""
        return {
            "traces": self.traces,
            "passed": dict(self.passed),
            "outcomes": dict(self.outcomes),
            "failures": [
                {"stage": stage, "code": code, "count": count}
                for (stage, code), count in sorted(Counter((e.stage, e.code) for e in self.dead).items(), key=repr)
            ],
            "replayable": self.replayable,
            "residuals": self.residuals,
            "classes": dict(self.classes),
            "signatures": dict(self.signatures),
            "ledger": [{"code": note.code, "count": note.count, "places": [*note.places]} for note in self.notes],
            "spans": self.spans,
            "source_bytes": self.source_bytes,
            "peak_bytes": self.peak_bytes,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            "exit_status": self.exit_status,
        }

    def lines(self) -> list[tuple[str, str]]:
        """Return the report as labelled lines for people."""
        return [*self._lines()]

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield "traces", f"{self.traces:,} in the sources"
        for name, count in self.outcomes.items():
            yield name.replace("_", " "), f"{count:,}"
        for name, told in PASSED.items():
            count = self.passed[name]
            if count:
                yield "passed over", f"{count:,} {told}"
        lost = [note for note in self.notes if note.code in LOST]
        for note in lost:
            yield "not read", f"{note.code} {note.count:,} ({', '.join(note.places[:3])})"
        if self.made:
            yield "replayable", f"{self.replayable:,} of {self.made:,}"
            yield "residuals", f"{self.residuals:,} tokens for people to look at"
        for signature, count in [*self.signatures.items()][:10]:
            yield f"{count:,} x", signature
