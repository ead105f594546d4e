from __future__ import annotations

from typing import Any

import pytest

from extractor.ruleset import vocabulary

from .cases import run


def residual(original: dict[str, Any], document: dict[str, Any], said: str) -> list[tuple[str, str, int]]:
    original["final_output"] = document["final_output"] = said
    return [
        (one.code, said[one.start : one.end], one.count)
        for one in run(original, document).residual
        if one.path == "final_output"
    ]


def test_ordinary_words_amounts_and_times_are_explained(original, document):
    said = (
        "Your refund of $1,250.50 was sent on 2025-06-15 at 14:30; it can't be undone. I'll confirm on Monday, May 5."
    )
    assert residual(original, document, said) == []


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("Please ask for Mehmet when you call.", ("name_like", "Mehmet")),
        ("please ask for mehmet when you call.", ("word", "mehmet")),
        ("Please ask for Rose when you call.", ("name_like", "Rose")),
        ("The code is JG7FMM for you.", ("code", "JG7FMM")),
        ("The number is 77064102 for you.", ("number", "77064102")),
    ],
)
def test_what_nothing_explains_is_shown(original, document, said, found):
    assert [one[:2] for one in residual(original, document, said)] == [found]


def test_a_token_is_shown_once_with_its_count(original, document):
    assert residual(original, document, "ask Mehmet, or ask Mehmet again") == [("name_like", "Mehmet", 2)]


def test_a_word_that_did_not_stand_in_the_source_is_none(original, document):
    proofs = run(original, document)
    assert not any("final_output" in one.path for one in proofs.residual)


def test_a_kept_field_explains_its_value_everywhere(original, document):
    original["facts"] = document["facts"] = [{"name": "x", "value": {"product_id": "77064102"}, "source": "tool"}]
    assert residual(original, document, "It is number 77064102 in the shop.") == []


def test_policy_text_explains_its_words(original, document):
    for case in (original, document):
        case["templates"][0]["content"] = "You work for Brightcart, and for Brightcart alone."
    assert residual(original, document, "Welcome to Brightcart support.") == []


def test_name_like_tokens_come_first(original, document):
    said = "the code JG7FMM, the number 77064102 and the clerk Mehmet"
    assert [one[0] for one in residual(original, document, said)] == ["name_like", "code", "number"]


def test_the_word_list_holds_words_and_no_names():
    assert {"refund", "order", "will", "may", "grant", "young", "brown"} <= vocabulary()
    assert not {"john", "mary", "yusuf", "rossi", "smith", "paris", "ava", "li"} & vocabulary()


@pytest.mark.parametrize(
    "said",
    ["Позвоните Екатерине завтра", "请联系王小明处理退款", "تواصل مع ليلى منصور", "קראו לנועה מחר", "प्रियंका को फ़ोन करें"],
)
def test_what_no_language_here_reads_is_shown_once_a_text(original, document, said):
    [(code, shown, count)] = residual(original, document, said)
    assert code == "language_not_covered"
    assert shown in said
    assert len(shown) >= len(said) - 2
    assert count >= 1


def test_letters_of_another_script_that_are_symbols_are_not_shown(original, document):
    assert residual(original, document, "The part of 10 Ω is on the way to you.") == []


def test_another_script_ranks_behind_names_and_before_codes(original, document):
    said = "Ask for Mehmet, quote JG7FMM, позвоните Екатерине"
    assert [one[0] for one in residual(original, document, said)] == ["name_like", "language_not_covered", "code"]
