"""A concurrent case within a suite: one manifest for every order of its calls (S71)."""

from __future__ import annotations

import asyncio

import pytest

from extractor.replay.results.manifest import Interleavings
from extractor.replay.suite import Implementation, replay

from .test_schedule import ORDER, buggy, locked, one_key, sequential


def replayed(case, agent, **told):
    async def run(incident):
        await agent(incident)
        return "done"

    return replay(case, Implementation(agent=run, version="v", **told))


@pytest.mark.parametrize(
    ("agent", "tried", "failed", "passed"),
    [(buggy, 6, 4, False), (locked, 1, 0, True), (one_key, 6, 0, True), (sequential, 1, 0, True)],
)
def test_every_order_counts(race, agent, tried, failed, passed):
    told = replayed(race(), agent, interleavings=100)
    assert told.interleavings == Interleavings(tried=tried, failed=failed)
    assert (told.boundary_passed, told.label, told.state) == (passed, None, "finished")
    assert told.guard.self_test


def test_the_manifest_shows_an_order_that_failed(race):
    async def second_order_fails(session):
        """Right in the recorded order, wrong when the second worker is first."""
        first = []

        async def worker(number):
            await session.acall_tool("refund.find", ORDER)
            first.append(number)

        await session.acall_tool("order.lookup", ORDER)
        await asyncio.gather(worker(1), worker(2))
        for _ in range(1 if first[0] == 1 else 2):
            await session.acall_tool("refund.create", {**ORDER, "idempotency_key": session.new_key()})

    told = replayed(race(), second_order_fails, interleavings=100)
    assert told.interleavings == Interleavings(tried=2, failed=1)
    assert told.boundary_passed is False
    assert told.effects["refund.create"].accepted == 2
    assert "2 accepted" in told.boundary.reason


def test_some_orders_are_not_all(race):
    told = replayed(race(), one_key, interleavings=2)
    assert (told.label, told.interleavings) == ("not_expressible", Interleavings(tried=2, failed=0))


def test_without_the_option_overlapping_calls_are_not_expressible(race):
    told = replayed(race(), one_key)
    assert (told.label, told.interleavings) == ("not_expressible", None)


def test_the_affected_version_is_run_in_the_recorded_order(race):
    told = replayed(race(), buggy, interleavings=100, expect="red")
    assert (told.label, told.boundary_passed) == (None, False)
    assert told.interleavings == Interleavings(tried=1, failed=1)


def test_a_case_that_is_not_concurrent_is_run_once(race):
    events = [
        {**event, "after": [event["attempt"] - 1][event["attempt"] == 1 :]} for event in race().listed("tool_events")
    ]
    told = replayed(race(tool_events=events), sequential, interleavings=100)
    assert told.interleavings is None


def test_a_deadlock_is_a_defect_and_ends_it(race):
    async def stuck(session):
        await session.acall_tool("order.lookup", ORDER)
        await asyncio.get_running_loop().create_future()

    told = replayed(race(), stuck, interleavings=100)
    assert (told.label, told.interleavings) == ("harness_defect", Interleavings(tried=1, failed=1))
