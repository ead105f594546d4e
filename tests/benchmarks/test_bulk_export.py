"""The export that `make bench-bulk` measures: the same for a seed, read by our reader, and hardly ever the same prose."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import bulk_export
import bulk_share
import pytest
from bulk_talk import TURNS, Answer, Call, talk
from bulk_words import SERVICES

from extractor import pipeline, read, ruleset
from extractor.model.config import RunConfig, Wanted
from extractor.redact import WorkspaceKey

PROGRAM = Path(bulk_export.__file__)
OCCASION = pipeline.Occasion(extracted_at="2026-01-01T00:00:00Z", expires_at="2026-01-31T00:00:00Z", host="somewhere")


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("export") / "export.jsonl"
    bulk_export.write(file, least_bytes=3_000_000, least_traces=9, seed=7)
    return file


def line(*texts: str, trace_id: str) -> str:
    attributes = [{"key": f"text.{number}", "value": {"stringValue": text}} for number, text in enumerate(texts)]
    spans = [{"traceId": trace_id, "spanId": "1" * 16, "attributes": attributes}]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}) + "\n"


def test_a_seed_gives_the_same_bytes_in_another_process(export, tmp_path):
    again = tmp_path / "again.jsonl"
    command = [sys.executable, str(PROGRAM), str(again), "--size", "3MB", "--traces", "9"]
    done = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": "5"},
    )
    assert again.read_bytes() == export.read_bytes()
    assert str(bulk_share.measure(export)) in done.stdout


def test_another_seed_gives_other_conversations(export, tmp_path):
    other = tmp_path / "other.jsonl"
    bulk_export.write(other, least_bytes=0, least_traces=2, seed=8)
    ids = {trace.trace_id for trace in read.survey([str(other)]).traces}
    assert len(ids) == 2
    assert not ids & {trace.trace_id for trace in read.survey([str(export)]).traces}


def test_a_conversation_is_the_same_whatever_is_made_beside_it(export, tmp_path):
    alone = tmp_path / "alone.jsonl"
    bulk_export.write(alone, least_bytes=0, least_traces=1, seed=7)
    (only,) = read.survey([str(alone)]).traces
    of_many = read.read([str(export)], Wanted(trace_ids=(only.trace_id,)))
    assert of_many.spans == read.read([str(alone)], Wanted(trace_ids=(only.trace_id,))).spans


def test_sizes_are_least_sizes_and_every_trace_is_whole(export):
    assert export.stat().st_size >= 3_000_000
    survey = read.survey([str(export)])
    assert len(survey.traces) >= 9
    assert [trace.problems for trace in survey.traces] == [()] * len(survey.traces)


def test_lines_hold_eight_spans_of_several_traces(export):
    lines = [list(bulk_share.spans_of(json.loads(text))) for text in export.read_text("ascii").splitlines()]
    assert {len(spans) for spans in lines[:-1]} == {8}
    assert max(len({span["traceId"] for span in spans}) for spans in lines) > 2


def test_conversations_take_ten_to_forty_calls_of_the_model():
    calls = [sum(isinstance(act, Answer | Call) for act in talk(7, number).acts) for number in range(150)]
    assert min(calls) >= TURNS[0]
    assert max(calls) <= TURNS[1]
    assert min(calls) < 20
    assert max(calls) > 35


def test_histories_repeat_and_prose_does_not(export):
    shares = bulk_share.measure(export)
    assert shares.history > 0.9
    assert max(shares.texts, shares.characters, shares.distinct) < bulk_export.MOST_REPEATED
    assert shares.sentences < 0.1
    assert shares.prose > 8000


def test_a_thousand_conversations_hardly_share_a_text():
    texts = Counter(
        text
        for number in range(1000)
        for text in {act.text for act in talk(7, number).acts if not isinstance(act, Call)}
    )
    shared = sum(count for count in texts.values() if count > 1)
    assert shared < 0.03 * texts.total()


def test_what_repeats_is_measured(tmp_path):
    export = tmp_path / "small.jsonl"
    first, second, third = "the parcel has not arrived", "nobody answers the telephone", "please call me back soon"
    export.write_text(
        line(first, second, first, json.dumps([{"content": second}]), trace_id="a" * 32)
        + line(first, third, trace_id="b" * 32)
    )
    shares = bulk_share.measure(export)
    assert (shares.traces, shares.spans, shares.bytes) == (2, 2, export.stat().st_size)
    assert shares.history == (len(first) + len(second)) / (3 * len(first) + 2 * len(second) + len(third))
    assert shares.texts == 2 / 4
    assert shares.characters == 2 * len(first) / (2 * len(first) + len(second) + len(third))
    assert shares.distinct == 1 / 3


def test_the_program_fails_when_prose_repeats_too_often(monkeypatch, tmp_path):
    monkeypatch.setattr(bulk_export, "MOST_REPEATED", 0.0)
    monkeypatch.setattr(sys, "argv", ["bulk_export.py", str(tmp_path / "export.jsonl"), "--size", "1kB"])
    with pytest.raises(SystemExit) as stopped:
        bulk_export.main()
    assert stopped.value.code == 1


@pytest.mark.parametrize(("text", "size"), [("7", 7), ("2GiB", 2 << 30), ("1.5 MB", 1_500_000), ("64MiB", 64 << 20)])
def test_sizes_are_read(text, size):
    assert bulk_export.size(text) == size


def test_what_is_no_size_is_refused():
    with pytest.raises(ValueError, match="MiB"):
        bulk_export.size("2 bananas")


@pytest.mark.nlp
@pytest.mark.parametrize("service", range(len(SERVICES)), ids=SERVICES)
def test_a_case_comes_of_every_service(export, service):
    ids = [trace.trace_id for trace in sorted(read.survey([str(export)]).traces, key=lambda trace: trace.start or "")]
    wanted = Wanted(trace_ids=(ids[service],))
    key = WorkspaceKey(material=bytes(range(32)))
    made = pipeline.extract(read.read([str(export)], wanted), RunConfig(wanted=wanted), ruleset.load(), key, OCCASION)
    fixture = json.loads(made.fixture.files["fixture.json"])
    assert made.fixture.replayable
    assert fixture["tool_events"]
