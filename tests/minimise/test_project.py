from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from extractor.minimise.faithful import relation_faults, structure_faults
from extractor.minimise.moved import moved
from extractor.minimise.pieces import count, levels
from extractor.minimise.project import Reduced, project
from extractor.model.json import pretty
from extractor.replay.fixture_check import structural_problems
from extractor.schemas import schema_problems

from .cases import event, model_event, stories, story


def all_of(document) -> frozenset[str]:
    return frozenset(piece for level in levels(document) for piece in level.order)


def without(document, *pieces: str) -> Reduced:
    assert not set(pieces) - all_of(document)
    return project(document, all_of(document) - set(pieces))


def test_every_kind_of_evidence_is_a_piece():
    pieces = all_of(story())
    assert {piece.partition("[")[0].partition(".{")[0] for piece in pieces} == {
        "alternates", "documents", "facts", "identity.claims", "identity.resources", "identity.roles", "input.messages",
        "messages", "model_events", "templates", "tool_events",
    }  # fmt: skip
    assert {piece for piece in pieces if ".parts[" in piece} == {
        *(f"messages[2].parts[{part}]" for part in range(2)),
        *(f"messages[4].parts[{part}]" for part in range(3)),
    }
    assert count(story()) == len(pieces)


def test_single_pieces_go_from_the_end_of_the_story_backwards():
    whole = levels(story())[0].order
    told = [piece for piece in whole if piece.startswith(("tool_events", "model_events", "messages"))]
    assert told == [
        "model_events[1]", "messages[4]", "messages[3]", "tool_events[4]", "tool_events[3]", "tool_events[2]",
        "tool_events[1]", "tool_events[0]", "model_events[0]", "messages[2]", "messages[1]", "messages[0]",
    ]  # fmt: skip


def test_with_all_pieces_a_document_is_unchanged():
    assert pretty(project(story(), all_of(story())).document) == pretty(story())


def test_attempts_tries_and_calls_count_from_one_again():
    events = without(story(), "tool_events[0]", "tool_events[1]").document["tool_events"]
    assert [(each["attempt"], each["logical_call"], each["try"]) for each in events] == [
        (1, 2, 1),
        (2, 1, 1),
        (3, 1, 2),
    ]
    assert [each.get("retry_of") for each in events] == [None, None, 2]
    assert [each["outcome"]["value"]["status"] for each in events] == ["state-3", "state-4", "state-5"]


def test_a_retry_is_one_of_the_nearest_earlier_try_that_stays():
    events = without(story(), "tool_events[3]").document["tool_events"]
    assert events[-1]["retry_of"] == 2


def test_an_order_leads_past_a_dropped_attempt_and_says_nothing_twice():
    events = without(story(), "tool_events[3]").document["tool_events"]
    assert events[-1]["after"] == [2, 3]
    events = without(story(), "tool_events[2]", "tool_events[3]").document["tool_events"]
    assert events[-1]["after"] == [2]  # attempt 1 had ended before attempt 2 began
    assert without(story(), "tool_events[4]").document["model_events"][1]["after"] == [4]


def test_a_circle_of_attempts_ends_the_search():
    document = story(
        tool_events=[event(1, 1, 1, [2], retry_of=2), event(2, 1, 2, [1], retry_of=1), event(3, 1, 3, [1], retry_of=1)],
        model_events=[],
        facts=[],
        missing_evidence=[],
    )
    (last,) = without(document, "tool_events[0]", "tool_events[1]").document["tool_events"]
    assert last["after"] == []
    assert "retry_of" not in last


def test_messages_are_renamed_and_every_list_of_them_with_them():
    document = without(story(), "input.messages[1]", "messages[2]").document
    assert [each["id"] for each in document["input"]["messages"]] == ["m1"]
    assert [each["id"] for each in document["messages"]] == ["m2", "m3", "m4", "m5"]
    assert document["conversation"] == ["m1", "m4", "m5", "m1"]
    assert [each["input"] for each in document["model_events"]] == [["m2", "m3", "m1"], ["m2", "m3", "m1", "m4"]]
    assert [each["output"] for each in document["model_events"]] == [[], ["m5"]]


def test_what_names_a_dropped_template_goes_and_the_others_count_anew():
    document = without(story(), "templates[0]").document
    assert [each["parts"] for each in document["messages"] if each["role"] == "system"] == [
        [{"type": "other", "value": {"template": 0}}]
    ]
    assert document["templates"][0]["content"] == "You are desk 2."


