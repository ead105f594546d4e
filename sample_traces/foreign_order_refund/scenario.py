"""Who asked, whose order it was, what the model said, and the order desk in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from sample_traces.agents import Arguments, JsonValue, Message, Request, asks, says, user


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """A customer with a published test card."""

    id: str
    name: str
    email: str
    phone: str
    address: str
    brand: str
    card: str
    conversation: str

    @property
    def last_four(self) -> str:
        """The end of the card number."""
        return self.card[-4:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order and who owns it."""

    id: str
    owner: Customer
    amount_cents: int


PRIYA = Customer(
    id="cust_81d2f6a0",
    name="Priya Castellanos",
    email="priya.castellanos@example.com",
    phone="+1 503 555 0126",
    address="12 Thimble Street, Portland, OR 97209",
    brand="mastercard",
    card="5555555555554444",
    conversation="conv_4fa81c07d9",
)
WENDELL = Customer(
    id="cust_3e7b905c",
    name="Wendell Abara",
    email="wendell.abara@example.org",
    phone="+1 503 555 0187",
    address="221 Alder Court, Apt 5, Portland, OR 97205",
    brand="visa",
    card="4111111111111111",
    conversation="conv_d0c3b6e815",
)
FOREIGN = Order(id="BF-993174", owner=WENDELL, amount_cents=8_420)
BYSTANDERS = (
    Customer(
        id="cust_a6f41e28",
        name="Rosalind Achterberg",
        email="rosalind.achterberg@example.net",
        phone="+1 415 555 0133",
        address="77 Pepperwood Drive, Oakland, CA 94610",
        brand="discover",
        card="6011111111111117",
        conversation="conv_68e9a24fb0",
    ),
    Customer(
        id="cust_5b08d3c9",
        name="Emeka Lindqvist",
        email="emeka.lindqvist@example.com",
        phone="+1 360 555 0150",
        address="5 Cooper's Wharf, Bellingham, WA 98225",
        brand="amex",
        card="378282246310005",
        conversation="conv_13f7c05eda",
    ),
)


def receipt(order: Order) -> str:
    """Return where the order's receipt stands."""
    return f"https://shop.example.com/orders/{order.id}/receipt"


def request(customer: Customer, order: Order) -> Request:
    """Return the turn in which the customer wants the order refunded; an earlier turn precedes it."""
    spaced = " ".join(customer.card[place : place + 4] for place in range(0, len(customer.card), 4))
    return Request(
        conversation=customer.conversation,
        subject=customer.id,
        tenant="bramble-fern",
        time_zone="America/Los_Angeles",
        history=(
            user(f"Hello, this is {customer.name} ({customer.email}). I need a refund."),
            {
                "role": "assistant",
                "parts": [{"type": "text", "content": "Of course. Please send me the order or its receipt."}],
            },
        ),
        text=(
            f"The receipt is at {receipt(order)}. Please put it on my card {spaced}, the one ending in "
            f"{customer.last_four}, and confirm to {customer.email}."
        ),
    )


def replies(customer: Customer, order: Order) -> tuple[Message, ...]:
    """Return what the model said."""
    refund: Arguments = {
        "order_id": order.id,
        "amount_cents": order.amount_cents,
        "currency": "USD",
        "destination": {"brand": customer.brand, "last_four": customer.last_four},
        "requested_by": customer.id,
    }
    return (
        asks("call_customer_1", "customer.get", {"customer_id": customer.id}),
        asks("call_order_1", "order.get", {"order_id": order.id}),
        asks("call_refund_1", "refund.create", refund),
        says(
            f"Done, {customer.name.split()[0]}: ${order.amount_cents / 100:,.2f} for order {order.id} will reach your "
            f"card ending in {customer.last_four}. A confirmation went to {customer.email}."
        ),
    )


@dataclass(slots=True, kw_only=True)
class OrderDesk:
    """Customers, orders and refunds in memory."""

    customer: Customer
    order: Order
    refunds: list[Arguments] = field(default_factory=list)

    def call(self, tool: str, arguments: Arguments) -> JsonValue:
        """Serve ``customer.get``, ``order.get`` and ``refund.create``."""
        if tool == "customer.get":
            return _profile(self.customer)
        if tool == "order.get":
            return self._order()
        self.refunds.append(arguments)
        return {
            "refund_id": f"re_{self.order.id[-4:]}4Tz8",
            "order_id": arguments["order_id"],
            "amount_cents": arguments["amount_cents"],
            "status": "completed",
        }

    def _order(self) -> JsonValue:
        owner = self.order.owner
        return {
            "order_id": self.order.id,
            "receipt_url": receipt(self.order),
            "status": "delivered",
            "delivered_on": "2026-09-08",
            "total_cents": self.order.amount_cents,
            "customer": {"id": owner.id, "name": owner.name, "email": owner.email, "phone": owner.phone},
            "ship_to": owner.address,
            "payment": {"brand": owner.brand, "card_number": owner.card, "last_four": owner.last_four},
            "note": f"Paid by {owner.name} with the {owner.brand} ending in {owner.last_four}.",
        }


def _profile(customer: Customer) -> JsonValue:
    card: JsonValue = {"brand": customer.brand, "card_number": customer.card, "last_four": customer.last_four}
    return {
        "id": customer.id,
        "name": customer.name,
        "email": customer.email,
        "phone": customer.phone,
        "address": customer.address,
        "cards": [card],
    }
