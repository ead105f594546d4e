"""A run on one machine: plan, convert in worker processes, write in the plan's order, go on after a crash."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from extractor import review
from extractor.errors import CaseExists, ExtractFixtureError, UsageError
from extractor.model.layout import CAPTURE, QUARANTINE
from extractor.model.reading import Note
from extractor.pipeline import Occasion
from extractor.read import Limits, Progress, Source, named
from extractor.redact.keys import keyed_digest
from extractor.review import KnownTrace

from . import journal, plan, spill
from .choosing import Choice
from .journal import CASES, Entry, Journal, Outcome
from .one import Job, Result
from .own import own
from .plan import Known
from .pool import Pool
from .storing import Storing
from .worker import Setup, Task

FOLDER: Final = ".bulk"
_AHEAD: Final = 64  # traces a worker that may end before an earlier one
_TOGETHER: Final = 20  # cases put on record at once


class Listener(Protocol):
    """Hears how a run goes on."""

    def reading(self) -> Progress | None:
        """Return what hears of the pass over the sources."""

    def converting(self, done: int, total: int, failed: int) -> None:
        """Take note that so many of the chosen traces have ended, and so many of them without a case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a run is asked for. ``settle_ns`` is how old a trace must be; ``now_ns`` since the epoch. ``per_signature`` and ``limit`` are
    None for no bound; ``timeout`` is in seconds a trace. ``again`` converts what is known already. ``resume`` goes on with a run that was
    cut short: what failed in it is not tried again. Where the last run came to its end, or was asked for something else, it begins a new
    one. ``named`` are the sources as they were asked for: files may come to them and go.
    """

    sources: tuple[Source, ...]
    named: tuple[str, ...] = ()
    out: Path
    job: Job
    occasion: Occasion
    choice: Choice
    now: datetime
    settle_ns: int
    limits: Limits = field(default_factory=Limits)
    container: str | None = None
    workers: int = 1
    timeout: float = 600.0
    limit: int | None = None
    per_signature: int | None = None
    again: bool = False
    resume: bool = False

    @property
    def folder(self) -> Path:
        """Where the run keeps its own files."""
        return self.out / FOLDER

    @property
    def asked(self) -> str:
        """A keyed digest of all that decides which traces become cases, and which cases: what a run that is resumed shares with the last."""
        job = self.job
        bounds = repr((self.container, self.limit, self.per_signature, self.again, self.settle_ns))
        parts = (repr(self.named), *self.choice.parts(), repr(job.config), job.rules.digest, bounds)
        return keyed_digest(job.key.derive("bulk-order"), *parts).hex()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """Traces that this run did not convert, by why."""

    not_chosen: int = 0
    known: int = 0
    settling: int = 0
    over_limit: int = 0
    absent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What came of a run. ``entries`` are its traces in the plan's order, those done before it was resumed among them.

    ``notes`` are what reading the sources found wrong; ``peak`` the most memory of a worker, in bytes; ``seconds`` by stage. ``number`` counts
    the runs of a folder; whoever has told of this one says so to `journal.end`. The first ``resumed_after`` entries were done before the run was
    resumed. ``began`` is RFC 3339.
    """

    number: int = 1
    began: str = ""
    engine: str = "local"
    workers: int = 1
    rules_sha256: str = ""
    resumed_after: int = 0
    traces: int
    passed: Passed
    entries: tuple[Entry, ...]
    notes: tuple[Note, ...]
    damaged: int
    peak: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def dead(self) -> tuple[Entry, ...]:
        """The traces without a case, with stage, code and place."""
        return tuple(each for each in self.entries if each.outcome == "dead")


