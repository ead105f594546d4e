from __future__ import annotations

import pytest

from extractor.model.config import Own
from extractor.model.json import ExactNumber
from extractor.redact.harvest import Harvest
from extractor.redact.place import Place
from extractor.redact.prose import Finding
from extractor.redact.rewrite import Local
from extractor.ruleset import vocabulary


@pytest.fixture
def harvest(identifiers):
    return Harvest(identifiers, vocabulary(), Own())


def known(harvest, document):
    harvest.document(document, Place())
    harvest.settle()
    return {item.text: item.entity.name for item in harvest.vault.sorted()}


@pytest.mark.parametrize(
    ("document", "text", "entity"),
    [
        ({"first_name": "Oda"}, "Oda", "person"),
        ({"customer": {"name": "Oda Marlow"}}, "Oda Marlow", "person"),
        ({"name": "Oda Marlow", "email": "o@shop-a.com"}, "Marlow", "person"),
        ({"last_name": "Do"}, "Do", "person"),
        ({"full_name": "Anh Do"}, "Do", "person"),
        ({"full_name": "Ana Bo Cy Dee Eli Fay Gus Hal"}, "Hal", "person"),
        ({"note": "write to oda@shop-a.com today"}, "oda@shop-a.com", "email"),
        ({"note": '{"inner": "call oda@shop-a.com"}'}, "oda@shop-a.com", "email"),
        ({"url": "https://x.example/?to=oda%40shop-a.com"}, "oda@shop-a.com", "email"),
        ({"oda@shop-a.com": 1}, "oda@shop-a.com", "email"),
        ({"dob": "10/19/1982"}, "1982-10-19", "birth_date"),
        ({"dob": "31/31/1982"}, "31/31/1982", "record_id"),
        ({"note": "born on 31/31/1982"}, "31/31/1982", "record_id"),
        ({"dob": 19821019}, "1982-10-19", "birth_date"),
        ({"account_number": 4477120093}, "4477120093", "account_number"),
        ({"user_id": -77}, "77", "user_id"),
        ({"db_url": "postgres://app:hunter22@db/x"}, "hunter22", "credential"),
        ({"note": "pay with credit_card_9513926 please"}, "9513926", "payment_id"),
        ({"note": "the item 7706410293 is late"}, "7706410293", "unknown_id"),
    ],
)
def test_a_value_is_known_by_field_pattern_or_cue(harvest, document, text, entity):
    assert known(harvest, document).get(text) == entity


@pytest.mark.parametrize(
    "document",
    [
        {"max_tokens": 4096, "model": "gpt-4o-2024-08-06", "status": "delivered"},
        {"created_at": "2026-07-18T09:30:00Z", "amount": 7706410293},
        {"host.name": "localhost"},
        {"owner": "user", "actor": "admin", "customer_id": "Customer", "requester": "system"},
        {"password": "********"},
        {"order_id": True, "email": None, "first_name": ""},
        {"price": ExactNumber("10.10"), "user_id": ExactNumber("7.5")},
        {"full_name": "42"},
    ],
)
def test_what_is_no_identifier_is_not_known(harvest, document):
    assert known(harvest, document) == {}


def test_what_only_looks_like_an_identifier_stays_where_a_rule_keeps_it(harvest):
    assert known(harvest, {"flight_number": "HAT7706410", "note": "flight HAT7706410 and call_Xy7Qp0aB3 came"}) == {
        "call_Xy7Qp0aB3": "unknown_id"
    }


def test_the_documents_are_returned_as_they_are(harvest):
    document = {"first_name": "Oda", "list": [1, None, {"x": "oda@shop-a.com"}]}
    assert harvest.document(document, Place()) == document


def found(*texts, corroborated=True, foreign=False):
    return [Finding(text=text, rule="model", corroborated=corroborated, foreign=foreign) for text in texts]


def test_corroborated_names_are_known_everywhere_and_others_hold_in_their_text(harvest):
    assert harvest.findings("", found("Priya Raman")) == []
    assert not harvest.vault.by_surface("priya raman").local
    assert harvest.findings("", found("Ottoline", corroborated=False)) == [Local("Ottoline")]
    assert harvest.vault.by_surface("ottoline").local


@pytest.mark.parametrize("text", ["Delivered", "Refund Policy", "Cedar Drive"])
def test_ordinary_words_and_streets_are_no_names(harvest, text):
    assert harvest.findings("", found(text, corroborated=False)) == []
    assert harvest.vault.sorted() == []


def test_a_whole_leaf_of_a_structured_result_is_no_name(harvest):
    harvest.document({"brand": "Zorkia"}, Place())
    assert harvest.findings("", found("Zorkia", corroborated=False)) == []


def test_what_a_teams_recognizer_found_is_unknown_and_local(harvest):
    harvest.document({"badge": "orchid"}, Place())
    assert harvest.findings("", found("orchid", foreign=True)) == [Local("orchid")]
    identity = harvest.vault.by_surface("orchid")
    assert (identity.entity.name, identity.local) == ("unknown_id", True)


@pytest.mark.parametrize("name", ["Will", "May", "Grant", "Li", "Mia"])
def test_names_that_could_be_words_are_marked_so(harvest, name):
    harvest.document({"first_name": name}, Place())
    assert harvest.vault.by_surface(name).word


def test_names_inside_mailboxes_and_user_ids_are_learnt(harvest):
    names = known(
        harvest, {"user_id": "yusuf_rossi_9620", "email": "noelle.grantham@shop-a.com", "x": "support@shop-a.com"}
    )
    assert {"Yusuf", "Rossi", "Noelle", "Grantham"} <= set(names)
    assert "Support" not in names


@pytest.mark.parametrize(
    ("text", "parts"), [("Otto Hartlieb Jr.", {"Otto", "Hartlieb"}), ("Otto von Hartlieb", {"Otto", "Hartlieb"})]
)
def test_titles_suffixes_and_particles_are_no_names(harvest, text, parts):
    words = {word for word in known(harvest, {"full_name": text}) if "." not in word} - {text}
    assert words == parts
