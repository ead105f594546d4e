"""What validation found, and who said it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..errors import EvidenceMissing, ProvenanceInvalid, ValidationFailed
from ..model.replayable import in_short

Voice: TypeAlias = Literal["structure", "schema", "bytes", "folder", "sidecar schema", "provenance", "control"]
"""``structure`` is the dependency-free check, ``schema`` the JSON Schema of fixture.json; see docs/fixture-format.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One line by one voice. The line holds field paths by position and our own names, nothing of the case's text."""

    voice: Voice
    line: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport:
    """One case: its id where it has a usable one, its position among the cases looked at (from 1), what is wrong.

    ``lacks`` names the evidence without which no replay can be judged: such a case may be whole, and is *non-replayable*.
    ``provenance`` says where the sidecar was found; its absence is said, and is no problem.
    """

    position: int
    case_id: str | None
    provenance: Literal["beside", "elsewhere", "absent"]
    problems: tuple[Problem, ...] = ()
    lacks: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Say whether the case is whole and can be replayed."""
        return not self.problems and not self.lacks

    def lines(self) -> tuple[str, ...]:
        """Return what people read: the seed's own sentence for a healthy case, else one line a problem.

        Structural problems keep the seed's exact words; the other voices are named before theirs.
        """
        if self.valid:
            note = {"beside": "", "elsewhere": "", "absent": " (no provenance.json)"}[self.provenance]
            return (f"valid replay fixture: {self.case_id}{note}",)
        lines = [
            problem.line if problem.voice == "structure" else f"{problem.voice}: {problem.line}"
            for problem in self.problems
        ]
        if self.lacks:
            lines.append(f"non-replayable: no replay can be judged without {in_short(self.lacks)}")
        return tuple(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationReport:
    """All cases looked at, in path order; never empty."""

    cases: tuple[CaseReport, ...]

    @property
    def exit_status(self) -> int:
        """7 when a sidecar does not belong to its case, else 4 when one cannot be replayed, else 1 when anything is wrong, else 0."""
        voices = {problem.voice for case in self.cases for problem in case.problems}
        if "provenance" in voices:
            return ProvenanceInvalid.exit_status
        if any(case.lacks for case in self.cases):
            return EvidenceMissing.exit_status
        return ValidationFailed.exit_status if voices else 0

    def require(self) -> None:
        """Raise `ProvenanceInvalid` or `ValidationFailed` with every problem; return when there is none.

        A case that cannot be replayed is no problem here: it may be annotated, and its evidence be found later.
        """
        many = len(self.cases) > 1
        lines = [
            f"{case.case_id or f'case {case.position}'}: {line}" if many else line
            for case in self.cases
            if case.problems
            for line in case.lines()
        ]
        if self.exit_status == ProvenanceInvalid.exit_status:
            raise ProvenanceInvalid("\n".join(lines))
        if lines:
            raise ValidationFailed(lines)
