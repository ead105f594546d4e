"""Our pseudonyms inside a plain `AnonymizerEngine`."""

from __future__ import annotations

import pytest
from presidio_anonymizer import AnonymizerEngine
from presidio_anonymizer.entities import InvalidParamError, OperatorConfig, RecognizerResult

from extractor.redact.operator import ENTITIES, PseudonymOperator

KEY = bytes(range(32))
TEXT = "Oda Marlow (oda@shop-a.com) wrote; later Oda Marlow called from 215-867-5309."


def finding(part, entity, nth=0):
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(part, start + 1)
    return RecognizerResult(entity, start, start + len(part), 1.0)


FINDINGS = [
    finding("Oda Marlow", "PERSON"),
    finding("Oda Marlow", "PERSON", 1),
    finding("oda@shop-a.com", "EMAIL_ADDRESS"),
    finding("215-867-5309", "PHONE_NUMBER"),
]


def anonymised(text=TEXT, findings=FINDINGS, **params):
    engine = AnonymizerEngine()
    engine.add_anonymizer(PseudonymOperator)
    config = OperatorConfig("pseudonym", {"key": KEY, **params})
    return engine.anonymize(text, findings, {"DEFAULT": config}).text


def test_equal_texts_get_equal_pseudonyms_in_their_format():
    made = anonymised()
    name = made.partition(" (")[0]
    assert made.count(name) == 2
    assert "Oda" not in made
    assert "Marlow" not in made
    assert ".example)" in made
    assert "-555-01" in made
    assert made == anonymised()


def test_another_scope_or_key_is_another_mapping():
    assert len({anonymised(), anonymised(scope="b"), anonymised(key=KEY[::-1])}) == 3


def test_a_type_of_the_team_takes_the_form_that_it_asks_for():
    badge = RecognizerResult("BADGE", 0, 6, 1.0)
    assert anonymised("EX4471 left", [badge], forms={"BADGE": "record_id"}).endswith(" left")
    assert "EX4471" not in anonymised("EX4471 left", [badge])


@pytest.mark.parametrize(
    "params",
    [{"key": None}, {"key": b"short"}, {"key": "k" * 32}, {"scope": 7}, {"forms": 7}, {"forms": {"X": "no_class"}}],
)
def test_unusable_parameters_are_refused(params):
    with pytest.raises(InvalidParamError):
        anonymised(**params)


def test_every_type_that_we_name_has_a_class(identifiers):
    assert set(ENTITIES.values()) <= set(identifiers.entities)


def test_what_holds_nothing_stays():
    assert PseudonymOperator().operate("  ", {"key": KEY, "entity_type": "PERSON"}) == "  "
