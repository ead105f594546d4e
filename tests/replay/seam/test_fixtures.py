from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest

from extractor.replay.faults import HarnessDefect, NothingRecorded, ReplayFault
from extractor.replay.seam import (
    ReplayError,
    ToolError,
    acall_llm,
    acall_tool,
    agent,
    call_llm,
    call_tool,
    fixture,
    fixtures,
    observe,
)
from extractor.replay.session import Session
from extractor.replay.tools import Unconsumed

from .cases import case_with

BUNDLE = {
    "version": 2,
    "tools": [{"name": "look", "args": {"n": 1}, "tool_call_id": "c1", "output": {"found": True}, "error": None}],
    "llm": [{"model": "m-1", "input": "hi", "output": "hello", "error": None}],
}
CASE = case_with(
    {"tool": "look", "arguments": {"n": 1}, "value": {"found": True}},
    llm=[{"model": "m-1", "input": [{"role": "user", "text": "hi"}], "output": "hello"}],
)
both = pytest.mark.parametrize("recording", [BUNDLE, CASE], ids=["bundle", "case"])


def never():
    raise AssertionError("a live call")


async def anever():
    never()


def test_without_fixtures_everything_is_live():
    """S72 S73."""
    assert call_tool("look", lambda: 5, args={"n": 1}) == 5
    assert call_llm("m-1", lambda: "new", input="hi", usage=(3, 1)) == "new"
    assert fixture("tools", "look") is None


def test_none_is_live_and_says_so():
    """S74."""
    with fixtures(None) as report:
        assert call_tool("look", lambda: 5, args={"n": 1}) == 5
        call_llm("m-1", lambda: "new", input="hi")
    assert (report.mode, report.live, report.served) == ("live", ["tools:look", "llm:m-1"], [])
    assert not report.clean


@both
def test_a_recording_answers_and_after_the_block_all_is_live_again(recording):
    """S72 S73 S79 S84."""
    with fixtures(recording) as report:
        assert call_tool("look", never, args={"n": 1}) == {"found": True}
        assert call_llm("m-1", never, input="hi") == "hello"
    assert report.to_dict() == {
        "mode": "recorded",
        "served": ["tools:look", "llm:m-1"],
        "unused": [],
        "diverged": [],
        "live": [],
        "errors": [],
        "providers": {},
        "clean": True,
    }
    assert call_tool("look", lambda: 5, args={"n": 1}) == 5


@both
def test_an_answer_is_a_copy_of_its_own(recording):
    with fixtures(recording):
        call_tool("look", never, args={"n": 1})["found"] = False
    with fixtures(recording):
        assert call_tool("look", never, args={"n": 1}) == {"found": True}


@both
def test_what_was_not_asked_for_is_unused_and_no_failure(recording):
    """S79 S80."""
    with fixtures(recording) as report:
        pass
    assert report.unused == ["llm:m-1 ×1", "tools:look ×1"]
    assert not report.clean


@both
def test_a_peek_consumes_nothing(recording):
    """S84."""
    with fixtures(recording) as report:
        assert [fixture("tools", "look"), fixture("tools", "look")] == [{"found": True}, {"found": True}]
        assert fixture("llm", "any") == "hello"
        assert fixture("tools", "none") is None
        call_tool("look", never, args={"n": 1})
        assert fixture("tools", "look") is None
    assert report.served == ["tools:look"]


@both
def test_a_changed_prompt_is_served_and_told(recording):
    """S77."""
    with fixtures(recording) as report:
        assert call_llm("m-1", never, input="good day") == "hello"
    assert report.diverged == ["llm:m-1"]


@both
def test_one_model_answer_too_many_is_never_live(recording):
    missed = pytest.raises(ReplayError, match="no recorded call for llm:m-2, never a live call")
    with missed as caught, fixtures(recording):
        [call_llm(model, never, input="hi") for model in ("m-1", "m-2")]
    assert (caught.value.reason, caught.value.kind, caught.value.key) == ("exhausted", "llm", "m-2")
    assert isinstance(caught.value, NothingRecorded)
    assert not isinstance(caught.value, Exception)