def test_a_result_that_only_its_attempt_held_goes_with_it():
    assert "m6" in pretty(without(story(), "tool_events[1]").document)
    gone = without(story(), "tool_events[0]").document
    assert [each["parts"][0]["type"] for each in gone["messages"]] == ["other", "other", "text", "text"]
    itself = story()
    itself["messages"][3]["parts"][0]["value"] = {"status": "state-1"}
    assert len(without(itself, "tool_events[0]").document["messages"]) == 5
    retried = story()
    retried["tool_events"][4]["call_id"] = "call-1"
    assert len(without(retried, "tool_events[0]").document["messages"]) == 5


def test_a_message_goes_with_its_last_part():
    document = without(story(), "messages[4].parts[0]", "messages[4].parts[2]").document
    assert document["messages"][4]["parts"] == [{"type": "text", "text": "Anything else?"}]
    gone = without(story(), *(f"messages[4].parts[{part}]" for part in range(3)))
    assert len(gone.document["messages"]) == 4
    assert "m7" not in pretty(gone.document)


def test_entries_about_what_went_go_and_others_move():
    document = without(story(), "tool_events[1]", "messages[0]", "messages[4].parts[0]").document
    assert [each["field"] for each in document["missing_evidence"]] == [
        "adapter", "tool_events[2].outcome.ended_by", "messages[3].parts[1].text",
    ]  # fmt: skip


def test_a_fact_keeps_where_it_came_from():
    assert without(story(), "tool_events[0]").document["facts"][1]["source"] == "tool_events[0]"
    assert without(story(), "tool_events[1]").document["facts"][1]["source"] == "trace"


def test_identity_loses_claims_roles_and_resources_alone():
    identity = without(story(), "identity.claims.{0}", "identity.roles[1]", "identity.resources[0]").document[
        "identity"
    ]
    assert identity == {
        "subject": "user-31",
        "tenant": None,
        "roles": ["customer", "payer"],
        "claims": {"plan": "gold"},
        "resources": [{"type": "order", "id": "A-7742", "owner": "user-32"}],
    }


def test_what_never_goes_is_never_touched():
    before, after = story(), project(story(), frozenset()).document
    held = ("schema_version", "case_id", "frozen_at", "expected", "ordering", "timing", "lane", "final_output", "model")
    assert [after[name] for name in held] == [before[name] for name in held]
    assert list(after) == list(before)
    assert after["tool_events"] == after["messages"] == after["model_events"] == []


def test_places_move_by_the_lists_that_lost_something():
    kept = {"messages": [1, 4], "messages[4].parts": [2], "identity.claims": [1]}
    assert moved("messages[4].parts[2].value.{3}[0].{0}", kept) == "messages[1].parts[0].value.{3}[0].{0}"
    assert moved("messages[0].parts[0].text", kept) is None
    assert moved("messages[4].parts[1].text", kept) is None
    assert moved("identity.claims.{1}", kept) == "identity.claims.{0}"
    assert moved("identity.subject", kept) == "identity.subject"
    assert moved("documents[7].content", kept) == "documents[7].content"


@given(stories(), st.data())
def test_any_pieces_make_a_whole_and_faithful_document(document, data):
    pieces = all_of(document)
    kept = data.draw(st.frozensets(st.sampled_from(sorted(pieces)))) if pieces else frozenset()
    reduced = project(document, kept)
    assert schema_problems(reduced.document, "fixture") == ()
    assert structural_problems(reduced.document) == []
    assert structure_faults(document, reduced.document, reduced.kept) == []
    assert relation_faults(document, reduced.document, reduced.kept) == []


@given(stories(), st.data())
def test_dropping_in_two_steps_is_dropping_in_one(document, data):
    """So that the verdicts of a search hold for a search that begins at its result."""
    pieces = sorted(piece for piece in all_of(document) if ".parts[" not in piece)
    parts = all_of(document) - set(pieces)
    first, second = (
        (frozenset(data.draw(st.sets(st.sampled_from(pieces)))) | parts for _ in range(2)) if pieces else (parts, parts)
    )
    once = project(document, first & second)
    step = project(document, first)
    left = {now for piece in second if (now := moved(piece, step.kept)) is not None}
    twice = project(step.document, left)
    assert pretty(twice.document) == pretty(once.document)


@given(stories())
def test_all_pieces_of_any_story_leave_it_as_it_is(document):
    assert pretty(project(document, all_of(document)).document) == pretty(document)


def test_a_model_turn_without_messages_stays_a_turn():
    document = story(model_events=[model_event([], [], [1])])
    assert without(document, "tool_events[0]").document["model_events"][0]["after"] == []
