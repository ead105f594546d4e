"""Odd but legitimate traces become cases that validate, or are refused with the status that says why."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from extractor.cli.app import run
from extractor.model.config import RunConfig
from extractor.redact import redact_documents

from .planting import START, TRACE, Planted, node, valued
from .samples import KEY, RULES

OTHER = "ab" * 16
COMPLETE = [
    *("--incident", "INC-1", "--failure", "The agent claimed success after parcel.track failed."),
    *("--prohibit", "it is done", "--evidence-needed", "A result of parcel.track."),
    *("--workflow-version", "w@1", "--prompt-version", "p@1", "--keep", "all", "--quiet"),
]


def result(text: str) -> Callable[[Planted], object]:
    return lambda trace: trace.put(trace.tool, "gen_ai.tool.call.result", text)


def arguments(text: str) -> Callable[[Planted], object]:
    return lambda trace: trace.put(trace.tool, "gen_ai.tool.call.arguments", text)


def called(text: str) -> Callable[[Planted], object]:
    return lambda trace: trace.put(trace.tool, "gen_ai.tool.name", text)


def without(*names: str) -> Callable[[Planted], object]:
    def change(trace: Planted) -> None:
        for name in names:
            setattr(trace, name, node(90 + len(name), name, 3, 4, parent=1))

    return change


def each(member: str, value: str | None) -> Callable[[Planted], object]:
    def change(trace: Planted) -> None:
        for span in (trace.root, trace.chat, trace.tool, trace.final):
            span.pop(member, None)
            span.update({} if value is None else {member: value})

    return change


WHOLE: dict[str, Callable[[Planted], object]] = {
    "no tool call": without("tool"),
    "spans without an end": each("endTimeUnixNano", None),
    "ends of zero": each("endTimeUnixNano", "0"),
    "a start of zero": lambda t: t.tool.update(startTimeUnixNano="0"),
    "a start beyond all calendars": lambda t: t.final.update(startTimeUnixNano=str(2**64 - 1)),
    "an end before the start": lambda t: t.tool.update(endTimeUnixNano=str(START)),
    "parents in a ring": lambda t: t.root.update(parentSpanId=t.final["spanId"]),
    "a parent elsewhere": lambda t: t.root.update(parentSpanId="d" * 16),
    "a number of 400 digits": arguments('{"n":%s,"m":-0,"x":10.10,"f":1e400}' % ("9" * 400)),
    "a number of 5,000 digits": arguments('{"n":%s}' % ("9" * 5_000)),
    "the largest integer": lambda t: t.tool["attributes"].append(valued("app.n", "intValue", str(2**63 - 1))),
    "half a character, escaped": result('{"a":"\\ud800 x","b":"\\u0000y"}'),
    "half a character": result("x \ud800 y"),
    "half a character as a tool": called("\ud800"),
    "zeros": lambda t: (result("x \x00 y")(t), t.tool.update(name="a\x00b")),
    "a tool that is a path": called("a\x00/../../b"),
    "a tool without a name": called(""),
    "a tool with a long name": called("t" * 5_000),
    "names of every script": lambda t: (
        called("退款创建")(t),
        result('{"full_name":"José Núñez 山田","名前":"נועה"}')(t),
    ),
    "a name in a tool's name": lambda t: (t.know(), called("notify_ottiwell_brandreth")(t)),
    **{
        f"the result {text or 'empty'}": result(text)
        for text in ("", "null", "[]", "{}", '""', "0", "true", '[1,{"a":[]}]')
    },
    "a typed list as result": lambda t: t.tool["attributes"].append(
        valued("gen_ai.tool.call.result", "arrayValue", {"values": [{"stringValue": "a"}, {"intValue": "3"}]})
    ),
    "no text for arguments": arguments(""),
    "a member twice": arguments('{"a":1,"a":2}'),
    "190 levels": arguments("[" * 190 + "]" * 190),
    "a zone of no planet": lambda t: t.put(t.root, "app.time_zone", "Mars/Olympus"),
    "a long locale": lambda t: t.put(t.root, "app.locale", "x" * 500),
    "fifty equal calls": lambda t: t.more.extend(dict(t.tool, spanId=f"{number:016x}") for number in range(100, 150)),
}
UNJUDGEABLE: dict[str, Callable[[Planted], object]] = {
    "no model call": without("chat", "final"),
    "one span": without("chat", "final", "tool"),
    "no result": lambda t: t.tool.update(attributes=t.tool["attributes"][:-1]),
}


@pytest.fixture
def extraction(tmp_path, key_file, capsys) -> Callable[..., tuple[int, list[int], str]]:
    """Extract, then validate whatever was written; return both statuses and what was told."""

    def of(content: bytes, *wanted: str) -> tuple[int, list[int], str]:
        (tmp_path / "export.jsonl").write_bytes(content)
        common = ["--key-file", str(key_file), "--out", str(tmp_path / "out"), *COMPLETE]
        status = run([*(wanted or ("--trace-id", TRACE)), str(tmp_path / "export.jsonl"), *common])
        cases = [folder for folder in (tmp_path / "out").rglob("*-*-*") if folder.is_dir()]
        return status, [run(["validate", str(case)]) for case in cases], capsys.readouterr().err

    return of


def lines(change: Callable[[Planted], object]) -> bytes:
    trace = Planted()
    change(trace)
    return trace.lines()


@pytest.mark.parametrize("name", WHOLE)
def test_it_becomes_a_case_that_validates(extraction, name):
    assert extraction(lines(WHOLE[name])) == (0, [0], "")


@pytest.mark.parametrize("name", UNJUDGEABLE)
def test_what_cannot_be_judged_is_written_and_said(extraction, name):
    status, validated, told = extraction(lines(UNJUDGEABLE[name]))
    assert (status, validated) == (4, [4])
    assert "cannot be replayed" in told


def test_what_is_too_deep_is_refused(extraction):
    status, validated, told = extraction(lines(arguments("[" * 250 + "]" * 250)))
    assert (status, validated) == (5, [])
    assert "nested" in told


@pytest.mark.parametrize(("wanted", "status"), [("f" * 32, 3), (TRACE[:7], 2), ("../../etc", 2)])
def test_an_id_that_names_no_trace_is_refused(extraction, wanted, status):
    assert extraction(Planted().lines(), "--trace-id", wanted)[:2] == (status, [])


@pytest.mark.parametrize("content", [b"", b'{"resourceSpans":[]}\n', b"\n\n"])
def test_no_span_is_no_case(extraction, content):
    assert extraction(content)[:2] == (6, [])


def _conversation(trace_id: str, number: str) -> bytes:
    made = lines(lambda trace: trace.put(trace.root, "session.id", "sess-774411"))
    spans: Sequence[dict[str, Any]] = json.loads(made)["resourceSpans"][0]["scopeSpans"][0]["spans"]
    ids = {span["spanId"]: number + span["spanId"][1:] for span in spans}
    for old, new in {TRACE: trace_id, **ids}.items():
        made = made.replace(old.encode(), new.encode())
    return made


@pytest.mark.parametrize("wanted", [("--trace-id", TRACE, "--trace-id", OTHER), ("--session", "sess-774411")])
@pytest.mark.parametrize("number", ["0", "1"])
def test_two_traces_make_one_case(extraction, wanted, number):
    """With span ids of their own and with the same ones."""
    assert extraction(_conversation(TRACE, "0") + _conversation(OTHER, number), *wanted) == (0, [0], "")


def test_more_ids_of_one_shape_than_the_shape_has_room_for_stay_apart():
    ids = [f"call_{number}" for number in range(100, 900)]
    made = redact_documents([{"call_id": one} for one in ids], RULES, RunConfig(), KEY)
    standins = {str(one["call_id"]) for one in made if isinstance(one, dict)}
    assert len(standins) == len(ids)
    assert not standins & set(ids)


def test_the_planted_trace_is_whole_by_itself(extraction):
    assert extraction(Planted().lines()) == (0, [0], "")