def test_a_failure_of_a_model_comes_back():
    with fixtures({"llm": [{"model": "m-1", "error": "overloaded"}]}), pytest.raises(ToolError, match="overloaded"):
        call_llm("m-1", never)


def test_version_one_of_a_bundle_fits_any_arguments():
    with fixtures({"tools": {"look": {"n": 1}}, "llm": {"m-1": "hello"}}) as report:
        assert call_tool("look", never, args={"n": 7}) == {"n": 1}
        assert call_llm("m-1", never, input="whatever") == "hello"
    assert report.clean


def test_a_case_artifact_holds_its_bundle():
    with fixtures({"format_version": 1, "case_id": "c", "fixtures": BUNDLE}):
        assert call_tool("look", never, args={"n": 1}) == {"found": True}


@pytest.mark.parametrize(
    "broken",
    [{"tols": []}, {"tools": 3}, {"tools": ["look"]}, {"version": 2, "steps": []}],
    ids=["no section", "no list", "no object", "other members"],
)
def test_what_cannot_be_loaded_runs_no_agent(broken):
    """S86."""
    with pytest.raises(ReplayError, match="cannot be loaded") as caught, fixtures(broken):
        never()
    assert (caught.value.reason, caught.value.label) == ("load", "incomplete")


def test_a_folder_without_a_case_runs_no_agent(tmp_path):
    with pytest.raises(ReplayError, match="cannot be loaded") as caught, fixtures(tmp_path):
        never()
    assert caught.value.reason == "load"


class TestLenient:
    """S81."""

    @both
    def test_says_so_and_falls_through_to_live_on_a_miss(self, recording):
        with fixtures(recording, strict=False) as report:
            assert call_tool("other", lambda: 5, args={}) == 5
            assert call_tool("look", never, args={"n": 1}) == {"found": True}
            assert call_llm("m-1", never, input="hi") == "hello"
            assert call_llm("m-1", lambda: "new", input="hi") == "new"
        assert (report.mode, report.live) == ("lenient", ["tools:other", "llm:m-1"])
        assert not report.errors
        assert not report.clean

    @both
    def test_answers_another_question_in_order_and_tells(self, recording):
        with fixtures(recording, strict=False) as report:
            assert call_tool("look", never, args={"n": 2}) == {"found": True}
        assert report.divergences == [("tools:look", "args")]

    @both
    def test_never_runs_a_tool_that_changes_something(self, recording):
        missed = pytest.raises(ReplayError, match="never run live beside a recording")
        with missed as caught, fixtures(recording, strict=False) as report:
            call_tool("pay", never, args={}, side_effect=True)
        assert caught.value.detail == "side_effect"
        assert [event.key for event in report.errors] == ["pay"]

    def test_never_runs_a_decorated_tool_that_changes_something(self):
        @observe(as_type="tool", side_effect=True)
        def pay(amount):
            never()

        with pytest.raises(ReplayError), fixtures({}, strict=False):
            pay(5)

    @pytest.mark.parametrize("effect", ["accepted", "rejected", "unknown"])
    def test_never_runs_a_tool_that_changed_something_when_it_was_recorded(self, effect):
        case = case_with({"tool": "pay", "arguments": {"n": 1}, "value": 1, "side_effect": effect})
        with pytest.raises(ReplayError), fixtures(case, strict=False):
            [call_tool("pay", never, args={"n": 1}) for _ in range(2)]


