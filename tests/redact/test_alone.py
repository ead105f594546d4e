"""Text that stands alone: what identifies there beside names, and what is evidence elsewhere."""

from __future__ import annotations

import pytest

from extractor import ruleset
from extractor.model.config import Deny, Nlp, RunConfig
from extractor.redact import WorkspaceKey, redact_documents

pytestmark = pytest.mark.nlp
RULES = ruleset.load()
KEY = WorkspaceKey(material=bytes(range(32)))
NOTHING_SET = RunConfig()


def redacted(value, config=NOTHING_SET):
    return str(redact_documents([value], RULES, config, KEY)[0])


@pytest.mark.parametrize(
    ("text", "gone", "kept"),
    [
        ("My sister is 42 years old and paid $42.", ["is 42 years"], ["years old and paid $42."]),
        ("Ottoline Hartlieb, 67, retired last year.", ["67"], ["retired last year"]),
        ("He turned 91 in spring and still rides.", ["91"], ["in spring and still rides"]),
        ("I live in Norway and work for Quillfeather Inc. since May.", ["Norway", "Quillfeather"], ["I live in"]),
        ("Dr. Otto von Hartlieb moved from Kenya to Japan.", ["Dr.", "Hartlieb", "Kenya", "Japan"], ["moved from"]),
        (
            "I moved to 12 Castle Hill Road, Leeds LS1 4AB, please update it.",
            ["12 Castle", "Leeds", "LS1 4AB"],
            ["I moved to", "please update it."],
        ),
    ],
)
def test_what_a_text_ties_to_a_person_goes(text, gone, kept):
    made = redacted(text)
    assert not [part for part in gone if part in made]
    assert not [part for part in kept if part not in made]


@pytest.mark.parametrize(
    "text",
    [
        "A 3 year old warranty does not cover the aged cheese board.",
        "Paris is the capital of France and has two million inhabitants.",
        "The train to Berlin takes 9 hours and costs 42 euros.",
        "Will the Apple watch work with an old phone?",
        "Order 66 is 12 days late and costs $120.",
    ],
)
def test_what_no_person_is_tied_to_stays(text):
    assert redacted(text) == text


def test_beside_structured_results_places_and_ages_are_evidence():
    document = {"status": "delivered", "note": "She is 42 years old and moved to Norway in spring."}
    assert "42 years old and moved to Norway" in redacted(document)


def test_the_label_of_a_row_is_no_structured_result():
    made = redacted({"id": "text_12", "language": "en", "text": "She is 42 years old and moved to Norway in spring."})
    assert "Norway" not in made
    assert "text_12" in made


def test_an_age_moves_to_another_age_of_as_many_digits():
    made = redacted("My brother is 23 years old, my mother is 81 years old.")
    ages = [int(word) for word in made.replace(",", " ").split() if word.isdigit()]
    assert len(set(ages)) == 2
    assert all(18 <= age <= 99 for age in ages)
    assert not {23, 81} & set(ages)


def test_the_entities_that_vote_are_the_projects_choice():
    text = "I live in Norway and my sister is 42 years old."
    made = redacted(text, RunConfig(nlp=Nlp(entities=("PERSON", "LOCATION"))))
    assert "Norway" not in made
    assert "42 years" in made


@pytest.mark.parametrize("mark", ["", "\u200f"])
def test_a_denied_name_goes_in_any_script_whole_and_in_parts(mark):
    config = RunConfig(deny=Deny(names=("נועה ברקוביץ",), values=("orchid-nine",)))
    made = redacted(f"שלום {mark}נועה ברקוביץ, ברקוביץ orchid-nine", config)
    assert made.startswith("שלום ")
    assert "נועה" not in made
    assert "ברקוביץ" not in made
    assert "orchid-nine" not in made


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Меня зовут Екатерина Соколова, заказ не пришёл.", "Соколова"),
        ("我叫王小明，我的订单还没到。", "王小明"),
        ("私は佐藤健太です。返品したいです。", "佐藤健太"),
        ("내 이름은 김민준입니다. 환불해 주세요.", "김민준"),
        ("اسمي ليلى منصور وأريد استرداد المال.", "منصور"),
        ("Με λένε Ελένη Παπαδάκη και περιμένω.", "Παπαδάκη"),
        ("मेरा नाम प्रियंका शर्मा है और मुझे मदद चाहिए।", "शर्मा"),
        ("Je m'appelle Solène Guérin et je voudrais annuler.", "Guérin"),
    ],
)
def test_introductions_in_other_languages_tell_the_name(text, name):
    made = redacted(text)
    assert name not in made
    assert made.endswith(text[-6:])


def test_a_name_known_from_a_field_is_found_inside_a_sentence_without_spaces():
    document = {"customer_name": "王小明", "note": "请尽快联系王小明处理退款"}
    made = redacted(document)
    assert "王小明" not in made
    assert "处理退款" in made
