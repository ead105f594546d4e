"""What can be followed from one step to another: spelling does not matter, common values do not count."""

from __future__ import annotations

import pytest

from extractor import ruleset
from extractor.model.json import ExactNumber, JsonValue
from extractor.select._policy import policy
from extractor.select._values import values

POLICY = policy(ruleset.load())


@pytest.mark.parametrize(
    ("produced", "consumed"),
    [
        (1250.0, "a total of $1,250.00"),
        (ExactNumber("1250.00"), "1250"),
        (4599, "45.99 GBP"),
        ("#W2378156", "order W2378156, please"),
        ("ORD-7741", "refund-ORD-7741-1"),
        ("2026-03-09", "by March 9, 2026"),
        ("2026-03-09T10:00:00Z", "Mar 9th, 2026"),
        ("kim@example.com", "I wrote to Kim@Example.com."),
        ({"credit_card_9513926": {}}, {"payment": "credit_card_9513926"}),
        ("00712", "zip 00712"),
        ("Google Assistant", "google assistant"),
    ],
)
def test_a_value_is_known_again_in_another_spelling(produced: JsonValue, consumed: JsonValue) -> None:
    assert values(produced, POLICY).keys() & values(consumed, POLICY).keys()


@pytest.mark.parametrize("common", [0, 1, True, None, "ok", "yes", "gpt-4o", "12", "https", 42.0, ""])
def test_common_values_do_not_count(common: JsonValue) -> None:
    assert not values(common, POLICY)


@pytest.mark.parametrize(("one", "other"), [("1250", "12501"), ("ORD-7741", "ORD-77412"), (10.50, 10.05)])
def test_different_values_stay_different(one: JsonValue, other: JsonValue) -> None:
    assert not values(one, POLICY).keys() & values(other, POLICY).keys()


def test_places_are_positions_and_quote_nothing() -> None:
    found = values({"owner": "user_31", "lines": [{"sku": "SKU-9"}, {"sku": "SKU-1000"}]}, POLICY)
    assert found["user_31"] == "[0]"
    assert found["sku-1000"] == "[1][1][0]"


def test_of_a_long_leaf_beginning_and_end_are_looked_at() -> None:
    text = "ORD-1111 " + "x " * POLICY.max_leaf + " ORD-2222"
    assert {"ord-1111", "ord-2222"} <= values(text, POLICY).keys()
