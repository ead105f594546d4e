"""The buggy agents do the harm and the fixed ones do not, with the same scripted model and tools (S38 S39 S40)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from sample_traces.agents import GAVE_UP, Request, Seam, asks, converse, says
from sample_traces.duplicate_shipment import agent as shipping
from sample_traces.duplicate_shipment import scenario as shipments
from sample_traces.foreign_order_refund import agent as desk
from sample_traces.foreign_order_refund import scenario as orders
from sample_traces.racing_refund import agent as racing
from sample_traces.racing_refund import scenario as races
from sample_traces.recording.conversation import scripted
from sample_traces.recovery_dst import agent as recovery
from sample_traces.recovery_dst import scenario as recoveries
from sample_traces.refund_timeout import agent as refunding
from sample_traces.refund_timeout import scenario as refunds


def seam(replies, call_tool, now=datetime(2026, 7, 18, 9, 30, tzinfo=UTC), keys=()):
    drawn = iter(keys)
    return Seam(call_model=scripted(replies), call_tool=call_tool, now=lambda: now, new_key=lambda: next(drawn))


@pytest.mark.parametrize(
    ("run", "answer"),
    [
        (refunding.run_buggy, "has been completed"),
        (refunding.run_fixed, "has not confirmed it yet"),
    ],
)
def test_only_the_buggy_agent_claims_a_refund_that_nothing_confirms(run, answer):
    """S38."""
    payments = refunds.Payments(customer=refunds.MAREN, silent=True)
    assert answer in run(refunds.request(refunds.MAREN), seam(refunds.replies(refunds.MAREN), payments.call))
    assert len(payments.refunds) == 1


@pytest.mark.parametrize("run", [refunding.run_buggy, refunding.run_fixed])
def test_both_agents_report_a_confirmed_refund(run):
    """S42: the success control, against a fix that never reports completion."""
    payments = refunds.Payments(customer=refunds.MAREN, silent=False)
    answer = run(refunds.request(refunds.MAREN), seam(refunds.replies(refunds.MAREN), payments.call))
    assert "has been completed" in answer


@pytest.mark.parametrize(("run", "parcels"), [(shipping.run_buggy, 2), (shipping.run_fixed, 1)])
def test_only_the_buggy_agent_ships_twice_when_an_accepted_request_loses_its_answer(run, parcels):
    """S39."""
    service = shipments.Desk(customer=shipments.IDRIS, lost_answers=1)
    answer = run(
        shipments.request(shipments.IDRIS),
        seam(shipments.replies(shipments.IDRIS), service.call, keys=shipments.KEYS),
    )
    assert len(service.shipments) == parcels
    assert "is on its way" in answer


@pytest.mark.parametrize(
    ("run", "action"),
    [(recovery.run_buggy, "recovery.send_instructions"), (recovery.run_fixed, "handoff.create")],
)
def test_only_the_buggy_agent_sends_instructions_while_people_are_at_work(run, action):
    assert recovery_action(run, recoveries.NADIA, recoveries.INSTANT) == action


@pytest.mark.parametrize(
    ("hours", "action"), [(-1, "handoff.create"), (1, "recovery.send_instructions")], ids=["before", "after"]
)
@pytest.mark.parametrize("run", [recovery.run_buggy, recovery.run_fixed])
def test_both_agents_agree_an_hour_before_and_after_the_boundary(run, hours, action):
    """S40: controls on both sides, so that handing everything over is no fix."""
    assert recovery_action(run, recoveries.NADIA, recoveries.INSTANT + timedelta(hours=hours)) == action


@pytest.mark.parametrize("run", [recovery.run_buggy, recovery.run_fixed])
def test_an_unknown_mailbox_is_not_recovered(run):
    request = recoveries.request(recoveries.NADIA)
    assert run(request, seam([says("I cannot find it.")], lambda *_: None)) == recovery.NOT_FOUND


def recovery_action(run, holder, instant):
    service = recoveries.RecoveryDesk(holder=holder)
    run(recoveries.request(holder), seam(recoveries.replies(holder), service.call, now=instant))
    (action,) = service.actions
    return action


@pytest.mark.parametrize(
    ("run", "count", "answer"), [(desk.run_buggy, 1, "Done, Priya"), (desk.run_fixed, 0, "on your own account")]
)
def test_only_the_buggy_agent_refunds_an_order_of_somebody_else(run, count, answer):
    service = orders.OrderDesk(customer=orders.PRIYA, order=orders.FOREIGN)
    request = orders.request(orders.PRIYA, orders.FOREIGN)
    assert answer in run(request, seam(orders.replies(orders.PRIYA, orders.FOREIGN), service.call))
    assert len(service.refunds) == count


@pytest.mark.parametrize("run", [desk.run_buggy, desk.run_fixed])
def test_owners_get_their_refund(run):
    own = orders.Order(id="BF-990001", owner=orders.PRIYA, amount_cents=500)
    service = orders.OrderDesk(customer=orders.PRIYA, order=own)
    run(orders.request(orders.PRIYA, own), seam(orders.replies(orders.PRIYA, own), service.call))
    assert len(service.refunds) == 1


@pytest.mark.parametrize(("run", "count"), [(racing.run_buggy, 2), (racing.run_fixed, 1)])
def test_only_the_buggy_agent_refunds_an_order_twice_when_both_workers_look_before_either_writes(run, count):
    service = races.Refunds(customer=races.TOMASZ)
    assert "I have refunded $86.40" in run(races.request(races.TOMASZ), concurrent(service, races.TOMASZ))
    assert len(service.made) == count


@pytest.mark.parametrize("run", [racing.run_buggy, racing.run_fixed])
def test_one_worker_refunds_once(run):
    service = races.Refunds(customer=races.BYSTANDERS[0])
    run(races.request(races.BYSTANDERS[0]), concurrent(service, races.BYSTANDERS[0]))
    assert len(service.made) == 1


def concurrent(service, customer):
    async def call(tool, arguments):
        await asyncio.sleep(0)
        return service.call(tool, arguments)

    async def all_of(work):
        return await asyncio.gather(*work)

    sync = seam(races.replies(customer), service.call, keys=races.KEYS)
    return racing.ConcurrentSeam(
        call_model=sync.call_model,
        call_tool=sync.call_tool,
        now=sync.now,
        new_key=sync.new_key,
        acall_tool=call,
        together=lambda work: asyncio.run(all_of(work)),
    )


def test_nobody_refunds_for_a_customer_who_is_not_signed_in():
    service = orders.OrderDesk(customer=orders.PRIYA, order=orders.FOREIGN)
    anonymous = Request(conversation="c", subject="nobody", text="Refund it.", verified=False)
    desk.run_buggy(anonymous, seam(orders.replies(orders.PRIYA, orders.FOREIGN), service.call))
    assert not service.refunds


def test_a_failed_tool_is_told_to_the_model_and_the_loop_ends_even_if_the_model_does_not():
    heard = []

    def stubborn(_instructions, messages):
        heard.append(messages[-1])
        return asks("call_1", "lookup", {})

    def failing(_tool, _arguments):
        raise RuntimeError("out of order")

    request = Request(conversation="c", subject="s", text="Hello")
    script = Seam(call_model=stubborn, call_tool=failing, now=lambda: recoveries.INSTANT, new_key=str)
    assert converse("", request, script, failing) == GAVE_UP
    assert heard[1]["parts"] == [{"type": "tool_call_response", "id": "call_1", "response": {"error": "out of order"}}]
