"""A race as a case holds it: two workers find no refund, then both create one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from extractor.replay.case import ReplayCase, case_of

ORDER = {"order_id": "ord-5001"}


def event(
    attempt: int, tool: str, arguments: dict[str, Any], value: Any, after: list[int], **more: Any
) -> dict[str, Any]:
    return {
        "attempt": attempt,
        "tool": tool,
        "call_id": None,
        "logical_call": attempt,
        "try": 1,
        "arguments": arguments,
        "role": "evidence",
        "outcome": {"type": "result", "value": value},
        "side_effect": "none",
        "after": after,
    } | more


def created(attempt: int, key: str, **more: Any) -> dict[str, Any]:
    return event(
        attempt,
        "refund.create",
        {**ORDER, "idempotency_key": key},
        {"refund_id": f"re_{attempt}"},
        [2, 3],
        idempotency_key=key,
        side_effect="accepted",
        **more,
    )


EXISTS = {
    "tool": "refund.find",
    "arguments": ORDER,
    "outcome": {"type": "result", "value": {"refund": {"refund_id": "re_4"}}},
    "synthetic": True,
    "reason": "what the service answers once a refund of the order was accepted",
}


@pytest.fixture
def race() -> Callable[..., ReplayCase]:
    """The case of the race; keywords replace members of its document."""

    def make(**members: Any) -> ReplayCase:
        document = {
            "schema_version": "1",
            "case_id": "2026-03-02-refund-create-race-0a1b2c3d",
            "incident_id": "INC-1",
            "workflow_version": "refunds-7",
            "prompt_version": "p3",
            "frozen_at": "2026-03-02T10:00:00Z",
            "input": {"messages": []},
            "identity": {},
            "tool_events": [
                event(1, "order.lookup", ORDER, {"status": "delivered"}, []),
                event(2, "refund.find", ORDER, {"refund": None}, [1]),
                event(3, "refund.find", ORDER, {"refund": None}, [1]),
                created(4, "key-a"),
                created(5, "key-b", role="violation"),
            ],
            "alternates": [EXISTS],
            "expected": {
                "prohibited_claims": ["two refunds for one order"],
                "effects": {"refund.create": {"min": 1, "max": 1}},
            },
            "ordering": {"mode": "total", "reason": "a violation is part of the incident"},
        }
        return case_of(json.dumps(document | members).encode())

    return make
