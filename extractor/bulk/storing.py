"""A proved case into a store: beside nothing, beside itself, or in the place of what nobody has decided on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from extractor import review
from extractor.errors import CaseExists
from extractor.model.case import Fixture
from extractor.model.layout import QUARANTINE
from extractor.review import KnownTrace
from extractor.write import store

from .journal import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Storing:
    """A store, and what it knew when the run began: cases by the keyed digests of their traces. ``now`` is when that is."""

    out: Path
    known: Mapping[str, KnownTrace]
    now: datetime

    def put(self, trace_ref: str, fixture: Fixture, capture: bytes) -> Outcome:
        """Write a case into quarantine and say what became of it: ``written``, ``unchanged``, ``superseded``, or ``standing``, where people
        have decided on the trace's case. It is not put on record. Raises `CaseExists` where another trace's case has its id.
        """
        before = self.known.get(trace_ref)
        if before is not None and before.place not in (QUARANTINE, None):
            return "standing"
        older = before.open if before is not None else ()
        try:
            state = store(fixture, capture, self.out, replace=False).state
            outcome: Outcome = "unchanged" if state == "unchanged" else "written"
        except CaseExists:
            if fixture.case_id not in older:
                raise
            review.supersede(self.out, fixture.case_id, fixture.case_id, now=self.now)
            store(fixture, capture, self.out, replace=True)
            outcome = "superseded"
        for case_id in older:
            if case_id != fixture.case_id:
                review.supersede(self.out, case_id, fixture.case_id, now=self.now)
                outcome = "superseded"
        return outcome
