from __future__ import annotations

import copy

import pytest

from extractor import ruleset
from extractor.errors import InputUnreadable, LeakFound, RelationBroken, StructureChanged
from extractor.minimise.pieces import levels
from extractor.minimise.project import Reduced, project
from extractor.minimise.proving import Prover

from .cases import KEY, standing_of, story

RULES = ruleset.load()


def prover(document, *originals: str, word: bool = False) -> Prover:
    return Prover(standing=standing_of(document, *originals, word=word), rules=RULES, key=KEY)


def without(document, *gone: str) -> Reduced:
    pieces = {piece for level in levels(document) for piece in level.order}
    assert not set(gone) - pieces
    return project(document, pieces - set(gone))


def spoiled(reduced: Reduced, spoil) -> Reduced:
    document = copy.deepcopy(reduced.document)
    spoil(document)
    return Reduced(document=document, kept=reduced.kept)


def test_a_smaller_case_is_whole_and_proved():
    fixture = prover(story(), "Marlow").proved(without(story(), "tool_events[1]", "messages[0]"))
    assert set(fixture.files) == {"fixture.json", "README.md", "provenance.json"}
    assert b"Minimised" in fixture.files["README.md"]
    assert not fixture.incomplete


def test_what_meets_once_a_piece_between_is_gone_is_a_leak():
    """Three roles none of which tells anything, two of which side by side spell a name that the trace held."""
    document = story()
    document["identity"]["roles"] = ["Oda", "x", "marlowe"]
    held = prover(document, "Odamarlowe")
    held.proved(without(document, "identity.roles[0]"))
    with pytest.raises(LeakFound) as told:
        held.proved(without(document, "identity.roles[1]"))
    assert "identity.roles" in told.value.message
    assert "arlowe" not in told.value.message


def test_a_number_in_two_halves_that_meet_is_a_leak():
    document = story()
    halves = ("the card was 44017", "nothing here", "23985 it was")
    document["documents"] = [{"query": None, "content": each, "sha256": "a" * 64} for each in halves]
    held = prover(document, "4401723985")
    held.proved(without(document, "documents[0]"))
    with pytest.raises(LeakFound) as told:
        held.proved(without(document, "documents[1]"))
    assert "44017" not in told.value.message


def test_a_word_that_stood_in_the_proved_case_is_no_leak_in_a_smaller_one():
    document = story(final_output="It will be done, and Will knows.")
    prover(document, "Will", word=True).proved(without(document, "tool_events[1]"))


def test_a_text_that_was_not_there_is_refused():
    planted = spoiled(
        without(story(), "tool_events[1]"), lambda document: document["messages"][0].update({"name": "Marlow"})
    )
    with pytest.raises(StructureChanged):
        prover(story(), "Marlow").proved(planted)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda document: document["tool_events"][0].update({"side_effect": "perhaps"}),
        lambda document: document["tool_events"][0].pop("outcome"),
        lambda document: document.pop("lane"),
        lambda document: document["tool_events"].append(copy.deepcopy(document["tool_events"][0])),
    ],
)
def test_what_breaks_the_schema_or_the_structure_is_refused(spoil):
    with pytest.raises(StructureChanged):
        prover(story()).proved(spoiled(without(story(), "tool_events[1]"), spoil))


def test_what_names_another_attempt_is_refused():
    planted = spoiled(
        without(story(), "tool_events[1]"), lambda document: document["tool_events"][-1].update({"retry_of": 1})
    )
    with pytest.raises(RelationBroken):
        prover(story()).proved(planted)


def test_a_case_that_remembers_nothing_is_not_proved():
    standing = standing_of(story())
    object.__setattr__(standing, "capture", b"{}")
    with pytest.raises(InputUnreadable):
        Prover(standing=standing, rules=RULES, key=KEY)
