"""The shipping agent, as it was when a retry shipped the parcel again, and as it was fixed."""

from __future__ import annotations

from collections.abc import Callable

from sample_traces.agents import Arguments, JsonValue, Request, Seam, converse

INSTRUCTIONS = (
    "You are the shipping assistant of Harrow Pike Supply. Look the order up, create one replacement shipment to the "
    "address on file, check the list of shipments, then tell the customer the tracking number."
)
ATTEMPTS = 3


def run_buggy(request: Request, seam: Seam) -> str:
    """Answer one turn; each try of a shipment draws a new key, so the service cannot know a retry."""
    return _run(request, seam, _key_per_try)


def run_fixed(request: Request, seam: Seam) -> str:
    """Answer one turn; one key for all tries of one shipment."""
    return _run(request, seam, _key_per_shipment)


Keys = Callable[[Seam], Callable[[], str]]


def _key_per_try(seam: Seam) -> Callable[[], str]:
    return seam.new_key


def _key_per_shipment(seam: Seam) -> Callable[[], str]:
    key = seam.new_key()
    return lambda: key


def _run(request: Request, seam: Seam, keys: Keys) -> str:
    def execute(tool: str, arguments: Arguments) -> JsonValue:
        if tool != "shipment.create":
            return seam.call_tool(tool, arguments)
        return _create(arguments, seam, keys(seam))

    return converse(INSTRUCTIONS, request, seam, execute)


def _create(arguments: Arguments, seam: Seam, key: Callable[[], str]) -> JsonValue:
    for _ in range(ATTEMPTS - 1):
        try:
            return seam.call_tool("shipment.create", {**arguments, "idempotency_key": key()})
        except RuntimeError:
            continue
    return seam.call_tool("shipment.create", {**arguments, "idempotency_key": key()})
