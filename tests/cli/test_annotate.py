from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from extractor.cli.app import run

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def document(case, name="fixture.json") -> dict:
    return json.loads((case / name).read_bytes())


def test_annotation_completes_a_case(case, capsys):
    """S6, S17."""
    before = document(case)
    given = ["--failure", "Two attempts timed out.", "--prohibit", "the refund has been completed"]
    given += [
        "--evidence-needed",
        "A completed result.",
        "--boundary",
        "no_false_completion",
        "--prompt-version",
        "p32",
    ]
    assert run(["annotate", str(case), *given, "--require", "say that it is not known yet"]) == 0
    assert "in review" in capsys.readouterr().out
    after = document(case)
    assert after["expected"]["failure_statement"] == {
        "trigger": "Two attempts timed out.",
        "prohibited": "the refund has been completed",
        "evidence_needed": "A completed result.",
    }
    assert after["expected"]["required_behaviours"] == ["say that it is not known yet"]
    assert after["expected"]["boundary"] == {"check": "no_false_completion", "params": {}}
    assert after["prompt_version"] == "p32"
    changed = {name for name in before if before[name] != after[name]}
    assert changed <= {"expected", "prompt_version", "missing_evidence"}
    assert run(["validate", str(case)]) == 0


def test_what_was_said_before_stays(case):
    assert run(["annotate", str(case), "--prohibit", "the refund has been completed", "--quiet"]) == 0
    assert run(["annotate", str(case), "--failure", "Two attempts timed out.", "--quiet"]) == 0
    expected = document(case)["expected"]
    assert expected["prohibited_claims"] == ["the refund has been completed"]
    assert expected["failure_statement"]["prohibited"] == "the refund has been completed"
    assert expected["failure_statement"]["trigger"] == "Two attempts timed out."


def test_typed_identifiers_are_redacted_and_the_case_s_own_stay(case, capsys):
    event = document(case)["tool_events"][0]
    own = event["arguments"]["order_id"]
    text = f"Order {own} of Zebulon Quist (zebulon.quist@acme-corp.com, +1 212 555 0143) was refunded."
    assert run(["annotate", str(case), "--failure", text]) == 0
    trigger = document(case)["expected"]["failure_statement"]["trigger"]
    assert trigger.startswith(f"Order {own} of ")
    everything = "".join(capsys.readouterr()) + "".join(file.read_text() for file in case.iterdir())
    assert not [word for word in ("Zebulon", "Quist", "quist", "acme", "0143") if word in everything]


def test_the_sidecar_speaks_of_the_new_bytes_and_the_history_tells_of_them(case):
    assert run(["annotate", str(case), "--prohibit", "the refund has been completed", "--quiet"]) == 0
    assert run(["validate", str(case), "--quiet"]) == 0
    assert len((case / "history.jsonl").read_text().splitlines()) == 2


def test_nothing_given_is_a_usage_error(case):
    assert run(["annotate", str(case)]) == 2


def test_a_case_outside_quarantine_is_refused(case, capsys):
    approved = case.parent.parent / "approved" / case.name
    approved.parent.mkdir()
    case.rename(approved)
    assert run(["annotate", str(approved), "--failure", "Two attempts timed out."]) == 2
    assert "quarantine" in capsys.readouterr().err


def test_a_case_that_was_edited_by_hand_is_refused(case):
    file = case / "fixture.json"
    file.write_text(file.read_text().replace("refund.create", "refund.delete"))
    assert run(["annotate", str(case), "--failure", "Two attempts timed out."]) == 7


def test_what_extraction_knew_is_known_when_people_type_it(case):
    """Names, numbers and ids that only a field of the trace told of get the pseudonyms that they have in the case."""
    before = document(case)
    person = before["tool_events"][0]["outcome"]["value"]["customer"]["name"]
    order = before["tool_events"][0]["arguments"]["order_id"]
    planted = tomllib.loads((SAMPLES / "expectations.toml").read_text("utf-8"))["refund-timeout"]["planted"]
    originals = [entry["value"] for entry in planted]
    name = next(entry["value"] for entry in planted if entry["entity"] == "person" and " " in entry["value"])
    number = next(value for value in originals if value.startswith("FH-"))
    assert run(["annotate", str(case), "--failure", f"{name} never got the money for {number}.", "--quiet"]) == 0
    assert document(case)["expected"]["failure_statement"]["trigger"] == f"{person} never got the money for {order}."
    written = "".join(file.read_text() for file in case.iterdir() if file.name != "capture.json")
    assert not [value for value in originals if value in written]


