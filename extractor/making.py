"""From a reading to a stored case: proved, written to quarantine, on record there."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from . import pipeline, review, write
from .model.case import Fixture
from .model.config import RunConfig
from .model.reading import Reading
from .redact import WorkspaceKey
from .ruleset import RuleSet
from .select import Explanation
from .write import Stored

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
    """A case in its store, the bytes of its capture.json, and why its spans were kept."""

    fixture: Fixture
    stored: Stored
    capture: bytes = field(repr=False)
    explained: Explanation = field(repr=False)


def made(reading: Reading, run: Run) -> Made:
    """Return the case of a reading, proved, written to quarantine and on record there. Raises what `pipeline.extract` does."""
    extraction = pipeline.extract(reading, run.config, run.rules, run.key, occasion())
    stored = write.store(extraction.fixture, extraction.capture, run.store, replace=run.replace)
    review.enrol(run.store, stored.case_id)
    return Made(fixture=extraction.fixture, stored=stored, capture=extraction.capture, explained=extraction.explained)


def occasion() -> pipeline.Occasion:
    """Return where and when this run takes place."""
    now = datetime.now(UTC).replace(microsecond=0)
    return pipeline.Occasion(
        extracted_at=now.isoformat(),
        expires_at=(now + timedelta(days=CAPTURE_DAYS)).isoformat(),
        host=socket.gethostname(),
    )
