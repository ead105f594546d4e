"""Agents whose workers are tasks: every interleaving of their calls, in the same order each time (S71)."""

from __future__ import annotations

import asyncio
import threading

import pytest

from extractor.errors import UsageError
from extractor.replay.events import ToolEvent
from extractor.replay.faults import CallMismatch, HarnessDefect, NotExpressible, NothingRecorded
from extractor.replay.racing import schedule as schedules
from extractor.replay.racing.explore import drive, explore
from extractor.replay.racing.schedule import Schedule
from extractor.replay.session import Session
from extractor.replay.tools import ScriptedTools

ORDER = {"order_id": "ord-5001"}


async def worker(session, key):
    found = await session.acall_tool("refund.find", ORDER)
    if found["refund"] is None:
        await session.acall_tool("refund.create", {**ORDER, "idempotency_key": key()})


async def buggy(session):
    """Both workers look before either has written."""
    await session.acall_tool("order.lookup", ORDER)
    await asyncio.gather(worker(session, session.new_key), worker(session, session.new_key))


async def locked(session):
    lock = asyncio.Lock()

    async def one():
        async with lock:
            await worker(session, session.new_key)

    await session.acall_tool("order.lookup", ORDER)
    await asyncio.gather(one(), one())


async def one_key(session):
    key = session.new_key()
    await session.acall_tool("order.lookup", ORDER)
    await asyncio.gather(worker(session, lambda: key), worker(session, lambda: key))


async def sequential(session):
    await session.acall_tool("order.lookup", ORDER)
    await worker(session, session.new_key)
    await worker(session, session.new_key)


def running(case, agent, **options):
    def run(schedule):
        with Session(case, version="v", schedule=schedule, **options) as session:
            asyncio.run(agent(session))
        return session

    return run


def accepted(run, choices=()):
    return drive(run, Schedule(choices)).effects.accepted("refund.create")


def test_the_recorded_order_goes_first_and_shows_the_harm(race):
    exploration = explore(running(race(), buggy))
    first = exploration.interleavings[0]
    assert [call.partition(":")[2] for call in first.calls] == [
        "order.lookup",
        "refund.find",
        "refund.find",
        "refund.create",
        "refund.create",
    ]
    assert first.boundary_passed is False
    assert first.failure == "refund.create has 2 accepted side effects, at most 1 may be"
    assert accepted(running(race(), buggy)) == 2


def test_every_interleaving_of_two_workers_is_tried_and_those_that_race_fail(race):
    exploration = explore(running(race(), buggy))
    # A worker that looks after the other one wrote creates nothing: one order of calls for each worker that is first.
    assert exploration.exhausted
    assert (exploration.tried, exploration.failed) == (6, 4)
    assert exploration.manifest() == {"tried": 6, "failed": 4}
    assert exploration.boundary_passed is False
    assert len({each.calls for each in exploration.interleavings}) == exploration.tried


@pytest.mark.parametrize(("agent", "tried"), [(locked, 1), (one_key, 6)])
def test_a_fixed_agent_has_one_accepted_side_effect_in_every_interleaving(race, agent, tried):
    """A lock that is held from the look to the write leaves one order of calls; a shared key leaves them all."""
    run = running(race(), agent)
    exploration = explore(run)
    assert exploration.exhausted
    assert (exploration.tried, exploration.failed) == (tried, 0)
    assert (exploration.label, exploration.boundary_passed) == (None, True)
    assert [accepted(run, each.choices) for each in exploration.interleavings] == [1] * exploration.tried


def test_the_same_interleavings_come_in_the_same_order_every_time(race):
    tellings = [explore(running(race(), buggy)) for _ in range(5)]
    assert all(each == tellings[0] for each in tellings)


def test_an_event_loop_that_does_not_tell_what_is_ready_is_given_rounds(race, monkeypatch):
    told = explore(running(race(), buggy))
    monkeypatch.setattr(schedules, "_others_ready", lambda _loop: None)
    assert explore(running(race(), buggy)) == told


async def busy(session):
    """Workers that go round the loop between their calls, each as often as it likes."""

    async def late(rounds):
        for _ in range(rounds):
            await asyncio.sleep(0)
        await worker(session, session.new_key)

    await session.acall_tool("order.lookup", ORDER)
    await asyncio.gather(late(17), late(0))


def test_a_call_waits_until_no_task_is_ready_however_long_it_takes_to_park(race):
    exploration = explore(running(race(), busy))
    assert (exploration.tried, exploration.failed, exploration.exhausted) == (6, 4, True)


def test_a_given_interleaving_is_replayed(race):
    run = running(race(), buggy)
    for each in explore(run).interleavings:
        schedule = Schedule(each.choices)
        drive(run, schedule)
        assert tuple(schedule.calls) == each.calls


