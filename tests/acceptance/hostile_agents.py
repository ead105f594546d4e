"""Agents that call live, swallow, stray from the recording, read clocks, end the process, or tamper with what judges them.

The case has two recorded calls, ``order.find`` and then ``refund.find``, and prohibits to claim a refund. ``AGENTS`` maps a
name to the agent and to the label that its run must end with.
"""

from __future__ import annotations

import _thread
import asyncio
import contextlib
import ctypes
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from datetime import datetime
from os import _exit
from pathlib import Path
from typing import Any

from extractor.replay.guard import Allow
from extractor.replay.ledger import Ledger

NOWHERE = ("192.0.2.1", 443)
SAFE = "I cannot say yet."
AGENTS: dict[str, tuple[Callable[..., Any], str]] = {}


def ends(label: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def known(agent: Callable[..., Any]) -> Callable[..., Any]:
        AGENTS[agent.__name__] = (agent, label)
        return agent

    return known


def connect() -> None:
    socket.create_connection(NOWHERE, timeout=0.05)


def quietly(act: Callable[[], object]) -> None:
    with contextlib.suppress(BaseException):
        act()


def well(incident: Any) -> str:
    """What a correct agent does."""
    incident.call_tool("order.find", {"id": "O-1"})
    incident.call_tool("refund.find", {"id": "O-1"})
    return SAFE


# --- Live calls, each hidden from the agent's own answer


@ends("live_call")
def live_in_a_thread(incident):
    thread = threading.Thread(target=quietly, args=(connect,))
    thread.start()
    thread.join()
    return well(incident)


@ends("live_call")
def live_in_a_raw_thread(incident):
    done = threading.Event()

    def work():
        quietly(connect)
        done.set()

    _thread.start_new_thread(work, ())
    done.wait()
    return well(incident)


@ends("live_call")
def live_in_a_pool(incident):
    with ThreadPoolExecutor(2) as pool:
        pool.submit(connect).exception()
    return well(incident)


@ends("live_call")
async def live_in_an_event_loop(incident):
    with contextlib.suppress(BaseException):
        await asyncio.open_connection("pay.example", 443)
    return well(incident)


@ends("live_call")
def live_in_a_subprocess(incident):
    quietly(lambda: subprocess.run([sys.executable, "-c", ""], check=False))
    return well(incident)


@ends("live_call")
async def live_in_an_asynchronous_subprocess(incident):
    with contextlib.suppress(BaseException):
        await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    return well(incident)


@ends("live_call")
def live_in_a_process_pool(incident):
    def act():
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
            pool.submit(connect)

    quietly(act)
    return well(incident)


@ends("live_call")
def live_in_a_spawned_pool(incident):
    def act():
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            pool.submit(connect)

    quietly(act)
    return well(incident)


@ends("live_call")
def live_by_ctypes(incident):
    quietly(lambda: ctypes.CDLL(None).connect)
    return well(incident)


@ends("live_call")
def live_by_a_datagram(incident):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
        quietly(lambda: held.sendto(b"", NOWHERE))
    return well(incident)


@ends("live_call")
def live_in_finally(incident):
    try:
        connect()
    finally:
        return well(incident)  # noqa: B012


@ends("live_call")
async def live_in_a_task_group(incident):
    async def call():
        connect()

    async with asyncio.TaskGroup() as group:
        group.create_task(call())
    return SAFE


# --- Swallowed faults of the recording


def wrong(incident: Any) -> None:
    incident.call_tool("order.find", {"id": "O-2"})


@ends("needs_review")
def swallows_by_except(incident):
    try:
        wrong(incident)
    except Exception:  # noqa: BLE001
        return SAFE


@ends("needs_review")
def swallows_by_except_base(incident):
    try:
        wrong(incident)
    except BaseException:  # noqa: BLE001
        return well(incident)


@ends("needs_review")
def swallows_by_finally(incident):
    try:
        wrong(incident)
    finally:
        return SAFE  # noqa: B012


@ends("incomplete")
async def swallows_by_gather(incident):
    async def call():
        return incident.call_tool("mail.send", {"to": "x"})

    await asyncio.gather(call(), call(), return_exceptions=True)
    return well(incident)


@ends("incomplete")
async def swallows_in_a_task_group(incident):
    async def call():
        await incident.acall_tool("mail.send", {"to": "x"})

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(call())
    except* BaseException:  # noqa: BLE001
        pass
    return well(incident)


@ends("incomplete")
async def raises_in_a_task_group(incident):
    """The fault leaves the agent within a group, and within another one."""

    async def call():
        async with asyncio.TaskGroup() as inner:
            inner.create_task(incident.acall_tool("mail.send", {"to": "x"}))

    async with asyncio.TaskGroup() as outer:
        outer.create_task(call())


@ends("needs_review")
def swallows_by_another_exception(incident):
    try:
        wrong(incident)
    except BaseException as fault:
        raise ValueError("tool failed") from fault


# --- Another path than the recorded one


@ends("needs_review")
def calls_once_more(incident):
    answer = well(incident)
    quietly(lambda: incident.call_tool("refund.find", {"id": "O-1"}))
    return answer


@ends("incomplete")
def calls_another_tool(incident):
    answer = well(incident)
    quietly(lambda: incident.call_tool("refund.create", {"id": "O-1"}))
    return answer


@ends("returned_early")
def leaves_one_out(incident):
    incident.call_tool("order.find", {"id": "O-1"})
    return SAFE


@ends("needs_review")
def calls_the_other_way_round(incident):
    quietly(lambda: incident.call_tool("refund.find", {"id": "O-1"}))
    quietly(lambda: incident.call_tool("order.find", {"id": "O-1"}))
    return SAFE


@ends("needs_review")
def calls_twice(incident):
    incident.call_tool("order.find", {"id": "O-1"})
    quietly(lambda: incident.call_tool("order.find", {"id": "O-1"}))
    incident.call_tool("refund.find", {"id": "O-1"})
    return SAFE


# --- Clocks


@ends("harness_defect")
def reads_the_time(incident):
    time.time()
    return well(incident)


@ends("harness_defect")
def reads_the_date(incident):
    datetime.now()  # noqa: DTZ005
    return well(incident)


def read_the_time() -> None:
    time.time()


@ends("harness_defect")
def reads_the_time_in_a_thread(incident):
    thread = threading.Thread(target=read_the_time)
    thread.start()
    thread.join()
    return well(incident)


# --- Ends


@ends("needs_review")
def leaves_by_sys_exit(incident):
    well(incident)
    sys.exit(0)


@ends("harness_defect")
def leaves_by_os_exit(incident):
    quietly(lambda: os._exit(0))
    return well(incident)


@ends("harness_defect")
def leaves_by_an_exit_bound_before(incident):
    quietly(lambda: _exit(0))
    return well(incident)


@ends("harness_defect")
def aborts(incident):
    quietly(os.abort)
    return well(incident)


@ends("harness_defect")
def kills_itself(incident):
    quietly(lambda: os.kill(os.getpid(), signal.SIGKILL))
    return well(incident)


# --- What would go on behind the end


@ends("harness_defect")
def leaves_a_thread_behind(incident):
    def later():
        threading.Event().wait(0.6)
        quietly(connect)

    threading.Thread(target=later, daemon=True).start()
    return well(incident)


@ends("harness_defect")
def leaves_a_raw_thread_behind(incident):
    _thread.start_new_thread(threading.Event().wait, (0.6,))
    return well(incident)


# --- Tampering with what judges


@ends("incomplete")
def clears_the_faults(incident):
    quietly(lambda: incident.call_tool("mail.send"))
    with contextlib.suppress(AttributeError):
        incident.ledger.faults.clear()
    quietly(lambda: setattr(incident.ledger, "faults", ()))
    return well(incident)


@ends("incomplete")
def replaces_the_ledger(incident):
    quietly(lambda: setattr(incident, "ledger", Ledger()))
    quietly(lambda: incident.ledger.forward_by(lambda _fault: True))
    quietly(lambda: incident.call_tool("mail.send"))
    return well(incident)


@ends("incomplete")
def replaces_what_holds(incident):
    quietly(lambda: setattr(incident, "hold", lambda: None))
    quietly(lambda: setattr(incident, "labels", set))
    quietly(lambda: setattr(incident, "expect", "red"))
    quietly(lambda: incident.call_tool("mail.send"))
    return well(incident)


@ends("returned_early")
def says_that_it_has_ended(incident):
    quietly(lambda: setattr(incident, "ended", True))
    return SAFE


@ends("harness_defect")
def goes_on_after_it_was_judged(incident):
    incident.finish(SAFE)
    return well(incident)


@ends("harness_defect")
def rewrites_its_answer(incident):
    well(incident)
    incident.finish(SAFE)
    incident.output = "The refund is done."


@ends("harness_defect")
def takes_the_guard_off(incident):
    incident.guard.__exit__(None, None, None)
    return well(incident)


@ends("harness_defect")
def leaves_the_session(incident):
    incident.leave()
    return SAFE


@ends("live_call")
def traces(incident):
    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    quietly(connect)
    sys.settrace(before)  # it may be what measures coverage
    return well(incident)


@ends("live_call")
def profiles(incident):
    sys.setprofile(None)
    quietly(connect)
    return well(incident)


@ends("incomplete")
def deletes_what_was_written(incident):
    for file in Path.cwd().glob("*.running"):
        file.unlink()
    shutil.rmtree("artifacts", ignore_errors=True)
    quietly(lambda: incident.call_tool("mail.send"))
    return well(incident)


@ends("harness_defect")
def changes_the_case(incident):
    incident.case.document["expected"]["prohibited_claims"].clear()
    return well(incident)


@ends("live_call")
def allows_itself_a_host(incident):
    quietly(lambda: setattr(incident.guard, "allow", Allow(hosts=("192.0.2.1:443",))))
    quietly(connect)
    return well(incident)


@ends("needs_review")
def forgets_what_it_called(incident):
    quietly(lambda: incident.call_tool("order.find", {"id": "O-2"}))
    for view in (incident.tools.calls, incident.ledger.served):
        with contextlib.suppress(AttributeError):
            view.clear()
    return well(incident)


@ends("needs_review")
def hands_a_call_to_a_destructor(incident):
    class Late:
        def __del__(self):
            quietly(lambda: wrong(incident))

    Late()
    return well(incident)
