"""Where a Tracely recording hides what happened, and what is served here instead (S75-S77).

``theirs`` is what tracely-ai does (0.4.1 run, the strict source read); ``bundle`` what its bundle brings here, ``case`` what a
case of ours brings: the value served, the divergence told, or the reason of the fault.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from extractor.replay.seam import ReplayError, ToolError, call_llm, call_tool, fixtures, observe

from .cases import case_with

INSTANT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Row:
    what: str
    recorded: Any
    called: Any
    theirs: str
    bundle: str
    case: str


ROWS = [
    Row(
        what="arguments recorded as null",
        recorded=None,
        called={"n": 1},
        theirs="served: null matches any arguments",
        bundle="served",
        case="mismatch",  # a case has no null: a call without arguments has {}
    ),
    Row(
        what="a call that gives no arguments",
        recorded={"n": 1},
        called=None,
        theirs="served: the first entry, no divergence noted",
        bundle="served, args",
        case="mismatch",
    ),
    Row(
        what="text for a number", recorded="1", called=1, theirs="served: the text is parsed", bundle="served", case=""
    ),
    Row(what="text in exponents", recorded="1e3", called=1000, theirs="served", bundle="served", case=""),
    Row(
        what="text null for None",
        recorded={"n": "null"},
        called={"n": None},
        theirs="mismatch",
        bundle="mismatch",
        case="mismatch",
    ),
    Row(
        what="true for 1",
        recorded={"n": 1},
        called={"n": True},
        theirs="served: equal in Python",
        bundle="mismatch",
        case="mismatch",
    ),
    Row(what="1.0 for 1", recorded={"n": 1}, called={"n": 1.0}, theirs="served", bundle="served", case="served"),
    Row(
        what="a number in a text, one level down",
        recorded={"id": "1"},
        called={"id": 1},
        theirs="mismatch",
        bundle="mismatch",
        case="mismatch",
    ),
    Row(
        what="an object in a text, one level down",
        recorded={"q": '{"a": 1}'},
        called={"q": {"a": 1}},
        theirs="mismatch",
        bundle="mismatch",
        case="mismatch",
    ),
    Row(
        what="arguments recorded as their JSON text",
        recorded='{"n": 1}',
        called={"n": 1},
        theirs="served",
        bundle="served",
        case="",
    ),
    Row(
        what="an instant for its text",
        recorded={"at": str(INSTANT)},
        called={"at": INSTANT},
        theirs="served: default=str",
        bundle="served",
        case="mismatch",  # an argument that no JSON can hold never left the process in production
    ),
    Row(
        what="order of members, tuple for list",
        recorded={"a": 1, "b": [1, 2]},
        called={"b": (1, 2), "a": 1},
        theirs="served",
        bundle="served",
        case="served",
    ),
]


def told(recording: Any, called: Any) -> str:
    try:
        with fixtures(recording) as report:
            assert call_tool("t", never, args=called) == "recorded"
    except ReplayError as error:
        return error.reason
    return ", ".join(["served", *(what for _, what in report.divergences)])


def never() -> Any:
    raise AssertionError("a live call")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what)
def test_arguments_of_an_imported_bundle(row):
    """S75."""
    entry = {"name": "t", "args": row.recorded, "output": "recorded"}
    assert told({"version": 2, "tools": [entry]}, row.called) == row.bundle


@pytest.mark.parametrize("row", [row for row in ROWS if row.case], ids=lambda row: row.what)
def test_arguments_of_a_case(row):
    recorded = {} if row.recorded is None else row.recorded
    assert told(case_with({"tool": "t", "arguments": recorded, "value": "recorded"}), row.called) == row.case


@pytest.mark.parametrize(("text", "value"), [("1", 1), ("1e3", 1000), ("null", None)])
def test_a_type_bug_shows_in_a_case(text, value):
    """Theirs: equal, since the text is parsed. An argument of that type is another call here."""
    case = case_with({"tool": "t", "arguments": {"n": text}, "value": "recorded"})
    assert told(case, {"n": value}) == "mismatch"


def recordings(*entries: dict[str, Any], **members: Any) -> list[Any]:
    bundle = [
        {"name": e["tool"], "args": e.get("arguments", {}), "output": e.get("value"), "error": e.get("error")}
        for e in entries
    ]
    return [{"version": 2, "tools": bundle}, case_with(*entries, **members)]


def test_order_between_tools():
    """Theirs: not checked; B, A served to A, B is clean."""
    bundle, case = recordings({"tool": "b", "value": 2}, {"tool": "a", "value": 1})
    with fixtures(bundle) as report:
        assert [call_tool("a", never, args={}), call_tool("b", never, args={})] == [1, 2]
    assert report.divergences == [("tools:a", "order")]
    assert not report.clean
    with pytest.raises(ReplayError, match="tool replay mismatch: expected b") as caught, fixtures(case):
        call_tool("a", never, args={})
    assert (caught.value.reason, caught.value.label) == ("mismatch", "needs_review")


def test_order_of_equal_calls_of_one_tool():
    """Theirs: not checked between calls with arguments."""
    bundle, case = recordings(
        {"tool": "t", "arguments": {"n": 1}, "value": 1}, {"tool": "t", "arguments": {"n": 2}, "value": 2}
    )
    with fixtures(bundle) as report:
        call_tool("t", never, args={"n": 2})
        call_tool("t", never, args={"n": 1})
    assert report.divergences == [("tools:t", "order")]
    with pytest.raises(ReplayError), fixtures(case):
        call_tool("t", never, args={"n": 2})


@pytest.mark.parametrize("which", [0, 1], ids=["bundle", "case"])
def test_an_error_without_words_is_an_error(which):
    """Theirs: success that returns None, the failure vanishes."""
    recording = recordings({"tool": "t", "error": ""})[which]
    with fixtures(recording) as report, pytest.raises(ToolError, match=r"recorded .*error"):
        call_tool("t", never, args={})
    assert report.clean


def test_a_recorded_error_keeps_its_class_and_what_ended_it():
    """Theirs: always ToolError(str), class, retryability and kind of time-out are lost."""
    error = {"tool": "t", "error": "late", "error_type": "httpx.ReadTimeout", "ended_by": "remote_timeout"}
    with fixtures(case_with(error)), pytest.raises(ToolError, match=r"^late$") as caught:
        call_tool("t", never, args={})
    assert (caught.value.error_class, caught.value.ended_by, caught.value.retryable) == (
        "httpx.ReadTimeout",
        "remote_timeout",
        True,
    )


def test_an_error_beside_an_output_raises():
    """Theirs: the same."""
    entry = {"name": "t", "args": {}, "output": {"n": 1}, "error": "late"}
    with fixtures({"tools": [entry]}), pytest.raises(ToolError, match="late"):
        call_tool("t", never, args={})


def test_an_output_that_their_server_wrote_is_opened():
    """Theirs: a tool that returned an object replays a text."""
    with fixtures({"tools": [{"name": "t", "args": {}, "output": '{"temp": 21}'}]}):
        assert call_tool("t", never, args={}) == {"temp": 21}


@pytest.mark.parametrize("output", ["21", "true", "null", "[broken", "plain"])
def test_a_text_that_is_no_object_stays_a_text(output):
    with fixtures({"tools": [{"name": "t", "args": {}, "output": output}]}):
        assert call_tool("t", never, args={}) == output


def test_a_text_in_a_bundle_of_ours_stays_a_text():
    with fixtures({"tools": [{"name": "t", "args": {}, "output": '{"temp": 21}'}], "x_fixture": {}}):
        assert call_tool("t", never, args={}) == '{"temp": 21}'


def llm_recordings(model: str, *told: tuple[str, str]) -> list[Any]:
    messages = [{"role": role, "content": text} for role, text in told]
    bundle = {"llm": [{"model": model, "input": messages, "output": "hello"}]}
    spoken = [{"role": role, "text": text} for role, text in told if role != "system"]
    templates = [{"role": role, "content": text} for role, text in told if role == "system"]
    return [bundle, case_with(llm=[{"model": model, "input": spoken, "output": "hello"}], templates=templates)]


@pytest.mark.parametrize("which", [0, 1], ids=["bundle", "case"])
def test_a_model_of_another_name_is_served_and_told(which):
    """S76. Theirs: the next of any name, clean."""
    recording = llm_recordings("chat completion", ("user", "hi"))[which]
    with fixtures(recording) as report:
        assert call_llm("m-1", never, input=[{"role": "user", "content": "hi"}]) == "hello"
    assert report.divergences == [("llm:m-1", "model")]


@pytest.mark.parametrize("which", [0, 1], ids=["bundle", "case"])
@pytest.mark.parametrize(
    "asked",
    [
        [("system", "be rude"), ("user", "before"), ("assistant", "yes"), ("user", "hi")],
        [("system", "be kind"), ("user", "earlier"), ("assistant", "yes"), ("user", "hi")],
        [("system", "be kind"), ("user", "hi")],
    ],
    ids=["instructions", "history", "no history"],
)
def test_the_same_last_words_after_another_beginning_are_told(which, asked):
    """S77. Theirs: a match without divergence, since only the user's last words are compared."""
    recording = llm_recordings("m-1", ("system", "be kind"), ("user", "before"), ("assistant", "yes"), ("user", "hi"))[
        which
    ]
    with fixtures(recording) as report:
        assert call_llm("m-1", never, input=[{"role": role, "content": text} for role, text in asked]) == "hello"
    assert report.divergences == [("llm:m-1", "input")]