def test_a_part_of_the_interleavings_is_no_green(race):
    exploration = explore(running(race(), one_key), limit=1)
    assert (exploration.tried, exploration.failed, exploration.exhausted) == (1, 0, False)
    assert exploration.label == "not_expressible"


def test_one_given_interleaving_is_no_green_but_shows_the_harm(race):
    assert drive(running(race(), one_key), Schedule()).label == "not_expressible"
    assert drive(running(race(alternates=[]), buggy, expect="red"), Schedule()).label is None


def test_a_limit_below_one_is_an_error(race):
    with pytest.raises(UsageError):
        explore(running(race(), buggy), limit=0)


def test_concurrent_workers_without_a_schedule_are_not_expressible(race):
    session = Session(race(), version="v")
    with pytest.raises(NotExpressible), session:
        asyncio.run(buggy(session))
    assert session.label == "not_expressible"


def test_a_swallowed_refusal_leaves_the_session_not_expressible(race):
    async def deaf(session):
        await session.acall_tool("order.lookup", ORDER)
        await asyncio.gather(*(worker(session, session.new_key) for _ in range(2)), return_exceptions=True)

    session = Session(race(), version="v")
    with pytest.raises(NotExpressible), session:
        asyncio.run(deaf(session))


def test_a_sequential_implementation_of_a_race_is_expressible(race):
    with Session(race(), version="v") as session:
        asyncio.run(sequential(session))
    assert session.label is None
    assert session.verdict.passed
    exploration = explore(running(race(), sequential))
    assert (exploration.tried, exploration.exhausted, exploration.label) == (1, True, None)


def test_a_case_whose_every_order_is_known_takes_two_workers_without_a_schedule(race):
    events = [dict(each) for each in race().listed("tool_events")]
    for place, each in enumerate(events):
        each["after"] = [place] if place else []

    async def two_tasks(session):
        await session.acall_tool("order.lookup", ORDER)
        await asyncio.gather(session.acall_tool("refund.find", ORDER), session.acall_tool("refund.find", ORDER))
        for key in "ab":
            await session.acall_tool("refund.create", {**ORDER, "idempotency_key": key})

    session = Session(race(tool_events=events), version="v")
    with session:
        asyncio.run(two_tasks(session))
    assert session.label is None


def test_reads_that_overlapped_commute(race):
    events = [each for each in race().listed("tool_events") if each["side_effect"] == "none"]

    async def readers(session):
        await session.acall_tool("order.lookup", ORDER)
        await asyncio.gather(session.acall_tool("refund.find", ORDER), session.acall_tool("refund.find", ORDER))

    with Session(race(tool_events=events, expected={"prohibited_claims": ["x"]}), version="v") as session:
        asyncio.run(readers(session))
    assert session.label is None


def test_a_read_after_the_other_worker_s_write_is_not_served_its_recorded_answer(race):
    """Without an alternate nothing says what it would have seen."""
    session = Session(race(alternates=[]), version="v")
    with pytest.raises(NothingRecorded) as caught, session:
        asyncio.run(sequential(session))
    assert caught.value.code == "outdated"
    assert caught.value.nearest == "tool_events[2]"


def test_a_read_of_another_resource_keeps_its_recorded_answer(race):
    events = race().listed("tool_events")
    events[2] = events[2] | {"arguments": {"order_id": "ord-7002"}}

    async def other(session):
        await session.acall_tool("order.lookup", ORDER)
        await worker(session, session.new_key)
        assert await session.acall_tool("refund.find", {"order_id": "ord-7002"}) == {"refund": None}

    with Session(race(tool_events=events, alternates=[]), version="v") as session:
        asyncio.run(other(session))


def test_a_read_before_an_effect_that_it_had_seen_is_refused(race):
    events = race().listed("tool_events")
    events.append(events[1] | {"attempt": 6, "after": [4, 5], "outcome": {"type": "result", "value": {"refund": 1}}})
    tools = ScriptedTools(
        [e for e in race(tool_events=events).tool_events if e.tool != "refund.find" or e.attempt == 6],
    )
    tools.call("order.lookup", ORDER)
    with pytest.raises(NothingRecorded) as caught:
        tools.call("refund.find", ORDER)
    assert caught.value.code == "outdated"


def test_what_came_before_the_section_comes_before_it_in_every_interleaving(race):
    async def hasty(session):
        await worker(session, session.new_key)

    with pytest.raises(CallMismatch):
        drive(running(race(), hasty), Schedule())


