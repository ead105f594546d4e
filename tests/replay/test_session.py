"""One replay: what is frozen, what is said at its end, and that a swallowed fault stays one (S26 S49 S55 S89)."""

from __future__ import annotations

import asyncio
import contextlib
import threading

import pytest

from extractor.errors import InputUnreadable, ValidationFailed
from extractor.replay.case import load_case
from extractor.replay.exchange import Message, ModelRequest
from extractor.replay.faults import AdapterFailed, CallMismatch, NothingRecorded
from extractor.replay.results.telling import finished, started
from extractor.replay.session import Session, current
from extractor.replay.tools import Unconsumed

from .documents import call, case, folder, said

FIND = call(1, "order.find", {"id": "O-1"}, {"state": "paid"})


def session(*events, expect=None, adapters=None, checks=None, version="v1", **told):
    return Session(case(*events, **told), version=version, expect=expect, adapters=adapters, checks=checks)


def finds(incident):
    incident.call_tool("order.find", {"id": "O-1"})
    return "I cannot say yet."


def test_a_run_without_faults_ends_silently_and_tells_what_makes_it_comparable():
    """S22: case id, fixture hash, implementation version and boundary result stand in every line."""
    with session(FIND, expected={"claims": {"prohibit": ["the refund is done"], "unless": []}}) as incident:
        incident.output = finds(incident)
    told = finished(incident)
    assert told.case_id == "2026-07-18-refund"
    assert len(told.fixture_hash) == 64
    assert told.implementation_version == "v1"
    assert told.boundary_passed is True
    assert (told.state, told.label) == ("finished", None)


def test_what_is_told_before_the_run_claims_nothing():
    told = started(session(FIND))
    assert (told.state, told.boundary_passed) == ("started", None)


def test_the_session_is_open_for_every_thread_and_for_no_longer():
    seen = []
    with session() as incident:
        thread = threading.Thread(target=lambda: seen.append(current()))
        thread.start()
        thread.join()
        assert current() is incident
    assert seen == [incident]
    assert current() is None


SWALLOWING = {}


def swallows(function):
    SWALLOWING[function.__name__] = function
    return function


def wrong(incident):
    incident.call_tool("order.find", {"id": "O-2"})


@swallows
def except_exception(incident):
    try:
        wrong(incident)
    except Exception:  # noqa: BLE001
        return "handled"


@swallows
def except_base_exception(incident):
    try:
        wrong(incident)
    except BaseException:  # noqa: BLE001
        return "handled"


@swallows
def finally_return(incident):
    try:
        wrong(incident)
    finally:
        return "handled"  # noqa: B012


@swallows
def a_thread(incident):
    def work():
        with contextlib.suppress(BaseException):
            wrong(incident)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return "handled"


@swallows
async def gathered(incident):
    async def work():
        wrong(incident)

    await asyncio.gather(work(), return_exceptions=True)
    return "handled"


@pytest.mark.parametrize("agent", SWALLOWING.values(), ids=SWALLOWING)
def test_a_swallowed_mismatch_keeps_the_session_failed(agent):
    incident = session(FIND, expected={"claims": {"prohibit": ["x"], "unless": []}}).run(agent)
    assert incident.label == "needs_review"
    assert incident.verdict.passed is None  # four members of a manifest alone would read as a pass
    with pytest.raises(CallMismatch):
        incident.hold()


def test_an_agent_that_returns_early_is_told_by_its_own_label():
    """S24."""
    incident = session(FIND).run(lambda text: "Done.")
    assert incident.label == "returned_early"
    with pytest.raises(Unconsumed, match=r"order\.find"):
        incident.hold()


def test_a_case_whose_only_evidence_is_the_models_wants_it_asked():
    told = {"model_events": [{"model": "m", "input": ["m1"], "output": ["m2"], "usage": {}, "after": []}]}
    incident = session(messages=[said(2, "assistant", "Hello.")], **told).run(lambda text: "Done.")
    assert incident.label == "returned_early"