def test_the_recorded_harm_is_named_by_attempt_or_tool(case, capsys):
    """S29: the affected version makes that call, a fixed one need not."""
    assert run(["annotate", str(case), "--violation", "3", "--quiet"]) == 0
    assert [event["role"] for event in document(case)["tool_events"]] == ["evidence", "evidence", "violation"]
    assert run(["annotate", str(case), "--violation", "refund.create", "--quiet"]) == 0
    assert [event["role"] for event in document(case)["tool_events"]] == ["evidence", "violation", "violation"]
    assert run(["annotate", str(case), "--violation", "nobody.knows", "--quiet"]) == 2
    assert "nobody.knows" not in capsys.readouterr().err


def test_a_typed_secret_is_told_and_what_was_told_stays(case, capsys):
    """S69."""
    value = "Tr0ub4dor-and-3"
    told = ["--failure", f"Two attempts timed out after the password is {value} was typed.", "--prohibit", "it is done"]
    assert run(["annotate", str(case), *told]) == 0
    assert "secret" in capsys.readouterr().out
    predicate = json.loads((case / "provenance.json").read_bytes())["predicate"]
    assert [secret["steps"] for secret in predicate["redaction"]["secrets"]] == [["expected"]]
    assert run(["annotate", str(case), "--failure", "Two attempts timed out.", "--quiet"]) == 0
    later = json.loads((case / "provenance.json").read_bytes())["predicate"]
    assert later["redaction"]["secrets"] == predicate["redaction"]["secrets"]
    assert "rotate it" in (case / "README.md").read_text()
    assert value not in "".join(file.read_text() for file in case.iterdir())


def test_effects_and_the_authorization_before_them_can_be_demanded(case, capsys):
    """S39, S126: one refund however many attempts, and none before somebody allowed it."""
    asked = ["--effects", "refund.create=1", "--effects", "order.cancel=0..", "--authorization", "allow"]
    assert run(["annotate", str(case), *asked, "--quiet"]) == 0
    expected = json.loads((case / "fixture.json").read_bytes())["expected"]
    assert expected["effects"] == {"refund.create": {"min": 1, "max": 1}, "order.cancel": {"min": 0, "max": None}}
    assert expected["authorization"] == {"decision": "allow", "before_effects": True}
    assert "No side effect before the decision `allow`." in (case / "README.md").read_text()


@pytest.mark.parametrize("given", ["refund.create", "refund.create=some", "refund.create=3..1", "=1", "a=1..2..3"])
def test_bounds_of_another_form_are_a_usage_error(case, capsys, given):
    assert run(["annotate", str(case), "--effects", given]) == 2
    assert "TOOL=MIN..MAX" in capsys.readouterr().err


def test_another_key_than_the_case_s_own_is_refused(case, tmp_path, capsys):
    """What the case remembers of its known values is found under its own key alone."""
    other = tmp_path / "other.key"
    other.write_text("extract-fixture-key-1:" + bytes(range(1, 33)).hex() + "\n")
    other.chmod(0o600)
    before = (case / "fixture.json").read_bytes()
    assert run(["annotate", str(case), "--failure", "Two attempts timed out.", "--key-file", str(other)]) == 2
    assert "key" in capsys.readouterr().err
    assert (case / "fixture.json").read_bytes() == before


def test_what_the_case_does_not_know_is_asked_after(case, capsys):
    told = [
        "--prohibit",
        "the refund has been completed",
        "--effects",
        "refund.crate=1",
        "--action",
        "refund.create",
        "--boundary",
        "no_such_check",
    ]
    assert run(["annotate", str(case), *told]) == 0
    warned = [line for line in capsys.readouterr().out.splitlines() if line.startswith("warning: ")]
    assert len(warned) == 2
    assert "--effects names, only of " in warned[0]
    assert "refund.create" in warned[0]
    assert "--boundary names no check that is built in (effects, authorization" in warned[1]
