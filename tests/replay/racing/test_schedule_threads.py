"""Agents whose workers are threads, bare, in pools or beside an event loop: the same interleavings, and no hang (S71)."""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from extractor.replay import session as sessions
from extractor.replay.faults import HarnessDefect, NotExpressible
from extractor.replay.racing.explore import drive, explore
from extractor.replay.racing.schedule import Schedule
from extractor.replay.session import Session

ORDER = {"order_id": "ord-5001"}
LOCK = threading.Lock()


def worker(session, key):
    if session.call_tool("refund.find", ORDER)["refund"] is None:
        session.call_tool("refund.create", {**ORDER, "idempotency_key": key()})


def with_threads(work):
    threads = [threading.Thread(target=work) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def with_pool(work):
    with ThreadPoolExecutor(max_workers=2) as pool:
        for each in [pool.submit(work) for _ in range(2)]:
            each.result()


def with_queue(work):
    jobs = queue.Queue()

    def serve():
        while (job := jobs.get()) is not None:
            job()

    threads = [threading.Thread(target=serve) for _ in range(2)]
    for each in threads:
        each.start()
    for job in (work, work, None, None):
        jobs.put(job)
    for each in threads:
        each.join()


def with_event_loop(work):
    async def main():
        await asyncio.gather(asyncio.to_thread(work), asyncio.to_thread(work))

    asyncio.run(main())


WAYS = [with_threads, with_pool, with_queue, with_event_loop]


def running(case, way, work, **options):
    def run(schedule):
        with Session(case, version="v", schedule=schedule, **options) as session:
            session.call_tool("order.lookup", ORDER)
            way(lambda: work(session))
        return session

    return run


def racing(session):
    worker(session, session.new_key)


def locked(session):
    with LOCK:
        worker(session, session.new_key)


def sharing(session):
    worker(session, lambda: "key-of-the-order")


@pytest.mark.parametrize("way", WAYS)
def test_every_interleaving_of_two_threads_is_tried_in_the_same_order_every_time(race, way):
    explorations = [explore(running(race(), way, racing)) for _ in range(3)]
    first = explorations[0]
    assert (first.tried, first.failed, first.exhausted) == (6, 4, True)
    assert [call.partition(":")[2] for call in first.interleavings[0].calls][1:] == [
        "refund.find",
        "refund.find",
        "refund.create",
        "refund.create",
    ]
    assert explorations[1:] == [first, first]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("work", "tried"), [(locked, 1), (sharing, 6)])
def test_a_fixed_agent_writes_once_in_every_interleaving(race, way, work, tried):
    run = running(race(), way, work)
    exploration = explore(run)
    assert (exploration.tried, exploration.failed, exploration.exhausted) == (tried, 0, True)
    assert exploration.label is None
    assert {
        drive(run, Schedule(each.choices)).effects.accepted("refund.create") for each in exploration.interleavings
    } == {1}


@pytest.mark.parametrize("way", [with_threads, with_pool])
def test_threads_without_a_schedule_are_not_expressible(race, way):

    def silent(session):
        try:
            worker(session, session.new_key)
        except BaseException:  # noqa: BLE001
            return

    with pytest.raises(NotExpressible):
        running(race(), way, silent)(None)


@pytest.mark.parametrize("way", [with_threads, with_pool])
def test_a_deadlock_of_threads_is_found_and_leaves_nothing_open(race, way):
    def run(schedule):
        one, other = threading.Lock(), threading.Lock()
        pairs = [(one, other), (other, one)]

        def work(session):
            first, second = pairs.pop()
            with first:
                session.call_tool("refund.find", ORDER)
                with second:
                    pass

        return running(race(), way, work)(schedule)

    with pytest.raises(HarnessDefect) as caught:
        drive(run, Schedule(patience_s=0.2))
    assert caught.value.code == "deadlock"
    assert sessions.current() is None


def test_a_wait_that_nobody_ends_is_certain_at_once(race):
    """A wait that the standard library shows needs no patience."""

    def run(schedule):
        never = threading.Event()
        return running(race(), with_threads, lambda _session: never.wait())(schedule)

    with pytest.raises(HarnessDefect) as caught:
        drive(run, Schedule(patience_s=1_000))
    assert caught.value.code == "deadlock"


def test_a_worker_that_never_ends_is_given_up(race):
    done = threading.Event()

    def spin(_session):
        while not done.is_set():
            pass

    with pytest.raises(HarnessDefect) as caught:
        drive(running(race(), with_threads, spin), Schedule(limit_s=0.2))
    done.set()
    assert caught.value.code == "stuck"


def test_an_exception_of_one_thread_does_not_hold_up_the_other(race):
    def failing(session):
        session.call_tool("refund.find", ORDER)
        raise ValueError

    def way(work):
        with ThreadPoolExecutor(max_workers=2) as pool:
            assert [type(each.exception()) for each in [pool.submit(work) for _ in range(2)]] == [ValueError] * 2

    exploration = explore(running(race(), way, failing))
    assert exploration.exhausted
    assert exploration.failed == exploration.tried == 2  # nobody created the refund that the recording holds


def test_the_agent_runs_with_the_context_of_its_caller(race):
    here = contextvars.ContextVar("here")
    here.set("told")

    def run(schedule):
        assert here.get() == "told"
        return running(race(), with_threads, sharing)(schedule)

    assert drive(run, Schedule()).effects.accepted("refund.create") == 1


def test_thread_start_is_as_it_was_afterwards(race):
    before = threading.Thread.start
    drive(running(race(), with_threads, sharing), Schedule())
    assert threading.Thread.start is before
