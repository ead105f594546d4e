"""What is derived is proved like the case: by what its capture remembers, and with a sidecar about the new bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from extractor.errors import LeakFound, StructureChanged
from extractor.minimise.pieces import levels
from extractor.minimise.project import project
from extractor.model.json import parse
from extractor.neighbours.calls import call
from extractor.neighbours.outcomes import answered_otherwise
from extractor.neighbours.proving import proved
from extractor.neighbours.told import Told
from extractor.standing import standing
from extractor.verify import texts
from tests.acceptance.samples import KEY, RULES

pytestmark = pytest.mark.nlp


@pytest.fixture
def now(case_of):
    return standing(case_of("refund-timeout"), KEY)


def made_of(now, derived, synthetic=()):
    return proved(now.redacted(derived.document), {}, now, {}, RULES, KEY, kept=derived.kept, synthetic=synthetic)


def changed(now, **members):
    document = {**now.document, **members}
    return project(document, [piece for level in levels(document) for piece in level.order])


def test_a_new_text_that_holds_a_remembered_value_is_a_leak(now):
    made_of(now, changed(now, final_output="Good day."))
    for text in ("Good day, Maren Oduya.", "It is FH-204816.", "maren.oduya@example.com"):
        with pytest.raises(LeakFound) as found:
            made_of(now, changed(now, final_output=text))
        assert "Oduya" not in str(found.value)
        assert "204816" not in str(found.value)


def test_what_fits_no_schema_is_not_made(now):
    with pytest.raises(StructureChanged):
        made_of(now, changed(now, lane="none"))
    event = {**now.document["tool_events"][0], "attempt": 2}
    with pytest.raises(StructureChanged):
        made_of(now, replace_event(now, event))


def replace_event(now, event):
    made = changed(now)
    document = {**made.document, "tool_events": [event, *made.document["tool_events"][1:]]}
    return replace(made, document=document)


def test_a_residual_goes_with_the_text_that_it_stood_in(now):
    (place,) = [
        path for path, text in texts(now.document) if text.startswith("no answer") and path.startswith("messages")
    ]
    entry = {"code": "word", "path": place, "start": 15, "end": 23, "count": 1}
    told = {**now.statement, "predicate": {**now.predicate, "residual": [entry]}}
    about = call(now.document, now.predicate, None)
    left = {}
    for kind in ("rejection", "timeout"):
        derived = answered_otherwise(now.document, kind, about, Told())
        fixture = made_of(replace(now, statement=told), derived, derived.synthetic)
        left[kind] = parse(fixture.files["provenance.json"])["predicate"]["residual"]
    # Three alternates say the word again.
    assert left == {"rejection": [], "timeout": [{**entry, "count": 4}]}
