from __future__ import annotations

import json

import pytest

from extractor.cli.app import run


def test_a_case_is_shown_on_one_screen(case, capsys):
    assert run(["show", str(case)]) == 0
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) <= 24
    assert case.name in shown
    assert "refund.create: ToolTimeout" in shown
    assert "not whole: expected.prohibited_claims must name the incident boundary" in shown


def test_json_holds_fixture_and_provenance(case, capsys):
    assert run(["show", "--json", str(case)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["fixture"]["case_id"] == case.name
    assert said["provenance"]["redaction"]["values"] > 0


def test_a_fixture_without_its_sidecar_is_shown_as_unproved(case, capsys):
    (case / "provenance.json").unlink()
    assert run(["show", str(case)]) == 0
    assert "there is no provenance.json" in capsys.readouterr().out


def test_what_drives_a_terminal_is_shown_as_escapes(case, capsys):
    file = case / "fixture.json"
    file.write_text(file.read_text().replace("my money back", "\\u001b]0;title\\u0007 \\u202e"))
    assert run(["show", str(case)]) == 0
    shown = capsys.readouterr().out
    assert "\\x1b]0;title\\x07 \\u202e" in shown
    assert "\x1b" not in shown


def test_a_folder_that_is_no_case_ends_with_six(tmp_path):
    assert run(["show", str(tmp_path)]) == 6
    (tmp_path / "fixture.json").write_text('{"a": 1, "a": 2}')
    assert run(["show", str(tmp_path)]) == 6


def test_what_went_wrong_and_what_is_prohibited_is_shown(case, capsys):
    """S6."""
    told = ["--failure", "Two attempts timed out.", "--prohibit", "the refund has been completed"]
    assert run(["annotate", str(case), *told, "--evidence-needed", "A completed result.", "--quiet"]) == 0
    capsys.readouterr()
    assert run(["show", str(case)]) == 0
    out = capsys.readouterr().out
    assert "trigger          Two attempts timed out." in out
    assert "prohibited       the refund has been completed" in out
    assert "evidence needed  A completed result." in out


def test_the_proof_report_names_what_was_proved_and_what_is_open(case, capsys):
    assert run(["show", str(case), "--proofs"]) == 0
    shown = capsys.readouterr().out
    predicate = json.loads((case / "provenance.json").read_bytes())["predicate"]
    assert f"0: {predicate['leaks']['known_values']} known values stand in no file" in shown
    for each in predicate["relations"]["entities"]:
        assert f"{each['entity']} {each['values']} in {each['preserved']} of {each['occurrences']}" in shown
    for each in predicate["leaks"]["entities"]:
        assert f"{each['entity']} {each['values']}" in shown
    assert sum(each["values"] for each in predicate["leaks"]["entities"]) == predicate["leaks"]["known_values"]
    assert (
        sum(each["occurrences"] for each in predicate["relations"]["entities"]) == predicate["relations"]["occurrences"]
    )
    for fact in ("only identifier text differs", "none was found", predicate["redaction"]["key_id"]):
        assert fact in shown
    for digest in (predicate["rules"]["sha256"], predicate["versions"]["models"][0]["sha256"]):
        assert digest in shown


def test_each_open_point_has_a_place_and_what_settles_it(case, capsys):
    file = case / "provenance.json"
    statement = json.loads(file.read_bytes())
    place = {"path": "messages[3].parts[0].text", "start": 12, "end": 16}
    statement["predicate"]["residual"] = [
        {"code": "ambiguous", **place, "count": 2},
        {"code": "name_like", **place, "count": 1},
    ]
    file.write_text(json.dumps(statement))
    assert run(["show", str(case), "--proofs"]) == 0
    shown = capsys.readouterr().out
    assert "1. ambiguous: messages[3].parts[0].text [12, 16), 2 times" in shown
    assert "--treat 'messages[3].parts[0].text=name' or --treat 'messages[3].parts[0].text=word'" in shown
    assert "2. name_like: messages[3].parts[0].text [12, 16)\n" in shown
    assert "--rules DIR or [deny]" in shown


def test_without_a_sidecar_nothing_is_proved(case, capsys):
    (case / "provenance.json").unlink()
    assert run(["show", str(case), "--proofs"]) == 0
    assert "there is no provenance.json" in capsys.readouterr().out


def test_the_timing_report_says_where_a_verdict_points(case, capsys):
    """S36, S125."""
    assert run(["show", str(case), "--timing"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "2. refund.create, try 1 dispatched yes, received yes, completed yes, ended by remote_timeout" in shown
    assert "points to the dependency's latency, how long the caller waits, recovery by idempotency key" in shown
    assert "refund.create on order_id" in shown
    assert "accepted 1" in shown


def test_the_timing_of_each_attempt_can_be_read_by_machines(case, capsys):
    assert run(["show", str(case), "--timing", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["tool"] for row in rows] == ["order.lookup", "refund.create", "refund.create"]
    assert rows[1]["received"]["answer"] == "yes"
    assert rows[1]["received"]["spans"]
    assert rows[0]["points_to"] is None


@pytest.mark.parametrize(
    ("verdict", "lacks", "said"),
    [
        ("local_deadline", None, "a larger timeout of the tool cannot help"),
        ("undetermined", "receipt_unknown", "points to nothing: collect the dependency's own spans"),
        ("caller_cancelled", None, "whoever cancelled"),
        ("late_response", None, "how late results are discarded"),
        ("connection_error", None, "not the dependency's work"),
    ],
)
def test_each_verdict_names_its_repair(case, capsys, verdict, lacks, said):
    """S125: two causes have different owners and fixes."""
    file = case / "provenance.json"
    statement = json.loads(file.read_bytes())
    ending = statement["predicate"]["attempts"][1]["ended_by"]
    ending.update(verdict=verdict, lacks=lacks)
    file.write_text(json.dumps(statement))
    assert run(["show", str(case), "--timing"]) == 0
    assert said in capsys.readouterr().out


def test_attempts_that_overlap_are_named(case, capsys):
    """S71: a green replay in sequence says nothing about their race."""
    file = case / "fixture.json"
    fixture = json.loads(file.read_bytes())
    fixture["tool_events"][1]["after"] = fixture["tool_events"][2]["after"] = [1]
    file.write_text(json.dumps(fixture))
    assert run(["show", str(case), "--timing"]) == 0
    assert "attempts 2, 3 overlap; a replay in sequence says nothing about their race" in capsys.readouterr().out


def test_why_tells_decision_reason_distance_and_the_flows_back_to_the_boundary(case, capsys):
    selection = json.loads((case / "provenance.json").read_bytes())["predicate"]["selection"]
    fed = next(each for each in selection if each["reason"] == "value_flow" and each["becomes"])
    for wanted in (fed["span_id"], fed["becomes"]):
        assert run(["show", str(case), "--why", wanted]) == 0
        shown = capsys.readouterr().out
        assert "kept" in shown
        assert "value_flow: a value that it produced is used by a kept span" in shown
        assert f"{fed['distance']} steps from the boundary" in shown
        assert any(flow["consumer"] in shown and flow["produced_at"] in shown for flow in fed["flows"])
        assert "because it failed and nothing later made that good" in shown


def test_why_of_every_span_says_its_reason_in_words(case, capsys):
    for each in json.loads((case / "provenance.json").read_bytes())["predicate"]["selection"]:
        assert run(["show", str(case), "--why", each["span_id"]]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert f"{each['reason']}: " in shown
        assert f"{each['reason']}: {each['reason']}" not in shown


def test_why_of_a_span_that_is_none_is_refused_without_quoting_it(case, capsys):
    assert run(["show", str(case), "--why", "nobody@example.com"]) == 2
    told = capsys.readouterr().err
    assert "--why names no span of this case" in told
    assert "nobody" not in told


def test_a_case_says_where_it_stands_and_what_brings_it_on(case, capsys):
    def shown():
        assert run(["show", str(case)]) == 0
        return capsys.readouterr().out

    assert f"{case.name}  (quarantine, incomplete)" in shown()
    fixture = json.loads((case / "fixture.json").read_text())
    fixture["expected"]["prohibited_claims"] = ["it is done"]
    (case / "fixture.json").write_text(json.dumps(fixture))
    assert shown().endswith(f"next  extract-fixture review {case}\n")
    fixture["missing_evidence"].insert(0, {"field": "input", "code": "other", "reason": "None."})
    fixture["missing_evidence"].append({"field": "input.messages", "code": "no_input", "reason": "No span holds it."})
    (case / "fixture.json").write_text(json.dumps(fixture))
    assert f"{case.name}  (quarantine, non-replayable)" in (told := shown())
    assert told.endswith(f"extract-fixture show {case} --missing\n")
    assert run(["show", str(case), "--missing"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split(maxsplit=1) == ["input.messages", "no_input: No span holds it."]
    assert len(lines) == 1 + len(fixture["missing_evidence"])


def test_a_grade_that_says_that_this_failed_is_shown(case, capsys):
    sidecar = json.loads((case / "provenance.json").read_text())
    sidecar["predicate"]["grader"] = {"name": "groundedness", "version": "3", "result": {"score": 0}}
    (case / "provenance.json").write_text(json.dumps(sidecar))
    assert run(["show", str(case)]) == 0
    assert 'groundedness 3: {"score":0}' in capsys.readouterr().out
