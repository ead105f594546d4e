"""Names in other scripts and orders, with particles and marks."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.nlp


@pytest.mark.parametrize(
    ("text", "gone", "stays"),
    [
        # leak.name_particle
        ("Dr. Hugo von Brandeck called; Rui da Fonseca paid.", ("Brandeck", "Fonseca", "Hugo"), ("called", "paid")),
        ("Mr. Tarik bin Salloum agreed and left.", ("Salloum", "Tarik"), (" agreed and left.",)),
    ],
)
def test_a_particle_ends_no_name(kept, text, gone, stays):
    kept(text, gone, stays)


@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("רוני אלבז", "שלום \u200f{}\u200e, חשבון 7706410293"),
        ("ليلى حداد", "مرحبا \u202b{}\u202c، رقم 7706410293"),
        ("王小莉", "你好{}，账号7706410293"),
        ("Олена Коваль", "{}: 7706410293"),
        ("山田花子", "{}様 7706410293"),
    ],
)
def test_a_known_name_is_found_in_its_own_script(redacted, name, frame):
    """leak.rtl_name: bidirectional marks beside it stay as they are"""
    made = redacted([frame.format(name), {"full_name": name, "account_number": "7706410293"}])
    stand_in, account = made[1]["full_name"], made[1]["account_number"]
    assert stand_in != name
    assert made[0] == frame.replace("7706410293", account).format(stand_in)
    assert {char.isascii() for char in stand_in if char.isalpha()} == {False}


@pytest.mark.parametrize("name", ["Bjørn Øvergård", "Małgorzata Wójcik", "Łukasz Nowak", "Søren Kjær"])
def test_letters_that_unicode_does_not_take_apart_hide_no_name(redacted, name):
    """The lists of names are in plain letters, and people write a name in these where their keyboard has no others."""
    plain = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "å": "a", "ó": "o"})
    made = redacted([{"name": name}, f"Thank you, {name.split()[1]}.", name.translate(plain)])
    assert made[0]["name"] not in (name, name.translate(plain))
    assert made[1] == f"Thank you, {made[0]['name'].split()[1]}."
    assert made[2] == made[0]["name"]


def test_every_apostrophe_of_a_name_is_one(redacted):
    made = redacted({"full_name": "Salvatore D'Amico", "t": "D’Amico Salvatore signed; D‘Amico left, Dʼamico too."})
    given, family = made["full_name"].split()
    assert "amico" not in made["t"].lower()
    assert made["t"].replace("'", "").startswith(f"{family} {given} signed".replace("'", ""))


@pytest.mark.parametrize("name", ["Jürgen Weiß", "Åsa Öberg"])
def test_case_folding_knows_more_than_ascii(redacted, name):
    """leak.name_case"""
    made = redacted({"full_name": name, "t": f"{name.upper()} and {name.lower()}"})
    assert not re.search("|".join(name.casefold().split()), made["t"].casefold())
    assert made["t"].casefold() == "{0} and {0}".format(made["full_name"].casefold())
