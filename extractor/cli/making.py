"""From a reading to a stored case, and what people and machines are told of it."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from extractor import pipeline, review, write
from extractor.model.case import Fixture
from extractor.model.config import RunConfig, Statement
from extractor.model.reading import Reading
from extractor.redact import WorkspaceKey
from extractor.ruleset import RuleSet
from extractor.select import Explanation
from extractor.write import Stored

from . import summary
from .console import Console

CAPTURE_DAYS = 30
"""How long capture.json, which leads back to the original trace, may stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a reading is made into a case with, and the store that takes it."""

    config: RunConfig
    rules: RuleSet
    key: WorkspaceKey = field(repr=False)
    store: Path
    replace: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A case in its store, and why its spans were kept."""

    fixture: Fixture
    stored: Stored
    explained: Explanation = field(repr=False)


def made(reading: Reading, run: Run) -> Made:
    """Return the case of a reading, proved, written to quarantine and on record there. Raises what `pipeline.extract` does."""
    extraction = pipeline.extract(reading, run.config, run.rules, run.key, occasion())
    stored = write.store(extraction.fixture, extraction.capture, run.store, replace=run.replace)
    review.enrol(run.store, stored.case_id)
    return Made(fixture=extraction.fixture, stored=stored, explained=extraction.explained)


def tell(console: Console, case: Made, statement: Statement) -> None:
    """Tell what became of it. Raises `EvidenceMissing` for a case that cannot be replayed: it is written all the same."""
    if console.json:
        console.data(summary.for_machines(case.fixture, case.stored))
    console.rows(summary.for_people(case.fixture, case.stored))
    summary.warn_if_vague(console, statement)
    if not case.fixture.replayable:
        raise summary.cannot_be_replayed(case.fixture, case.stored.path)


def occasion() -> pipeline.Occasion:
    """Return where and when this run takes place."""
    now = datetime.now(UTC).replace(microsecond=0)
    return pipeline.Occasion(
        extracted_at=now.isoformat(),
        expires_at=(now + timedelta(days=CAPTURE_DAYS)).isoformat(),
        host=socket.gethostname(),
    )
