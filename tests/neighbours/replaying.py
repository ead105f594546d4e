"""The sample agents on a case or control, in a session: what its boundary says, or what the session holds against them."""

from __future__ import annotations

import importlib
from pathlib import Path

from extractor.model.json import parse
from extractor.replay.case import ReplayCase, load_case
from extractor.replay.session import Session
from sample_traces.agents import says
from sample_traces.replaying import request, seam

AGENTS = {
    "refund-timeout": "refund_timeout",
    "duplicate-shipment": "duplicate_shipment",
    "recovery-dst": "recovery_dst",
    "foreign-order-refund": "foreign_order_refund",
}


def replayed(case: ReplayCase | Path, agent):
    """Return the session after one run: `verdict`, `effects` and `label` are what it found. Faults are raised."""
    loaded = load_case(case) if isinstance(case, Path) else case
    with Session(loaded, version="test") as session:
        session.output = agent(request(session), seam(session))
    return session


def agents(name: str):
    """Return the buggy and the fixed agent of a sample."""
    module = importlib.import_module(f"sample_traces.{AGENTS[name]}.agent")
    return module.run_buggy, module.run_fixed


def document(case: Path, name: str = "fixture.json"):
    return parse((case / name).read_bytes())


__all__ = ["AGENTS", "agents", "document", "replayed", "says"]
