# ruff: noqa: PLW0108, DTZ002, DTZ005, DTZ011  # reading the real clock from a frame of its own is what is tried here
# reading the real clock from a frame of its own is what is tried here
from __future__ import annotations

import _thread
import asyncio
import os
import random
import secrets
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from time import sleep
from time import time as now

import pytest

from extractor.replay.faults import HarnessDefect, ReplayFault
from extractor.replay.guard import Guard


class Stamp(datetime):
    pass


@dataclass
class Made:
    at: float = field(default_factory=time.time)


READS = [
    (lambda: time.time(), "time.time"),
    (lambda: now(), "time.time"),
    (lambda: time.time_ns(), "time.time_ns"),
    (lambda: datetime.now(), "datetime.now"),
    (lambda: datetime.now(tz=UTC), "datetime.now"),
    (lambda: datetime.now(*(UTC,)), "datetime.now"),
    (lambda: datetime.today(), "datetime.today"),
    (lambda: date.today(), "date.today"),
    (lambda: Stamp.now(), "datetime.now"),
    (lambda: time.localtime(), "time.localtime"),
    (lambda: time.gmtime(), "time.gmtime"),
    (lambda: time.ctime(), "time.ctime"),
    (lambda: time.strftime("%Y"), "time.strftime"),
    (lambda: time.sleep(0.0001), "time.sleep"),
    (lambda: sleep(0.0001), "time.sleep"),
    (lambda: Made(), "time.time"),
]


@pytest.mark.parametrize(("read", "call"), READS, ids=[f"{number} {call}" for number, (_, call) in enumerate(READS)])
def test_a_real_clock_is_noticed_and_the_code_goes_on(read, call):
    faults: list[ReplayFault] = []
    with Guard(faults.append) as guard:
        read()
        read()
    assert [(type(fault), fault.code, fault.called) for fault in faults] == [(HarnessDefect, "real_clock", call)]
    reads = guard.state().clock_reads
    assert [(read.call, read.count) for read in reads] == [(call, 2)]
    assert __name__ in str(faults[0])
    assert reads[0].place.startswith(__name__ + ":")


@pytest.mark.parametrize(
    "act",
    [
        lambda: time.localtime(0),
        lambda: time.gmtime(0),
        lambda: time.strftime("%Y", time.gmtime(0)),
        lambda: time.sleep(0),
        lambda: datetime.fromtimestamp(0, UTC).time(),
        lambda: uuid.UUID(int=4),
        lambda: random.Random(7).random(),
        lambda: random.Random(7).choice("ab"),
    ],
)
def test_what_reads_no_clock_is_passed_over(act):
    with Guard(pytest.fail) as guard:
        act()
    assert (guard.state().clock_reads, guard.state().random_reads) == ((), ())


def test_the_standard_library_may_read_clocks():
    import logging

    with Guard(pytest.fail) as guard:
        logging.makeLogRecord({})
        logging.getLogger("replayed").handle(logging.LogRecord("replayed", 10, "", 1, "", (), None))
        threading.Event().wait(0.0001)
        asyncio.run(asyncio.sleep(0.0001))
    assert guard.state().clock_reads == ()


def test_clocks_without_a_time_of_day_are_only_noted():
    with Guard(pytest.fail) as guard:
        time.monotonic()
        time.perf_counter()
    assert [read.call for read in guard.state().clock_reads] == ["time.monotonic", "time.perf_counter"]


def in_thread() -> None:
    thread = threading.Thread(target=lambda: time.time())
    thread.start()
    thread.join()


def in_raw_thread() -> None:
    ended = threading.Event()

    def run() -> None:
        now()
        ended.set()

    _thread.start_new_thread(run, ())
    ended.wait()


def in_pool() -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: now()).result()


def in_event_loop() -> None:
    async def agent() -> None:
        asyncio.get_running_loop().call_soon(lambda: now())
        await asyncio.sleep(0)

    asyncio.run(agent())


def in_executor_of_a_loop() -> None:
    async def agent() -> None:
        await asyncio.to_thread(lambda: now())

    asyncio.run(agent())


@pytest.mark.parametrize("act", [in_thread, in_raw_thread, in_pool, in_event_loop, in_executor_of_a_loop])
def test_threads_pools_and_callbacks_are_watched(act):
    faults: list[ReplayFault] = []
    with Guard(faults.append):
        act()
    assert [(fault.code, fault.called) for fault in faults] == [("real_clock", "time.time")]


def test_a_pool_that_is_older_than_a_session_is_said_not_to_be_covered():
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        with Guard(pytest.fail) as guard:
            pool.submit(lambda: now()).result()
    assert "clocks: threads older than the session" in guard.state().not_covered


def test_a_pool_of_one_session_is_watched_in_the_next():
    faults: list[ReplayFault] = []
    with ThreadPoolExecutor(1) as pool:
        with Guard(pytest.fail):
            pool.submit(int).result()
        pool.submit(lambda: now()).result()
        with Guard(faults.append):
            pool.submit(lambda: now()).result()
    assert [fault.code for fault in faults] == ["real_clock"]


def test_note_counts_and_off_does_not_look():
    with Guard(pytest.fail, clock="note") as guard:
        now()
    assert [read.call for read in guard.state().clock_reads] == ["time.time"]
    with Guard(pytest.fail, clock="off") as guard:
        now()
        time.sleep(0.0001)
        assert sys.getprofile() is None
    assert guard.state().clock_reads == ()


def test_draws_from_unseeded_sources_are_noted():
    with Guard(pytest.fail) as guard:
        uuid.uuid4()
        random.random()
        random.choice("ab")
        os.urandom(1)
        secrets.token_hex(1)
    assert [read.call for read in guard.state().random_reads] == [
        "uuid.uuid4",
        "random.random",
        "random.choice",
        "os.urandom",
        "secrets.token_hex",
    ]


def test_a_profile_function_that_was_there_goes_on_and_stays():
    events: list[str] = []

    def mine(_frame: object, event: str, _argument: object) -> None:
        events.append(event)

    faults: list[ReplayFault] = []
    before = sys.getprofile()
    sys.setprofile(mine)
    try:
        with Guard(faults.append), Guard(faults.append):
            events.clear()
            now()
            assert "c_call" in events
        assert sys.getprofile() is mine
    finally:
        sys.setprofile(before)
    assert [fault.code for fault in faults] == ["real_clock", "real_clock"]


def test_a_native_profiler_is_left_alone_and_said_where_it_cannot_be_shared():
    import cProfile

    profiler = cProfile.Profile()
    profiler.enable()
    try:
        with Guard(pytest.fail, clock="note") as guard:
            now()
        int("7")
    finally:
        profiler.disable()
    state = guard.state()
    # From Python 3.12 on the two stand side by side.
    assert bool(state.clock_reads) is not ("clocks: a native profiler is on in this thread" in state.not_covered)
    assert profiler.getstats()


def test_a_watch_that_was_replaced_is_said():
    before = sys.getprofile()
    try:
        with Guard(pytest.fail) as guard:
            sys.setprofile(lambda *_: None)
    finally:
        sys.setprofile(before)
    assert "clocks: another profile function took the watch's place in this thread" in guard.state().not_covered


def test_an_end_bound_before_the_guard_is_blocked_by_the_watch():
    end = os._exit
    faults: list[ReplayFault] = []
    before = sys.getprofile()
    with Guard(faults.append), pytest.raises(HarnessDefect):
        end(3)
    assert [(fault.code, fault.called) for fault in faults] == [("process_exit", "os._exit")]
    assert sys.getprofile() is before
