"""Evidence that is missing is named: the entries, their fixed texts, and what they mean for the case."""

from __future__ import annotations

from ..model.case import Document
from ..model.json import JsonValue

_REASONS = {
    "not_in_trace": "No span says it and it was not given.",
    "not_given": "It was not given; annotate the case.",
    "taken_from_span": "Taken from the start of the boundary's span; no recorded clock says when the decision fell.",
    "unknown_time_zone": "The time zone's name is not known here; the instant is given in UTC.",
    "not_judged": "No span says which reader of the application's schema the case needs.",
    "content_switched_off": "The instrumentation did not record what was said.",
    "no_input": "No span holds what the user said.",
    "arguments_missing": "The span holds no arguments.",
    "call_id_missing": "Neither the span nor a message names the id of the call.",
    "outcome_missing": "The span holds neither a result nor an error.",
    "dispatch_unknown": "No client span shows whether the call left the process.",
    "receipt_unknown": "No server span shows whether the dependency received the call; its absence proves nothing.",
    "receipt_missing": "Other calls to this service show a receipt and this one does not; compare the client's connection log.",
    "receipt_late": "The dependency received the call only after the caller had stopped waiting: the delay lay between them.",
    "client_unknown": "The dependency received the call, but no client span shows why the caller stopped waiting.",
    "span_unfinished": "The client span has no end: the process died, or the span was not exported.",
    "deadline_contradiction": "A stated deadline lies before its own span began; it was not used.",
    "clock_skew": "The dependency's clock disagrees with the caller's; its instants were moved by the smallest offset.",
    "ending_unknown": "A client span without an answer, and nothing above it that says who gave up.",
    "effect_unknown": "Nothing shows whether the side effect took place.",
    "effect_repeated": "The same idempotency key had been accepted before; nothing shows that the effect was not repeated.",
    "evidence_unmatched": "A record from outside the trace names no attempt of it.",
    "no_answer": "No assistant text stands at or before the boundary.",
    "spans_incomplete": "The ledger of the spans reports this about the trace.",
}


def entry(field: str, code: str) -> dict[str, JsonValue]:
    """Return one ``missing_evidence`` entry; ``field`` is a path of our own names."""
    return {"field": field, "code": code, "reason": _REASONS[code]}


def incomplete(document: Document) -> bool:
    """Return whether nobody has said yet which claims are prohibited: such a case cannot be judged (S17)."""
    expected = document.get("expected")
    return not (isinstance(expected, dict) and expected.get("prohibited_claims"))
