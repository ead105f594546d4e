"""What a pseudonym promises, for any people that a case may hold."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st
from stdnum import iban, luhn

from extractor.model.config import RunConfig
from extractor.redact import WorkspaceKey, redact_documents
from extractor.ruleset import load

KEY = WorkspaceKey(material=bytes(range(32)))
RULES = load()
LETTERS = "abcdefghijklmnopqrstuvwxyz"
HEX = "0123456789abcdef"
MEMBERS = {"user", "order", "orders", "shop"}  # words of the links below
FEW = settings(max_examples=40)


def word(least: int, most: int) -> st.SearchStrategy[str]:
    return st.text(LETTERS, min_size=least, max_size=most).filter(lambda made: made not in MEMBERS)


def digits(count: int) -> st.SearchStrategy[str]:
    return st.text("0123456789", min_size=count, max_size=count)


@st.composite
def people(draw: st.DrawFn) -> dict[str, Any]:
    """A person as an application's record holds one, with all that derives from each other."""
    first, last = draw(word(4, 9)).capitalize(), draw(word(4, 9)).capitalize()
    number = draw(st.integers(1_000, 9_999))
    body = "4" + draw(digits(14))
    card = body + luhn.calc_check_digit(body)
    account = draw(digits(18))
    uuid = str(UUID(int=draw(st.integers(0, 2**128 - 1)), version=4))
    order = f"#W{draw(st.integers(1_000_000, 9_999_999))}"
    return {
        "full_name": f"{first} {last}",
        "first_name": first,
        "last_name": last,
        "email": f"{first}.{last}@{draw(word(5, 9))}.com".lower(),
        "user_id": f"{first}_{last}_{number}".lower(),
        "phone": f"+1 202 555 {draw(digits(4))}",
        "card": {"card_number": card, "last_four": card[-4:]},
        "iban": "DE" + iban.calc_check_digits("DE00" + account) + account,
        "request_id": uuid,
        "account_number": draw(st.integers(10**9, 10**10 - 1)),
        "order_id": order,
        "url": f"https://shop.example.com/orders/{order[1:]}?user={first}_{last}_{number}".lower(),
        "api_key": "sk_" + "live_" + draw(st.text(LETTERS + "0123456789", min_size=20, max_size=24)),
        "charge": "ch_" + draw(st.text(HEX, min_size=16, max_size=16)),
        "ip_address": f"198.51.100.{draw(st.integers(1, 254))}",
    }


crowds = st.lists(people(), min_size=1, max_size=4, unique_by=lambda one: one["full_name"].lower())


def redacted(*documents: Any, scope: str = "case") -> list[Any]:
    return list(redact_documents(documents, RULES, RunConfig(), KEY, scope=scope))


def values(person: dict[str, Any]) -> list[str]:
    flat = [*person.values(), *person["card"].values()]
    return [str(one) for one in flat if isinstance(one, (str, int))]


@FEW
@given(crowds)
def test_no_original_survives_and_no_two_values_become_one(crowd):
    """S11: accounts, keys, mailboxes and names, in members and in prose."""
    made = redacted(*crowd)
    text = "\n".join(value for one in made for value in values(one)).lower()
    for person in crowd:
        for value in values(person):
            # Four digits stand in longer numbers by chance; of themselves they must not stand anywhere.
            assert re.search(rf"(?<![0-9a-z]){re.escape(value.lower())}(?![0-9a-z])", text) is None
            assert len(value) <= 5 or value.lower() not in text
    for member in ("full_name", "email", "user_id", "account_number", "order_id", "request_id", "api_key"):
        assert len({one[member] for one in made}) == len({one[member] for one in crowd})


@FEW
@given(crowds)
def test_formats_hold_what_programs_check(crowd):
    for before, after in zip(crowd, redacted(*crowd), strict=True):
        assert luhn.is_valid(after["card"]["card_number"])
        assert len(after["card"]["card_number"]) == len(before["card"]["card_number"])
        assert iban.is_valid(after["iban"])
        assert after["iban"][:2] == "DE"
        assert UUID(after["request_id"]).version == 4
        assert type(after["account_number"]) is int
        assert len(str(after["account_number"])) == len(str(before["account_number"]))
        assert re.fullmatch(r"#W\d{7}", after["order_id"])
        assert re.fullmatch("sk_" + "live_[a-z0-9]{20,24}", after["api_key"])
        assert re.fullmatch(r"ch_[0-9a-f]{16}", after["charge"])
        assert re.fullmatch(r"\+1 \d{3} 555 01\d\d", after["phone"])
        assert after["email"].endswith(".example")


def test_an_account_number_of_hex_digits_is_no_hidden_text():
    """Read as bytes, its digits spell an address; it was rewritten as one, and was no account number any more."""
    (after,) = redacted({"iban": "DE96344141514051313042"})
    assert iban.is_valid(after["iban"])
    assert after["iban"] != "DE96344141514051313042"


@FEW
@given(crowds)
def test_what_derives_from_a_value_derives_from_its_stand_in(crowd):
    for person in redacted(*crowd):
        first, last = person["first_name"], person["last_name"]
        assert person["full_name"] == f"{first} {last}"
        assert person["email"].partition("@")[0] == f"{first}.{last}".lower()
        assert person["user_id"].rpartition("_")[0] == f"{first}_{last}".lower()
        assert person["card"]["card_number"].endswith(person["card"]["last_four"])
        path, _, query = person["url"].partition("?")
        assert path == f"https://shop.example.com/orders/{person['order_id'][1:].lower()}"
        assert query == "user=" + person["user_id"]


@FEW
@given(crowds, st.randoms(use_true_random=False))
def test_the_order_of_documents_changes_nothing(crowd, random):
    shuffled = list(range(len(crowd)))
    random.shuffle(shuffled)
    made = redacted(*crowd)
    again = redacted(*(crowd[index] for index in shuffled))
    assert [made[index] for index in shuffled] == again


@FEW
@given(crowds)
def test_a_stand_in_tells_nothing_outside_its_scope(crowd):
    """S11."""
    here, there = redacted(*crowd, scope="one"), redacted(*crowd, scope="two")
    for one, other in zip(here, there, strict=True):
        assert one["email"] != other["email"]
        assert one["request_id"] != other["request_id"]
    assert here == redacted(*crowd, scope="one")
