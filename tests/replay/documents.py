"""Whole fixtures, made by hand: what each test changes is all that it says."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from extractor.replay.case import ReplayCase, case_of

TIMING = dict.fromkeys(("budget_start_ms", "deadline_ms", "dispatch_ms", "receipt_ms", "response_ms", "end_ms"), None)


def call(attempt: int, tool: str, arguments: Any, made: Any, **told: Any) -> dict[str, Any]:
    """One tool event; an outcome that is an exception is an error, every other value a result."""
    if isinstance(made, Exception):
        ending: dict[str, Any] = {"type": "error", "error": str(made), "error_type": type(made).__name__}
    else:
        ending = {"type": "result", "value": made}
    ending |= told.pop("outcome", {})
    return {
        "attempt": attempt,
        "tool": tool,
        "call_id": None,
        "logical_call": attempt,
        "try": 1,
        "arguments": arguments,
        "role": "evidence",
        "outcome": ending,
        "side_effect": "none",
        "timing": TIMING | told.pop("timing", {}),
        "after": [attempt - 1] if attempt > 1 else [],
        **told,
    }


def said(number: int, role: str, text: str) -> dict[str, Any]:
    return {"id": f"m{number}", "role": role, "parts": [{"type": "text", "text": text}]}


def document(*events: dict[str, Any], **told: Any) -> dict[str, Any]:
    """A whole fixture about a refund of order O-1, with no model unless told."""
    expected = {
        "failure_statement": {"trigger": "t", "prohibited": "p", "evidence_needed": "e"},
        "prohibited_claims": ["the refund is done"],
        "required_behaviours": [],
        "required_disclosures": [],
        "boundary": None,
        "effects": {},
        "expert_review": [],
    } | told.pop("expected", {})
    if "claims" in expected:
        expected.pop("boundary")
    base: dict[str, Any] = {
        "schema_version": "1",
        "case_id": "2026-07-18-refund",
        "incident_id": "INC-1",
        "workflow_version": "refund-flow@12",
        "prompt_version": "p@1",
        "frozen_at": "2026-07-18T05:30:00-04:00",
        "time_zone": "America/New_York",
        "locale": "en-US",
        "adapter": None,
        "deployment": {"service": "shop", "version": "1", "environment": "prod", "flags": {}},
        "model": None,
        "templates": [],
        "facts": [],
        "documents": [],
        "input": {"messages": [said(1, "user", "Refund O-1, please.")]},
        "identity": {
            "subject": "cust_1",
            "tenant": "main",
            "roles": ["customer"],
            "claims": {},
            "resources": [{"type": "order", "id": "O-1", "owner": "cust_1"}],
        },
        "messages": [],
        "conversation": ["m1"],
        "tool_events": list(events),
        "model_events": [],
        "final_output": None,
        "alternates": [],
        "expected": expected,
        "ordering": {"mode": "total", "reason": "r"},
        "timing": {"fidelity": "event", "reason": "r"},
        "lane": "shadow",
        "missing_evidence": [],
    }
    return deepcopy(base | told)


def content(found: dict[str, Any]) -> bytes:
    return json.dumps(found, indent=2).encode() + b"\n"


def case(*events: dict[str, Any], **told: Any) -> ReplayCase:
    return case_of(content(document(*events, **told)))


def folder(place: Path, *events: dict[str, Any], **told: Any) -> Path:
    """A case folder below ``place``, named after its case."""
    found = document(*events, **told)
    made = place / found["case_id"]
    made.mkdir(parents=True)
    (made / "fixture.json").write_bytes(content(found))
    return made
