"""The sample incidents: exactly which spans are kept, why, and why the others are not."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

import pytest

from extractor import ruleset
from extractor.model.config import RunConfig, Wanted
from extractor.normalise import normalise
from extractor.read import read
from extractor.select import select

SAMPLES = Path(__file__).parent.parent.parent / "sample_traces"
INCIDENTS = tomllib.loads((SAMPLES / "incidents.toml").read_text("utf-8"))
RULES = ruleset.load()
KEPT = {
    "refund-timeout": (
        "uncured_error",
        [
            ("POST /v1/conversations/{id}/turns", "path"),
            ("invoke_agent refund-agent", "path"),
            ("chat example-large", "version"),
            ("execute_tool order.lookup", "value_flow"),
            ("SELECT orders", "receipt"),
            ("chat example-large", "requested"),
            ("execute_tool refund.create", "boundary"),
            ("POST", "receipt"),
            ("POST /v1/refunds", "receipt"),
            ("INSERT refunds", "receipt"),
            ("execute_tool refund.create", "attempt"),
            ("POST", "receipt"),
            ("POST /v1/refunds", "receipt"),
            ("chat example-large", "consequence"),
        ],
        {"after_boundary": 2, "no_flow": 1, "transport": 6, "unrelated": 5},
    ),
    "duplicate-shipment": (
        "last_answer",
        [
            ("POST /v1/conversations/{id}/turns", "path"),
            ("invoke_agent shipping-agent", "path"),
            ("chat example-large", "version"),
            ("execute_tool order.lookup", "value_flow"),
            ("chat example-large", "value_flow"),
            ("execute_tool shipment.create", "side_effect"),
            ("shipping.v2.Shipments/Create", "receipt"),
            ("shipping.v2.Shipments/Create", "receipt"),
            ("INSERT shipments", "receipt"),
            ("execute_tool shipment.create", "side_effect"),
            ("shipping.v2.Shipments/Create", "receipt"),
            ("shipping.v2.Shipments/Create", "receipt"),
            ("INSERT shipments", "receipt"),
            ("chat example-large", "requested"),
            ("execute_tool shipment.list", "effect_shown"),
            ("chat example-large", "boundary"),
        ],
        {"no_flow": 1, "transport": 6, "unrelated": 1},
    ),
    "recovery-dst": (
        "last_answer",
        [
            ("POST /v1/conversations/{id}/turns", "path"),
            ("recovery-agent", "path"),
            ("ChatCompletion", "value_flow"),
            ("account.find", "value_flow"),
            ("ChatCompletion", "boundary"),
            ("policy.get", "value_flow"),
            ("handoff.availability", "same_turn"),
            ("recovery.send_instructions", "consequence"),
        ],
        {"no_flow": 1, "transport": 6, "unrelated": 1},
    ),
    "foreign-order-refund": (
        "last_answer",
        [
            ("POST /v1/conversations/{id}/turns", "path"),
            ("invoke_agent order-desk", "path"),
            ("chat example-large", "version"),
            ("execute_tool customer.get", "value_flow"),
            ("chat example-large", "value_flow"),
            ("execute_tool order.get", "value_flow"),
            ("chat example-large", "requested"),
            ("execute_tool refund.create", "side_effect"),
            ("chat example-large", "boundary"),
        ],
        {"no_flow": 1, "transport": 6, "unrelated": 1},
    ),
    "racing-refund": (
        "last_answer",
        [
            ("POST /v1/conversations/{id}/turns", "path"),
            ("invoke_agent refund-desk", "path"),
            ("chat example-large", "version"),
            ("execute_tool order.lookup", "value_flow"),
            ("chat example-large", "value_flow"),
            ("execute_tool refund.find", "value_flow"),
            ("execute_tool refund.find", "attempt"),
            ("execute_tool refund.create", "side_effect"),
            ("execute_tool refund.create", "side_effect"),
            ("chat example-large", "boundary"),
        ],
        {"no_flow": 1, "transport": 6, "unrelated": 1},
    ),
}


def test_every_sample_is_listed() -> None:
    assert KEPT.keys() == INCIDENTS.keys()


@pytest.mark.parametrize("name", KEPT)
def test_the_kept_spans_of_a_sample_and_why(name: str) -> None:
    incident = INCIDENTS[name]
    trace = normalise(read([str(SAMPLES / incident["source"])], Wanted(trace_ids=(incident["trace_id"],))), RULES)
    selection = select(trace, RULES, RunConfig())
    boundary, kept, dropped = KEPT[name]
    told = list(zip(trace.spans, selection.decisions, strict=True))
    assert selection.boundary_reason == boundary
    assert [(span.name, each.reason) for span, each in told if each.kept] == kept
    assert Counter(each.reason for _, each in told if not each.kept) == dropped
