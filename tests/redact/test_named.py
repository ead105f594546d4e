"""Names by what people write around them."""

from __future__ import annotations

import pytest

from extractor.redact.named import Names


def names(text: str, place: str = "") -> list[str]:
    at = text.find(place) if place else -1

    def here(start: int, end: int) -> bool:
        return at >= 0 and start < at + len(place) and end > at

    return [text[name.start : name.end] for name in Names(text, place=here, thing=here).find()]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hi my name is priyanka raghunathan and i want a refund", "priyanka raghunathan"),
        ("MY NAME IS OTTOLINE HARTLIEB AND I WAIT", "OTTOLINE HARTLIEB"),
        ("i am arjun and the parcel is late", "arjun"),
        ("I'm Nils Strandqvist from the shop", "Nils Strandqvist"),
        ("My name is Omar bin Rashidi.", "Omar bin Rashidi"),
        ("Please ask Ingeborg van der Velden about it", "Ingeborg van der Velden"),
        ("Our tenant Ottoline paid", "Ottoline"),
        ("Full name: Hartlieb, Ottoline", "Hartlieb"),
        ("Full name: Hartlieb, Ottoline", "Ottoline"),
        ("All is well.\n\nKind regards,\nOttoline Hartlieb", "Ottoline Hartlieb"),
        ("cc Priya Ramanathan, Otto Hartlieb\nThe minutes", "Otto Hartlieb"),
        ("we told J. R. Hartlieb so", "J. R. Hartlieb"),
        ("I told Sigrid Hartlieb-Roth so", "Sigrid Hartlieb-Roth"),
        ("Patient: Mark Okafor, admitted today", "Mark Okafor"),
        ("I am sorry to hear that, Ngozi.", "Ngozi"),
    ],
)
def test_cues_and_lists_tell_names(text, name):
    assert name in names(text)


@pytest.mark.parametrize(
    "text",
    [
        "i am lost and this is urgent",
        "My name is not on the list",
        "This is the best shop",
        "Best regards,\nCustomer Service Team",
        "Dear customer, thanks for the order",
        "I am with the support team",
        "We go from John F. Kennedy International Airport",
        "Plan C. Can you help",
        "ship to: the old address",
    ],
)
def test_ordinary_sentences_tell_none(text):
    assert names(text) == []


def test_a_place_at_the_end_of_a_sentence_is_not_spoken_to():
    assert names("We fly to the south, Georgia.", place="Georgia") == []
    assert names("We fly to Atlanta, Georgia.") == []


def test_a_place_after_a_preposition_is_no_name():
    assert names("We fly from Florence to the coast", place="Florence") == []


def test_a_given_name_that_is_a_word_counts_where_somebody_is_greeted():
    found = Names("Hi Mark, how are you? Hi General, no.", place=lambda *_: False, thing=lambda *_: False)
    assert [(name.start, name.end) for name in found.greeted()] == [(3, 7)]


def test_listed_names_and_unknown_capitals_in_a_row_are_likely():
    text = "Then Ottoline met Zorvik Maltrenko at noon"
    found = {
        text[name.start : name.end] for name in Names(text, place=lambda *_: False, thing=lambda *_: False).singles()
    }
    assert "Zorvik Maltrenko" in found
    assert "Then" not in found


def test_a_name_found_by_the_model_loses_the_words_before_it_and_gains_its_rest():
    text = "Technician Omar bin Rashidi came"
    start, end = Names(text, place=lambda *_: False, thing=lambda *_: False).trimmed(0, len("Technician Omar"))
    assert text[start:end] == "Omar bin Rashidi"


def test_a_name_that_signs_a_note_is_one_even_where_it_is_a_word():
    found = Names("That is all. Thanks, Ebony", place=lambda *_: False, thing=lambda *_: False)
    assert [(name.start, name.end) for name in found.greeted()] == [(21, 26)]


def test_a_given_name_after_what_somebody_is_to_us_is_no_place():
    assert names("My sister Florence called", place="Florence") == ["Florence"]
