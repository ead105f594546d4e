from __future__ import annotations

from extractor.minimise.pieces import levels
from extractor.minimise.project import project
from extractor.minimise.sidecar import restated
from extractor.schemas import schema_problems

from .cases import attempt, decision, statement, story

RECORD = {"oracle": "cd" * 32, "pieces_before": 9, "pieces_after": 1, "runs": 5, "one_minimal": True}


def told(*gone: str, minimised=None, document=None, **said):
    document = document or story()
    pieces = {piece for level in levels(document) for piece in level.order}
    assert not set(gone) - pieces
    reduced = project(document, pieces - set(gone))
    made = restated(statement(document, **said), document, reduced, b"the bytes", minimised)
    assert schema_problems(made, "provenance") == ()
    return made["predicate"]


def becomes(*gone: str, place: str) -> tuple[str, str, str | None]:
    (found,) = told(*gone, selection=[decision("s1", place)])["selection"]
    return found["decision"], found["reason"], found["becomes"]


def test_a_span_whose_evidence_went_is_dropped_and_others_move():
    assert becomes("tool_events[1]", place="tool_events[1].timing") == ("dropped", "minimised", None)
    assert becomes("tool_events[1]", place="tool_events[3].timing") == ("kept", "attempt", "tool_events[2].timing")


def test_a_span_that_became_nothing_of_its_own_stays_as_it_was_judged():
    (path,) = told("tool_events[1]", selection=[decision("s0", None, reason="path")])["selection"]
    assert path == decision("s0", None, reason="path")


def test_timing_evidence_goes_and_moves_with_its_attempt():
    standing = [attempt("tool_events[0]"), attempt("tool_events[1]"), attempt("tool_events[3]"), attempt(None)]
    left = told("tool_events[1]", attempts=standing)["attempts"]
    assert [each["event"] for each in left] == ["tool_events[0]", "tool_events[2]", None]


def test_a_model_turn_becomes_its_words_when_its_record_went():
    assert becomes("model_events[1]", place="model_events[1]") == ("kept", "attempt", "messages[4]")
    assert becomes("model_events[1]", "messages[4]", place="model_events[1]")[0] == "dropped"


def test_a_retrieval_becomes_the_first_of_its_documents_that_stays():
    both = [decision("s1", "documents[0]"), decision("s2", "documents[2]")]
    first, second = told("documents[0]", selection=both)["selection"]
    assert (first["becomes"], second["becomes"]) == ("documents[0]", "documents[1]")
    first, second = told("documents[0]", "documents[1]", selection=both)["selection"]
    assert (first["decision"], second["becomes"]) == ("dropped", "documents[0]")


def test_a_secret_stays_told_when_its_step_went():
    secrets = [{"kind": "a token", "rule": "r", "steps": ["tool_events[1]", "tool_events[2]"], "spans": ["s1"]}]
    assert told("tool_events[1]", secrets=secrets)["redaction"]["secrets"][0]["steps"] == ["tool_events[1]"]
    (left,) = told("tool_events[1]", "tool_events[2]", secrets=secrets)["redaction"]["secrets"]
    assert left["steps"] == []
    assert left["spans"] == ["s1"]


def test_a_flag_goes_with_its_step():
    flags = [{"category": "code", "step": step, "count": 1} for step in ("messages[2]", "messages[4]", "identity")]
    assert [each["step"] for each in told("messages[2]", flags=flags)["flags"]] == ["messages[3]", "identity"]


def residual(path: str, start: int, end: int, count: int = 1, code: str = "name_like"):
    return {"code": code, "path": path, "start": start, "end": end, "count": count}


def test_a_residual_token_that_still_stands_elsewhere_is_told_there():
    document = story(final_output="Nothing more, said Skarn.")
    document["messages"][4]["parts"][0]["text"] = "Skarn is done."
    listed = [residual("messages[4].parts[0].text", 0, 5, 2)]
    assert told(document=document, residual=listed)["residual"] == listed
    assert told("messages[4]", document=document, residual=listed)["residual"] == [residual("final_output", 19, 24)]
    document["final_output"] = None
    assert told("messages[4]", document=document, residual=listed)["residual"] == []


def test_a_residual_token_moves_with_its_text_and_is_counted_anew():
    document = story(final_output="Skarn.")
    document["messages"][4]["parts"][1]["text"] = "Skarn is done."
    listed = [residual("messages[4].parts[1].text", 0, 5, 2)]
    (left,) = told("messages[0]", "messages[4].parts[0]", document=document, residual=listed)["residual"]
    assert left == residual("messages[3].parts[0].text", 0, 5, 2)


def test_the_statement_speaks_of_the_new_bytes_and_of_the_search():
    assert told(minimised=RECORD)["minimised"] == RECORD
    assert "minimised" not in told()
    assert "minimised" not in told("tool_events[1]", minimised=None, document=story())
