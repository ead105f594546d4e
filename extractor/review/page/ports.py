"""What the page asks of those who may change a case; whoever opens the page says who they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from ...errors import UsageError
from ...model.config import Statement

Word: TypeAlias = Literal["name", "must_go", "accept"]
WORDS: tuple[Word, ...] = ("name", "must_go", "accept")


class CaseChanged(UsageError):
    """The case is no longer what was on the page when somebody decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What a reviewer says of residual number ``residual`` (from 0), or of a word that stands in the case."""

    word: Word
    residual: int | None = None
    token: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A text of the case that a mark changed: its path, before and after, both redacted."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a reviewer's marks. ``waiting`` says why they wait for the source, with the ``command`` that goes on."""

    told: str
    changes: Sequence[Change] = ()
    waiting: str = ""
    command: str = ""


class Desk(Protocol):
    """Changes quarantined cases as their reviewers say."""

    def hindrance(self, case: Path) -> str:
        """Return why nothing of this case can be settled here, empty when it can."""

    def settle(self, case: Path, settled: Settled, *, seen: str) -> Outcome:
        """Settle one point; ``seen`` is what the reviewer looked at. Raises `CaseChanged`, and what extraction raises."""

    def resume(self, case: Path, *, seen: str) -> Outcome:
        """Apply the marks that waited for the source. Raises as `settle`."""

    def note(self, case: Path, told: Statement, *, seen: str) -> Outcome:
        """Note what people say of the incident. Raises as `settle`."""

    def waiting(self, case: Path) -> int:
        """Return how many marks wait for the source."""

    def originals(self, case: Path) -> Mapping[str, str]:
        """Return for each pseudonym what it stands for: in memory, for this page alone; empty unless asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What became of a case by a decision, in words, and the folder where it stands now."""

    told: str
    case: Path


class Decide(Protocol):
    """Records a decision about a case."""

    def __call__(
        self,
        case: Path,
        *,
        role: str,
        reviewer: str,
        decision: Literal["approve", "reject"],
        reason: str | None,
        confirmations: Sequence[str],
    ) -> Decided:
        """Return what became of the case. Raises an error of ours when the decision cannot be taken."""
