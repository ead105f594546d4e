from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractor.replay import fixture_check
from extractor.replay.fixture_check import TOP_LEVEL, Unreadable, load, structural_problems

Edit = Callable[[dict[str, Any]], object]


def event(attempt: int) -> dict[str, Any]:
    return {"attempt": attempt, "tool": "refund.create", "arguments": {}, "outcome": {"type": "error", "error": "t"}}


def whole() -> dict[str, Any]:
    return {
        "schema_version": "1",
        "case_id": "2026-03-02-refund-create-timeout-0a1b2c3d",
        "incident_id": "INC-1",
        "workflow_version": "refunds-7",
        "prompt_version": "p3",
        "frozen_at": "2026-03-02T10:00:00Z",
        "input": {"messages": []},
        "identity": {},
        "tool_events": [event(1), event(2)],
        "expected": {"prohibited_claims": ["The refund is complete."]},
    }


def run(file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", fixture_check.__file__, str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_whole_fixture_is_named_on_standard_output(tmp_path: Path) -> None:
    """S18: runs by path with the standard library alone."""
    (tmp_path / "fixture.json").write_text(json.dumps(whole()))
    done = run(tmp_path / "fixture.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "valid replay fixture: 2026-03-02-refund-create-timeout-0a1b2c3d\n"


def test_problems_go_to_standard_error_with_status_1(tmp_path: Path) -> None:
    """S18."""
    (tmp_path / "fixture.json").write_text(json.dumps({**whole(), "frozen_at": "yesterday", "expected": {}}))
    done = run(tmp_path / "fixture.json")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "frozen_at must be an ISO 8601 timestamp",
        "expected.prohibited_claims must name the incident boundary",
    ]


def test_missing_top_level_fields_are_listed_sorted_and_end_the_check() -> None:
    """S15."""
    document = whole() | {"frozen_at": "yesterday"}
    del document["tool_events"], document["identity"]
    assert structural_problems(document) == ["missing top-level fields: ['identity', 'tool_events']"]
    assert structural_problems({}) == [f"missing top-level fields: {sorted(TOP_LEVEL)}"]


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (lambda d: d["tool_events"][1].pop("outcome"), "tool_events[1] missing ['outcome']"),
        (
            lambda d: d["tool_events"].__setitem__(0, {}),
            "tool_events[0] missing ['arguments', 'attempt', 'outcome', 'tool']",
        ),
        (lambda d: d["tool_events"].__setitem__(0, 7), "tool_events[0] must be an object"),
        (lambda d: d.update(tool_events={}), "tool_events must be a list"),
        (lambda d: d["tool_events"][1].update(attempt=1), "duplicate tool attempt 1"),
        (lambda d: d["tool_events"][1].update(attempt=True), "tool_events[1] attempt must be a whole number"),
        (lambda d: d["tool_events"][1].update(attempt=[1]), "tool_events[1] attempt must be a whole number"),
        (lambda d: d["tool_events"][1].update(attempt=10**5000), "tool_events[1] attempt must be a whole number"),
        (lambda d: d["tool_events"][1]["outcome"].update(type="late"), "tool_events[1] has unsupported outcome type"),
        (lambda d: d["tool_events"][1]["outcome"].update(type=[]), "tool_events[1] has unsupported outcome type"),
        (lambda d: d["tool_events"][1].update(outcome="error"), "tool_events[1] has unsupported outcome type"),
        (lambda d: d.update(frozen_at=None), "frozen_at must be an ISO 8601 timestamp"),
        (lambda d: d.update(frozen_at="2026-02-30T00:00:00Z"), "frozen_at must be an ISO 8601 timestamp"),
        (
            lambda d: d["expected"].update(prohibited_claims=[]),
            "expected.prohibited_claims must name the incident boundary",
        ),
        (lambda d: d.update(expected=None), "expected.prohibited_claims must name the incident boundary"),
        (lambda d: d.update(case_id=7), "case_id must be a text"),
    ],
)
def test_one_fault_is_one_line(edit: Edit, problem: str) -> None:
    """S16, S17."""
    document = whole()
    edit(document)
    assert structural_problems(document) == [problem]


@pytest.mark.parametrize("instant", ["2026-03-02T10:00:00Z", "2026-03-02T10:00:00.123+01:00", "2026-03-02"])
def test_iso_8601_instants_are_accepted(instant: str) -> None:
    """S17."""
    assert structural_problems(whole() | {"frozen_at": instant}) == []


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"\xff\xfe{}", "fixture is not UTF-8"),
        (b"{", "fixture is not JSON"),
        (b"", "fixture is not JSON"),
        (b"\xef\xbb\xbf{}", "fixture is not JSON"),
        (b"9" * 5000, "fixture is not JSON"),
        (b"[" * 100_000, "fixture is nested too deeply"),
        (b'{"a": 1, "a": 2}', "fixture says one member twice"),
        (b"[NaN]", "fixture holds a number that JSON lacks"),
        (b"[]", "fixture must be a JSON object"),
    ],
)
def test_hostile_bytes_give_one_line_and_no_traceback(tmp_path: Path, content: bytes, line: str) -> None:
    (tmp_path / "fixture.json").write_bytes(content)
    done = run(tmp_path / "fixture.json")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", line + "\n")


def test_what_cannot_be_read_is_said_without_its_name(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent.json"):
        done = run(place)
        assert (done.returncode, done.stderr) == (1, "fixture cannot be read\n")
    assert fixture_check.main(["a\0b"]) == 1
    assert fixture_check.main([]) == 2


def test_a_size_bound_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixture_check, "MAX_BYTES", 3)
    with pytest.raises(Unreadable, match="too large"):
        load(b"1234")


def test_a_case_id_cannot_drive_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "fixture.json").write_text(json.dumps(whole() | {"case_id": "a\x1b]52;c;\u202e\ud800"}))
    done = run(tmp_path / "fixture.json")
    assert done.stdout == "valid replay fixture: a\\x1b]52;c;\\u202e\\ud800\n"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(JSON)
def test_any_value_yields_problems_and_never_raises(value: object) -> None:
    assert structural_problems(value)


@given(st.fixed_dictionaries(dict.fromkeys(sorted(TOP_LEVEL), JSON)), st.lists(JSON))
def test_any_members_yield_lines(document: dict[str, Any], events: list[Any]) -> None:
    assert all("\n" not in line for line in structural_problems(document))
    assert all("\n" not in line for line in structural_problems(document | {"tool_events": events}))


@given(st.lists(st.fixed_dictionaries({"attempt": JSON, "tool": JSON, "arguments": JSON, "outcome": JSON})))
def test_any_events_yield_lines(events: list[Any]) -> None:
    assert all("\n" not in line for line in structural_problems(whole() | {"tool_events": events}))


@given(st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_load_or_are_refused(content: bytes) -> None:
    with contextlib.suppress(Unreadable):
        load(content)


@pytest.mark.parametrize(
    ("content", "status", "out", "err"),
    [
        (json.dumps(whole()).encode(), 0, f"valid replay fixture: {whole()['case_id']}\n", ""),
        (b"{", 1, "", "fixture is not JSON\n"),
        (b"[]", 1, "", "fixture must be a JSON object\n"),
    ],
)
def test_main_says_the_same_when_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, status: int, out: str, err: str
) -> None:
    (tmp_path / "fixture.json").write_bytes(content)
    assert fixture_check.main([str(tmp_path / "fixture.json")]) == status
    assert tuple(capsys.readouterr()) == (out, err)
