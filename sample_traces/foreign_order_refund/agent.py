"""The order desk agent, as it was when any verified customer could refund any order, and as it was fixed."""

from __future__ import annotations

from sample_traces.agents import Arguments, JsonValue, Request, Seam, converse, member

INSTRUCTIONS = (
    "You are the order desk of Bramble & Fern. Fetch the customer and the order, then refund what the customer asks "
    "for if the order was delivered within the last 30 days. Customers may only change their own orders."
)
NOT_YOURS = "I can only refund orders on your own account, so I have not refunded this one."


def run_buggy(request: Request, seam: Seam) -> str:
    """Answer one turn; a verified sign-in is enough to refund."""

    def execute(tool: str, arguments: Arguments) -> JsonValue:
        if tool == "refund.create" and not request.verified:
            return {"error": "the customer must sign in first"}
        return seam.call_tool(tool, arguments)

    return converse(INSTRUCTIONS, request, seam, execute)


def run_fixed(request: Request, seam: Seam) -> str:
    """Answer one turn; only the owner of an order that was fetched in this turn can have it refunded."""
    owners: dict[JsonValue, JsonValue] = {}
    refused = False

    def execute(tool: str, arguments: Arguments) -> JsonValue:
        nonlocal refused
        if tool == "refund.create" and owners.get(arguments["order_id"]) != request.subject:
            refused = True
            return {"error": "not the owner of this order"}
        result = seam.call_tool(tool, arguments)
        if tool == "order.get":
            owners[arguments["order_id"]] = member(member(result, "customer"), "id")
        return result

    words = converse(INSTRUCTIONS, request, seam, execute)
    return NOT_YOURS if refused else words
