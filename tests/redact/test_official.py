from __future__ import annotations

import pytest

from extractor.redact import official
from extractor.redact.draw import Stream


def drawn(text, number=0):
    return official.stand_in(text, Stream(b"k" * 32, text, str(number)))


@pytest.mark.parametrize(
    "text",
    [
        "RCCMNL83S18D969H", "390.533.447-05", "16.727.230/0001-97", "54362315K", "2341 2341 2346", "12.531.909-2", "DE136695976",
        "880320-0016", "AB 12 34 56 C", "44051401359", "943 476 5919", "046 454 286",
    ],
)  # fmt: skip
def test_a_stand_in_keeps_the_scheme_of_its_original(text):
    for number in range(5):
        made = drawn(text, number)
        assert made != text
        assert len(made) == len(text)
        assert official.is_telling(made) == official.is_telling(text)


def test_a_vehicle_keeps_its_check_digit():
    assert official.is_vin("1M8GDM9AXKP042788")
    assert not official.is_vin("1M8GDM9A0KP042788")
    assert not official.is_vin("11111111111111111")
    assert official.is_vin(drawn("1M8GDM9AXKP042788"))


def test_a_number_of_no_scheme_keeps_its_shape():
    assert drawn("X-1234").startswith(drawn("X-1234")[0] + "-")
    assert not official.is_telling("X-1234")
