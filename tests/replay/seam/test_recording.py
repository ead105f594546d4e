"""What a live run records is a trace that a case comes from, and the case replays the run."""

from __future__ import annotations

import asyncio
import json
import stat
import threading

import pytest
from opentelemetry import trace as api
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from extractor.replay.seam import (
    ToolError,
    acall_tool,
    agent,
    call_llm,
    call_tool,
    fixtures,
    observe,
    recording,
)
from extractor.replay.session import Session

from .cases import case_with, extracted

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where is my parcel?"}]
CALL = {"id": "c1", "type": "function", "function": {"name": "parcel.find", "arguments": '{"late": true}'}}


def spans_of(file):
    found = []
    for line in file.read_text("utf-8").splitlines():
        for resource in json.loads(line)["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                found += scope["spans"]
    return found


def values(span):
    return {pair["key"]: next(iter(pair["value"].values())) for pair in span["attributes"]}


def named(file, name):
    return next(span for span in spans_of(file) if span["name"] == name)


def test_a_run_is_one_trace_of_an_agent_and_its_calls(tmp_path):
    """S72 S136."""
    file = tmp_path / "run.jsonl"
    with fixtures(None), recording(file), agent("desk", input="Where is my parcel?", conversation="c-1") as running:
        call_tool("parcel.find", lambda: {"state": "sent"}, args={"open": True})
        running.answer(call_llm("m-1", lambda: "It was sent.", input=MESSAGES, usage=(12, 5)))
    tool, chat, root = spans_of(file)
    assert [span["name"] for span in (tool, chat, root)] == [
        "execute_tool parcel.find",
        "chat m-1",
        "invoke_agent desk",
    ]
    assert {span["traceId"] for span in (tool, chat)} == {root["traceId"]}
    assert [span.get("parentSpanId") for span in (tool, chat, root)] == [root["spanId"], root["spanId"], None]
    assert values(tool) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "parcel.find",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": '{"open":true}',
        "gen_ai.tool.call.result": '{"state":"sent"}',
    }
    assert (values(chat)["gen_ai.usage.input_tokens"], values(chat)["gen_ai.usage.output_tokens"]) == ("12", "5")
    assert json.loads(values(chat)["gen_ai.output.messages"])[0]["parts"] == [
        {"type": "text", "content": "It was sent."}
    ]
    assert values(root)["gen_ai.conversation.id"] == "c-1"
    assert chat["kind"] == 3


def test_a_failure_is_recorded_and_goes_on(tmp_path):
    """S72 S136."""
    file = tmp_path / "run.jsonl"

    def late():
        raise TimeoutError("no answer")

    with recording(file), pytest.raises(TimeoutError), agent("desk"):
        call_tool("parcel.find", late, args={})
    tool = named(file, "execute_tool parcel.find")
    assert tool["status"] == {"code": 2, "message": "no answer"}
    assert values(tool)["error.type"] == "TimeoutError"
    assert "gen_ai.tool.call.result" not in values(tool)


def test_the_file_is_its_owner_s_alone(tmp_path):
    file = tmp_path / "run.jsonl"
    with recording(file):
        call_tool("t", lambda: 1)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_after_the_block_nothing_is_written(tmp_path):
    file = tmp_path / "run.jsonl"
    with recording(file):
        pass
    call_tool("t", lambda: 1)
    assert file.read_bytes() == b""


def test_a_thread_and_a_task_belong_to_the_agent_that_runs(tmp_path):
    file = tmp_path / "run.jsonl"

    async def one():
        return 1

    with recording(file), agent("desk"):
        thread = threading.Thread(target=lambda: call_tool("in.thread", lambda: 1))
        thread.start()
        thread.join()
        asyncio.run(acall_tool("in.task", one))
    *calls, root = spans_of(file)
    assert [span["parentSpanId"] for span in calls] == [root["spanId"]] * 2


def test_an_agent_inside_another_is_in_its_trace_and_so_are_its_threads(tmp_path):
    file = tmp_path / "run.jsonl"
    with recording(file), agent("outer"), agent("inner"):
        thread = threading.Thread(target=lambda: call_tool("in.thread", lambda: 1))
        thread.start()
        thread.join()
    call, inner, outer = spans_of(file)
    assert {call["traceId"], inner["traceId"]} == {outer["traceId"]}
    assert (call["parentSpanId"], inner["parentSpanId"]) == (outer["spanId"], outer["spanId"])