class TestOneForTheProcess:
    @both
    def test_threads_and_pools_are_inside(self, recording):
        with fixtures(recording) as report, ThreadPoolExecutor(2) as pool:
            assert pool.submit(call_tool, "look", never, args={"n": 1}).result() == {"found": True}
        assert report.served == ["tools:look"]

    def test_a_thread_that_was_there_before_is_inside_too(self):
        go, found = threading.Event(), []

        def work():
            go.wait()
            found.append(call_tool("look", never, args={"n": 1}))

        thread = threading.Thread(target=work)
        thread.start()
        with fixtures(BUNDLE):
            go.set()
            thread.join()
        assert found == [{"found": True}]

    @both
    def test_a_second_recording_is_refused(self, recording):
        with fixtures(BUNDLE) as report:
            with pytest.raises(HarnessDefect, match="a second recording"), fixtures(recording):
                never()
            assert call_tool("look", never, args={"n": 1}) == {"found": True}
        assert report.served == ["tools:look"]

    def test_a_second_recording_is_refused_from_another_thread(self):
        refused = []

        def other():
            try:
                with fixtures({}):
                    never()
            except ReplayFault as fault:
                refused.append(fault.code)

        with fixtures(BUNDLE):
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
        assert refused == ["two_recordings"]

    def test_none_inside_a_recording_makes_nothing_live(self):
        with fixtures(BUNDLE) as report, fixtures(None) as inner:
            call_tool("look", never, args={"n": 1})
        assert inner is report

    def test_many_threads_are_served_each_answer_once(self):
        entries = [{"name": "look", "args": {"n": n}, "output": n} for n in range(200)]
        with fixtures({"tools": entries}) as report, ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda n: call_tool("look", never, args={"n": n}), range(200)))
        assert found == list(range(200))
        assert report.unused == []


class TestInASession:
    def test_the_session_answers(self):
        with Session(CASE, version="v") as session, agent("a"):
            assert call_tool("look", never, args={"n": 1}) == {"found": True}
            assert fixture("llm", "m-1") == "hello"
            session.output = call_llm("m-1", never, input="hi")
        assert session.ledger.served == ("tools:look", "llm:m-1")

    def test_a_miss_is_the_session_s_own_fault(self):
        missed = pytest.raises(NothingRecorded, match="no recorded call for tools:other, never a live call")
        with missed, Session(CASE, version="v") as session:
            call_tool("other", never, args={})
        assert session.label == "incomplete"
        assert len(session.ledger.faults) == 1

    def test_a_swallowed_miss_fails_it(self):
        with pytest.raises(NothingRecorded), Session(CASE, version="v"), suppress(BaseException):
            call_tool("other", never, args={})

    def test_what_did_not_come_fails_it(self):
        with pytest.raises(Unconsumed), Session(CASE, version="v"):
            call_llm("m-1", never, input="hi")

    def test_none_leaves_it_in_force(self):
        with Session(CASE, version="v"), fixtures(None) as report:
            call_tool("look", never, args={"n": 1})
            call_llm("m-1", never, input="hi")
        assert (report.mode, report.clean) == ("recorded", True)

    def test_another_recording_inside_is_refused(self):
        refused = pytest.raises(HarnessDefect, match="a second recording")
        with refused, Session(CASE, version="v"), fixtures(BUNDLE):
            never()


class TestAwaited:
    @both
    def test_recorded_answers(self, recording):
        async def run():
            return await acall_tool("look", anever, args={"n": 1}), await acall_llm("m-1", anever, input="hi")

        with fixtures(recording):
            assert asyncio.run(run()) == ({"found": True}, "hello")

    def test_live_answers(self):
        async def look():
            await asyncio.sleep(0)
            return 5

        assert asyncio.run(acall_tool("look", look)) == 5
        assert asyncio.run(acall_llm("m-1", look)) == 5

    def test_other_tasks_run_before_a_recorded_answer(self):
        order = []

        async def one():
            await acall_tool("look", anever, args={"n": 1})
            order.append("answered")

        async def other():
            order.append("ran")

        async def run():
            await asyncio.gather(one(), other())

        with fixtures(BUNDLE):
            asyncio.run(run())
        assert order == ["ran", "answered"]

    def test_gather_swallows_nothing(self):
        async def run():
            await asyncio.gather(acall_tool("other", anever), return_exceptions=True)

        with pytest.raises(ReplayError), fixtures(BUNDLE):
            asyncio.run(run())

    @pytest.mark.parametrize("call", [call_tool, call_llm])
    @pytest.mark.parametrize("fn", [anever, partial(lambda go: go(), anever)], ids=["function", "lambda"])
    def test_a_function_to_be_awaited_is_refused_where_nobody_awaits(self, call, fn):
        with pytest.raises(TypeError, match="has to be awaited"):
            call("x", fn)


