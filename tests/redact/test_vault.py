from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.redact.fold import fold
from extractor.redact.vault import Vault, canonical_form, is_long

VALUES = [
    ("phone", "202-555-0142"),
    ("record_id", "202-555-0142"),
    ("unknown_id", "2025550142"),
    ("record_id", "#W2378156"),
    ("user_id", "w2378156"),
    ("person", "Ana"),
    ("person", "ANA"),
    ("account_number", "4477-1200"),
    ("postal_code", "44771200"),
]


def met(vault, text):
    return [
        (text[slice(*fold(text).original(item.start, item.end))], item.identity.entity.name)
        for item in vault.find(fold(text))
    ]


@pytest.fixture
def vault(filled):
    return filled([("person", "Ana Quintero"), ("record_id", "#W2378156"), ("card", "4111 1111 1111 1111")])


def snapshot(vault):
    return [
        (item.canonical, item.entity.name, item.text, item.word, item.local, sorted(item.spellings))
        for item in vault.sorted()
    ], [vault.by_surface(text).canonical for _, text in VALUES]


@given(st.permutations(VALUES))
def test_the_order_of_adding_does_not_matter(identifiers, order):
    def made(values):
        vault = Vault()
        for entity, text in values:
            vault.add(text, identifiers.entities[entity], "rule")
        return snapshot(vault)

    assert made(order) == made(VALUES)


def test_the_class_of_lower_rank_wins(identifiers):
    for pair in itertools.permutations([("unknown_id", "2025550142"), ("phone", "2025550142")]):
        vault = Vault()
        for entity, text in pair:
            vault.add(text, identifiers.entities[entity], entity)
        [identity] = vault.sorted()
        assert identity.entity.name == "phone"
        assert set(identity.rules) == {"phone", "unknown_id"}


def test_a_value_that_a_rule_knows_for_sure_is_neither_word_nor_local(identifiers):
    vault = Vault()
    person = identifiers.entities["person"]
    vault.add("Will", person, "prose.model", word=True, local=True)
    assert met(vault, "Will you?") == []
    vault.add("Will", person, "person.field")
    assert met(vault, "Will you?") == [("Will", "person")]
    assert not vault.by_surface("will").word


def test_short_values_match_as_tokens_only(vault):
    assert [text for text, _ in met(vault, "Ana, banana, ana_x, ANA; Anaïs")] == ["Ana", "ana", "ANA"]


def test_long_values_match_inside_longer_ones(vault):
    assert ("Quintero", "person") in met(vault, "xquinteroxQuinterox")
    assert ("W2378156", "record_id") in met(vault, "orderW23781569")


def test_words_match_as_tokens_only_however_long(identifiers):
    vault = Vault()
    vault.add("Marigold", identifiers.entities["person"], "r", word=True)
    assert met(vault, "marigolds") == []
    assert met(vault, "a marigold") == [("marigold", "person")]


def test_a_date_is_never_found_inside_a_longer_one(identifiers):
    vault = Vault()
    vault.add("1990-02-01", identifiers.entities["birth_date"], "r", aliases=["2/1/1990"])
    assert met(vault, "12/1/1990") == []
    assert met(vault, "on 2/1/1990.") == [("2/1/1990", "birth_date")]


def test_ids_are_found_with_and_without_their_number_sign(vault):
    assert met(vault, "/orders/W2378156?o=#W2378156")[0] == ("W2378156", "record_id")


def test_marks_and_invisible_characters_hide_nothing(vault):
    found = met(vault, "A\u200bn\u0301a")
    assert found == [("A\u200bn\u0301a", "person")]


def test_known_numbers_are_found_in_runs_of_digits(vault):
    found = list(vault.find_digits("99" + "4111111111111111" + "0"))
    assert [(item.start, item.end) for item in found] == [(2, 18)]


def test_an_empty_vault_finds_nothing():
    assert list(Vault().find(fold("anything"))) == []
    assert list(Vault().find_digits("123456")) == []
    assert Vault().by_surface("x") is None


def test_nothing_is_no_value(identifiers):
    assert Vault().add("   ", identifiers.entities["person"], "r") is None
    assert Vault().add("#", identifiers.entities["record_id"], "r") is None


@pytest.mark.parametrize(
    ("text", "long"), [("1234567", True), ("12345", False), ("quintero", True), ("rossi", False), ("ab-123456", True)]
)
def test_eight_characters_or_six_digits_are_long(text, long):
    assert is_long(text) is long


@pytest.mark.parametrize(
    ("entity", "surface", "canonical"),
    [
        ("card", "4111 1111-1111", "411111111111"),
        ("record_id", "#w12", "w12"),
        ("person", "ana  quintero", "ana quintero"),
        ("phone", "+-", "+-"),
    ],
)
def test_spellings_of_one_value_share_a_canonical_form(identifiers, entity, surface, canonical):
    assert canonical_form(surface, identifiers.entities[entity]) == canonical


def test_repr_hides_the_texts(vault):
    shown = repr(vault.sorted()[0])
    assert "4111 1111" not in shown