def test_two_agents_at_once_are_two_traces(tmp_path):
    file = tmp_path / "run.jsonl"
    barrier = threading.Barrier(2)

    def run(name):
        with agent(name):
            barrier.wait()
            call_tool(f"of.{name}", lambda: 1)
            barrier.wait()

    with recording(file):
        threads = [threading.Thread(target=run, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for name in "ab":
        assert named(file, f"execute_tool of.{name}")["traceId"] == named(file, f"invoke_agent {name}")["traceId"]
    assert named(file, "invoke_agent a")["traceId"] != named(file, "invoke_agent b")["traceId"]


def test_a_replay_stamps_what_it_served(tmp_path):
    file = tmp_path / "run.jsonl"
    case = case_with(
        {"tool": "t", "value": 1}, llm=[{"model": "m-1", "input": [{"role": "user", "text": "hi"}], "output": "hello"}]
    )
    with recording(file), fixtures(case), agent("desk"):
        call_tool("t", lambda: 1, args={})
        call_llm("m-1", lambda: "", input="good day")
    assert values(named(file, "execute_tool t"))["tracely.replay.fixture"] is True
    assert values(named(file, "chat m-1"))["tracely.replay.divergence"] == "input"
    assert values(named(file, "invoke_agent desk"))["tracely.replay.mode"] == "recorded"


class TestThroughTheApi:
    @pytest.fixture
    def exported(self, monkeypatch):
        exporter = InMemorySpanExporter()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        monkeypatch.setattr(api, "get_tracer", provider.get_tracer)
        return exporter.get_finished_spans

    def test_the_application_s_own_tracer_gets_the_spans(self, exported):
        def late():
            raise TimeoutError("no answer")

        with fixtures(None), agent("desk"):
            thread = threading.Thread(target=lambda: call_tool("in.thread", lambda: 1, args={"n": 1}))
            thread.start()
            thread.join()
            with pytest.raises(TimeoutError):
                call_tool("late", late)
            call_llm("m-1", lambda: "hello", input="hi")
        thread, failed, chat, root = exported()
        assert {span.context.trace_id for span in exported()} == {root.context.trace_id}
        assert thread.parent.span_id == root.context.span_id
        assert thread.attributes["gen_ai.tool.call.arguments"] == '{"n":1}'
        assert (failed.status.status_code, failed.attributes["error.type"]) == (StatusCode.ERROR, "TimeoutError")
        assert chat.kind is SpanKind.CLIENT

    def test_in_a_session_nothing_goes_to_an_exporter(self, exported):
        with Session(case_with({"tool": "t", "value": 1}), version="v"):
            call_tool("t", lambda: 1, args={})
        assert exported() == ()


@pytest.mark.nlp
class TestTheWholeWay:
    """Recorded, extracted, loaded and replayed by the same code."""

    @pytest.fixture
    def replayed(self, tmp_path):
        def through(run):
            file = tmp_path / "run.jsonl"
            with fixtures(None), recording(file):
                run(live=True)
            case = extracted(file, spans_of(file)[-1]["traceId"], keep=["all"])
            with fixtures(case) as report:
                answer = run(live=False)
            return answer, report

        return through

    def test_values_keep_their_types(self, replayed):
        results = [
            {"n": 1, "f": 1.5, "b": True, "none": None, "list": [1, "1"]},
            '{"a": 1}',
            "text",
            "17",
            17,
            None,
            [],
            {},
        ]
        served = []

        def run(*, live):
            with agent("desk", input="Where is my parcel?") as running:
                for place, result in enumerate(results):
                    served.append(
                        call_tool("read", lambda result=result: result if live else 1 / 0, args={"place": place})
                    )
                return running.answer(call_llm("m-1", lambda: "It was sent.", input=MESSAGES))

        answer, report = replayed(run)
        assert served == results * 2
        assert answer == "It was sent."
        assert report.clean, report.to_dict()

    def test_a_loop_of_messages_and_tool_calls(self, replayed):
        answers = iter(
            [
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "assistant", "content": "It was sent."},
            ]
        )

        @observe(as_type="tool", name="parcel.find")
        def find(late):
            return {"state": "sent"}

        def run(*, live):
            messages = list(MESSAGES)
            with agent("desk", input="Where is my parcel?"):
                while True:
                    reply = call_llm(
                        "m-1", lambda: next(answers) if live else 1 / 0, input=list(messages), returns="message"
                    )
                    messages.append(reply)
                    for call in reply.get("tool_calls", []):
                        found = find(**json.loads(call["function"]["arguments"]))
                        messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(found)})
                    if reply["content"]:
                        return reply["content"]

        answer, report = replayed(run)
        assert answer == "It was sent."
        assert report.clean, (report.to_dict(), report.divergences)

    def test_an_answer_that_is_no_text(self, replayed):
        def run(*, live):
            with agent("desk", input="Where is my parcel?"):
                return call_llm("m-1", lambda: {"intent": "parcel", "sure": 0.5} if live else 1 / 0, input=MESSAGES)

        answer, report = replayed(run)
        assert answer == {"intent": "parcel", "sure": 0.5}
        assert report.clean

    def test_a_failure_that_was_handled(self, replayed):
        def late():
            raise TimeoutError("no answer within 2000 ms")

        def run(*, live):
            with agent("desk", input="Where is my parcel?") as running:
                try:
                    call_tool("parcel.find", late if live else int, args={"open": True})
                except (ToolError, TimeoutError) as failure:
                    told = [*MESSAGES, {"role": "user", "content": str(failure)}]
                    return running.answer(call_llm("m-1", lambda: "I do not know.", input=told))

        answer, report = replayed(run)
        assert answer == "I do not know."
        assert report.clean

    def test_an_agent_that_asks_no_model(self, replayed):
        def late():
            raise TimeoutError("no answer within 2000 ms")

        def run(*, live):
            with agent("desk", input="Where is my parcel?") as running:
                try:
                    call_tool("parcel.find", late if live else int, args={"open": True})
                except (ToolError, TimeoutError):
                    return running.answer("It was sent.")

        answer, report = replayed(run)
        assert answer == "It was sent."
        assert report.clean
