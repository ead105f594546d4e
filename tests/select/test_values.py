"""What can be followed from one step to another: spelling does not matter, common values do not count."""

from __future__ import annotations

import pytest

from extractor import ruleset
from extractor.model.json import ExactNumber, JsonValue
from extractor.select._policy import policy
from extractor.select._values import consumed, produced

POLICY = policy(ruleset.load())


SAME: dict[str, list[tuple[JsonValue, JsonValue]]] = {
    "amounts": [
        (1250.0, "a total of $1,250.00"),
        (ExactNumber("1250.00"), "1250"),
        (1250, "1.250,00 €"),
        ("$1,250", "EUR 1.250,00"),
        (1250.5, "1\u202f250,50 €"),
        (1250.5, "CHF 1'250.50"),
        ("1 250,00 kr", 1250),
        (84.2, "84,20 EUR"),
        (2_500_000, "2.500.000 in all"),
        ("-$84.20", 84.2),
        ("(USD 1,250.00)", 1250),
    ],
    "minor units": [
        (4599, "45.99 GBP"),
        ({"amount_cents": 12950}, "$129.50"),
        ({"unit_amount": 12950}, 129.5),
        ("12950 cents", "it is 129.50"),
        ({"amountInMinorUnits": 12950}, 129.5),
    ],
    "percent": [
        ("15 %", 0.15),
        ("12.5%", "12.5 percent"),
        (12.5, "12,5 %"),
    ],
    "dates": [
        ("2026-03-09", "by March 9, 2026"),
        ("2026-03-09T10:00:00Z", "Mar 9th, 2026"),
        ("2026-03-09", "on the 9th of March 2026"),
        ("2026-03-09", "9 Mar. 2026"),
        ("2026-03-09", "09.03.2026"),
        ("2026-03-09", "03/09/2026"),
        ("2026-09-03", "03/09/2026"),
        ("2026-03-19", "3/19/2026"),
        ("2026-03-19", "19/3/2026"),
        ("2026/03/09", "2026-03-09"),
        ("2026-03-09", "on March 9"),
        ("2026-03-09", "am 9. März 2026"),
    ],
    "times": [
        ("2026-03-09T14:30:00Z", "at 2:30 PM"),
        ("14:30", "2.30 p.m."),
        ("00:05", "12:05 am"),
        ("14:30:00", "14:30"),
    ],
    "ids": [
        ("#W2378156", "order W2378156, please"),
        ("ORD-7741", "refund-ORD-7741-1"),
        ("ORD-7741", "ord_7741"),
        ("ORD7741", "Order ORD 7741?"),
        ("ORD-77410", "order 77410"),
        ("kim@example.com", "I wrote to Kim@Example.com."),
        ({"credit_card_9513926": {}}, {"payment": "credit_card_9513926"}),
        ("00712", "zip 00712"),
        ("A1B2-C3D4", "code a1b2c3d4"),
    ],
    "groupings": [
        ("+1 (555) 010-4477", "15550104477"),
        ("+1 555 010 4477", "555-010-4477"),
        ("4242 4242 4242 4242", "4242424242424242"),
        ("4242-4242-4242-4242", 4242424242424242),
        ("5105 1051 0510 4242", "the card ending in 4242"),
        ("5105105105104242", "•••• 4242"),
        ({"last_four": "4242"}, "5105105105104242"),
    ],
    "words": [
        ("Google Assistant", "google assistant"),
        ("Skarn rain jacket", "Your order holds the \u201cSkarn Rain Jacket\u201d."),
        ({"note": "Leave it at the back door"}, "The note says: 'leave it at the back door'."),
        ("label_created", "status LABEL_CREATED"),
    ],
}


@pytest.mark.parametrize(
    ("one", "other"), [pytest.param(*pair, id=kind) for kind, pairs in SAME.items() for pair in pairs]
)
def test_a_value_is_known_again_in_another_spelling(one: JsonValue, other: JsonValue) -> None:
    assert flows(one, other)


def flows(one: JsonValue, other: JsonValue) -> dict[str, str]:
    """Return the values that flow from one tree to the other."""
    return consumed(other, produced(one, POLICY), POLICY)


@pytest.mark.parametrize(
    "common",
    [
        *(
            0,
            1,
            True,
            None,
            "ok",
            "yes",
            "gpt-4o",
            "12",
            "https",
            42.0,
            "",
            200,
            "404",
            503,
            2026,
            "2025",
            "application/json",
        ),
        *("delivered", "credit card", "0.0", "00:00", "100%", "true"),
    ],
)
def test_common_values_do_not_count(common: JsonValue) -> None:
    assert not produced(common, POLICY)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1250", "12501"),
        ("ORD-7741", "ORD-77412"),
        (10.50, 10.05),
        (4599, 45.99),
        (129.5, 12950),
        ("2026-03-09", "2026-09-03"),
        ("03/19/2026", "19.04.2026"),
        ("2026-03-09", "March 10"),
        ("1.250,00 €", 1.25),
        ("14:30", "2:30 am"),
        ("15 %", 15),
        ("192.0.2.17", "192.0.21.7"),
        ("555-010-4477", "555-010-4478"),
        ("2026-03-09", "2025-03-09"),
    ],
)
def test_different_values_stay_different(one: JsonValue, other: JsonValue) -> None:
    assert not flows(one, other)


def test_places_are_positions_and_quote_nothing() -> None:
    found = produced({"owner": "user_31", "lines": [{"sku": "SKU-9"}, {"sku": "SKU-1000"}]}, POLICY)
    assert found["user_31"] == "[0]"
    assert found["sku-1000"] == "[1][1][0]"


def test_of_a_long_leaf_beginning_and_end_are_looked_at() -> None:
    text = "ORD-1111 " + "x " * POLICY.max_leaf + " ORD-2222"
    assert {"ord-1111", "ord-2222"} <= produced(text, POLICY).keys()


def test_values_grow_with_the_text_alone() -> None:
    """A bound on what one text yields, whatever it holds: nothing is combined with anything."""
    for unit in (
        "4242 ",
        "1.",
        "1,",
        "a-1 ",
        "12:30 ",
        "1/2/2026 ",
        "word ",
        "(1) ",
        "$1 ",
        "x4242",
        "2026-03-09 ",
        "5 %",
        "'a b c' ",
    ):
        text = (unit * 40_000)[: POLICY.max_leaf]
        assert len(produced(text, POLICY)) <= 3 * len(text) // len(unit) + 50
        assert consumed(text, {}, POLICY) == {}
