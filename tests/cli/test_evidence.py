"""What the trace lacks may come from a dependency's request log."""

from __future__ import annotations

import json

import pytest

from extractor.cli.app import run

TRACE = "5b8efff798038103d269b633813fc60c"
ROOT, TOOL = "eee19b7ec3c1b174", "eee19b7ec3c1b175"
KEY = "refund-QW-551208-1"


def attribute(key, value):
    return {"key": key, "value": {"stringValue": value}}


@pytest.fixture
def uninstrumented(tmp_path):
    """A refund that timed out; nothing but the tool's own span tells of it."""
    arguments = json.dumps({"order_id": "QW-551208", "idempotency_key": KEY})
    spans = [
        {
            "spanId": ROOT,
            "name": "invoke_agent desk",
            "startTimeUnixNano": "1772359200000000000",
            "endTimeUnixNano": "1772359203000000000",
            "attributes": [attribute("gen_ai.operation.name", "invoke_agent")],
        },
        {
            "spanId": TOOL,
            "parentSpanId": ROOT,
            "name": "execute_tool refund.create",
            "startTimeUnixNano": "1772359201000000000",
            "endTimeUnixNano": "1772359201400000000",
            "status": {"code": 2},
            "attributes": [
                attribute("gen_ai.operation.name", "execute_tool"),
                attribute("gen_ai.tool.name", "refund.create"),
                attribute("gen_ai.tool.call.id", "call_9"),
                attribute("gen_ai.tool.call.arguments", arguments),
                attribute("error.type", "TimeoutError"),
            ],
        },
    ]
    for span in spans:
        span["traceId"] = TRACE
    file = tmp_path / "export.json"
    resource = {"attributes": [attribute("service.name", "desk")]}
    file.write_text(json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}))
    return file


def extracted(here, capsys, *arguments):
    assert run(["--trace-id", TRACE, *map(str, arguments), "--keep", "all", "--json"]) in (0, 4)
    capsys.readouterr()
    (case,) = (here / "fixtures" / "quarantine").glob("2*")
    predicate = json.loads((case / "provenance.json").read_bytes())["predicate"]
    return json.loads((case / "fixture.json").read_bytes()), predicate, case


def test_without_evidence_the_verdict_is_undetermined(here, uninstrumented, capsys):
    fixture, _, _ = extracted(here, capsys, uninstrumented)
    (event,) = fixture["tool_events"]
    assert (event["outcome"]["ended_by"], event["side_effect"]) == ("undetermined", "unknown")


def test_a_request_log_and_a_connection_log_tell_how_it_ended(here, uninstrumented, tmp_path, capsys):
    """S35, S131."""
    log = tmp_path / "log.jsonl"
    records = [
        {"time": "2026-03-01T10:00:01.010Z", "clock": "desk", "id": "call_9", "kind": "sent"},
        {"time": "2026-03-01T10:00:01.400Z", "clock": "desk", "id": "call_9", "kind": "timed_out"},
        {"time": "2026-03-01T10:00:01.020Z", "clock": "payments", "key": KEY, "kind": "received"},
        {"time": "2026-03-01T10:00:02.600Z", "clock": "payments", "key": KEY, "kind": "completed"},
    ]
    log.write_text("".join(json.dumps(each) + "\n" for each in records))
    fixture, predicate, case = extracted(here, capsys, uninstrumented, "--evidence", log)
    (event,) = fixture["tool_events"]
    assert (event["outcome"]["ended_by"], event["side_effect"]) == ("remote_timeout", "accepted")
    assert event["timing"]["receipt_ms"] == 1020
    # Redacted alike, and marked by source.
    assert [each["kinds"] for each in predicate["source"]["evidence"]] == [
        ["sent", "timed_out"],
        ["received", "completed"],
    ]
    marked = {each["span_id"] for each in predicate["source"]["evidence"]}
    assert marked == set(predicate["attempts"][0]["dispatched"]["spans"])
    written = "".join(file.read_text() for file in case.iterdir() if file.name != "capture.json")
    assert KEY not in written
    assert event["idempotency_key"] == event["arguments"]["idempotency_key"]


def test_evidence_that_names_no_attempt_is_missing_evidence(here, uninstrumented, tmp_path, capsys):
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"time": 1772359201.2, "clock": "payments", "key": "refund-ZZ-1", "kind": "received"}))
    fixture, _, case = extracted(here, capsys, uninstrumented, "--evidence", log)
    assert "evidence_unmatched" in {entry["code"] for entry in fixture["missing_evidence"]}
    assert "refund-ZZ-1" not in "".join(file.read_text() for file in case.iterdir() if file.name != "capture.json")


def test_evidence_of_another_form_ends_with_six(here, uninstrumented, tmp_path, capsys):
    log = tmp_path / "log.jsonl"
    log.write_text("{}")
    assert run(["--trace-id", TRACE, str(uninstrumented), "--evidence", str(log)]) == 6
    assert "evidence 1 record 1: kind must be one of" in capsys.readouterr().err