def test_an_alternate_of_a_read_tells_of_no_effect_before_there_is_one(race):
    async def thrice(session):
        await session.acall_tool("order.lookup", ORDER)
        for _ in range(3):
            assert await session.acall_tool("refund.find", ORDER) == {"refund": None}

    with pytest.raises(CallMismatch), Session(race(), version="v") as session:
        asyncio.run(thrice(session))


def test_an_error_of_one_worker_leaves_the_other_to_its_end(race):
    events = race().listed("tool_events")
    events[4] = events[4] | {"outcome": {"type": "error", "error": "reset"}, "side_effect": "unknown"}
    seen = []

    async def gathered(session):
        await session.acall_tool("order.lookup", ORDER)
        results = await asyncio.gather(
            worker(session, session.new_key), worker(session, session.new_key), return_exceptions=True
        )
        seen.append(sum(isinstance(each, RuntimeError) for each in results))

    exploration = explore(running(race(tool_events=events), gathered))
    assert exploration.exhausted
    assert sorted(set(seen)) == [0, 1]


def test_a_task_group_that_cancels_a_parked_worker_ends(race):
    class Stop(Exception):
        pass

    async def failing(session):
        await session.acall_tool("refund.find", ORDER)
        raise Stop

    async def grouped(session):
        await session.acall_tool("order.lookup", ORDER)
        async with asyncio.TaskGroup() as group:
            group.create_task(failing(session))
            group.create_task(worker(session, session.new_key))

    with pytest.raises(ExceptionGroup) as caught:
        drive(running(race(), grouped), Schedule())
    assert caught.group_contains(Stop)


def test_a_fault_in_one_worker_ends_the_run_with_that_fault(race):
    async def strange(session):
        await session.acall_tool("refund.find", {"order_id": "ord-9"})

    async def both(session):
        await session.acall_tool("order.lookup", ORDER)
        await asyncio.gather(worker(session, session.new_key), strange(session), return_exceptions=True)

    exploration = explore(running(race(), both))
    assert exploration.label == "needs_review"
    assert exploration.failed == exploration.tried


def test_a_deadlock_of_tasks_is_found_and_named(race):
    async def crossed(session):
        one, other = asyncio.Lock(), asyncio.Lock()

        async def take(first, second):
            async with first:
                await session.acall_tool("refund.find", ORDER)
                async with second:
                    pass

        await session.acall_tool("order.lookup", ORDER)
        await asyncio.gather(take(one, other), take(other, one))

    run = running(race(), crossed)
    with pytest.raises(HarnessDefect) as caught:
        drive(run, Schedule())
    assert caught.value.code == "deadlock"
    exploration = explore(run)
    assert (exploration.label, exploration.exhausted) == ("harness_defect", False)
    assert threading.active_count() < 10


def test_a_run_that_depends_on_more_than_the_order_of_calls_is_named(race):
    runs = []

    async def moody(session):
        runs.append(1)
        await session.acall_tool("order.lookup", ORDER)
        if len(runs) % 2:
            await asyncio.gather(worker(session, session.new_key), worker(session, session.new_key))
        else:
            await asyncio.gather(
                worker(session, session.new_key),
                worker(session, session.new_key),
                session.acall_tool("refund.find", ORDER),
            )

    exploration = explore(running(race(), moody))
    assert exploration.label == "harness_defect"
    assert "something else than the order" in exploration.interleavings[-1].failure


def test_a_run_that_has_fewer_choices_than_it_had_is_named(race):
    runs = []

    async def tiring(session):
        runs.append(1)
        await (buggy if len(runs) == 1 else sequential)(session)

    exploration = explore(running(race(), tiring))
    assert exploration.tried == 2
    assert (exploration.label, exploration.exhausted) == ("harness_defect", False)


def test_a_choice_that_was_not_there_is_named(race):
    with pytest.raises(HarnessDefect) as caught:
        drive(running(race(), buggy), Schedule([7]))
    assert caught.value.code == "schedule_choice"


def test_a_scheduled_session_outside_of_drive_is_refused_and_does_not_hang(race):
    with pytest.raises(HarnessDefect) as caught:
        running(race(), buggy)(Schedule())
    assert caught.value.code == "not_driven"


def test_a_tool_that_a_task_calls_without_awaiting_it_is_no_scheduling_point(race):
    async def blocking(session):
        session.call_tool("order.lookup", ORDER)

        async def one():
            session.call_tool("refund.find", ORDER)

        await asyncio.gather(one(), one())

    exploration = explore(running(race(), blocking))
    assert exploration.label == "not_expressible"


def test_hand_written_events_have_no_concurrent_section():
    tools = ScriptedTools([ToolEvent("a", {}, "result"), ToolEvent("b", {}, "result")])
    assert not tools.concurrent
