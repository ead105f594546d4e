"""Who asked for which refund, what the model said, and the payment service in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from sample_traces.agents import Arguments, JsonValue, Message, Request, ToolTimeout, asks, says, user


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """A customer and the order in question."""

    id: str
    name: str
    email: str
    conversation: str
    order_id: str
    item: str
    amount_cents: int
    last_four: str

    @property
    def price(self) -> str:
        """The amount as the model writes it."""
        return f"${self.amount_cents / 100:,.2f}"


MAREN = Customer(
    id="cust_7f31c09a",
    name="Maren Oduya",
    email="maren.oduya@example.com",
    conversation="conv_5b0e77d1c4",
    order_id="FH-204816",
    item="Skarn rain jacket, size M",
    amount_cents=12_950,
    last_four="4242",
)
BYSTANDERS = (
    Customer(
        id="cust_1c88e4b2",
        name="Anselm Whitcombe",
        email="a.whitcombe@example.org",
        conversation="conv_91aa02f7e3",
        order_id="FH-204655",
        item="Tarn wool socks, 3 pairs",
        amount_cents=3_600,
        last_four="1881",
    ),
    Customer(
        id="cust_c05d9e71",
        name="Yusra Belmonte",
        email="yusra.belmonte@example.net",
        conversation="conv_37d4c6b81f",
        order_id="FH-204790",
        item="Corrie day pack, 22 l",
        amount_cents=8_425,
        last_four="0005",
    ),
)


def request(customer: Customer) -> Request:
    """Return the turn in which the customer names the order; an earlier turn precedes it."""
    first = customer.name.split()[0]
    return Request(
        conversation=customer.conversation,
        subject=customer.id,
        tenant="fernhill",
        time_zone="America/New_York",
        history=(
            user(f"Hi, this is {customer.name}. Something I ordered arrived torn and I would like my money back."),
            {
                "role": "assistant",
                "parts": [{"type": "text", "content": f"I am sorry about that, {first}. Which order is it?"}],
            },
        ),
        text=(
            f"It is {customer.order_id}. Please refund it to the card ending in {customer.last_four} and write to "
            f"{customer.email} when it is done."
        ),
    )


def replies(customer: Customer) -> tuple[Message, ...]:
    """Return what the model said, whatever the tools had answered: that was the incident."""
    refund: Arguments = {
        "order_id": customer.order_id,
        "amount_cents": customer.amount_cents,
        "currency": "USD",
        "reason": "damaged",
    }
    return (
        asks("call_lookup_1", "order.lookup", {"order_id": customer.order_id}),
        asks("call_refund_1", "refund.create", refund),
        says(
            f"Your refund of {customer.price} for order {customer.order_id} has been completed, "
            f"{customer.name.split()[0]}. The money is on its way to the card ending in {customer.last_four}, and we "
            f"have written to {customer.email}."
        ),
    )


def order(customer: Customer) -> JsonValue:
    """Return what the shop holds of the order."""
    return {
        "order_id": customer.order_id,
        "status": "delivered",
        "delivered_on": "2026-07-09",
        "items": [{"title": customer.item, "quantity": 1, "unit_cents": customer.amount_cents}],
        "customer": {"id": customer.id, "name": customer.name, "email": customer.email},
        "payment": {"brand": "visa", "last_four": customer.last_four},
    }


@dataclass(slots=True, kw_only=True)
class Payments:
    """The shop and its payment service in memory: each key pays out once, ``silent`` ones never answer."""

    customer: Customer
    silent: bool
    refunds: dict[JsonValue, JsonValue] = field(default_factory=dict)

    def call(self, tool: str, arguments: Arguments) -> JsonValue:
        """Serve ``order.lookup`` and ``refund.create``."""
        if tool == "order.lookup":
            return order(self.customer)
        refund = self.accept(arguments)
        if self.silent:
            raise ToolTimeout("no answer from payments within 2000 ms")
        return refund

    def accept(self, arguments: Arguments) -> JsonValue:
        """Pay out, once a key; return the refund."""
        refund: JsonValue = {
            "refund_id": f"re_{self.customer.order_id[-4:]}7Kq2",
            "order_id": arguments["order_id"],
            "amount_cents": arguments["amount_cents"],
            "currency": arguments["currency"],
            "status": "completed",
        }
        return self.refunds.setdefault(arguments["idempotency_key"], refund)
