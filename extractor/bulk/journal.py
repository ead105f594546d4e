"""What a run has done so far, a line a trace: after a crash the next run goes on from here."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from extractor.model.json import JsonValue, MalformedJson, compact, parse

from .one import Result
from .own import writing

NAME: Final = "journal.jsonl"
Outcome: TypeAlias = Literal["written", "unchanged", "superseded", "kept_back", "standing", "dead"]
"""What became of a trace: its case was written, stood already, replaced an older one, was one too many of its signature, has been decided on
by people already, or there is none.
"""

CASES: Final = frozenset({"written", "unchanged", "superseded"})
"""What leaves a case in quarantine."""
_ENDED: Final = "ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line: what came of one trace in one run, counted from 1. It holds no value of the trace: a keyed digest names it.

    ``signature`` is the kind of its failure, on one line; ``classes`` are redactions by entity; ``seconds`` is wall time.
    """

    run: int = 0
    trace_ref: str
    outcome: Outcome
    case_id: str | None = None
    signature: str | None = None
    stage: str | None = None
    code: str | None = None
    place: str | None = None
    replayable: bool = False
    residuals: int = 0
    classes: Mapping[str, int] = field(default_factory=dict)
    spans: int = 0
    source_bytes: int = 0
    seconds: float = 0.0

    @classmethod
    def of(cls, result: Result, outcome: Outcome) -> Entry:
        """Return the line of a result."""
        return cls(
            trace_ref=result.trace_ref,
            outcome=outcome,
            case_id=result.case_id,
            signature=result.signature.text() if result.signature else None,
            stage=result.stage,
            code=result.code,
            place=result.place,
            replayable=result.replayable,
            residuals=result.residuals,
            classes=dict(result.classes),
            spans=result.spans,
            source_bytes=result.source_bytes,
            seconds=round(result.seconds, 6),
        )

    @classmethod
    def failed(cls, result: Result, stage: str, code: str) -> Entry:
        """Return the line of a result that was made and could not be written."""
        return replace(cls.of(result, "dead"), case_id=None, stage=stage, code=code)

    def members(self) -> dict[str, JsonValue]:
        """Return the line as JSON."""
        return asdict(self)


@dataclass(slots=True)
class Journal:
    """The lines of all runs by trace, the last word of each; new ones are appended. ``run`` is the number of this one."""

    _descriptor: int
    run: int
    resumed: bool
    _entries: dict[str, Entry] = field(default_factory=dict)
    _begun: set[str] = field(default_factory=set)

    def begin(self, trace_ref: str) -> None:
        """Write down, and have on the disk, that a case is about to be written: whatever of it stands is this run's doing."""
        _append(self._descriptor, {"begun": trace_ref}, kept=True)

    def add(self, entry: Entry) -> None:
        """Write a line down."""
        entry = replace(entry, run=self.run)
        _append(self._descriptor, entry.members())
        self._entries.pop(entry.trace_ref, None)  # the order is that of the last words
        self._entries[entry.trace_ref] = entry
        self._begun.discard(entry.trace_ref)

    def is_begun(self, trace_ref: str) -> bool:
        """Say whether a run was cut short while it wrote the case of a trace: it may stand, and not be on record."""
        return trace_ref in self._begun

    def is_done(self, trace_ref: str) -> bool:
        """Say whether this very run, before it was cut short, has dealt with a trace."""
        known = self._entries.get(trace_ref)
        return self.resumed and known is not None and known.run == self.run

    def is_known(self, trace_ref: str, *, full: Collection[str] = ()) -> bool:
        """Say whether some run has made a case of a trace, or kept it back for others of its kind, which are ``full`` still."""
        known = self._entries.get(trace_ref)
        if known is None or known.outcome == "dead":
            return False
        return known.outcome != "kept_back" or (known.signature or "") in full

    def of_run(self) -> list[Entry]:
        """Return what this run has done, in order."""
        return [entry for entry in self._entries.values() if entry.run == self.run]

    def signatures(self) -> dict[str, str]:
        """Return the traces of which cases were kept, each with the kind of its failure."""
        kept = [each for each in self._entries.values() if each.outcome not in ("dead", "kept_back")]
        return {each.trace_ref: each.signature or "" for each in kept}


