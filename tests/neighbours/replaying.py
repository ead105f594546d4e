"""The sample agents on a case or control, in a session: what its boundary says, or what the session holds against them."""

from __future__ import annotations

import importlib
from pathlib import Path

from extractor.model.json import parse
from extractor.replay.case import ReplayCase, load_case
from extractor.replay.session import Session
from sample_traces.agents import Request, Seam, says

AGENTS = {
    "refund-timeout": "refund_timeout",
    "duplicate-shipment": "duplicate_shipment",
    "recovery-dst": "recovery_dst",
    "foreign-order-refund": "foreign_order_refund",
}


def said(parts):
    """Return a recorded answer of the model as the sample agents read it."""
    return {
        "role": "assistant",
        "parts": [
            {"type": "text", "content": part["text"]}
            if part["type"] == "text"
            else {"type": "tool_call", "id": part["call_id"], "name": part["tool"], "arguments": part["value"]}
            for part in parts
        ],
    }


def replayed(case: ReplayCase | Path, agent):
    """Return the session after one run: `verdict`, `effects` and `label` are what it found. Faults are raised."""
    loaded = load_case(case) if isinstance(case, Path) else case
    with Session(loaded, version="test") as session:
        seam = Seam(
            call_model=lambda _instructions, _messages: said(session.model.call(None, ())),
            call_tool=session.call_tool,
            now=session.clock.now,
            new_key=session.new_key,
        )
        session.output = agent(
            Request(
                conversation="c",
                subject=session.identity.subject,
                tenant=session.identity.tenant,
                roles=session.identity.roles,
                text=session.text,
                time_zone=loaded.text("time_zone") or "UTC",
            ),
            seam,
        )
    return session


def agents(name: str):
    """Return the buggy and the fixed agent of a sample."""
    module = importlib.import_module(f"sample_traces.{AGENTS[name]}.agent")
    return module.run_buggy, module.run_fixed


def document(case: Path, name: str = "fixture.json"):
    return parse((case / name).read_bytes())


__all__ = ["AGENTS", "agents", "document", "replayed", "says"]
