"""A good run of a refund agent, with its case, and the checks that people wrote about it."""

from __future__ import annotations

from datetime import UTC, datetime

from extractor.checks.case import CheckCase
from extractor.checks.record import RunRecord

RUN = {
    "tool_calls": [
        {
            "name": "lookup_order",
            "arguments": {"order_id": "ord_17"},
            "idempotency_key": None,
            "side_effect": "none",
            "result": {"total_cents": 4200, "owner": "cus_5"},
        },
        {
            "name": "issue_refund",
            "arguments": {"order_id": "ord_17", "amount_cents": 4200},
            "idempotency_key": "k-1",
            "side_effect": "accepted",
            "result": {"status": "done"},
        },
    ],
    "messages": [{"role": "user", "parts": [{"type": "text", "text": "Please refund order 17."}]}],
    "output": {"message": "Your refund of 42.00 is issued.", "amount_cents": 4200, "citations": ["policy-3"]},
    "usage": {"input_tokens": 800, "output_tokens": 60},
    "documents": [{"id": "policy-3", "owner": "cus_5"}],
    "citations": ["policy-3"],
    "model": "model-a",
    "finish_reason": "stop",
}


def good_record(**members) -> RunRecord:
    return RunRecord({**RUN, **members})


def good_case(**expectations) -> CheckCase:
    return CheckCase(
        name="refund",
        now=datetime(2026, 6, 14, 9, 30, tzinfo=UTC),
        input={"text": "Please refund order 17."},
        expectations={"order_id": "ord_17", "amount_cents": 4200, **expectations},
        facts={"identity": {"subject": "cus_5", "resources": [{"id": "ord_17", "owner": "cus_5"}]}},
    )