def test_the_recorded_violation_need_not_come():
    incident = session(FIND, call(2, "refund", {}, {}, role="violation")).run(finds)
    assert incident.label is None
    assert [each.role for each in finished(incident).unconsumed] == ["violation"]


def test_an_agent_that_raises_has_answered_nobody():
    def crashes(text):
        raise KeyError(text)

    incident = session(expected={"claims": {"prohibit": ["x"], "unless": []}}).run(crashes)
    assert (incident.label, incident.verdict.passed) == ("needs_review", None)
    assert finished(incident).faults[0].message.startswith("the agent ended with KeyError at test_session.py:")


def test_an_unhandled_recorded_failure_names_the_agents_line_and_the_class_of_production():
    def agent(incident):
        incident.call_tool("refund", {})

    told = finished(session(call(1, "refund", {}, TimeoutError("too slow"))).run(agent))
    assert told.faults[0].message.startswith("the agent ended with RecordedToolError at test_session.py:")
    assert "TimeoutError in production" in told.first_divergence.cure


def test_an_entry_point_may_leave_by_system_exit_and_is_not_taken_for_done():
    def leaves(text):
        raise SystemExit(0)

    assert session().run(leaves).label == "needs_review"


def test_the_clock_stands_at_the_decision_in_its_own_zone_and_moves_by_sleeping_alone():
    """S30."""
    incident = session()
    assert incident.clock.now().isoformat() == "2026-07-18T05:30:00-04:00"
    assert str(incident.clock.zone) == "America/New_York"
    incident.clock.sleep(90)
    assert incident.clock.now().isoformat() == "2026-07-18T05:31:30-04:00"
    assert incident.clock.monotonic() == 90


def test_time_that_passes_over_a_change_of_the_clocks_is_local_time_afterwards():
    """S30: a fixed instant alone does not capture a daylight-saving boundary."""
    incident = session(frozen_at="2026-11-01T01:59:59-04:00")
    incident.clock.sleep(2)
    assert incident.clock.now().isoformat() == "2026-11-01T01:00:01-05:00"


def test_identity_is_claims_and_who_owns_what():
    """S32."""
    who = session().identity
    assert (who.subject, who.roles, who.owns("O-1"), who.owns("O-2")) == ("cust_1", ("customer",), True, None)


def asked(incident, text):
    return incident.answer(
        ModelRequest(provider="t", model="m", messages=(Message(role="user", parts=({"type": "text", "text": text},)),))
    )


MODEL = {
    "messages": [said(2, "assistant", "Hello.")],
    "model_events": [{"model": "m", "input": ["m1"], "output": ["m2"], "usage": {"input_tokens": 3}, "after": []}],
}


def test_a_changed_prompt_is_served_and_stamped():
    """S77 S78."""
    incident = session(**MODEL)
    assert asked(incident, "Something else.").parts[0]["text"] == "Hello."
    assert [(each.what, each.path) for each in incident.ledger.diverged] == [("input", "input[0].parts[0].text")]


def test_the_recorded_prompt_is_not_stamped():
    incident = session(**MODEL)
    asked(incident, "Refund O-1, please.")
    assert incident.ledger.diverged == ()


def test_a_model_that_is_asked_once_more_has_no_answer():
    incident = session(**MODEL)
    asked(incident, "Refund O-1, please.")
    with pytest.raises(NothingRecorded, match="never a live call"):
        asked(incident, "And again?")


OLD = call(1, "refund.get", {}, {"refund_status": "open"})


def test_a_case_keeps_its_schema_and_is_read_by_the_adapter_that_it_names():
    """S49."""
    told = {"adapter": {"name": "refunds", "version": "1"}}
    read = session(OLD, adapters={"refunds@1": lambda tool, value: {"status": value["refund_status"]}}, **told)
    assert read.call_tool("refund.get") == {"status": "open"}


