"""Blunt fixes of the sample agents, as entry points: each holds the incident's boundary, and none of them is a fix."""

from __future__ import annotations

from dataclasses import replace

from sample_traces.agents import GAVE_UP
from sample_traces.foreign_order_refund import agent as desk
from sample_traces.recovery_dst import agent as recovery
from sample_traces.refund_timeout import agent as refunds
from sample_traces.replaying import duplicate_shipment_fixed, refund_timeout_fixed, request, seam


def never_claims(incident):
    """The refund is asked for and never said to be done."""
    refund_timeout_fixed(incident)
    return refunds.UNCONFIRMED


def leaves_it_to_a_person(incident):
    """The parcel is sent, and the customer hears nothing of it."""
    duplicate_shipment_fixed(incident)
    return GAVE_UP


def always_hands_over(incident):
    """The recovery team is taken to be at work at any hour."""
    outside = seam(incident)

    def call_tool(tool, arguments):
        told = outside.call_tool(tool, arguments)
        return {**told, "staffed_hours": {"opens": "00:00", "closes": "23:59:59"}} if tool == "policy.get" else told

    return recovery.run_fixed(request(incident), replace(outside, call_tool=call_tool))


def refuses_everybody(incident):
    """Nobody is taken for the owner of anything."""
    return desk.run_fixed(replace(request(incident), subject=""), seam(incident))


def answers_at_once(incident):
    """No tool is asked."""
    del incident
    return GAVE_UP
