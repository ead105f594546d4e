"""Take from a red case, piece by piece, all that a command does not need to stay red: delta debugging of evidence."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import InputUnreadable
from ..model.case import Fixture
from ..model.json import JsonValue
from ..model.layout import EXPECT, FIXTURE, PROVENANCE, README
from ..redact import WorkspaceKey
from ..ruleset import RuleSet
from ..standing import standing
from .journal import Journal
from .oracle import CASE_VARIABLE, Oracle, Verdict
from .pieces import count, levels
from .project import project
from .proving import Prover
from .search import Search, Watch, nobody
from .sidecar import REASON

__all__ = ["CASE_VARIABLE", "Minimised", "Oracle", "Verdict", "journal_beside", "minimise", "nobody"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Minimised:
    """A case that is 1-minimal for one command, proved, and how it was found.

    ``runs`` counts the verdicts that the result rests on, ``repeated`` those of them that the journal had; ``refused``
    cases failed a proof and were never shown to the command. Sizes are bytes of fixture.json.
    """

    fixture: Fixture
    capture: bytes = field(repr=False)
    pieces_before: int
    pieces_after: int
    bytes_before: int
    bytes_after: int
    runs: int
    repeated: int
    refused: int

    @property
    def counts(self) -> Mapping[str, int]:
        """What the history of the case tells."""
        return {"pieces_before": self.pieces_before, "pieces_after": self.pieces_after, "runs": self.runs}


def journal_beside(case: Path) -> Path:
    """Return where the journal of a case stands if no other place is named: beside it, in the quarantine that git ignores."""
    place = case.resolve()
    return place.parent / f".minimise-{place.name}.jsonl"


def minimise(
    case: Path, oracle: Oracle, journal: Path, rules: RuleSet, key: WorkspaceKey, *, watch: Watch = nobody
) -> Minimised:
    """Return a quarantined case without any piece of evidence that the oracle does not need to judge it as before.

    Every smaller case is proved before the oracle sees it. Raises `UsageError` when the oracle is green on the unchanged
    case, flaky, or cannot be started, and what `standing` raises.
    """
    now = standing(case, key)
    prover = Prover(standing=now, rules=rules, key=key)
    files = _files(case)
    with tempfile.TemporaryDirectory(prefix="extract-fixture-", ignore_cleanup_errors=True) as private:
        search = Search(
            document=now.document,
            prover=prover,
            oracle=oracle,
            journal=Journal.opened(journal, oracle.identity),
            folder=Path(private),
            beside={EXPECT: files[EXPECT]} if EXPECT in files else {},
            watch=watch,
        )
        search.unchanged({name: content for name, content in files.items() if name != EXPECT})
        reduced = search.smallest()
    before = now.predicate.get(REASON)
    pieces = count(now.document)
    told: JsonValue = {
        "oracle": oracle.digest,
        "pieces_before": pieces,
        "pieces_after": pieces if reduced is None else count(reduced.document),
        "runs": search.runs,
        "one_minimal": True,
    }
    if reduced is None:
        # Asked again about its own result, the same oracle leaves everything as it stands.
        told = before if isinstance(before, dict) and before.get("oracle") == oracle.digest else told
        reduced = project(now.document, [piece for level in levels(now.document) for piece in level.order])
    fixture = prover.proved(reduced, told)
    return Minimised(
        fixture=fixture,
        capture=now.capture,
        pieces_before=pieces,
        pieces_after=count(reduced.document),
        bytes_before=len(files[FIXTURE]),
        bytes_after=len(fixture.files[FIXTURE]),
        runs=search.runs,
        repeated=search.repeated,
        refused=search.refused,
    )


def _files(case: Path) -> dict[str, bytes]:
    """Return the files of a case that a command is shown: none that leads back to the trace."""
    found: dict[str, bytes] = {}
    for name in (FIXTURE, PROVENANCE, README, EXPECT):
        path = case / name
        if name in (README, EXPECT) and not path.exists():
            continue
        try:
            found[name] = path.read_bytes()
        except OSError:
            raise InputUnreadable(f"{name} cannot be read") from None
    return found
