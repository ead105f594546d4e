"""The refund agent, as it was when it claimed an unconfirmed refund, and as it was fixed."""

from __future__ import annotations

from sample_traces.agents import Arguments, JsonValue, Request, Seam, converse, member

INSTRUCTIONS = (
    "You are the refund assistant of Fernhill Outfitters. Policy refunds-v7: damaged goods are refunded in full within "
    "30 days of delivery. Look the order up first. Say that a refund is completed only when refund.create says so."
)
UNCONFIRMED = (
    "I have asked for the refund, but the payment service has not confirmed it yet, so I cannot say that it is done. "
    "We will write to you as soon as we know."
)
ATTEMPTS = 2


def run_buggy(request: Request, seam: Seam) -> str:
    """Answer one turn, trusting the model to say only what the tools confirmed. It did not."""
    return _Refunds(seam).answer(request)


def run_fixed(request: Request, seam: Seam) -> str:
    """Answer one turn; without a confirmed refund the model's words are not sent."""
    refunds = _Refunds(seam)
    words = refunds.answer(request)
    return UNCONFIRMED if refunds.asked and not refunds.confirmed else words


class _Refunds:
    def __init__(self, seam: Seam) -> None:
        self._seam = seam
        self.asked = False
        self.confirmed = False

    def answer(self, request: Request) -> str:
        return converse(INSTRUCTIONS, request, self._seam, self._execute)

    def _execute(self, tool: str, arguments: Arguments) -> JsonValue:
        if tool != "refund.create":
            return self._seam.call_tool(tool, arguments)
        self.asked = True
        keyed = {**arguments, "idempotency_key": f"refund-{arguments['order_id']}-1"}
        result = self._create(keyed)
        self.confirmed = member(result, "status") == "completed"
        return result

    def _create(self, keyed: Arguments) -> JsonValue:
        for _ in range(ATTEMPTS - 1):
            try:
                return self._seam.call_tool("refund.create", keyed)
            except RuntimeError:
                continue  # the key makes a second try safe
        return self._seam.call_tool("refund.create", keyed)
