"""The proof of a smaller case must see whatever a projection could do wrong."""

from __future__ import annotations

import copy

import pytest

from extractor.minimise.faithful import relation_faults, structure_faults
from extractor.minimise.pieces import levels
from extractor.minimise.project import project

from .cases import story

GONE = {"tool_events[1]", "messages[0]", "messages[4].parts[0]", "identity.roles[1]", "documents[0]"}


def reduced():
    pieces = {piece for level in levels(story()) for piece in level.order}
    return project(story(), pieces - GONE)


def faults(spoil, find) -> list[str]:
    made = reduced()
    document = copy.deepcopy(made.document)
    spoil(document)
    return find(story(), document, made.kept)


def put(*path, value):
    def spoil(document):
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return spoil


def test_an_honest_projection_has_no_fault():
    assert faults(lambda document: None, structure_faults) == []
    assert faults(lambda document: None, relation_faults) == []


@pytest.mark.parametrize(
    "spoil",
    [
        put("final_output", value="Something else."),
        put("expected", "prohibited_claims", value=[]),
        put("frozen_at", value="2026-03-02T10:00:31.250Z"),
        put("tool_events", 0, "arguments", "order", value="A-7742"),
        put("tool_events", 0, "idempotency_key", value="idem-2"),
        put("tool_events", 0, "arguments", "amount", value=10.10000001),
        put("tool_events", 0, "timing", "end_ms", value=None),
        put("messages", 3, "parts", 1, "text", value="Good-bye!"),
        put("messages", 3, "role", value="user"),
        put("input", "messages", 0, "parts", 0, "text", value=""),
        put("identity", "subject", value="user-32"),
        put("identity", "roles", value=["customer", "owner"]),
        put("identity", "claims", value={"verified": False, "plan": "gold"}),
        put("identity", "resources", 0, "owner", value="user-32"),
        put("documents", 0, "content", value="Page 2."),
        put("facts", 0, "source", value="trace"),
        put("messages", 0, "parts", 0, "value", value={"template": 0}),
        put("missing_evidence", 0, "code", value="invented"),
        lambda document: document["tool_events"].reverse(),
        lambda document: document["documents"].pop(),
        lambda document: document["messages"][3]["parts"].pop(),
        lambda document: document["missing_evidence"].reverse(),
        lambda document: document.update({"more": 1}),
        lambda document: document["tool_events"][0].update({"more": 1}),
    ],
)
def test_any_other_difference_is_a_fault_of_structure(spoil):
    assert faults(spoil, structure_faults)


@pytest.mark.parametrize(
    "spoil",
    [
        put("tool_events", 0, "attempt", value=2),
        put("tool_events", 3, "attempt", value=5),
        put("tool_events", 1, "logical_call", value=1),
        put("tool_events", 3, "try", value=3),
        put("tool_events", 3, "retry_of", value=1),
        lambda document: document["tool_events"][3].pop("retry_of"),
        put("tool_events", 2, "after", value=[]),
        put("tool_events", 1, "after", value=[]),
        put("model_events", 1, "after", value=[3]),
        put("model_events", 0, "input", 0, value="m1"),
        put("model_events", 1, "output", value=[]),
        put("conversation", 0, value="m2"),
        lambda document: document["conversation"].pop(),
        put("messages", 0, "id", value="m9"),
    ],
)
def test_a_number_that_means_something_else_is_a_fault_of_relations(spoil):
    assert faults(spoil, structure_faults) == []
    assert faults(spoil, relation_faults)


def test_a_result_that_no_attempt_holds_any_more_is_a_fault_of_relations():
    pieces = {piece for level in levels(story()) for piece in level.order}
    made = project(story(), pieces - {"tool_events[0]"})
    document = copy.deepcopy(made.document)
    document["messages"].insert(3, {**story()["messages"][3], "id": "m6"})
    document["messages"][4]["id"] = "m7"
    document["conversation"].insert(3, "m6")
    document["conversation"][4] = "m7"
    document["model_events"][1]["input"].insert(4, "m6")
    document["model_events"][1]["output"] = ["m7"]
    kept = {**made.kept, "messages": [0, 1, 2, 3, 4], "messages[3].parts": [0]}
    assert structure_faults(story(), document, kept) == []
    assert relation_faults(story(), document, kept) == ["messages: results that no attempt holds any more: 1"]


def test_faults_name_places_and_no_value():
    (fault,) = faults(put("tool_events", 0, "arguments", "order", value="A-7742"), structure_faults)
    assert fault == "tool_events[0]: changed"
