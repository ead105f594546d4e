"""Every failed proof says what would settle it, by place and never by value."""

from __future__ import annotations

import copy

import pytest

from extractor.errors import LeakFound, RelationBroken, StructureChanged
from extractor.model.case import KnownValue

from .cases import ORIGINAL, known_values, rewrite, run

WORD = KnownValue(text="Will", entity="PERSON", rule="test", word=True)


def document_with(said):
    original = copy.deepcopy(ORIGINAL)
    original["final_output"] = said
    return original, rewrite(original)


def test_a_doubtful_name_is_settled_by_its_place():
    original, redacted = document_with("We told Will about it, Yusuf.")
    with pytest.raises(LeakFound) as caught:
        run(original, redacted, known=known_values(WORD))
    assert caught.value.hint == "extract again with --treat 'final_output=name'"


def test_a_place_inside_a_text_is_named_by_the_text():
    original, redacted = document_with("Done")
    for document in (original, redacted):
        document["tool_events"][0]["outcome"]["value"]["raw"] = '{"note": "we told Will about it"}'
    with pytest.raises(LeakFound) as caught:
        run(original, redacted, known=known_values(WORD))
    assert caught.value.hint == "extract again with --treat 'tool_events[0].outcome.value.{12}=name'"


def test_a_sure_value_wants_a_rule():
    original, redacted = document_with("Done, Yusuf.")
    redacted["final_output"] = "Done, Yusuf."
    with pytest.raises(LeakFound) as caught:
        run(original, redacted)
    assert "--rules DIR" in caught.value.hint
    assert "--treat" not in caught.value.hint


def test_both_kinds_are_both_told():
    original, redacted = document_with("We told Will about Yusuf.")
    redacted["final_output"] = original["final_output"]
    with pytest.raises(LeakFound) as caught:
        run(original, redacted, known=known_values(WORD))
    assert "--treat 'final_output=name'; for the rest" in caught.value.hint
    assert "Will" not in caught.value.hint + caught.value.message


def test_a_broken_relation_and_a_changed_structure_are_told_how_to_settle():
    original, redacted = document_with("Done, Yusuf.")
    redacted["final_output"] = "Done, Odrunix."
    with pytest.raises(RelationBroken) as broken:
        run(original, redacted)
    redacted["final_output"] = "Gone, Tavik."
    with pytest.raises(StructureChanged) as changed:
        run(original, redacted)
    assert "settles it" in broken.value.hint
    assert "settles it" in changed.value.hint
