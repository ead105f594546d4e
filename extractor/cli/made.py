"""What people and machines are told of a case that a run made."""

from __future__ import annotations

from extractor.making import Made
from extractor.model.config import Statement

from . import summary
from .console import Console
from .view import CaseView


def tell(console: Console, case: Made, statement: Statement) -> None:
    """Tell what became of it. Raises `EvidenceMissing` for a case that cannot be replayed: it is written all the same."""
    if console.json:
        console.data(summary.for_machines(case.fixture, case.stored))
    console.rows(summary.for_people(case.fixture, case.stored))
    summary.warn(console, statement, CaseView.of(case.fixture.files))
    if not case.fixture.replayable:
        raise summary.cannot_be_replayed(case.fixture, case.stored.path)
