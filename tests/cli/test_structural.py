"""A structural case of each sample incident holds none of its words."""

from __future__ import annotations

import json
import re

from extractor.cli.app import run
from extractor.model.json import leaves

from .conftest import TRACE


def test_no_text_of_the_trace_is_left_and_the_case_is_whole(here, export, capsys):
    """S67."""
    told = [
        "--failure",
        "Two attempts timed out.",
        "--prohibit",
        "the refund has been completed",
        "--evidence-needed",
        "A result.",
    ]
    assert run(["--trace-id", TRACE, str(export), "--structural", *told, "--quiet"]) == 0
    (case,) = (here / "fixtures" / "quarantine").glob("2*")
    fixture = json.loads((case / "fixture.json").read_bytes())
    texts = [
        part["text"]
        for message in (*fixture["input"]["messages"], *fixture["messages"])
        for part in message["parts"]
        if "text" in part
    ]
    assert texts
    assert all(re.fullmatch(r"\[text \d+, length \d+\]", text) for text in texts)
    payload = [
        leaf for event in fixture["tool_events"] for _, leaf in leaves(event["outcome"]) if isinstance(leaf, str)
    ]
    assert not any("no answer from payments" in text for text in payload)
    assert [event["outcome"]["ended_by"] for event in fixture["tool_events"]][1:] == [
        "remote_timeout",
        "remote_timeout",
    ]
    keys = {event["idempotency_key"] for event in fixture["tool_events"] if "idempotency_key" in event}
    assert len(keys) == 1
    assert "structural" in {entry["code"] for entry in fixture["missing_evidence"]}
    predicate = json.loads((case / "provenance.json").read_bytes())["predicate"]
    assert predicate["redaction"]["structural"] is True
    assert run(["validate", str(case)]) == 0


def test_what_people_say_that_a_call_answers_speaks_of_the_same_placeholders(here, export):
    """S29: an alternate names values of the trace, and none of its words is left either."""
    own = {"order_id": "FH-204816", "note": "no answer from payments within 2000 ms"}
    answer = {
        "tool": "refund.status",
        "arguments": own,
        "outcome": {"type": "result", "value": {"state": "pending bank"}},
    }
    told = ["--prohibit", "the refund has been completed", "--alternate", json.dumps([answer])]
    assert run(["--trace-id", TRACE, str(export), "--structural", *told, "--quiet"]) == 0
    (case,) = (here / "fixtures" / "quarantine").glob("2*")
    fixture = json.loads((case / "fixture.json").read_bytes())
    (alternate,) = fixture["alternates"]
    lookup, failed = fixture["tool_events"][:2]
    assert alternate["tool"] == "refund.status"
    assert alternate["outcome"]["type"] == "result"
    assert alternate["arguments"] == {"order_id": lookup["arguments"]["order_id"], "note": failed["outcome"]["error"]}
    assert "pending bank" not in json.dumps(fixture)
    assert run(["validate", str(case)]) == 0
