"""Ids of systems that have their own: the same 16 or 32 hex digits for the same text, whoever asks."""

from __future__ import annotations

import hashlib

import pytest

from extractor.read.containers import ids
from extractor.read.containers.interface import RefusedError

HEX = "5b8efff798038103d269b633813fc60c"


@pytest.mark.parametrize(
    "text", [HEX, HEX.upper(), "0x" + HEX, "tr-" + HEX, "trace_" + HEX, "W47/95gDgQPSabYzgT/GDA=="]
)
def test_hex_in_any_dress_keeps_its_digits(text: str) -> None:
    assert ids.foreign_trace_id(text) == HEX


def test_uuids_lose_their_dashes() -> None:
    assert ids.foreign_trace_id("5b8efff7-9803-8103-d269-b633813fc60c") == HEX


def test_other_text_becomes_its_digest() -> None:
    assert ids.foreign_trace_id("order-run/7") == hashlib.sha256(b"order-run/7").hexdigest()[:32]
    assert ids.foreign_span_id("order-run/7") == hashlib.sha256(b"order-run/7").hexdigest()[:16]


@pytest.mark.parametrize("text", ["12345678901234567890", "507f1f77bcf86cd799439011", "12345678"])
def test_short_hex_and_decimals_are_found_by_their_digits(text: str) -> None:
    found = ids.foreign_trace_id(text)
    assert found.startswith(text)
    assert found[len(text) :] == hashlib.sha256(text.encode()).hexdigest()[: 32 - len(text)]


def test_texts_that_base64_would_read_alike_stay_apart() -> None:
    names = [f"tool-call-{letter}" for letter in "abcdefgh"] + [f"span_{number:06d}" for number in range(100)]
    assert len({ids.foreign_span_id(name) for name in names}) == len(names)


def test_a_prefix_is_stripped_only_before_an_id() -> None:
    assert ids.foreign_span_id("span_00f067aa0ba902b7") == "00f067aa0ba902b7"
    assert (
        ids.foreign_span_id("span_3a5daa6e1d1d42568f8cffe9")
        == hashlib.sha256(b"span_3a5daa6e1d1d42568f8cffe9").hexdigest()[:16]
    )


@pytest.mark.parametrize(("value", "digits"), [("450048114320485876", "063ee1f6b7ac01f4"), (7, "0000000000000007")])
def test_decimal_span_ids_are_numbers(value: str | int, digits: str) -> None:
    assert int(ids.decimal_span_id(value), 16) == int(value)
    assert len(ids.decimal_span_id(value)) == len(digits)


@pytest.mark.parametrize("value", [None, "", "0" * 32, 7, ["x"]])
def test_what_is_no_id_is_refused(value: object) -> None:
    with pytest.raises(RefusedError):
        ids.foreign_trace_id(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, "", "0" * 16])
def test_no_parent_is_a_root(value: str | None) -> None:
    assert ids.foreign_parent_id(value) is None
