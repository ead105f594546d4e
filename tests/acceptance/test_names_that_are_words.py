"""Customers whose names are words, months, ways to pay, cities or models: the person goes, the words stay."""

from __future__ import annotations

import json
from typing import Any

import pytest

from extractor import pipeline
from extractor.model.config import Override, RunConfig, Wanted
from extractor.model.json import JsonValue, leaves
from extractor.model.layout import FIXTURE
from extractor.read import read

from .planting import TRACE, Planted, node, string
from .samples import KEY, OCCASION, RULES


class Told:
    """The case of one conversation: its texts, and the customer's record as it came out."""

    def __init__(self, file: bytes) -> None:
        self.document: dict[str, Any] = json.loads(file)
        self.texts = [value for _, value in leaves(self.document) if isinstance(value, str)]
        self.record: dict[str, JsonValue] = self._event("customer.get")["outcome"]["value"]
        self.order: dict[str, JsonValue] = self._event("order.place")["outcome"]["value"]

    def _event(self, tool: str) -> dict[str, Any]:
        return next(event for event in self.document["tool_events"] if event["tool"] == tool)

    def says(self, part: str) -> bool:
        return any(part in text for text in self.texts)


@pytest.fixture
def told(tmp_path):
    """Extract a conversation about a customer's record and the order that was placed."""

    def of(record: dict[str, Any], order: dict[str, Any], said: list[tuple[str, str]], model: str = "large-1") -> Told:
        trace = Planted()
        messages = [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in said]
        for number, (tool, result) in enumerate({"customer.get": record, "order.place": order}.items(), 5):
            span = node(number, f"execute_tool {tool}", number - 3, number - 2, parent=1)
            span["attributes"] = [
                string("gen_ai.operation.name", "execute_tool"),
                string("gen_ai.tool.name", tool),
                string("gen_ai.tool.call.arguments", "{}"),
                string("gen_ai.tool.call.result", json.dumps(result)),
            ]
            trace.more.append(span)
        for span in (trace.chat, trace.final):
            trace.put(span, "gen_ai.request.model", model)
            trace.put(span, "gen_ai.input.messages", json.dumps(messages))
        export = tmp_path / "export.jsonl"
        export.write_bytes(trace.lines())
        config = RunConfig(wanted=Wanted(trace_ids=(TRACE,)), override=Override(keep=("all",)))
        extraction = pipeline.extract(read([str(export)], config.wanted), config, RULES, KEY, OCCASION)
        return Told(extraction.fixture.files[FIXTURE])

    return of


RECORD = {
    "customer_id": "cust_71830",
    "first_name": "April",
    "last_name": "Cash",
    "email": "april.cash@quarry.example.net",
    "address": {"address1": "12 Grant Street", "city": "Charlotte", "country": "USA"},
    "created": "April 3, 2026",
}
ORDER = {
    "order_id": "ORD-55218",
    "payment_method": "cash",
    "status": "will ship",
    "month": "April",
    "ship_to": "Charlotte",
}
SAID = [
    ("user", "Hi, I'm April Cash. I want to pay cash, and I will pay in April or May."),
    ("assistant", "Thank you, April. A cash payment will do; April 3 is fine. The parcel goes to Charlotte."),
    ("user", "Great. Ms. Cash is what people call me, and yes, I may grant you a visa payment instead."),
]


def test_a_customer_called_by_a_month_and_by_a_way_to_pay_loses_the_name_and_nothing_else(told):
    case = told(RECORD, ORDER, SAID)
    assert {"April Cash", "april.cash", "I'm April", "you, April", "Ms. Cash"} == {
        part for part in ("April Cash", "april.cash", "I'm April", "you, April", "Ms. Cash") if not case.says(part)
    }
    assert case.order == ORDER | {"order_id": case.order["order_id"]}
    for kept in ("pay cash", "in April or May", "A cash payment will do", "April 3 is fine", "I may grant you a visa"):
        assert case.says(kept), kept


def test_a_city_that_is_also_a_first_name_stays_where_it_is_a_city(told):
    case = told(RECORD, ORDER, SAID)
    address = case.record["address"]
    assert isinstance(address, dict)
    assert (address["city"], case.order["ship_to"]) == ("Charlotte", "Charlotte")
    assert case.says("goes to Charlotte")
    assert not case.says("12 Grant Street")


def test_the_parts_of_a_name_that_is_words_still_belong_together(told):
    case = told(RECORD, ORDER, SAID)
    first, last = str(case.record["first_name"]), str(case.record["last_name"])
    assert case.says(f"I'm {first} {last}.")
    assert case.says(f"Thank you, {first}.")
    assert case.says(f"Ms. {last} is")
    assert str(case.record["email"]).partition("@")[0] == f"{first}.{last}".lower()


@pytest.mark.parametrize("spelled", ["Claude", "claude"])
def test_a_customer_called_as_the_model_loses_the_name_and_the_model_keeps_its_own(told, spelled):
    record = {
        "customer_id": "cust_71831",
        "first_name": spelled,
        "last_name": "Wexcombe",
        "email": "claude.wexcombe@quarry.example.net",
    }
    said = [
        ("system", "The desk runs on claude-opus-4-1; answer as the shop."),
        ("user", "This is Claude Wexcombe, my parcel is late."),
        ("assistant", "Sorry to hear that, Claude. The parcel goes out today."),
    ]
    case = told(record, ORDER, said, model="claude-opus-4-1")
    assert not case.says("Claude")
    assert not case.says("Wexcombe")
    assert not case.says("claude.")
    assert case.document["model"]["name"] == "claude-opus-4-1"
    assert {event["model"] for event in case.document["model_events"]} == {"claude-opus-4-1"}
    assert case.says("runs on claude-opus-4-1;")
    assert case.says(f"Sorry to hear that, {str(case.record['first_name']).capitalize()}.")


def test_two_words_that_make_a_name_stay_where_a_sentence_says_them(told):
    record = {"customer_id": "cust_71832", "name": "Will Grant", "email": "will.grant@quarry.example.net"}
    said = [
        ("user", "Hi, Will Grant here. When will the grant come? They told me the grant will come in May."),
        ("assistant", "We will grant it on Monday, Mr. Grant."),
        ("user", "my name is will grant, as I said"),
    ]
    case = told(record, ORDER, said)
    for kept in ("When will the grant come?", "told me the grant will come in May.", "We will grant it"):
        assert case.says(kept), kept
    for gone in ("Will Grant", "Mr. Grant", "is will grant", "will.grant"):
        assert not case.says(gone), gone
