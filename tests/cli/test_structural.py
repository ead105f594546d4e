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
