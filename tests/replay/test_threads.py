"""Which threads of a run go on behind its end, and which merely wait for work."""

from __future__ import annotations

import _thread
import asyncio
import contextlib
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import anyio.to_thread
import pytest

from extractor.replay.faults import LiveCall
from extractor.replay.threads import Threads

from .test_session import session


@pytest.fixture
def held():
    """Something that threads wait for, and that lets them go at the end."""
    event = threading.Event()
    yield event
    event.set()


def test_a_thread_that_goes_on_is_told_by_where_it_began(held):
    before = Threads()
    thread = threading.Thread(target=lambda: goes_on(held))
    thread.start()
    assert before.outliving() == (f"{__name__}.<lambda>",)
    held.set()
    thread.join()
    assert before.outliving() == ()


def goes_on(held):
    held.wait()


def test_an_older_thread_is_nobodys(held):
    threading.Thread(target=held.wait).start()
    assert Threads().outliving() == ()


def test_a_thread_that_ends_in_a_moment_is_waited_for():
    before = Threads()
    threading.Thread(target=time.sleep, args=(0.05,)).start()
    assert before.outliving() == ()


def test_workers_that_wait_for_work_are_no_threads_that_go_on(held):
    before = Threads()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(str, range(4)))
        assert before.outliving() == ()
        pool.submit(goes_on, held)
        found = before.outliving()
        held.set()
    assert found == ("concurrent.futures.thread._worker",)


def test_workers_of_anyio_wait_too():
    before = Threads()

    async def agent():
        await anyio.to_thread.run_sync(int)
        return before.outliving()

    assert asyncio.run(agent()) == ()


def test_a_session_tells_a_raw_thread_that_was_only_just_started(held):
    def agent(incident):
        _thread.start_new_thread(held.wait, ())
        return "Done."

    found = session().run(agent).ledger.faults
    assert [(fault.code, fault.label) for _, fault in found] == [("thread_outlives", "harness_defect")]


def test_what_it_would_do_is_blocked_while_it_is_waited_for():
    """A thread that connects just behind the answer is not live yet."""

    def agent(incident):
        def late():
            threading.Event().wait(0.02)
            with contextlib.suppress(LiveCall):
                socket.create_connection(("192.0.2.1", 443), timeout=0.05)

        threading.Thread(target=late).start()
        return "Done."

    assert "live_call" in session().run(agent).labels()
