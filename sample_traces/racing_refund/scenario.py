"""Who asked for which refund, what the model said, and the refund service in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from sample_traces.agents import Arguments, JsonValue, Message, Part, Request, asks, says


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """A customer and the order in question; ``asked`` is how often the model asks for its refund."""

    id: str
    name: str
    email: str
    conversation: str
    order_id: str
    item: str
    amount_cents: int
    payment_id: str
    asked: int = 1

    @property
    def price(self) -> str:
        """The amount as the model writes it."""
        return f"${self.amount_cents / 100:,.2f}"


TOMASZ = Customer(
    id="cust_93b7e0d4",
    name="Tomasz Achterberg",
    email="tomasz.achterberg@example.com",
    conversation="conv_6ad1f37c08",
    order_id="AF-730415",
    item="Hallett desk lamp, brass",
    amount_cents=8_640,
    payment_id="pay_41c8Rk72Vd",
    asked=2,
)
BYSTANDERS = (
    Customer(
        id="cust_2f60c18e",
        name="Rosalind Mbeki-Hart",
        email="r.mbekihart@example.org",
        conversation="conv_d8840be1c5",
        order_id="AF-730377",
        item="Osier basket, large",
        amount_cents=3_150,
        payment_id="pay_96d0Xs15Bq",
    ),
    Customer(
        id="cust_b5a9d372",
        name="Ignatius Verhoeven",
        email="ignatius.verhoeven@example.net",
        conversation="conv_0c3e95f7a2",
        order_id="AF-730431",
        item="Wren wall clock",
        amount_cents=5_225,
        payment_id="pay_27f3Jw88Nz",
    ),
)
KEYS = ("rfd-2d81f6a0-77c3", "rfd-e94b05c8-1af2")


def request(customer: Customer) -> Request:
    """Return the customer's one turn."""
    return Request(
        conversation=customer.conversation,
        subject=customer.id,
        tenant="alder-finch",
        time_zone="America/Denver",
        text=(
            f"Good morning, this is {customer.name}. Order {customer.order_id} never came. Please refund it and write to "
            f"{customer.email} when it is done."
        ),
    )


def replies(customer: Customer) -> tuple[Message, ...]:
    """Return what the model said; in the incident it asked for one refund twice, in one message."""
    refund: Arguments = {
        "order_id": customer.order_id,
        "amount_cents": customer.amount_cents,
        "currency": "USD",
        "reason": "not_delivered",
    }
    parts: list[Part] = [
        {"type": "tool_call", "id": f"call_refund_{number}", "name": "refund.create", "arguments": refund}
        for number in range(1, customer.asked + 1)
    ]
    return (
        asks("call_lookup_1", "order.lookup", {"order_id": customer.order_id}),
        {"role": "assistant", "parts": parts, "finish_reason": "tool_call"},
        says(
            f"I have refunded {customer.price} for order {customer.order_id}, {customer.name.split()[0]}, and we have "
            f"written to {customer.email}."
        ),
    )


@dataclass(slots=True, kw_only=True)
class Refunds:
    """The order book and the refund service in memory: one refund a key, whatever the order has had already."""

    customer: Customer
    made: dict[JsonValue, JsonValue] = field(default_factory=dict)

    def call(self, tool: str, arguments: Arguments) -> JsonValue:
        """Serve ``order.lookup``, ``refund.find`` and ``refund.create``."""
        if tool == "order.lookup":
            return self._order()
        if tool == "refund.find":
            found = next(iter(self.made.values()), None)
            return {"order_id": arguments["order_id"], "payment_id": self.customer.payment_id, "refund": found}
        refund: JsonValue = {
            "refund_id": f"re_{self.customer.order_id[-4:]}{len(self.made) + 1:02d}Lm",
            "order_id": arguments["order_id"],
            "payment_id": arguments["payment_id"],
            "amount_cents": arguments["amount_cents"],
            "currency": arguments["currency"],
            "status": "completed",
        }
        return self.made.setdefault(arguments["idempotency_key"], refund)

    def _order(self) -> JsonValue:
        return {
            "order_id": self.customer.order_id,
            "status": "lost_in_transit",
            "items": [{"title": self.customer.item, "quantity": 1, "unit_cents": self.customer.amount_cents}],
            "customer": {"id": self.customer.id, "name": self.customer.name, "email": self.customer.email},
        }