@pytest.mark.parametrize("which", [0, 1], ids=["bundle", "case"])
def test_the_same_messages_are_clean(which):
    told = [("system", "be kind"), ("user", "before"), ("assistant", "yes"), ("user", "hi")]
    with fixtures(llm_recordings("m-1", *told)[which]) as report:
        call_llm("m-1", never, input=[{"role": role, "content": text} for role, text in told])
    assert report.clean


@pytest.mark.parametrize("which", [0, 1], ids=["bundle", "case"])
def test_a_raw_thread_is_inside(which):
    """Theirs: a thread is not replaying, and runs live."""
    recording = recordings({"tool": "t", "value": 1})[which]
    found = []
    with fixtures(recording) as report:
        thread = threading.Thread(target=lambda: found.append(call_tool("t", never, args={})))
        thread.start()
        thread.join()
    assert found == [1]
    assert report.clean


def test_except_exception_swallows_nothing():
    """Theirs: an agent that catches Exception goes on, and only the report knows."""

    def agent():
        try:
            return call_tool("t", never, args={})
        except Exception:  # noqa: BLE001  # what agents do
            return "all is well"

    with pytest.raises(ReplayError), fixtures({}) as report:
        agent()
    assert [event.reason for event in report.errors] == ["missing"]


@pytest.mark.parametrize("ending", [lambda: None, lambda: 1 / 0], ids=["swallowed", "turned into another"])
def test_a_block_whose_fault_was_swallowed_ends_with_it(ending):

    def agent():
        try:
            call_tool("t", never, args={})
        except BaseException:  # noqa: BLE001  # what some agents do
            ending()

    with pytest.raises(ReplayError) as caught, fixtures({}):
        agent()
    assert caught.value.reason == "missing"


