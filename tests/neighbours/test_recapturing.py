"""What the next version takes over, and what makes another input."""

from __future__ import annotations

import pytest

from extractor.errors import UsageError, ValidationFailed
from extractor.model.json import parse
from extractor.neighbours.recapturing import recapture, require_same_input
from tests.acceptance.samples import KEY, RULES, extracted

from .replaying import document

pytestmark = pytest.mark.nlp


def said(*told, role="user"):
    messages = [
        {"id": f"m{number}", "role": role, "parts": [{"type": "text", "text": text}]}
        for number, text in enumerate(told)
    ]
    return {"input": {"messages": messages}}


def test_the_same_words_are_the_same_input():
    require_same_input(said("one", "two"), said("one", "two"))


@pytest.mark.parametrize(
    ("new", "problem"),
    [
        (said("one"), "the trace holds 1 messages of the user, the case 2"),
        (said("one", "two", "three"), "the trace holds 3 messages of the user, the case 2"),
        (said("one", "other"), "message 2 of the user is not the one of the case"),
        (said("two", "one"), "message 1 of the user is not the one of the case"),
    ],
)
def test_another_input_is_told_by_position(new, problem):
    with pytest.raises(ValidationFailed) as refused:
        require_same_input(said("one", "two"), new)
    assert problem in refused.value.problems
    assert "other" not in str(refused.value)


def test_without_words_of_the_user_nothing_shows_that_the_input_is_the_same():
    with pytest.raises(ValidationFailed):
        require_same_input(said("one", role="system"), said("one", role="system"))


def test_adapter_lane_and_incident_are_taken_over_and_no_longer_missing(standing_cases):
    adapter = {"name": "payments", "version": "2"}
    old = {**document(standing_cases["refund-timeout"]), "adapter": adapter, "lane": "gate", "incident_id": "INC-9"}
    predicate = {"recapture": {"of": "x", "version": 4}}
    fixture = recapture(old, predicate, extracted("refund-timeout", complete=False), RULES, KEY)
    made = parse(fixture.files["fixture.json"])
    assert {name: made[name] for name in ("adapter", "lane", "incident_id")} == {
        "adapter": adapter,
        "lane": "gate",
        "incident_id": "INC-9",
    }
    assert made["expected"] == old["expected"]
    assert not {"adapter", "incident_id"} & {each["field"] for each in made["missing_evidence"]}
    assert parse(fixture.files["provenance.json"])["predicate"]["recapture"]["version"] == 5
    assert not fixture.incomplete


def test_a_case_is_no_recapture_of_itself(standing_cases):
    case = standing_cases["refund-timeout"]
    predicate = document(case, "provenance.json")["predicate"]
    with pytest.raises(UsageError):
        recapture(document(case), predicate, extracted("refund-timeout"), RULES, KEY)
