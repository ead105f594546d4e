"""The timing evidence as the sidecar holds it: verdicts, and the synthetic ids of the spans that they rest on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..model.case import RedactedCase
from ..model.evidence import Evidence, Skew, Verdict, milliseconds
from ..model.json import JsonValue

# A status is a code of a protocol; anything else in its place could be anybody's text.
_STATUS = re.compile(
    r"[0-9]{1,3}|ok|cancelled|unknown|invalid_argument|deadline_exceeded|not_found|already_exists|permission_denied"
    r"|resource_exhausted|failed_precondition|aborted|out_of_range|unimplemented|internal|unavailable|data_loss|unauthenticated"
)


def attempts(redacted: RedactedCase) -> list[JsonValue]:
    """Return one entry an attempt; times are milliseconds from the start of the earliest kept span."""
    synthetic = redacted.span_ids
    return [
        {
            "event": attempt.place,
            "span_id": synthetic[attempt.span_id] if attempt.span_id is not None else None,
            "dispatched": _verdict(attempt.evidence.dispatched, synthetic),
            "received": _verdict(attempt.evidence.received, synthetic),
            "completed": _verdict(attempt.evidence.completed, synthetic),
            "ended_by": {
                "verdict": attempt.evidence.ended_by,
                "spans": _spans(attempt.evidence.ending_spans, synthetic),
                "lacks": attempt.evidence.lacks,
            },
            "deadline": _deadline(attempt.evidence, synthetic, redacted.base_ns),
            "queue_ms": milliseconds(attempt.evidence.queue_ns),
            "completion_ms": milliseconds(attempt.evidence.completion_ns, redacted.base_ns),
            "sends": attempt.evidence.sends,
            "statuses": [each for each in attempt.evidence.statuses if _STATUS.fullmatch(each)],
            "skew": _skew(attempt.evidence.skew),
            "remarks": list(attempt.evidence.remarks),
        }
        for attempt in redacted.attempts
    ]


def _verdict(verdict: Verdict, synthetic: Mapping[str, str]) -> JsonValue:
    return {"answer": verdict.answer, "spans": _spans(verdict.spans, synthetic)}


def _deadline(evidence: Evidence, synthetic: Mapping[str, str], base_ns: int) -> JsonValue:
    if evidence.deadline_ns is None:
        return None
    return {
        "at_ms": milliseconds(evidence.deadline_ns, base_ns),
        "source": evidence.deadline_source,
        "spans": _spans(evidence.deadline_spans, synthetic),
    }


def _skew(skew: Skew | None) -> JsonValue:
    if skew is None:
        return None
    return {
        "low_ms": milliseconds(skew.low_ns),
        "high_ms": milliseconds(skew.high_ns),
        "moved_ms": milliseconds(skew.moved_ns),
    }


def _spans(spans: Sequence[str], synthetic: Mapping[str, str]) -> list[JsonValue]:
    return [synthetic[each] for each in spans]
