"""A race as a case holds it: two workers find no refund, then both create one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from extractor.replay.case import ReplayCase

from .documents import call, case

ORDER = {"order_id": "ord-5001"}
EXISTS = {
    "tool": "refund.find",
    "arguments": ORDER,
    "outcome": {"type": "result", "value": {"refund": {"refund_id": "re_4"}}},
    "synthetic": True,
    "reason": "what the service answers once a refund of the order was accepted",
}


def created(attempt: int, key: str, **more: Any) -> dict[str, Any]:
    return call(
        attempt,
        "refund.create",
        {**ORDER, "idempotency_key": key},
        {"refund_id": f"re_{attempt}"},
        idempotency_key=key,
        side_effect="accepted",
        after=[2, 3],
        **more,
    )


def race_members() -> dict[str, Any]:
    """The members of the race's document, its tool events among them."""
    return {
        "tool_events": [
            call(1, "order.lookup", ORDER, {"status": "delivered"}),
            call(2, "refund.find", ORDER, {"refund": None}, after=[1]),
            call(3, "refund.find", ORDER, {"refund": None}, after=[1]),
            created(4, "key-a"),
            created(5, "key-b", role="violation"),
        ],
        "alternates": [EXISTS],
        "expected": {"effects": {"refund.create": {"min": 1, "max": 1}}},
        "ordering": {"mode": "total", "reason": "a violation is part of the incident"},
    }


@pytest.fixture
def race() -> Callable[..., ReplayCase]:
    """The case of the race; keywords replace members of its document."""

    def make(**members: Any) -> ReplayCase:
        return case(**(race_members() | members))

    return make
