"""What the tools of three invented services take and return: customers, bookings, orders, lines, and changes to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bulk_words import Words

from extractor.model.json import JsonValue

Object = dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One use of a tool: what it is given, what it returns; ``refusal`` is what it says when it fails."""

    tool: str
    arguments: Object
    result: JsonValue
    refusal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The tools of a service: who asks, what the customer has, what there is to choose from, what can be changed."""

    profile: Callable[[Words], Use]
    record: Callable[[Words], Use]
    search: Callable[[Words], Use]
    changes: Sequence[Callable[[Words], Use]]
    record_form: str


_SLOTS = {
    "id": "payment",
    "item_id": "item",
    "product_id": "product",
    "plan_id": "plan",
    "price": "amount",
    "amount": "amount",
    "total": "amount",
    "balance": "amount",
    "confirmation": "ref",
    "invoice_id": "ref",
    "flight_number": "flight",
    "origin": "airport",
    "date": "date",
    "last_four": "card_last",
}
_MOST_TOLD = 30


def note(words: Words, result: JsonValue) -> None:
    """Note what a tool returned as what people may speak of from now on, the latest last."""
    stack = [result]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(value)
        elif isinstance(value, dict):
            stack.extend(value.values())
            for key, member in value.items():
                if (slot := _SLOTS.get(key)) is not None:
                    text = f"${member:,.2f}" if isinstance(member, int | float) else str(member)
                    words.told[slot] = [*words.told.get(slot, []), text][-_MOST_TOLD:]


def customer(words: Words) -> None:
    """Make up who writes, and note it among the facts."""
    first, last = words.choice("first"), words.choice("last")
    handle = f"{first}.{last}".lower().replace("ö", "o")
    address = words.address()
    host = words.draw.choice(("example.com", "mail.example.org", "post.example.net"))
    words.facts |= {
        "first": first,
        "full": f"{first} {last}",
        "user_id": f"{handle.replace('.', '_')}_{words.code('####')}",
        "email": f"{handle}{words.draw.randint(1, 99)}@{host}",
        "phone": words.phone(),
        "birth": words.say("birth"),
        "address": f"{address['line1']}, {address['line2']}, {address['city']} {address['postcode']}",
        "company": words.coined(),
    }
    form = TOOLS[words.service].record_form
    words.told["records"] = [words.code(form) for _ in range(words.draw.randint(2, 6))]


def think(words: Words) -> Use:
    """Return a use of the tool that writes down a thought."""
    return Use(tool="think", arguments={"thought": words.say("thought")}, result="", refusal="nothing was noted")


def reckon(words: Words) -> Use:
    """Return a use of the calculator."""
    terms = [words.draw.randint(100, 90_000) for _ in range(words.draw.randint(2, 5))]
    return Use(
        tool="calculate",
        arguments={"expression": " + ".join(f"{term / 100:.2f}" for term in terms)},
        result=f"{sum(terms) / 100:.2f}",
        refusal="invalid characters in expression",
    )


def hand_over(words: Words) -> Use:
    """Return a use of the tool that calls a person."""
    return Use(
        tool="hand_over",
        arguments={"summary": words.say("handover")},
        result={"queue": words.coined(), "ticket": words.say("ref")},
        refusal="no person is on duty",
    )


def _profile(tool: str, key: str, more: Callable[[Words], Object]) -> Callable[[Words], Use]:
    def use(words: Words) -> Use:
        first, _, last = words.facts["full"].partition(" ")
        line1, line2, rest = words.facts["address"].split(", ")
        result: Object = {
            key: words.facts["user_id"],
            "name": {"first_name": first, "last_name": last},
            "email": words.facts["email"],
            "phone": words.facts["phone"],
            "date_of_birth": words.facts["birth"],
            "address": {"line1": line1, "line2": line2, "city": rest[:-6], "postcode": rest[-5:]},
            "payment_methods": [_method(words) for _ in range(words.draw.randint(1, 4))],
            "tier": words.choice("tier"),
            "remarks": [words.say("note") for _ in range(words.draw.randint(0, 2))],
        }
        return Use(
            tool=tool,
            arguments={key: words.facts["user_id"]} if words.draw.random() < 0.5 else {"email": words.facts["email"]},
            result=result | more(words),
            refusal=f"{key.removesuffix('_id')} not found",
        )

    return use


def _method(words: Words) -> JsonValue:
    kind = words.choice("card_kind").replace(" ", "_")
    if kind == "gift_card":
        return {"id": f"{kind}_{words.code('#######')}", "source": kind, "balance": _money(words, 20_000)}
    return {
        "id": f"{kind}_{words.code('#######')}",
        "source": kind,
        "brand": words.coined(),
        "last_four": words.code("####"),
    }


def _money(words: Words, most: int = 140_000) -> float:
    return words.draw.randint(500, most) / 100


def _leg(words: Words) -> Object:
    start, end = sorted(words.draw.sample(range(6 * 60, 23 * 60), 2))
    return {
        "flight_number": words.say("flight"),
        "origin": words.again("airport", "@@@"),
        "destination": words.choice("airport"),
        "date": words.date(),
        "departure": f"{start // 60:02d}:{start % 60:02d}:00",
        "arrival": f"{end // 60:02d}:{end % 60:02d}:00",
        "status": words.draw.choice(("available", "full", "delayed")),
        "fares": {
            tier.lower(): {"seats": words.draw.randrange(30), "price": words.draw.randint(60, 900)}
            for tier in ("Basic", "Plus", "First")
        },
    }


def _booking(words: Words) -> Use:
    legs = words.draw.randint(1, 4)
    return Use(
        tool="fetch_booking",
        arguments={"booking_id": words.facts["record"]},
        result={
            "booking_id": words.facts["record"],
            "traveller_id": words.facts["user_id"],
            "legs": [
                {name: leg[name] for name in ("flight_number", "origin", "destination", "date")}
                | {"price": words.draw.randint(60, 900)}
                for leg in (_leg(words) for _ in range(legs))
            ],
            "travellers": [{"name": words.facts["full"], "date_of_birth": words.facts["birth"]}, *_others(words, 4)],
            "payments": [{"payment_id": words.again("payment", "credit_card_#######"), "amount": _money(words)}],
            "created_at": f"{words.date()}T{words.draw.randint(10, 22)}:{words.code('0#:0#')}",
            "bags": words.draw.randrange(5),
            "insurance": words.draw.choice(("yes", "no")),
            "remark": words.say("note"),
        },
        refusal="booking not found",
    )


def _others(words: Words, most: int) -> list[JsonValue]:
    return [{"name": words.person(), "date_of_birth": words.say("birth")} for _ in range(words.draw.randint(0, most))]


def _flights(words: Words) -> Use:
    legs = [_leg(words) for _ in range(words.draw.randint(3, 11))]
    asked = {name: legs[0][name] for name in ("origin", "destination", "date")}
    return Use(
        tool="find_flights",
        arguments={**asked},
        result=[*({**leg, **asked} for leg in legs)],
        refusal="no flight on that date",
    )


def _order(words: Words) -> Use:
    items: list[JsonValue] = [_item(words) for _ in range(words.draw.randint(2, 8))]
    return Use(
        tool="get_order",
        arguments={"order_id": words.facts["record"]},
        result={
            "order_id": words.facts["record"],
            "customer_id": words.facts["user_id"],
            "ship_to": {"name": words.facts["full"], **words.address()},
            "items": items,
            "status": words.draw.choice(("pending", "processed", "delivered", "cancelled")),
            "fulfilments": [
                {
                    "tracking_id": words.code("############"),
                    "carrier": words.coined(),
                    "item_ids": [words.again("item", "##########")],
                }
            ],
            "payment_history": [
                {"kind": "payment", "amount": _money(words), "method_id": words.again("payment", "credit_card_#######")}
            ],
            "note": words.say("note"),
        },
        refusal="order not found",
    )


def _item(words: Words) -> Object:
    return {
        "name": words.say("article"),
        "item_id": words.code("##########"),
        "product_id": words.code("##########"),
        "price": _money(words, 60_000),
        "options": {
            "colour": words.choice("colour"),
            "size": words.draw.choice(("S", "M", "L", "XL")),
            "maker": words.coined(),
        },
    }


def _articles(words: Words) -> Use:
    product = words.again("product", "##########")
    variants: list[JsonValue] = [
        {**_item(words), "available": words.draw.random() < 0.7} for _ in range(words.draw.randint(4, 14))
    ]
    return Use(
        tool="get_product",
        arguments={"product_id": product},
        result={"product_id": product, "name": words.say("article"), "variants": variants},
        refusal="product not found",
    )


def _line(words: Words) -> Use:
    invoices: list[JsonValue] = [
        {
            "invoice_id": words.say("ref"),
            "issued": words.date(),
            "total": _money(words, 30_000),
            "roaming": _money(words, 9_000),
            "paid": words.draw.random() < 0.8,
        }
        for _ in range(words.draw.randint(3, 9))
    ]
    return Use(
        tool="get_line",
        arguments={"line_id": words.facts["record"]},
        result={
            "line_id": words.facts["record"],
            "account_id": words.facts["user_id"],
            "number": words.phone(),
            "plan": {
                "name": f"{words.choice('tier')} {words.draw.randint(2, 90)}",
                "price": _money(words, 9_000),
                "gigabytes": words.draw.randint(1, 99),
            },
            "device": {
                "name": words.say("device"),
                "imei": f"35{words.code('#############')}",
                "months_left": words.draw.randrange(36),
            },
            "installed_at": {**words.address()},
            "invoices": invoices,
            "note": words.say("note"),
        },
        refusal="line not found",
    )


def _plans(words: Words) -> Use:
    plans: list[JsonValue] = [
        {
            "plan_id": words.say("ref"),
            "name": f"{words.choice('tier')} {words.draw.randint(2, 90)} {words.choice('bundle')}",
            "price": _money(words, 9_000),
            "gigabytes": words.draw.randint(1, 99),
            "roaming": words.draw.choice(("zone A", "zone B", "none")),
            "device": words.say("device"),
        }
        for _ in range(words.draw.randint(5, 16))
    ]
    return Use(
        tool="list_plans", arguments={"account_id": words.facts["user_id"]}, result=plans, refusal="no plan on offer"
    )


def _change(tool: str, key: str, more: Callable[[Words], Object], refusal: str) -> Callable[[Words], Use]:
    def use(words: Words) -> Use:
        asked = {key: words.facts["record"], **more(words)}
        result: Object = {
            **asked,
            "status": "done",
            "confirmation": words.say("ref"),
            "changed_at": f"{words.date()}T{words.draw.randint(10, 22)}:{words.code('0#:0#')}",
        }
        return Use(tool=tool, arguments=asked, result=result, refusal=refusal)

    return use


def _legs(words: Words) -> Object:
    flights: list[JsonValue] = [
        {"flight_number": words.say("flight"), "date": words.date()} for _ in range(words.draw.randint(1, 3))
    ]
    return {"flights": flights, "payment_id": words.again("payment", "credit_card_#######")}


def _swap(words: Words) -> Object:
    return {
        "item_ids": [words.again("item", "##########")],
        "new_item_ids": [words.again("item", "##########")],
        "payment_method_id": words.again("payment", "credit_card_#######"),
    }


def _reason(words: Words) -> Object:
    return {"reason": words.say("reason")}


def _visit(words: Words) -> Object:
    return {
        "technician": words.person(),
        "date": words.date(),
        "contact": words.facts["phone"],
        "note": words.say("note"),
    }


TOOLS: Mapping[str, Service] = {
    "airline": Service(
        profile=_profile("fetch_traveller", "traveller_id", lambda words: {"bookings": [*words.told["records"]], "saved_travellers": _others(words, 3)}),
        record=_booking,
        search=_flights,
        changes=(
            _change("rebook_flights", "booking_id", _legs, "not enough seats on the flight"),
            _change("cancel_booking", "booking_id", _reason, "a flown leg cannot be cancelled"),
            _change("issue_voucher", "booking_id", lambda words: {"amount": _money(words, 30_000), **_reason(words)}, "voucher limit reached"),
            _change("update_bags", "booking_id", lambda words: {"bags": words.draw.randint(1, 5)}, "bags are closed for this flight"),
        ),
        record_form="******",
    ),
    "retail": Service(
        profile=_profile("get_customer", "customer_id", lambda words: {"orders": [*words.told["records"]]}),
        record=_order,
        search=_articles,
        changes=(
            _change("exchange_items", "order_id", _swap, "only delivered orders can be exchanged"),
            _change("return_items", "order_id", lambda words: {"item_ids": [words.again("item", "##########")], **_reason(words)}, "the return window is over"),
            _change("cancel_order", "order_id", _reason, "only pending orders can be cancelled"),
            _change("update_address", "order_id", lambda words: {**words.address()}, "the parcel has left the depot"),
            _change("refund_payment", "order_id", lambda words: {"amount": _money(words, 30_000)}, "the refund is above the payment"),
        ),
        record_form="W#######",
    ),
    "telecom": Service(
        profile=_profile("get_account", "account_id", lambda words: {"lines": [{"line_id": line, "number": words.phone()} for line in words.told["records"]]}),
        record=_line,
        search=_plans,
        changes=(
            _change("change_plan", "line_id", lambda words: {"plan_id": words.again("plan", "@@-#####"), "from": words.date()}, "the plan is closed to new lines"),
            _change("credit_account", "line_id", lambda words: {"amount": _money(words, 9_000), **_reason(words)}, "credit limit reached"),
            _change("book_technician", "line_id", _visit, "no technician is free on that date"),
            _change("order_sim", "line_id", lambda words: {"recipient": words.person(), **words.address()}, "a SIM is already on its way"),
        ),
        record_form="LN-######",
    ),
}  # fmt: skip
