"""What people say of a replay (S29 S39 S49 S54 S68): the same options of ``extract`` and ``annotate``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extractor.cli.app import run
from extractor.replay.case import load_case
from extractor.schemas import schema_problems

TRACE = "6d383010fe32bfe09c943d88b718f3e3"


def document(case: Path) -> dict[str, Any]:
    made: dict[str, Any] = json.loads((case / "fixture.json").read_bytes())
    assert schema_problems(made, "fixture") == ()
    return made


Say = Callable[..., "tuple[int, dict[str, Any] | None]"]


@pytest.fixture(params=["extract", "annotate"])
def say(request, case, export, tmp_path) -> Say:
    """Says something while a case is extracted, or of a case that stands; returns status and document."""

    def annotated(*options: str) -> tuple[int, dict[str, Any] | None]:
        status = run(["annotate", str(case), *options])
        return status, document(case) if status == 0 else None

    def extracted(*options: str) -> tuple[int, dict[str, Any] | None]:
        out = tmp_path / "others"
        status = run(["--trace-id", TRACE, str(export), *options, "--out", str(out)])
        found = list(out.glob("quarantine/2*"))
        return status, document(found[0]) if status == 0 else None

    return annotated if request.param == "annotate" else extracted


ANSWER = {"tool": "handoff.create", "arguments": {"queue": "refunds"}, "outcome": {"type": "result", "value": {"n": 1}}}


def test_claims_and_what_takes_them_back(say: Say) -> None:
    said = ("--claim", "has been completed", "--claim", "is refunded", "--unless", "not confirmed yet")
    status, made = say(*said)
    assert status == 0
    assert made["expected"]["claims"] == {
        "prohibit": ["has been completed", "is refunded"],
        "unless": ["not confirmed yet"],
    }
    assert made["expected"]["boundary"] is None


def test_a_check_with_its_parameters(say: Say, tmp_path: Path) -> None:
    (tmp_path / "params.json").write_text('{"amount_minor": 12950}')
    status, made = say("--boundary", "no_double_refund", "--boundary-params", f"@{tmp_path / 'params.json'}")
    assert status == 0
    assert made["expected"]["boundary"] == {"check": "no_double_refund", "params": {"amount_minor": 12950}}


def test_action_and_policy_decision(say: Say) -> None:
    status, made = say("--action", "handoff.create", "--policy-decision", "deny")
    assert status == 0
    assert (made["expected"]["action"], made["expected"]["policy_decision"]) == ("handoff.create", "deny")


def test_only_exact_words_are_for_a_replay_to_judge(say: Say) -> None:
    """S68."""
    status, made = say("--disclose", "that it takes time", "--disclose-exactly", "Refunds take five days.")
    assert status == 0
    assert made["expected"]["required_disclosures"] == [
        {"text": "that it takes time", "exact": False},
        {"text": "Refunds take five days.", "exact": True},
    ]


def test_alternates_are_synthetic_whatever_is_typed(say: Say, tmp_path: Path) -> None:
    failing = {
        "reason": "the desk is closed",
        "outcome": {"error_type": "DeskClosed", "error": "closed", "type": "error", "ended_by": "response"},
        "tool": "handoff.create",
        "side_effect": "rejected",
        "arguments": {"queue": "night"},
        "idempotency_key": "k-1",
    }
    (tmp_path / "answers.json").write_text(json.dumps([failing]))
    status, made = say("--alternate", f"@{tmp_path / 'answers.json'}", "--alternate", json.dumps([ANSWER]))
    assert status == 0
    first, second = made["alternates"]
    assert list(first) == ["tool", "arguments", "idempotency_key", "side_effect", "reason", "outcome", "synthetic"]
    assert first["outcome"] == {"type": "error", "error": "closed", "error_type": "DeskClosed", "ended_by": "response"}
    assert second == {**ANSWER, "synthetic": True}


def test_the_adapter_is_named_and_no_longer_missing(say: Say) -> None:
    """S49."""
    status, made = say("--adapter", "refunds-legacy@3")
    assert status == 0
    assert made["adapter"] == {"name": "refunds-legacy", "version": "3"}
    assert "adapter" not in {entry["field"] for entry in made["missing_evidence"]}


def test_a_lane_is_taken_and_a_gate_needs_a_complete_case(say: Say, capsys) -> None:
    """S54 S58."""
    assert say("--lane", "gate")[0] == 2
    assert "incomplete" in capsys.readouterr().err
    status, made = say("--lane", "provider")
    assert (status, made["lane"]) == (0, "provider")


def test_a_gate_answers_from_its_recording_alone(say: Say) -> None:
    status, made = say("--lane", "gate", "--prohibit", "the refund has been completed")
    assert (status, made["lane"]) == (0, "gate")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--claim", "is refunded", "--boundary", "own_check"), "--boundary or by --claim"),
        (("--unless", "not yet"), "--claim"),
        (("--boundary-params", '{"n": 1}'), "--boundary"),
        (("--boundary", "own_check", "--boundary-params", "[1]"), "JSON object"),
        (("--boundary", "own_check", "--boundary-params", "{"), "no JSON"),
        (("--adapter", "refunds"), "NAME@VERSION"),
        (("--alternate", "{}"), "JSON list"),
        (("--alternate", "[]"), "JSON list"),
        (("--alternate", "[1]"), "alternate 1"),
        (("--alternate", json.dumps([ANSWER, {"tool": "x"}])), "alternate 2"),
        (("--alternate", json.dumps([{**ANSWER, "synthetic": False}])), "alternate 1"),
        (("--alternate", json.dumps([{**ANSWER, "url": "x"}])), "alternate 1"),
        (("--alternate", json.dumps([{**ANSWER, "side_effect": "maybe"}])), "side_effect"),
        (("--alternate", json.dumps([{**ANSWER, "outcome": {"type": "result"}}])), "value"),
        (("--alternate", json.dumps([{**ANSWER, "outcome": {"type": "error"}}])), "error"),
        (
            ("--alternate", json.dumps([{**ANSWER, "outcome": {"type": "error", "error": "x", "ended_by": "y"}}])),
            "ended_by",
        ),
    ],
)
def test_what_no_replay_could_judge_is_a_usage_error(say: Say, capsys, options: tuple[str, ...], words: str) -> None:
    assert say(*options)[0] == 2
    assert words in capsys.readouterr().err


class TestOfACaseThatStands:
    def test_what_is_untold_stays(self, case: Path) -> None:
        first = ("--claim", "is refunded", "--disclose", "that it takes time", "--disclose-exactly", "Five days.")
        assert run(["annotate", str(case), *first, "--quiet"]) == 0
        assert run(["annotate", str(case), "--unless", "not yet", "--disclose-exactly", "Six days.", "--quiet"]) == 0
        expected = document(case)["expected"]
        assert expected["claims"] == {"prohibit": ["is refunded"], "unless": ["not yet"]}
        assert [each["text"] for each in expected["required_disclosures"]] == ["that it takes time", "Six days."]
        assert run(["annotate", str(case), "--boundary", "own_check", "--quiet"]) == 2

    def test_parameters_can_follow_their_check(self, case: Path) -> None:
        assert run(["annotate", str(case), "--boundary", "own_check", "--quiet"]) == 0
        assert run(["annotate", str(case), "--boundary-params", '{"n": 2}', "--quiet"]) == 0
        assert document(case)["expected"]["boundary"] == {"check": "own_check", "params": {"n": 2}}

    def test_values_are_named_as_they_stand_and_answer_a_call_of_the_fix(self, case: Path) -> None:
        """S29: what stands in the case may be named as it stands there; anything else that identifies is replaced."""
        event = document(case)["tool_events"][0]
        own = event["arguments"]["order_id"]
        answer = {
            "tool": "handoff.create",
            "arguments": {"order_id": own, "note": "from Zebulon Quist, zebulon.quist@acme-corp.com"},
            "outcome": {"type": "result", "value": event["outcome"]["value"]},
        }
        told = ("--prohibit", "the refund has been completed", "--alternate", json.dumps([answer]))
        assert run(["annotate", str(case), *told, "--quiet"]) == 0
        (alternate,) = load_case(case).alternates
        assert alternate.arguments["order_id"] == own
        assert alternate.value == event["outcome"]["value"]
        written = "".join(file.read_text() for file in case.iterdir())
        assert not [word for word in ("Zebulon", "Quist", "acme") if word in written]
        assert run(["validate", str(case), "--quiet"]) == 0

    def test_people_are_told_who_must_look_at_what_was_made_up(self, case: Path, capsys) -> None:
        assert run(["annotate", str(case), "--alternate", json.dumps([ANSWER, ANSWER])]) == 0
        told = "2 answers made up by people: the workflow or dependency role must look at them"
        assert told in capsys.readouterr().out
        assert "`alternates[]` holds 2 answers made up by people" in (case / "README.md").read_text()
        line = json.loads((case / "history.jsonl").read_text().splitlines()[-1])
        assert line["event"] == "annotated"
        assert (line["synthetic"], line["to_look_at"]) == (2, ["workflow", "dependency"])
