"""Who wanted what shipped, what the model said, and the shipping service in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from sample_traces.agents import Arguments, JsonValue, Message, Request, ToolConnectionReset, asks, says


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """A customer, the order in question and where it goes."""

    id: str
    name: str
    email: str
    phone: str
    street: str
    city: str
    conversation: str
    order_id: str
    sku: str


IDRIS = Customer(
    id="cust_20c4d81b",
    name="Idris Vandermolen",
    email="idris.vandermolen@example.org",
    phone="+1 541 555 0118",
    street="48 Larkspur Lane",
    city="Eugene, OR 97401",
    conversation="conv_c1f09a6e52",
    order_id="HP-551207",
    sku="HP-LAMP-09",
)
BYSTANDERS = (
    Customer(
        id="cust_8e02b7f5",
        name="Clementine Sato-Reyes",
        email="c.satoreyes@example.com",
        phone="+1 206 555 0161",
        street="1730 Juniper Terrace",
        city="Tacoma, WA 98402",
        conversation="conv_77b1d3e0a9",
        order_id="HP-551188",
        sku="HP-VISE-04",
    ),
    Customer(
        id="cust_d41a90c6",
        name="Bertrand Oyelaran",
        email="bertrand.oyelaran@example.net",
        phone="+1 303 555 0127",
        street="9 Gristmill Row",
        city="Boulder, CO 80302",
        conversation="conv_05e2f8ab41",
        order_id="HP-551231",
        sku="HP-SAW-22",
    ),
)
KEYS = ("shp-6f0e2c9a-41d7", "shp-b83d75e1-9c20")


def request(customer: Customer) -> Request:
    """Return the customer's one turn."""
    return Request(
        conversation=customer.conversation,
        subject=customer.id,
        tenant="harrow-pike",
        time_zone="America/Los_Angeles",
        text=(
            f"Hello, {customer.name} here. Order {customer.order_id} came with a cracked part. Please send one "
            f"replacement to {customer.street}, {customer.city}; the courier can call {customer.phone}."
        ),
    )


def replies(customer: Customer) -> tuple[Message, ...]:
    """Return what the model said."""
    return (
        asks("call_order_1", "order.lookup", {"order_id": customer.order_id}),
        asks("call_ship_1", "shipment.create", shipment(customer)),
        asks("call_list_1", "shipment.list", {"order_id": customer.order_id}),
        says(
            f"Your replacement for order {customer.order_id} is on its way to {customer.street}, "
            f"{customer.name.split()[0]}. We have sent the tracking link to {customer.email}."
        ),
    )


def shipment(customer: Customer) -> Arguments:
    """Return what the model asked to have shipped."""
    address: JsonValue = {"name": customer.name, "street": customer.street, "city": customer.city, "country": "US"}
    items: JsonValue = [{"sku": customer.sku, "quantity": 1}]
    return {"order_id": customer.order_id, "items": items, "address": address, "service_level": "ground"}


@dataclass(slots=True, kw_only=True)
class Desk:
    """The order book and the shipping service in memory: one parcel a key; it may take an order and lose the answer."""

    customer: Customer
    lost_answers: int
    shipments: dict[JsonValue, JsonValue] = field(default_factory=dict)

    def call(self, tool: str, arguments: Arguments) -> JsonValue:
        """Serve ``order.lookup``, ``shipment.create`` and ``shipment.list``."""
        if tool == "order.lookup":
            return self._order()
        if tool == "shipment.list":
            return {"order_id": arguments["order_id"], "shipments": list(self.shipments.values())}
        return self._create(arguments)

    def _create(self, arguments: Arguments) -> JsonValue:
        shipment: JsonValue = {
            "shipment_id": f"shp_{self.customer.order_id[-4:]}{len(self.shipments) + 1:02d}QX",
            "order_id": arguments["order_id"],
            "status": "label_created",
            "carrier": "Example Parcel",
            "tracking_url": f"https://track.example.com/p/{self.customer.order_id[-4:]}{len(self.shipments) + 1:02d}QX",
        }
        accepted = self.shipments.setdefault(arguments["idempotency_key"], shipment)
        if self.lost_answers:
            self.lost_answers -= 1
            raise ToolConnectionReset("connection to shipping reset after the request was sent")
        return accepted

    def _order(self) -> JsonValue:
        return {
            "order_id": self.customer.order_id,
            "status": "delivered",
            "customer": {
                "id": self.customer.id,
                "name": self.customer.name,
                "email": self.customer.email,
                "phone": self.customer.phone,
            },
            "items": [{"sku": self.customer.sku, "quantity": 1, "unit_cents": 5_900}],
        }
