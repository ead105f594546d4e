from __future__ import annotations

import ipaddress
import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import iban, luhn

from extractor.redact import forms
from extractor.redact.draw import Stream

KEY = bytes(range(32))


def stream(text="x"):
    return Stream(KEY, text)


@pytest.mark.parametrize("text", ["4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005", "2223003122003222"])
def test_cards_are_valid_test_cards_in_the_same_spelling(text):
    made = forms.number("card", text, stream(text), "")
    digits = re.sub(r"\D", "", made)
    assert luhn.is_valid(digits)
    assert digits[0] == text[0]
    assert re.sub(r"\d", "0", made) == re.sub(r"\d", "0", text)
    assert forms.number("card", text, stream(text), "9120").endswith("9120")
    assert luhn.is_valid(re.sub(r"\D", "", forms.number("card", text, stream(text), "9120")))


@pytest.mark.parametrize(
    "text", ["GB33BUKB20201555555555", "DE75 5121 0800 1245 1261 99", "FR1420041010050500013M02606"]
)
def test_ibans_keep_country_and_check_digits(text):
    made = forms.number("iban", text, stream(text), "")
    assert iban.calc_check_digits(re.sub(r"\W", "", made)) == re.sub(r"\W", "", made)[2:4]
    assert made[:2] == text[:2]
    assert made != text
    assert [char == " " for char in made] == [char == " " for char in text]


@pytest.mark.parametrize("text", ["+1 215 867 5309", "(215) 867-5309", "2158675309"])
def test_phones_of_north_america_become_fiction(text):
    made = forms.number("phone", text, stream(text), "")
    assert re.fullmatch(r"1?\d{3}55501\d\d", re.sub(r"\D", "", made))
    assert re.sub(r"\d", "0", made) == re.sub(r"\d", "0", text)


def test_other_phones_keep_their_country():
    made = forms.number("phone", "+44 20 7946 0958", stream(), "")
    assert made.startswith("+44 ")
    assert made != "+44 20 7946 0958"
    assert forms.number("phone", "+351 21 000 0000", stream(), "").startswith("+351 ")


def test_social_security_numbers_leave_the_issued_range():
    made = forms.number("ssn", "219-09-9999", stream(), "")
    assert re.fullmatch(r"9\d\d-\d\d-\d{4}", made)


def test_numbers_end_in_the_tail_that_is_derived():
    assert forms.number("account_number", "44771293", stream(), "5678").endswith("5678")
    assert forms.number("last_four", "0093", stream(), "").startswith("0")
    assert re.fullmatch(r"[A-Z]\d{7}", forms.number("ssn", "X1234567", stream(), ""))


@given(st.ip_addresses())
def test_addresses_become_documentation_of_the_same_family(address):
    made = ipaddress.ip_address(forms.address_of_host(str(address), stream(str(address))))
    assert made.version == address.version
    documentation = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"]
    assert any(
        made in network for network in map(ipaddress.ip_network, documentation) if network.version == made.version
    )


def test_more_addresses_than_documentation_has_are_still_nobodys():
    assert forms.address_of_host("8.8.8.8", stream(), reserve=1).startswith(("198.18.", "198.19."))
    assert ipaddress.ip_address(forms.address_of_host("8.8.8.8", stream(), reserve=2)).is_reserved


def test_hardware_addresses_are_locally_administered():
    made = forms.mac("00-1B-44-11-3A-B7", stream())
    assert re.fullmatch(r"02(-[0-9A-F]{2}){5}", made)


@pytest.mark.parametrize("version", [1, 4, 7])
@pytest.mark.parametrize("spell", [str, lambda text: text.replace("-", ""), str.upper])
def test_uuids_keep_version_variant_and_spelling(version, spell):
    text = spell(f"0191f3a2-77b1-{version}c3d-9e4f-5a6b7c8d9e0f")
    made = forms.record(text, stream(text), frozenset())
    assert made != text
    assert UUID(made).version == version
    assert made[19 if "-" in text else 16].lower() == "9"
    assert (made.isupper(), "-" in made, len(made)) == (text.isupper(), "-" in text, len(text))


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("credit_card_9513926", r"credit_card_\d{7}"),
        ("W2378156", r"W\d{7}"),
        ("order-77120-ab", r"order-\d{5}-[a-z]{2}"),
        ("cus_Xy7Qp0aB3", r"cus_[A-Z][a-z]\d[A-Z][a-z]\d[a-z][A-Z]\d"),
    ],
)
def test_records_keep_what_says_their_type(text, shape):
    made = forms.record(text, stream(text), frozenset({"credit", "card", "order", "cus"}), serials=True)
    assert re.fullmatch(shape, made)
    assert made != text


def test_no_word_of_a_persons_id_stays_unless_it_is_named():
    made = forms.record("yusuf_rossi_9620", stream(), frozenset({"user"}))
    assert re.fullmatch(r"[a-z]{5}_[a-z]{5}_\d{4}", made)
    assert "yusuf" not in made


def test_a_secret_keeps_its_vendors_prefix():
    text = "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    made = forms.secret(text, stream(), frozenset({"sk_", "sk_live_"}))
    assert made.startswith("sk_live_")
    assert len(made) == len(text)
    assert made[8:] != text[8:]


def test_a_secret_of_symbols_is_redrawn_too():
    made = forms.secret("!@#$%^&*", stream(), frozenset())
    assert made != "!@#$%^&*"
    assert len(made) == 8


def test_a_short_value_can_lend_a_longer_model():
    assert forms.grown("7-", 2) == "7-77"
    assert forms.grown("", 1) == "0"
    assert forms.grown("ana", 0) == "ana"