def run(order: Order, listener: Listener) -> Run:
    """Convert what was chosen. Raises `UsageError` where another run is at work or the folder cannot be used, `InputUnreadable` for sources none
    of which can be read.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(own(order.folder))
        known = review.known_traces(order.out)
        kept = stack.enter_context(journal.opened(folder, resume=order.resume, asked=order.asked))
        aside = stack.enter_context(spill.spilling(folder))
        stack.callback((folder / plan.NAME).unlink, missing_ok=True)  # however far it came
        clock = Clock()
        made = plan.make(
            order.sources,
            order.choice,
            folder,
            aside,
            limits=order.limits,
            container=order.container,
            progress=listener.reading(),
        )
        clock.lap("reading")
        digests = made.sources()
        setup = Setup(
            job=order.job,
            occasion=order.occasion,
            plan=made,
            sources=tuple(named(each, digests.get(each.number)) for each in order.sources),
            limits=order.limits,
            container=order.container,
            aside=aside.key,
            timeout=order.timeout,
        )
        chosen = Chosen(order, known, kept)
        tasks = [(each.trace_id, made.place(each.trace_id), each.size) for each in chosen.of(made.traces())]
        pool = Pool(setup=setup, size=min(order.workers, max(1, len(tasks))), timeout=order.timeout)
        committing = Committing(order, kept, known)
        before = len(kept.of_run())
        _convert(pool, tasks, committing, listener)
        clock.lap("converting")
        return Run(
            number=kept.run,
            began=order.occasion.extracted_at,
            workers=pool.size,
            rules_sha256=order.job.rules.digest,
            resumed_after=before,
            traces=chosen.seen + chosen.gone(),
            passed=chosen.passed(),
            entries=tuple(kept.of_run()),
            notes=made.notes,
            damaged=len(made.damaged),
            peak=pool.peak,
            seconds=clock.laps,
        )


class Clock:
    """Measures the stages of a run, in seconds."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """End a stage, and begin the next."""
        now = time.monotonic()
        self.laps[name] = now - self._since
        self._since = now


class Chosen:
    """Goes through the plan once, and counts what it leaves out."""

    def __init__(self, order: Order, known: Mapping[str, KnownTrace], kept: Journal) -> None:
        self._order = order
        self._known = known
        self._journal = kept
        self._counts: Counter[str] = Counter()
        self._flagged: set[str] = set()
        self._full = _full(kept, order.per_signature)
        self._before = frozenset(each.trace_ref for each in kept.of_run())
        self.seen = 0

    def of(self, traces: Iterable[Known]) -> Iterator[Known]:
        """Yield those traces that are to be converted, in the order in which they come: by start and id."""
        order = self._order
        taken = 0
        for trace in traces:
            self.seen += 1
            if trace.trace_id in order.choice.flagged:
                self._flagged.add(trace.trace_id)
            why = self._left(trace)
            if why is None and order.limit is not None and taken >= order.limit:
                why = "over_limit"
            taken += why in (None, "done")  # what this run did before it was cut short counts for its limit
            if why is not None:
                self._counts[why] += 1
                continue
            yield trace

    def _left(self, trace: Known) -> str | None:
        order = self._order
        if self._before and order.job.trace_ref(trace.trace_id) in self._before:
            return "done"
        if not order.choice.takes(trace.trace_id, trace.start_ns, trace.bits):
            return "not_chosen"
        ref = order.job.trace_ref(trace.trace_id)
        if self._is_known(ref) and not order.again:
            return "known"
        if int(order.now.timestamp() * 1e9) - trace.end_ns < order.settle_ns:
            return "settling"
        return None

    def _is_known(self, ref: str) -> bool:
        """Say whether the store ever had a case of a trace; one that a run was cut short with, and nobody has decided on since, is not known yet."""
        older = self._known.get(ref)
        if self._journal.is_begun(ref) and (older is None or older.place == QUARANTINE):
            return False
        return older is not None or self._journal.is_known(ref, full=self._full)

    def gone(self) -> int:
        """Return how many traces this run has dealt with before it was cut short that are no longer in the sources."""
        return len(self._before) - self._counts["done"]

    def passed(self) -> Passed:
        """Return how many were left out, by why."""
        counted = {name: self._counts[name] for name in Passed.__dataclass_fields__ if name != "absent"}
        return Passed(**counted, absent=self._order.choice.absent(self._flagged))


def _full(kept: Journal, most: int | None) -> frozenset[str]:
    """Return the kinds of failure of which enough cases were kept."""
    counts = Counter(kept.signatures().values())
    return frozenset(kind for kind, count in counts.items() if most is not None and count >= most)


def _convert(pool: Pool, tasks: Sequence[Task], committing: Committing, listener: Listener) -> None:
    places = {task[0]: number for number, task in enumerate(tasks)}
    waiting: dict[int, Result] = {}
    following = failed = 0
    ahead = _AHEAD * pool.size

    def dealt() -> Iterator[Task | None]:
        for number, task in enumerate(tasks):
            while number >= following + ahead:
                yield None
            yield task

    listener.converting(0, len(tasks), 0)
    for task, result in pool.results(dealt()):
        waiting[places[task[0]]] = result
        failed += result.state == "dead"
        while following in waiting:
            committing.take(waiting.pop(following))
            following += 1
        listener.converting(following + len(waiting), len(tasks), failed)
    committing.finish()


class Committing:
    """Writes results in order: cases into quarantine, then on record, then the journal's line."""

    def __init__(self, order: Order, kept: Journal, known: Mapping[str, KnownTrace]) -> None:
        self._order = order
        self._journal = kept
        self._storing = Storing(out=order.out, known=known, now=order.now)
        self._known = known
        self._signatures = kept.signatures()
        self._counts = Counter(self._signatures.values())
        self._pending: list[Entry] = []

    def take(self, result: Result) -> None:
        """Write what came of a trace."""
        self._pending.append(self._written(result))
        if len(self._pending) >= _TOGETHER:
            self.finish()

    def finish(self) -> None:
        """Put on record what was written since."""
        cases = [each.case_id for each in self._pending if each.case_id and each.outcome in CASES]
        if cases:
            review.enrol_all(self._order.out, cases, now=self._order.now)
        for entry in self._pending:
            self._journal.add(entry)
        self._pending.clear()

    def _written(self, result: Result) -> Entry:
        if result.state == "dead":
            return Entry.of(result, "dead")
        signature = result.signature.text() if result.signature else ""
        if self._is_too_many(result.trace_ref, signature):
            return Entry.of(result, "kept_back")
        begun = self._journal.is_begun(result.trace_ref)
        self._journal.begin(result.trace_ref)
        try:
            outcome = self._stored(result)
        except CaseExists:
            return Entry.failed(result, "write", "case_exists")
        except ExtractFixtureError:
            return Entry.failed(result, "write", "not_written")
        self._counts.subtract([self._signatures[result.trace_ref]] if result.trace_ref in self._signatures else [])
        self._counts[signature] += 1
        self._signatures[result.trace_ref] = signature
        return Entry.of(result, "written" if begun and outcome == "unchanged" else outcome)

    def _is_too_many(self, trace_ref: str, signature: str) -> bool:
        """Say whether there are enough cases of a kind; a trace that has a case already is none too many of its own."""
        most = self._order.per_signature
        if most is None or trace_ref in self._signatures:
            return False
        older = self._known.get(trace_ref)
        return self._counts[signature] >= most and (older is None or older.place is None)

    def _stored(self, result: Result) -> Outcome:
        if result.fixture is None:
            raise UsageError("a result without its fixture cannot be written")
        return self._storing.put(result.trace_ref, result.fixture, result.files[CAPTURE])
