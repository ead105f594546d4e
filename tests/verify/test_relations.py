from __future__ import annotations

from typing import Any

import pytest

from extractor.errors import RelationBroken
from extractor.model.case import KnownValue
from extractor.verify._compare import Pair
from extractor.verify._relations import RelationProof

from .cases import REPLACED, known_values, rewrite, run


def broken(original: dict[str, Any], document: dict[str, Any], words: str) -> None:
    with pytest.raises(RelationBroken) as caught:
        run(original, document)
    assert words in str(caught.value)


def test_classes_and_occurrences_are_counted(original, document):
    proofs = run(original, document)
    assert proofs.classes >= 12
    assert proofs.occurrences == proofs.preserved > proofs.classes


def test_one_value_that_became_two_is_refused(original, document):
    """S12: what was equal stays equal."""
    document["tool_events"][0]["outcome"]["value"]["email"] = "tavik.breslan7731@example.com"
    broken(original, document, "EMAIL (rule test)")


def test_one_value_that_became_two_between_prose_and_field_is_refused(original, document):
    document["final_output"] = document["final_output"].replace("Tavik", "Merrik")
    broken(original, document, "another value than where the same one stood")


def test_a_number_and_its_text_are_one_value(original, document):
    document["tool_events"][0]["arguments"]["zip"] = 84068
    broken(original, document, "POSTAL_CODE")


def test_two_values_that_became_one_are_refused(original):
    """S13: "Redaction that erases the relation erases the bug"."""
    merged = REPLACED | {"noelle_grantham_3381": REPLACED["yusuf_rossi_9620"]}
    broken(original, rewrite(original, merged), "same value as where a different one stood")


def test_an_owner_that_was_another_stays_another(original, document):
    """S13 S132: the requester is not the owner."""
    document["identity"]["resources"][1]["owner"] = document["identity"]["subject"]
    broken(original, document, "identity")


def test_an_owner_is_not_lost(original, document):
    original["identity"]["resources"][1]["owner"] = "shared"
    document["identity"]["resources"][1]["owner"] = "shared"
    run(original, document)
    original["identity"]["resources"][1] = {"type": "order", "id": "W5", "owner": "noelle_grantham_3381"}
    document["identity"]["resources"][1] = {"type": "order", "id": "W5", "owner": "odrun_weskit_5508"}
    run(original, document)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"9855": "2833"}, "the last four no longer end the card"),
        ({"Yusuf": "Merrik"}, "the first name left the full name"),
        ({"yusuf_rossi_9620": "tavik_ostrel_1743"}, "the family name left the id"),
        ({"yusuf.rossi4821@example.com": "merrik.breslan7730@example.com"}, "the first name left the address"),
        ({"Noelle Grantham": "Tavik Weskit"}, "another person's first name came in"),
    ],
)
def test_a_derived_relation_is_kept_both_ways(original, changed, why):
    broken(original, rewrite(original, REPLACED | changed), "part of it")


def test_personal_dates_keep_their_order(original):
    broken(original, rewrite(original, REPLACED | {"1982-10-19": "1991-04-02"}), "order")


@pytest.mark.parametrize("number", ["5297020668", "52970206", "5297-02-06-77"])
def test_an_id_that_reads_like_a_day_is_none(number):
    """Ten digits can look like a day of the year 5297, and no order is theirs to keep."""
    known = known_values(KnownValue(text=number, entity="record_id", rule="test"))
    proof = RelationProof(known, {"record_id": "id"})
    day = next(index for index, value in enumerate(known) if value.text == "1982-10-19")
    pairs = [
        Pair(original="1982-10-19", redacted="1982-09-30", value=day, place="a"),
        Pair(original=number, redacted="1495" + number[4:], value=len(known) - 1, place="b"),
    ]
    proof.judge(pairs)
    assert list(proof.faults) == []


def test_case_follows_the_place_without_breaking_equality(original, document):
    original["final_output"] = "YUSUF ROSSI and yusuf"
    document["final_output"] = "TAVIK BRESLAN and tavik"
    run(original, document)


def test_a_fault_names_rule_and_place_but_no_value(original, document):
    document["tool_events"][0]["outcome"]["value"]["email"] = "tavik.breslan7731@example.com"
    with pytest.raises(RelationBroken) as caught:
        run(original, document)
    said = str(caught.value)
    assert "tool_events[0].outcome.value.{" in said
    assert "example.com" not in said