@pytest.mark.parametrize(
    ("recording", "called", "reason"),
    [
        ({}, {}, "missing"),
        ({"tools": []}, {}, "missing"),
        ({"tools": {"other": 1}}, {}, "missing"),
        ({"tools": [{"name": "t", "args": {"n": 2}, "output": 1}]}, {"n": 1}, "mismatch"),
    ],
)
def test_what_is_not_recorded_is_never_live(recording, called, reason):
    """S74. Theirs before 0.4.3: live, live, live, and the next entry in silence."""
    with pytest.raises(ReplayError) as caught, fixtures(recording):
        call_tool("t", never, args=called)
    assert caught.value.reason == reason


@pytest.mark.parametrize("which", [0, 1], ids=["bundle", "case"])
def test_one_call_too_many_is_never_live(which):
    recording = recordings({"tool": "t", "value": 1})[which]
    with pytest.raises(ReplayError) as caught, fixtures(recording):
        [call_tool("t", never, args={}) for _ in range(2)]
    assert (caught.value.reason, caught.value.label) == ("exhausted", "needs_review")


@pytest.mark.parametrize("which", [0, 1], ids=["bundle", "case"])
def test_a_new_parameter_at_its_default_is_served_and_told(which):
    """Theirs: a mismatch; adding a parameter breaks every old recording."""

    @observe(as_type="tool")
    def search(query, unit="celsius"):
        never()

    recording = recordings({"tool": "search", "arguments": {"query": "x"}, "value": 1})[which]
    with fixtures(recording) as report:
        assert search("x") == 1
    assert report.divergences == [("tools:search", "defaults")]
    with pytest.raises(ReplayError), fixtures(recording):
        search("x", unit="celsius")
