"""The sample agents as a replay calls them: each entry point builds the agent's seam from the session of a case.

``extract-fixture replay CASE --entrypoint sample_traces.replaying:refund_timeout_fixed``. This is all that a project writes
to have its own agent replayed, when the agent is given what it needs from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from extractor.replay import Session
from extractor.replay.exchange import Part
from sample_traces.agents import JsonValue, Message, Request, Seam
from sample_traces.duplicate_shipment import agent as shipping
from sample_traces.foreign_order_refund import agent as desk
from sample_traces.recovery_dst import agent as recovery
from sample_traces.refund_timeout import agent as refunding

Agent = Callable[[Request, Seam], str]


def seam(incident: Session) -> Seam:
    """Return a seam whose model, tools, clock and keys are the recorded ones."""
    return Seam(
        call_model=lambda _instructions, _messages: message(incident.model.call(None, ())),
        call_tool=incident.call_tool,
        now=incident.clock.now,
        new_key=incident.new_key,
    )


def request(incident: Session) -> Request:
    """Return the recorded turn of the user, in the name of the synthetic identity."""
    identity = incident.identity
    return Request(
        conversation=incident.case.case_id,
        subject=identity.subject or "",
        tenant=identity.tenant or "",
        roles=identity.roles,
        text=incident.text,
        locale=incident.case.text("locale") or "en-US",
        time_zone=incident.case.text("time_zone") or "UTC",
    )


def message(parts: Sequence[Part]) -> Message:
    """Return a recorded answer of the model in the form that the sample agents speak."""
    told = [part for part in parts if part.get("type") in ("text", "tool_call")]
    asks = any(part["type"] == "tool_call" for part in told)
    return {
        "role": "assistant",
        "parts": [_part(part) for part in told],
        "finish_reason": "tool_call" if asks else "stop",
    }


def _part(part: Part) -> dict[str, JsonValue]:
    if part["type"] == "text":
        return {"type": "text", "content": part["text"]}
    return {"type": "tool_call", "id": part["call_id"], "name": part["tool"], "arguments": part["value"]}


def _entry(agent: Agent) -> Callable[[Session], str]:
    def run(incident: Session) -> str:
        return agent(request(incident), seam(incident))

    return run


def never_claims(incident: Session) -> str:
    """A blunt fix of the refund: it does everything, and never says that anything is done."""
    refunding.run_fixed(request(incident), seam(incident))
    return refunding.UNCONFIRMED


def returns_early(incident: Session) -> str:
    """No fix at all: it says the harmless words and never comes to the incident's path."""
    del incident
    return refunding.UNCONFIRMED


refund_timeout_buggy, refund_timeout_fixed = _entry(refunding.run_buggy), _entry(refunding.run_fixed)
duplicate_shipment_buggy, duplicate_shipment_fixed = _entry(shipping.run_buggy), _entry(shipping.run_fixed)
recovery_dst_buggy, recovery_dst_fixed = _entry(recovery.run_buggy), _entry(recovery.run_fixed)
foreign_order_refund_buggy, foreign_order_refund_fixed = _entry(desk.run_buggy), _entry(desk.run_fixed)
