"""Postal addresses in blocks and numbered streets."""

from __future__ import annotations

import pytest

from extractor.redact.blocks import find


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in find(text)]


@pytest.mark.parametrize(
    "address",
    [
        "Pajerova 979\n119 79 Jilemnice",
        "Karl-August-Kroker-Platz 20-36\n44159 Koblenz",
        "5152 Evans Drives Apt. 388\nNew Marychester, NY 05607",
        "108 Jasmine Tunnel\nHughesmouth\nE8 3XL",
        "12 rue des Tilleuls, 75011 Paris",
        "Berntsentjernet 7, 0934 Holm",
        "2223 Albert Mount",
        "7812 Moore Shoal",
    ],
)
def test_an_address_is_found_whole(address):
    text = f"Please send it to {address}. Thank you, we wait."
    assert any(address in one for one in found(text))


@pytest.mark.parametrize(
    "text",
    [
        "We met on Tuesday, 12 May 2024 in the shop.",
        "Order 4471 holds 2 Red Lamps and 3 Blue Chairs.",
        "The code 12345 is wrong.",
        "Flights on May 7, 2024 Monday and May 8.",
        "",
    ],
)
def test_dates_and_orders_are_no_addresses(text):
    assert found(text) == []


def test_a_name_above_the_street_does_not_stop_it():
    text = "Ottoline Hartlieb\n12 Old Mill Road\nDenver, CO 80014\n\nDear all"
    assert any(one.endswith("CO 80014") and "12 Old Mill Road" in one for one in found(text))