@pytest.mark.parametrize(
    ("adapters", "code"),
    [({"refunds@1": lambda tool, value: value["status"]}, "adapter_failed"), ({}, "adapter_unknown")],
    ids=["cannot read", "not named"],
)
def test_an_old_case_that_its_adapter_cannot_read_is_an_adapter_error_and_never_regenerated(adapters, code):
    """S49."""
    incident = session(OLD, adapters=adapters, adapter={"name": "refunds", "version": "1"})
    incident.run(lambda incident: incident.call_tool("refund.get"))
    assert incident.label == "adapter_error"
    with pytest.raises(AdapterFailed) as caught:
        incident.hold()
    assert caught.value.code == code


def test_evidence_without_which_nothing_can_be_judged_makes_a_run_non_replayable():
    """S67."""
    missing = [{"field": "input", "code": "no_input", "reason": "r"}]
    assert session(FIND, missing_evidence=missing).run(finds).label == "non_replayable"


def test_turns_that_were_answered_are_run_again_with_the_agents_own_state():
    """S89: user turns are recorded steps; the first divergence names its turn."""
    told = {
        "input": {"messages": [said(1, "user", "One."), said(2, "user", "Two."), said(5, "user", "Three.")]},
        "messages": [said(3, "assistant", "A."), said(4, "assistant", "B.")],
        "conversation": ["m1", "m3", "m2", "m4", "m5"],
        "model_events": [
            {"model": "m", "input": ["m1", "m3", "m2"], "output": ["m4"], "usage": {}, "after": []},
            {"model": "m", "input": ["m1", "m3", "m2", "m4", "m5"], "output": ["m4"], "usage": {}, "after": []},
        ],
    }
    heard = []

    def agent(incident):
        heard.append((incident.text, len(incident.turn.history)))
        if incident.turn.number == 2:
            incident.call_tool("unknown")
        return incident.model.call("m", ())[0]["text"]

    incident = session(**told).run(agent)
    assert heard == [("Two.", 2), ("Three.", 4)]
    assert finished(incident).first_divergence.turn == 2


def test_a_tool_result_under_the_users_role_is_no_turn():
    """Anthropic's messages, and pydantic-ai's spans, send what a tool returned as the user."""
    result = {"id": "m3", "role": "user", "parts": [{"type": "tool_result", "call_id": "c1", "value": 1}]}
    told = {
        "messages": [said(2, "assistant", "I look."), result, said(4, "assistant", "Done.")],
        "conversation": ["m1", "m2", "m3", "m4"],
        "model_events": [
            {"model": "m", "input": ["m1"], "output": ["m2"], "usage": {}, "after": []},
            {"model": "m", "input": ["m1", "m2", "m3"], "output": ["m4"], "usage": {}, "after": [1]},
        ],
    }
    assert [turn.text for turn in session(**told).turns] == ["Refund O-1, please."]


def test_a_generator_is_refused_since_it_would_not_run():
    def agent(text):
        yield text

    with pytest.raises(Exception, match="generator"):
        session().run(agent)


def test_a_case_folder_with_code_in_it_is_not_loaded(tmp_path):
    place = folder(tmp_path, FIND)
    (place / "conftest.py").write_text("raise SystemExit")
    with pytest.raises(ValidationFailed, match="no code in it"):
        load_case(place)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"case_id": "x"}'])
def test_what_is_no_case_never_starts_an_agent(tmp_path, content):
    """S86."""
    (tmp_path / "fixture.json").write_bytes(content)
    with pytest.raises((InputUnreadable, ValidationFailed)):
        load_case(tmp_path)


def test_messages_of_an_agent_without_any_sdk_are_read_as_chat_completions():
    told = {
        "messages": [said(1, "user", "One."), said(2, "assistant", "Two.")],
        "conversation": ["m1", "m2"],
        "model_events": [{"model": "m", "input": ["m1"], "output": ["m2"], "usage": {}, "after": []}],
    }

    def asking(text):
        return lambda incident: incident.model.call("m", [{"role": "user", "content": text}])[0]["text"]

    same, other = session(**told).run(asking("One.")), session(**told).run(asking("Won."))
    assert same.output == other.output == "Two."
    assert finished(same).diverged == ()
    assert [each.what for each in finished(other).diverged] == ["input"]