class TestObserve:
    def test_a_tool_is_served_with_its_arguments_by_name(self):
        """S82."""

        @observe(as_type="tool")
        def look(n, *rest, unit="celsius", **others):
            never()

        arguments = {"n": 1, "unit": "celsius", "depth": 2}
        with fixtures(case_with({"tool": "look", "arguments": arguments, "value": 5})) as report:
            assert look(n=1, depth=2) == 5
        assert report.clean

    def test_a_method_leaves_its_object_out(self):
        class Desk:
            @observe(as_type="tool", name="desk.look")
            def look(self, n):
                never()

        with fixtures(case_with({"tool": "desk.look", "arguments": {"n": 1}, "value": 5})):
            assert Desk().look(1) == 5

    def test_a_recorded_failure_is_raised_as_a_tool_error(self):
        """S82 S87."""

        @observe(as_type="tool")
        def look(n):
            never()

        late = case_with({"tool": "look", "arguments": {"n": 1}, "error": "late"})
        with fixtures(late), pytest.raises(ToolError, match="late"):
            look(1)

    def test_an_awaited_tool(self):
        @observe(as_type="tool")
        async def look(n):
            never()

        with fixtures(BUNDLE):
            assert asyncio.run(look(1)) == {"found": True}

    @pytest.mark.parametrize("name", ["m-1", None])
    def test_a_model_by_its_argument_or_its_name(self, name):
        @observe(as_type="llm", name=name)
        def ask(messages, model="m-1"):
            never()

        with fixtures(CASE) as report:
            assert ask([{"role": "user", "content": "hi"}]) == "hello"
        assert (report.served, report.divergences) == (["llm:m-1"], [])

    def test_an_awaited_model(self):
        @observe(as_type="llm", name="m-1")
        async def ask(prompt):
            never()

        with fixtures(CASE):
            assert asyncio.run(ask("hi")) == "hello"

    @pytest.mark.parametrize("kind", ["agent", "chain", "span", "retriever"])
    def test_what_is_no_call_to_the_outside_always_runs(self, kind):
        @observe(as_type=kind)
        def inner(n):
            return n + 1

        @observe(as_type=kind)
        async def ainner(n):
            return n + 1

        with fixtures({}) as report:
            assert (inner(1), asyncio.run(ainner(1))) == (2, 2)
        assert report.clean

    def test_outside_it_runs_and_keeps_its_name(self):
        @observe(as_type="tool")
        def look(n):
            """Look."""
            return n

        assert (look(3), look.__name__, look.__doc__) == (3, "look", "Look.")

    def test_a_type_that_is_none_is_refused(self):
        with pytest.raises(TypeError, match="observe takes the type"):

            @observe
            def look():
                never()

    def test_a_generator_is_refused(self):
        with pytest.raises(TypeError, match="generator"):

            @observe(as_type="tool")
            def look():
                yield 1


class TestForms:
    @pytest.mark.parametrize("form", ["content", "parts"])
    def test_an_answer_that_asks_for_a_tool_has_the_form_of_the_question(self, form):
        part = {"type": "tool_call", "call_id": "c1", "tool": "look", "value": {"n": 1}}
        case = case_with(llm=[{"model": "m-1", "output": ""}])
        case.document["messages"][0]["parts"] = [part]
        asked = {
            "content": [{"role": "user", "content": "hi"}],
            "parts": [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}],
        }[form]
        with fixtures(case):
            answer = call_llm("m-1", never, input=asked, returns="message")
        assert (
            answer
            == {
                "content": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"n": 1}'}}
                    ],
                },
                "parts": {
                    "role": "assistant",
                    "parts": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {"n": 1}}],
                    "finish_reason": "tool_call",
                },
            }[form]
        )


def test_importing_the_seam_loads_nothing_heavy():
    code = (
        "import sys, extractor.replay.seam;"
        "print([m for m in ('opentelemetry', 'asyncio', 'click', 'jsonschema', 'pytest') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
