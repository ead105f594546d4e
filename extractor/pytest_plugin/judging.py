"""What a test fails with: a fault, what it left out, or its boundary."""

from __future__ import annotations

from ..replay.boundary import NO_CHECK
from ..replay.faults import fault_within
from ..replay.session import Session
from .stash import OF_THE_TEST, BoundaryViolated, NotJudged, NotReproduced


def hold(session: Session, failure: BaseException | None) -> None:
    """Raise what the test raised, unless a fault explains it; then what the session says."""
    if failure is not None and not (session.ledger.faults and isinstance(failure, OF_THE_TEST)):
        raise fault_within(failure) or failure
    session.hold()
    _judge(session)


def _judge(session: Session) -> None:
    verdict = session.verdict
    if session.label is not None:
        raise NotJudged(f"{session.label}: the case lacks evidence without which it cannot be judged")
    if verdict is None or verdict.check == NO_CHECK:
        if session.expect == "red":
            raise NotReproduced("no check can say that the affected implementation violates the boundary: no oracle")
        return  # the test's own assertions decide
    if verdict.passed is None:
        raise NotJudged(f"nothing can tell whether the incident boundary holds ({verdict.check}: {verdict.reason})")
    if session.expect == "red" and verdict.passed:
        raise NotReproduced("original implementation did not reproduce the incident")
    if session.expect != "red" and not verdict.passed:
        raise BoundaryViolated(
            f"current implementation still violates the incident boundary ({verdict.check}: {verdict.reason})"
        )
