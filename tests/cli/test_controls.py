from __future__ import annotations

import json
from pathlib import Path

import pytest

from extractor.cli.app import run
from extractor.replay.case import load_case
from tests.acceptance.samples import options_of

pytestmark = pytest.mark.nlp
SAMPLES = Path(__file__).parents[2] / "sample_traces"
RECOVERY = ("2b", "recovery-dst.otlp.jsonl.zst")
OTHERS = ("--kind", "rejection", "--kind", "timeout", "--kind", "uncertain")


@pytest.fixture
def complete(case, capsys):
    """The refund incident with what must not be said."""
    assert run(["annotate", str(case), "--prohibit", "the money is on its way", "--quiet"]) == 0
    return case


@pytest.fixture
def result(here):
    (here / "result.json").write_text('{"refund_id": "re_1", "status": "completed"}')
    return "@" + str(here / "result.json")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def document(folder: Path, name: str = "fixture.json") -> dict:
    return json.loads((folder / name).read_bytes())


def test_four_controls_stand_beside_the_case_and_validate(complete, result, capsys):
    before = contents(complete)
    assert run(["controls", str(complete), "--result", result, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in told] == ["success", "rejection", "timeout", "uncertain"]
    assert {(each["state"], each["complete"]) for each in told} == {("written", True)}
    assert run(["validate", str(complete), "--quiet"]) == 0
    loaded = load_case(complete)
    assert [load_case(each).control_of for _, each in loaded.control_folders()] == [complete.name] * 4
    hashes = {each["fixture_sha256"] for each in told}
    assert hashes == {load_case(each).fixture_hash for _, each in loaded.control_folders()}
    assert len(hashes | {loaded.fixture_hash}) == 5
    # The case itself is what it was.
    after = contents(complete)
    assert {name: after[name] for name in before if name != "history.jsonl"} == {
        name: content for name, content in before.items() if name != "history.jsonl"
    }
    entry = json.loads((complete / "history.jsonl").read_text().splitlines()[-1])
    assert (entry["event"], entry["controls"]) == ("controlled", 4)


def test_a_control_says_that_it_is_synthetic_and_by_which_rule(complete, result):
    assert run(["controls", str(complete), "--result", result, "--quiet"]) == 0
    readme = (complete / "controls" / "success" / "README.md").read_text()
    assert f"Synthetic: a control beside `{complete.name}` that never happened." in readme
    assert "`attempt 2, refund.create, answers with a result given for it; any later try of it goes`" in readme
    told = document(complete / "controls" / "success", "provenance.json")["predicate"]
    assert told["control"]["kind"] == "success"
    gone = [each for each in told["selection"] if each["reason"] == "not_in_control"]
    assert gone
    assert {each["decision"] for each in gone} == {"dropped"}
    assert [each["event"] for each in told["attempts"]] == ["tool_events[0]"]


def test_the_same_again_changes_nothing(complete, result):
    arguments = ["controls", str(complete), "--result", result, "--quiet"]
    assert run(arguments) == 0
    standing = contents(complete)
    assert run(arguments) == 0
    assert contents(complete) == standing


def test_what_people_said_in_a_control_is_kept_until_it_is_to_be_replaced(complete, capsys):
    control = complete / "controls" / "rejection"
    assert run(["controls", str(complete), *OTHERS, "--quiet"]) == 0
    made = contents(control)
    assert run(["annotate", str(control), "--require", "say that the refund was refused", "--quiet"]) == 0
    assert run(["validate", str(complete), "--quiet"]) == 0
    said = document(control)["expected"]
    assert said["required_behaviours"] == ["say that the refund was refused"]
    assert said["prohibited_claims"] == ["the money is on its way"]
    assert "Synthetic: a control" in (control / "README.md").read_text()
    standing = contents(complete)
    capsys.readouterr()
    assert run(["controls", str(complete), *OTHERS]) == 0
    assert "--replace makes them anew" in capsys.readouterr().out
    assert contents(complete) == standing
    (control / "expect.yaml").write_text("verdict: accept\n")
    assert run(["controls", str(complete), *OTHERS, "--replace", "--quiet"]) == 0
    assert contents(control) == {**made, "expect.yaml": b"verdict: accept\n"}


def test_a_control_that_nobody_changed_follows_its_case(complete):
    assert run(["controls", str(complete), *OTHERS, "--quiet"]) == 0
    assert run(["annotate", str(complete), "--incident", "INC-7", "--quiet"]) == 0
    # What was taken out of the case since would still stand in them.
    assert run(["validate", str(complete), "--quiet"]) == 1
    assert run(["controls", str(complete), *OTHERS, "--quiet"]) == 0
    assert run(["validate", str(complete), "--quiet"]) == 0
    assert {document(each)["incident_id"] for each in (complete / "controls").iterdir()} == {"INC-7"}


def test_without_a_result_a_success_control_is_refused_with_a_hint(complete, capsys):
    before = contents(complete)
    assert run(["controls", str(complete)]) == 2
    assert "--result" in capsys.readouterr().err
    assert contents(complete) == before


def test_a_typed_result_is_redacted_and_what_stands_in_the_case_stays(complete, here):
    order = document(complete)["tool_events"][0]["arguments"]["order_id"]
    # Maren Oduya is whom the trace is about; of Ola Brandt it knows nothing.
    told = {"order_id": order, "customer": "Maren Oduya", "email": "ola.brandt@mail.example.org", "trace": "FH-204816"}
    known = json.dumps(told)
    (here / "result.json").write_text(known)
    typed = "@" + str(here / "result.json")
    assert run(["controls", str(complete), "--kind", "success", "--result", typed, "--quiet"]) == 0
    written = b"".join(contents(complete / "controls").values())
    assert order.encode() in written
    for original in (b"Oduya", b"ola.brandt", b"204816"):
        assert original not in written


def test_a_control_of_another_tool_bears_its_name(complete):
    assert run(["controls", str(complete), "--tool", "order.lookup", "--kind", "timeout", "--quiet"]) == 0
    made = document(complete / "controls" / "timeout-order-lookup")
    assert made["case_id"] == f"{complete.name}-timeout-order-lookup"
    assert made["tool_events"][0]["outcome"]["ended_by"] == "remote_timeout"


def test_a_case_of_a_harmful_call_has_controls_of_the_calls_before_it(here, capsys):
    """Which call the boundary names is then of no account: no fixed version makes it."""
    assert run([*options_of("foreign-order-refund"), "--quiet"]) == 0
    (case,) = (here / "fixtures" / "quarantine").glob("2*")
    assert run(["controls", str(case)]) == 2
    assert "--tool" in capsys.readouterr().err
    assert run(["controls", str(case), "--tool", "order.get", "--quiet"]) == 0
    assert {each.name for each in (case / "controls").iterdir()} == {
        f"{kind}-order-get" for kind in ("rejection", "timeout", "uncertain")
    }


@pytest.fixture
def recovery(here, capsys):
    import tomllib

    incident = tomllib.loads((SAMPLES / "incidents.toml").read_text("utf-8"))["recovery-dst"]
    arguments = ["--trace-id", incident["trace_id"], str(SAMPLES / incident["source"]), "--quiet"]
    assert run([*arguments, "--time-zone", incident["time_zone"], "--prohibit", incident["prohibit"][0]]) == 0
    capsys.readouterr()
    (found,) = (here / "fixtures" / "quarantine").glob("2*")
    return found


def test_instants_are_incomplete_until_people_say_what_is_right_there(recovery, capsys):
    assert (
        run(["controls", str(recovery), "--time", "--expect", "at-market-hours-closes=recovery.send_instructions"]) == 0
    )
    assert "annotate" in capsys.readouterr().out
    at, before = (recovery / "controls" / f"{side}-market-hours-closes" for side in ("at", "before"))
    assert document(at)["expected"]["action"] == "recovery.send_instructions"
    assert document(at)["frozen_at"] == "2026-11-01T18:00:00-06:00"
    assert document(before)["expected"]["prohibited_claims"] == []
    assert run(["validate", str(before), "--quiet"]) == 1
    assert run(["annotate", str(before), "--prohibit", "self-service before six", "--quiet"]) == 0
    assert run(["validate", str(before), "--quiet"]) == 0
    # What --expect said is people's word like any other.
    standing = contents(recovery)
    assert run(["controls", str(recovery), "--time", "--quiet"]) == 0
    assert contents(recovery) == standing


def test_an_action_for_a_control_that_is_not_made_is_refused(recovery, capsys):
    assert run(["controls", str(recovery), "--time", "--expect", "at-noon=handoff.create"]) == 2
    assert "at-market-hours-closes" in capsys.readouterr().err
    assert run(["controls", str(recovery), "--time", "--expect", "handoff.create"]) == 2


def test_what_is_typed_for_a_control_that_is_not_made_is_refused(complete, result, capsys):
    assert run(["controls", str(complete), "--kind", "timeout", "--result", result]) == 2
    assert run(["controls", str(complete), "--kind", "timeout", "--states", "done"]) == 2
    assert "success control" in capsys.readouterr().err
    assert run(["controls", str(complete), "--kind", "success", "--result", "{"]) == 2
    assert not (complete / "controls").exists()


def test_a_control_is_shown_like_a_case(complete, capsys):
    assert run(["controls", str(complete), *OTHERS, "--quiet"]) == 0
    assert run(["show", str(complete / "controls" / "rejection")]) == 0
    assert "ToolRejected" in capsys.readouterr().out


def test_a_case_without_limits_has_no_controls_in_time(complete, capsys):
    assert run(["controls", str(complete), "--time"]) == 2
    assert "no time fact" in capsys.readouterr().err


def test_only_a_quarantined_case_under_its_own_key_has_controls(complete, here, capsys):
    other = here / "other.key"
    other.write_text("extract-fixture-key-1:" + bytes(range(1, 33)).hex() + "\n")
    other.chmod(0o600)
    assert run(["controls", str(complete), *OTHERS, "--key-file", str(other)]) == 2
    assert run(["controls", str(complete), *OTHERS, "--quiet"]) == 0
    control = str(complete / "controls" / "timeout")
    assert run(["controls", control, *OTHERS]) == 2
    assert run(["minimise", control, "--", "false"]) == 2
    approved = complete.parent.parent / "approved" / complete.name
    approved.parent.mkdir()
    complete.rename(approved)
    assert run(["controls", str(approved), *OTHERS]) == 2
    assert "quarantine" in capsys.readouterr().err
