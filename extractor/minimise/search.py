"""The search for the smallest red case: which pieces stay, what was asked, and what the answers were."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import ProofFailed, UsageError
from ..model.case import Document
from ..model.layout import FIXTURE
from ..write import render_fixture
from .ddmin import minimal
from .journal import Journal
from .oracle import Oracle, Verdict
from .pieces import Place, levels
from .project import Reduced, project
from .proving import Prover

Watch = Callable[[int, int], None]
"""Told after each question: how many verdicts there are, and how many pieces the last red case had."""


def nobody(_verdicts: int, _pieces: int) -> None:
    """Watch nothing."""


@dataclass(slots=True, kw_only=True)
class Search:
    """One search. ``folder`` is private and empty: cases to be judged stand in it one at a time.

    ``beside`` are files of the case that a command may need and that no piece is part of. ``runs`` counts the verdicts that
    the result rests on, ``repeated`` those of them that the journal had, ``refused`` the cases that failed a proof.
    """

    document: Document
    prover: Prover
    oracle: Oracle
    journal: Journal
    folder: Path
    beside: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    watch: Watch = nobody
    runs: int = 0
    repeated: int = 0
    refused: int = 0
    _red: Verdict | None = None
    _answers: dict[str, bool] = field(default_factory=dict)
    _smallest: int = 0

    def unchanged(self, files: Mapping[str, bytes]) -> None:
        """Ask twice about the case as it stands, by its files. Raises `UsageError` where no search can start from it."""
        digest = hashlib.sha256(files[FIXTURE]).hexdigest()
        first, second = (self._verdict(digest, files, time) for time in (0, 1))
        if first != second:
            raise UsageError(
                "the command is flaky: two runs on the unchanged case ended differently",
                hint="minimise with a command that depends on nothing but the case",
            )
        if first.status is None:
            raise UsageError(
                f"the command did not end within {self.oracle.timeout_s:g} s on the unchanged case",
                hint="--timeout gives it longer",
            )
        if first.status == 0:
            raise UsageError(
                "the command is green on the unchanged case: there is no failure to keep",
                hint="it must end with another status than 0 while the failure shows",
            )
        if not first.matched:
            raise UsageError("the command is red on the unchanged case, but its output does not hold the --match text")
        self._red = first
        self._answers[digest] = True

    def smallest(self) -> Reduced | None:
        """Return the 1-minimal case, None when it is the unchanged one; after `unchanged`."""
        pieces = levels(self.document)
        whole = frozenset(piece for level in pieces for piece in level.order)
        self._smallest = len(whole)
        if not self._is_red(whole):  # the very bytes of the case, unless its numbers have gaps
            raise UsageError("the command judges the case otherwise once its attempts and messages are counted anew")
        kept = minimal(pieces, self._is_red)
        return project(self.document, kept) if kept != whole else None

    def _is_red(self, kept: frozenset[Place]) -> bool:
        reduced = project(self.document, kept)
        digest = hashlib.sha256(render_fixture(reduced.document)).hexdigest()
        if digest not in self._answers:
            self._answers[digest] = self._judged(digest, reduced)
        if self._answers[digest]:
            self._smallest = min(self._smallest, len(kept))
        self.watch(self.runs, self._smallest)
        return self._answers[digest]

    def _judged(self, digest: str, reduced: Reduced) -> bool:
        try:
            fixture = self.prover.proved(reduced)
        except ProofFailed:
            self.refused += 1
            return False
        return self._verdict(digest, fixture.files, 0) == self._red

    def _verdict(self, digest: str, files: Mapping[str, bytes], time: int) -> Verdict:
        """Return what the command says of a case the first or second time it is asked."""
        self.runs += 1
        known = self.journal.verdicts(digest)
        if len(known) > time:
            self.repeated += 1
            return known[time]
        verdict = self._asked(files)
        self.journal.add(digest, verdict)
        return verdict

    def _asked(self, files: Mapping[str, bytes]) -> Verdict:
        try:
            place = Path(tempfile.mkdtemp(dir=self.folder))
        except OSError as error:
            raise _unusable(error) from None
        try:
            case = place / str(self.document.get("case_id"))  # a case is told by the name of its folder
            case.mkdir(mode=0o700)
            for name, content in {**self.beside, **files}.items():
                (case / name).write_bytes(content)
            return self.oracle.run(case)
        except OSError as error:
            raise _unusable(error) from None
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _unusable(error: OSError) -> UsageError:
    return UsageError(f"the temporary folder cannot be used ({error.strerror or 'input or output failed'})")
