"""What a run came to, for people and for machines: counts, failures, kinds of failure, classes of values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Final

from extractor.model.json import JsonValue
from extractor.model.reading import Note
from extractor.read import LOST
from extractor.version import __version__

from . import tallies
from .journal import CASES, Entry
from .run import Run
from .tallies import Failure, Kind, Replaced
from .units import counted

PASSED: Final[Mapping[str, str]] = {
    "not_chosen": "not chosen",
    "known": "known already",
    "settling": "too young (--settle)",
    "over_limit": "over --limit, left for another run",
    "absent": "flagged, and not in the sources",
}
_SHOWN: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A run in numbers. No member holds a value of a trace: digests under the key name traces, positions name places.

    ``entries`` are all traces of the run, ``converted`` those that were not done before it was resumed: rates are theirs.
    ``cases`` are those in quarantine for people to read, and what is counted of cases is counted of them.
    """

    run: Run
    entries: tuple[Entry, ...]
    converted: tuple[Entry, ...]
    cases: tuple[Entry, ...]
    passed: Mapping[str, int]
    outcomes: Mapping[str, int]
    failures: tuple[Failure, ...]
    kinds: tuple[Kind, ...]
    classes: tuple[Replaced, ...]
    to_read: tuple[Entry, ...]
    slowest: tuple[Entry, ...]
    seconds: Mapping[str, float]
    exit_status: int

    @classmethod
    def of(cls, run: Run, *, exit_status: int) -> Report:
        """Return the report of a run."""
        cases = tuple(each for each in run.entries if each.outcome in CASES)
        converted = run.entries[run.resumed_after :]
        return cls(
            run=run,
            entries=run.entries,
            converted=converted,
            cases=cases,
            passed=asdict(run.passed),
            outcomes=dict(sorted(Counter(each.outcome for each in run.entries).items())),
            failures=tallies.failures(run.entries),
            kinds=tallies.kinds(run.entries),
            classes=tallies.replaced(cases),
            to_read=tallies.to_read(cases),
            slowest=tallies.slowest(run.entries),
            seconds={**run.seconds, "converting, all workers": sum(each.seconds for each in converted)},
            exit_status=exit_status,
        )

    @property
    def dead(self) -> tuple[Entry, ...]:
        """The traces without a case."""
        return self.run.dead

    @property
    def lost(self) -> tuple[Note, ...]:
        """What reading noted that may have cost a trace."""
        return tuple(note for note in self.run.notes if note.code in LOST)

    @property
    def replayable(self) -> int:
        """How many cases hold the evidence for a replay."""
        return sum(each.replayable for each in self.cases)

    @property
    def residuals(self) -> int:
        """How many tokens of the cases no rule explains."""
        return sum(each.residuals for each in self.cases)

    @property
    def unaccounted(self) -> int:
        """How many traces of the sources have neither an outcome nor a reason. It is 0, or the run was wrong."""
        told = len(self.entries) + sum(count for name, count in self.passed.items() if name != "absent")
        return max(self.run.traces - told, 0)

    @property
    def per_second(self) -> tuple[float, float] | None:
        """How many traces, and bytes of their records, were converted in a second; None where none was."""
        seconds = self.run.seconds.get("converting", 0.0)
        if not seconds or not self.converted:
            return None
        return len(self.converted) / seconds, sum(each.source_bytes for each in self.converted) / seconds

    def members(self) -> dict[str, JsonValue]:
        """Return the report as JSON. ``seconds`` are wall time, ``source_bytes`` those of the plain records of the traces."""
        run = self.run
        rates = self.per_second
        return {
            "run": {
                "number": run.number,
                "began": run.began,
                "resumed": run.resumed_after > 0,
                "engine": run.engine,
                "workers": run.workers,
                "tool": __version__,
                "rules_sha256": run.rules_sha256,
            },
            "traces": run.traces,
            "passed": dict(self.passed),
            "outcomes": dict(self.outcomes),
            "unaccounted": self.unaccounted,
            "failures": [
                {"stage": each.stage, "code": each.code, "count": each.traces, "places": [*each.places]}
                for each in self.failures
            ],
            "cases": len(self.cases),
            "replayable": self.replayable,
            "residuals": self.residuals,
            "to_read": [{"case_id": each.case_id, "residuals": each.residuals} for each in self.to_read],
            "classes": {each.entity: each.occurrences for each in self.classes},
            "signatures": {each.signature: each.made + each.kept_back + each.standing for each in self.kinds},
            "kinds": [{**asdict(each), "cases": [*each.cases]} for each in self.kinds],
            "ledger": [{"code": note.code, "count": note.count, "places": [*note.places]} for note in run.notes],
            "spans": sum(each.spans for each in self.entries),
            "source_bytes": sum(each.source_bytes for each in self.entries),
            "peak_bytes": run.peak,
            "seconds": {name: round(value, 3) for name, value in self.seconds.items()},
            "per_second": {"traces": round(rates[0], 3), "source_bytes": round(rates[1])} if rates else None,
            "exit_status": self.exit_status,
        }

    def lines(self) -> list[tuple[str, str]]:
        """Return the report as labelled lines for people."""
        return [*self._lines()]

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield "traces", f"{self.run.traces:,} in the sources"
        for name, count in self.outcomes.items():
            yield name.replace("_", " "), f"{count:,}"
        for name, told in PASSED.items():
            if count := self.passed[name]:
                yield "passed over", f"{count:,} {told}"
        if self.unaccounted:
            yield "unaccounted", f"{counted(self.unaccounted, 'trace')}: the report is not to be trusted"
        for note in self.lost:
            yield "not read", f"{note.code} {note.count:,} ({', '.join(note.places[:3])})"
        if self.cases:
            yield "replayable", f"{self.replayable:,} of {counted(len(self.cases), 'case')}"
            yield "residuals", f"{counted(self.residuals, 'token')} for people to look at"
        for kind in self.kinds[:_SHOWN]:
            yield f"{kind.made + kind.kept_back + kind.standing:,} x", kind.signature
        if len(self.kinds) > _SHOWN:
            yield "and", f"{counted(len(self.kinds) - _SHOWN, 'kind')} of failure more"
