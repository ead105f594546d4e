"""The refund desk, as it was when two workers refunded one order, and as it was fixed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sample_traces.agents import (
    GAVE_UP,
    MAX_TURNS,
    Arguments,
    AsyncCallTool,
    JsonValue,
    Part,
    Request,
    Seam,
    member,
    text_of,
    user,
)

INSTRUCTIONS = (
    "You are the refund desk of Alder & Finch. Look the order up, refund it once, and tell the customer the amount. "
    "Policy refunds-v9: an order is refunded once."
)

Work: TypeAlias = Awaitable[Part]
NewKey: TypeAlias = Callable[[Arguments], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrentSeam(Seam):
    """A seam whose tools may run beside each other. ``together`` runs all work at once and returns what came of each."""

    acall_tool: AsyncCallTool
    together: Callable[[Sequence[Work]], Sequence[Part]]


def run_buggy(request: Request, seam: ConcurrentSeam) -> str:
    """Answer one turn; each worker draws a key of its own and trusts what it read before the other one wrote."""
    return _run(request, seam, lambda _refund: seam.new_key())


def run_fixed(request: Request, seam: ConcurrentSeam) -> str:
    """Answer one turn; whoever refunds an order does so under the order's one key."""
    keys: dict[JsonValue, str] = {}

    def key(refund: Arguments) -> str:
        order = str(refund["order_id"])
        if order not in keys:
            keys[order] = seam.new_key()
        return keys[order]

    return _run(request, seam, key)


def _run(request: Request, seam: ConcurrentSeam, new_key: NewKey) -> str:
    messages = [*request.history, user(request.text)]
    for _ in range(MAX_TURNS):
        reply = seam.call_model(INSTRUCTIONS, tuple(messages))
        messages.append(reply)
        calls = [part for part in reply["parts"] if part["type"] == "tool_call"]
        if not calls:
            return text_of(reply)
        answers = seam.together([_answer(call, seam, new_key) for call in calls])
        messages.append({"role": "tool", "parts": list(answers)})
    return GAVE_UP


async def _answer(call: Part, seam: ConcurrentSeam, new_key: NewKey) -> Part:
    tool, arguments = call["name"], call["arguments"]
    try:
        if tool == "refund.create":
            response = await _refund(arguments, seam, new_key)
        else:
            response = await seam.acall_tool(tool, arguments)
    except RuntimeError as failure:
        response = {"error": str(failure)}
    return {"type": "tool_call_response", "id": call["id"], "response": response}


async def _refund(arguments: Arguments, seam: ConcurrentSeam, new_key: NewKey) -> JsonValue:
    known = await seam.acall_tool("refund.find", {"order_id": arguments["order_id"]})
    refund = member(known, "refund")
    if refund is not None:
        return refund
    payment = {"payment_id": member(known, "payment_id"), "idempotency_key": new_key(arguments)}
    return await seam.acall_tool("refund.create", {**arguments, **payment})
