"""The desk: a reviewer's marks become rules of the case, its source is read again, and every proof is made anew."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

from ... import annotation, reextract
from ...errors import InputUnreadable, UsageError, WorkspaceKeyError
from ...model.case import Fixture
from ...model.config import Mark, RunConfig, Statement
from ...model.json import JsonValue, leaves, parse, pretty
from ...model.layout import CAPTURE, FIXTURE, QUARANTINE
from ...pipeline import Occasion
from ...redact import WorkspaceKey
from ...ruleset import RuleSet
from ...standing import Standing, standing
from ...write import remembered_marks, store
from . import marks
from .lenient import CaseFiles, count, items, members, text
from .ports import CaseChanged, Change, Outcome, Settled
from .runs import escaped

_MOST_CHANGES = 40
_SHOWN = 160  # characters
_CONTEXT = 30  # characters
_SAID = {"name": "is a name", "must_go": "must go", "accept": "may stay"}


@dataclass(slots=True, kw_only=True)
class QuarantineDesk:
    """Settles what reviewers say of cases in quarantine.

    ``sources`` are files or folders in which the exports may be found; ``key`` is None for reviewers without it, who can
    read everything and settle nothing. ``rules`` loads the rule set, ``now`` gives an RFC 3339 instant. ``with_source``
    allows originals on the page.
    """

    sources: Sequence[Path]
    key: WorkspaceKey | None = field(repr=False)
    base: RunConfig
    rules: Callable[[], RuleSet]
    now: Callable[[], str]
    with_source: bool = False
    _originals: dict[tuple[Path, str], Mapping[str, str]] = field(default_factory=dict, repr=False)

    def hindrance(self, case: Path) -> str:
        """Return why nothing of this case can be settled here, empty when it can."""
        if case.resolve().parent.name != QUARANTINE:
            return "Only a case in quarantine is changed; this one stands elsewhere."
        if self.key is None:
            return "Without the workspace key nothing can be marked: open the page with --key-file."
        key_id = text(
            members(members(CaseFiles.of(case).document("provenance.json").get("predicate")).get("redaction")).get(
                "key_id"
            )
        )
        if key_id != self.key.key_id:
            return f"This case stands under key {key_id}, this page under {self.key.key_id}: open it with the key of the case."
        return ""

    def settle(self, case: Path, settled: Settled, *, seen: str) -> Outcome:
        """Settle one point of a case."""
        now = self._standing(case, seen)
        mark = self._mark(now, settled)
        if mark.mark == "accept":
            fixture, capture = marks.accepted(now, mark, self._key, self.rules())
            self._store(case, fixture, capture, {"accepted": 1})
            return Outcome(told="Accepted: it stays, and is asked no more.")
        return self._extracted(case, now, (mark,), f"It {_SAID[mark.mark]}.")

    def resume(self, case: Path, *, seen: str) -> Outcome:
        """Apply the marks of a case that waited for its source."""
        now = self._standing(case, seen)
        return self._extracted(case, now, (), "The marks that waited.")

    def note(self, case: Path, told: Statement, *, seen: str) -> Outcome:
        """Note what people say of the incident."""
        self._standing(case, seen)
        made = annotation.annotate(case, told, self.base, self.rules(), self._key)
        store(made.fixture, made.capture, case.resolve().parent.parent, replace=True, act="annotated", at=self.now())
        return Outcome(told="Noted: what was typed is redacted and proved like the rest of the case.")

    def waiting(self, case: Path) -> int:
        """Return how many marks of a case its sidecar does not tell of yet."""
        files = CaseFiles.of(case)
        gone = [mark for mark in remembered_marks(dict(files.document(CAPTURE))) if mark.mark != "accept"]
        predicate = members(files.document("provenance.json").get("predicate"))
        told = members(members(predicate.get("overrides")).get("marks"))
        return max(0, len(gone) - count(told.get("name")) - count(told.get("must_go")))

    def originals(self, case: Path) -> Mapping[str, str]:
        """Return for each pseudonym what it stands for; nothing unless the page was opened with its source."""
        if not self.with_source:
            return {}
        name = (case, CaseFiles.of(case).seen)
        if name not in self._originals:
            self._originals = {name: self._again(case, ()).originals}
        return self._originals[name]

    @property
    def _key(self) -> WorkspaceKey:
        if self.key is None:
            raise WorkspaceKeyError(
                "without the workspace key nothing can be settled", hint="open the page with --key-file"
            )
        return self.key

    def _standing(self, case: Path, seen: str) -> Standing:
        if CaseFiles.of(case).seen != seen:
            raise CaseChanged("the case has changed since it was shown; look at it again, then decide")
        return standing(case, self._key)

    def _mark(self, now: Standing, settled: Settled) -> Mark:
        if settled.token is not None:
            return marks.of_token(settled.word, settled.token, now, self._key)
        listed = items(now.predicate.get("residual"))
        if settled.residual is None or not 0 <= settled.residual < len(listed):
            raise UsageError("there is no residual of this number")
        return marks.of_residual(settled.word, listed[settled.residual], now, self._key)

    def _again(self, case: Path, fresh: Sequence[Mark]) -> reextract.Again:
        source = reextract.source_of(case, [*self.sources, Path.cwd()])
        capture = CaseFiles.of(case).document(CAPTURE)
        # A case that is read again expires when it was to expire.
        occasion = Occasion(
            extracted_at=text(capture.get("extracted_at")),
            expires_at=text(capture.get("expires_at")),
            host=text(capture.get("host")),
        )
        return reextract.reextract(
            case, source, marks=fresh, base=self.base, rules=self.rules(), key=self._key, occasion=occasion
        )

    def _extracted(self, case: Path, now: Standing, fresh: Sequence[Mark], told: str) -> Outcome:
        """Extract a case again with fresh marks; where its source is not at hand they wait in its capture."""
        try:
            reextract.source_of(case, [*self.sources, Path.cwd()])
        except InputUnreadable as error:
            if not fresh:
                raise
            self._wait(case, now, fresh)
            command = f"extract-fixture review {shlex.quote(str(case))} --source EXPORT"
            return Outcome(told=told, waiting=error.message, command=command)
        made = self._again(case, fresh)
        counts = {"names": 0, "must_go": 0}
        for mark in fresh:
            counts["names" if mark.mark == "name" else "must_go"] += 1
        self._store(case, made.extraction.fixture, made.extraction.capture, counts)
        after = parse(made.extraction.fixture.files[FIXTURE])
        changed = changes(now.document, after)
        drift = "" if made.same else " Rules or settings have changed since the case was made, which shows below too."
        return Outcome(told=f"{told} The source was read again and every proof made anew.{drift}", changes=changed)

    def _wait(self, case: Path, now: Standing, fresh: Sequence[Mark]) -> None:
        capture = parse(now.capture)
        held = dict(capture) if isinstance(capture, dict) else {}
        held = marks.remembering(held, fresh)
        fixture = marks.resealed(now, now.statement, self.rules())
        self._store(case, fixture, pretty(held).encode("utf-8"), {"waiting": len(fresh)})

    def _store(self, case: Path, fixture: Fixture, capture: bytes, counts: Mapping[str, int]) -> None:
        out = case.resolve().parent.parent
        store(fixture, capture, out, replace=True, act="reviewed", at=self.now(), counts=counts)


def changes(before: JsonValue, after: JsonValue) -> tuple[Change, ...]:
    """Return the texts that differ between two documents of one structure, the first of them in full, shortened."""
    found = []
    for one, other in zip_longest(leaves(before), leaves(after)):
        if one is None or other is None or one[1] == other[1]:
            continue
        path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in _ours(other[0])).lstrip(".")
        was, now = _around(_said(one[1]), _said(other[1]))
        found.append(Change(path=escaped(path), before=was, after=now))
    return tuple(found[:_MOST_CHANGES])


def _ours(path: Sequence[str | int]) -> Sequence[str | int]:
    """Return the head of a path that names members of ours: inside a payload names are data."""
    return path[:5]


def _said(value: JsonValue) -> str:
    return value if isinstance(value, str) else pretty(value).strip()


def _around(before: str, after: str) -> tuple[str, str]:
    """Return two texts cut to where they differ, with a little of what stands around."""
    head = _alike(before, after)
    tail = _alike(before[head:][::-1], after[head:][::-1])
    return _cut(before, head, tail), _cut(after, head, tail)


def _alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with in common."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _cut(text: str, head: int, tail: int) -> str:
    start, end = max(0, head - _CONTEXT), min(len(text), len(text) - tail + _CONTEXT)
    piece = text[start:end] if end - start <= _SHOWN else text[start : start + _SHOWN - 1] + "…"
    return escaped(("…" if start else "") + piece + ("…" if end < len(text) else ""))
