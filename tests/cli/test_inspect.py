from __future__ import annotations

import io
import json
import sys

import pytest

from extractor.cli.app import run

TRACE = "6d383010fe32bfe09c943d88b718f3e3"


@pytest.fixture
def typing(monkeypatch):
    def typed(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return typed


def test_json_has_one_object_a_trace_with_exactly_the_promised_members(export, capsys):
    assert run(["inspect", "--json", str(export)]) == 0
    traces = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(traces) == 6
    (incident,) = (trace for trace in traces if trace["trace_id"] == TRACE)
    assert list(incident) == [
        *("trace_id", "spans", "start", "duration_ms", "errors", "tools", "dialects", "containers", "problems"),
    ]
    assert incident["spans"] == 28
    assert incident["errors"] == 4
    assert incident["tools"] == ["order.lookup", "refund.create"]
    assert "otel_genai" in incident["dialects"]


def test_json_tells_what_is_true_of_the_files_in_one_object_on_standard_error(export, capsys, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(export.read_bytes() + b'{"resourceSpans": [\n')
    assert run(["inspect", "--json", str(broken)]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 6
    (line,) = shown.err.splitlines()
    (entry,) = json.loads(line)["ledger"]
    assert entry == {"code": "record_refused", "count": 1, "places": [entry["places"][0]]}
    assert entry["places"][0].endswith("(syntax)")


def test_json_tells_nothing_of_whole_files(export, capsys):
    assert run(["inspect", "--json", str(export)]) == 0
    assert capsys.readouterr().err == ""


def test_one_trace_is_shown_in_full(export, capsys):
    assert run(["inspect", "--trace-id", TRACE[:8], str(export)]) == 0
    shown = capsys.readouterr().out
    assert "tools       order.lookup, refund.create" in shown
    assert "1 of 6 traces" in shown


def test_an_unknown_trace_ends_with_three(export, capsys):
    assert run(["inspect", "--trace-id", "f" * 32, str(export)]) == 3
    assert "6 traces" in capsys.readouterr().err


def test_grep_prints_the_ids_of_traces_that_hold_the_term_and_nothing_else(export, capsys, typing):
    typing("maren.oduya@example.com\n")
    assert run(["inspect", "--grep", "-", str(export)]) == 0
    assert capsys.readouterr().out == TRACE + "\n"


def test_grep_takes_no_term_from_the_command_line(export, capsys):
    assert run(["inspect", "--grep", "maren.oduya@example.com", str(export)]) == 2
    assert "maren" not in capsys.readouterr().err


def test_grep_without_a_find_ends_with_three(export, typing):
    typing("nobody@example.com\n")
    assert run(["inspect", "--grep", "-", str(export)]) == 3


def test_grep_without_a_term_is_a_usage_error(export, typing):
    typing("\n")
    assert run(["inspect", "--grep", "-", str(export)]) == 2


def _ids(capsys):
    return [json.loads(line)["trace_id"] for line in capsys.readouterr().out.splitlines()]


def test_filters_keep_failed_traces_those_of_a_tool_and_those_since_a_time(export, capsys):
    assert run(["inspect", str(export), "--json"]) == 0
    every = _ids(capsys)
    assert run(["inspect", str(export), "--json", "--errors"]) == 0
    assert 0 < len(_ids(capsys)) < len(every)
    assert run(["inspect", str(export), "--json", "--tool", "nothing.such"]) == 0
    assert _ids(capsys) == []
    assert run(["inspect", str(export), "--json", "--since", "2100-01-01"]) == 0
    assert _ids(capsys) == []
    assert run(["inspect", str(export), "--json", "--since", "2020-01-01T00:00:00+02:00"]) == 0
    assert _ids(capsys) == every


def test_the_most_spans_come_first_when_asked(export, capsys):
    assert run(["inspect", str(export), "--json", "--sort", "spans"]) == 0
    counts = [json.loads(line)["spans"] for line in capsys.readouterr().out.splitlines()]
    assert counts == sorted(counts, reverse=True)
    assert len(set(counts)) > 1


def test_a_time_that_is_none_is_a_usage_error(export):
    assert run(["inspect", str(export), "--since", "yesterday"]) == 2


def test_counts_and_times_are_told_in_people_s_units(export, capsys):
    assert run(["inspect", str(export)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "         0 ms      1 span       0 errors  otlp_json http" in lines[0]
    assert "        6.5 s     28 spans      4 errors  otlp_json" in lines[1]
    assert run(["inspect", "--trace-id", "6d383010", str(export)]) == 0
    told = capsys.readouterr().out
    assert "start       2026-07-18T09:30:04.258Z, 6.5 s\n" in told
    assert "spans       28, 4 errors\n" in told
    assert told.endswith("1 of 6 traces\n")