@contextmanager
def opened(folder: Path, *, resume: bool, asked: str = "") -> Iterator[Journal]:
    """Yield the journal of a folder, for a new run or to go on with the last one, if that was cut short and was ``asked`` for the same: the
    end of a run that was asked for two things would be that of neither. What a crash cut off is cut away.
    """
    path = folder / NAME
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.ftruncate(descriptor, whole)
        entries: dict[str, Entry] = {}
        begun: set[str] = set()
        last = ended = 0
        before = ""
        for each in _lines(content[:whole]):
            if isinstance(each, Entry):
                entries.pop(each.trace_ref, None)  # the order is that of the last words
                entries[each.trace_ref] = each
                begun.discard(each.trace_ref)
                last = max(last, each.run)
            elif isinstance(each, str):
                begun.add(each)
            else:
                last, ended = max(last, each.run), max(ended, each.run if each.ended else 0)
                before = before if each.ended else each.asked
        resumed = resume and last > ended and before == asked
        run = last if resumed else last + 1
        if not resumed:
            _append(descriptor, {"run": run, "asked": asked})
        yield Journal(descriptor, run, resumed, entries, begun)
    finally:
        os.close(descriptor)


def end(folder: Path, run: int) -> None:
    """Note that a run has come to its end, its report and all: nothing is left to go on with."""
    descriptor = os.open(folder / NAME, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    try:
        _append(descriptor, {"run": run, _ENDED: True})
    finally:
        os.close(descriptor)


def _append(descriptor: int, line: dict[str, JsonValue], *, kept: bool = False) -> None:
    """Write a line, and have it on the disk if it must be ``kept``. Raises `UsageError`: a run that cannot say what it did ends."""
    content = f"{compact(line)}\n".encode()
    with writing():
        while content:  # a disk that is almost full takes a part
            content = content[os.write(descriptor, content) :]
        if kept:
            os.fsync(descriptor)


@dataclass(frozen=True, slots=True)
class _Mark:
    """A line about a run as a whole: it began, and what it was asked for, as a keyed digest; or it ended."""

    run: int
    ended: bool
    asked: str


def _lines(content: bytes) -> Iterator[Entry | _Mark | str]:
    """Yield the lines of traces, those of runs, and the digest of each trace whose case was begun."""
    for line in content.splitlines():
        try:
            told = parse(line)
        except MalformedJson:
            continue
        if isinstance(told, dict) and "trace_ref" in told:
            known = {name: told[name] for name in Entry.__dataclass_fields__ if name in told}
            if "outcome" in known and all(_is_as_written(name, value) for name, value in known.items()):
                yield Entry(**known)  # type: ignore[arg-type]  # each member was looked at
        elif isinstance(told, dict) and isinstance(number := told.get("run"), int):
            yield _Mark(number, told.get(_ENDED) is True, str(told.get("asked", "")))
        elif isinstance(told, dict) and isinstance(begun := told.get("begun"), str):
            yield begun


def _is_as_written(name: str, value: JsonValue) -> bool:
    """Say whether a member of a trace's line is one that `Entry.members` writes. A line with any other says nothing: its trace is done again."""
    match name:
        case "outcome":
            return value in get_args(Outcome)
        case "trace_ref":
            return isinstance(value, str)
        case "case_id" | "signature" | "stage" | "code" | "place":
            return value is None or isinstance(value, str)
        case "run" | "residuals" | "spans" | "source_bytes":
            return isinstance(value, int)
        case "seconds":
            return isinstance(value, int | float)
        case "replayable":
            return isinstance(value, bool)
        case "classes":
            return isinstance(value, dict) and all(isinstance(count, int) for count in value.values())
    return False
