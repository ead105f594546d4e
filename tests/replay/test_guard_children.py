"""Each agent runs in a process of its own: it forks, or could end what runs the tests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BEFORE = """
import asyncio, ctypes, json, multiprocessing, os, socket, sys, threading, time
from concurrent.futures import ProcessPoolExecutor
from os import _exit
from time import time as now
from extractor.replay.guard import Allow, Guard

def connect(*_):
    with socket.socket() as held:
        held.setblocking(False)
        held.connect(("192.0.2.1", 443))

def connect_quietly(*_):
    try:
        connect()
    except BaseException:
        pass

def read_clock(*_):
    return now() > 0

def pool(work):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as held:
        return [type(done.exception()).__name__ for done in [held.submit(work) for _ in range(3)]]

def child(work):
    process = os.fork()
    if not process:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])

def quietly(work):
    try:
        return work()
    except BaseException as error:
        return type(error).__name__

faults = []
"""
AFTER = """
state = guard.state()
print(json.dumps({
    "faults": [[type(fault).__name__, fault.code, fault.called] for fault in faults],
    "blocked": state.blocked,
    "reads": [[read.call, read.count] for read in state.clock_reads],
    "draws": [[read.call, read.count] for read in state.random_reads],
    "outcome": outcome,
}))
"""


def replay(act: str, allow: str = "Allow()") -> dict[str, object]:
    """Run an agent under a guard; what it leaves in ``outcome`` comes back with what the guard has seen."""
    session = f"outcome = None\nguard = Guard(faults.append, allow={allow})\nwith guard:\n    outcome = {act}\n"
    done = subprocess.run(
        [sys.executable, "-c", BEFORE + session + AFTER],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


FORKED = "Allow(children='forked')"
CONNECT = ["LiveCall", "connect", "socket.connect 192.0.2.1:443"]


@pytest.mark.parametrize("act", ["pool(connect)", "child(connect)", "multiprocessing.Process(target=connect).start()"])
def test_children_are_blocked_unless_they_are_allowed(act):
    seen = replay(f"quietly(lambda: {act})")
    assert seen["faults"][0] == ["LiveCall", "fork", "os.fork"]
    assert {tuple(fault) for fault in seen["faults"]} == {("LiveCall", "fork", "os.fork")}


def test_a_pool_of_forked_children_is_guarded_and_its_faults_are_the_session_s():
    seen = replay("pool(connect)", FORKED)
    assert seen["faults"] == [CONNECT] * 3
    assert seen["outcome"] == ["LiveCall"] * 3


@pytest.mark.parametrize(
    "work",
    ["connect_quietly", "lambda: child(connect_quietly)", "lambda: (asyncio.run(asyncio.to_thread(connect_quietly)))"],
)
def test_what_a_child_swallows_is_reported(work):
    seen = replay(f"child({work})", FORKED)
    assert seen["faults"] == [CONNECT]
    assert seen["blocked"] == [CONNECT[2]]
    assert seen["outcome"] == 0


def test_a_child_s_clock_and_draws_are_the_session_s():
    seen = replay("[child(read_clock), child(lambda: os.urandom(1)), child(time.monotonic)]", FORKED)
    assert seen["faults"] == [["HarnessDefect", "real_clock", "time.time"]]
    assert seen["draws"] == [["os.urandom", 1]]
    assert ["time.time", 1] in seen["reads"]


def test_children_may_end_and_be_ended_and_may_not_start_programs():
    seen = replay(
        "[child(lambda: _exit(3)), child(lambda: os._exit(4)), child(lambda: os.kill(os.getpid(), 9)),"
        " child(lambda: quietly(lambda: os.execv('/bin/cat', ['cat']))), child(lambda: quietly(lambda: os.kill(os.getppid(), 9)))]",
        FORKED,
    )
    assert seen["outcome"] == [3, 4, -9, 0, 0]
    assert seen["faults"] == [["LiveCall", "child_process", "os.exec cat"], ["LiveCall", "signal", "os.kill"]]


def test_a_child_may_be_stopped_by_its_parent():
    seen = replay(
        "[process := multiprocessing.Process(target=time.sleep, args=(60,)), process.start(),"
        " process.terminate(), process.join(), process.exitcode][-1]",
        FORKED,
    )
    assert seen["outcome"] == -15
    assert seen["faults"] == []


def test_a_child_that_outlives_the_session_is_a_defect():
    seen = replay("[held := os.pipe(), os.fork() or (os.close(held[1]), os.read(held[0], 1), os._exit(0))][0]", FORKED)
    assert seen["faults"] == [["HarnessDefect", "child_outlives", None]]


def test_more_faults_than_a_pipe_holds_leave_the_child_running():
    seen = replay("child(lambda: [connect_quietly() for _ in range(3000)])", FORKED)
    assert seen["outcome"] == 0
    assert len(seen["faults"]) > 50
    assert {tuple(fault) for fault in seen["faults"]} == {tuple(CONNECT)}


def test_spawned_children_are_programs():
    seen = replay("quietly(lambda: multiprocessing.get_context('spawn').Process(target=print).start())", FORKED)
    assert seen["outcome"] == "LiveCall"
    assert [fault[1] for fault in seen["faults"]] == ["child_process"]


@pytest.mark.parametrize(
    "act",
    ["_exit(0)", "os._exit(0)", "os.abort()", "os.kill(os.getpid(), 9)", "threading.Thread(target=os._exit).run()"],
)
def test_a_process_that_would_have_ended_goes_on(act):
    seen = replay(f"quietly(lambda: {act})")
    assert seen["outcome"] == "HarnessDefect"
    assert [fault[1] for fault in seen["faults"]] == ["process_exit"]


def test_a_thread_that_ends_the_process_does_not():
    seen = replay("[one := threading.Thread(target=quietly, args=(lambda: _exit(0),)), one.start(), one.join()][-1]")
    assert [fault[1] for fault in seen["faults"]] == ["process_exit"]


def test_a_socket_through_ctypes_is_not_had():
    seen = replay("[quietly(lambda: ctypes.CDLL(None).socket), quietly(lambda: ctypes.CDLL(None).connect)]")
    assert [fault[2] for fault in seen["faults"]] == ["ctypes.dlsym socket", "ctypes.dlsym connect"]


LOOPBACK = """
import struct
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
libc = ctypes.CDLL(None)
make, call = libc.socket, libc.connect
place = struct.pack("=H", socket.AF_INET) + struct.pack("!H4s8x", listener.getsockname()[1], socket.inet_aton("127.0.0.1"))
def past_the_hook():
    held = make(socket.AF_INET, socket.SOCK_STREAM, 0)
    return call(held, place, len(place))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not list the descriptors of a process")
def test_a_socket_that_ctypes_had_before_is_found_afterwards():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            BEFORE + LOOPBACK + "with Guard(faults.append) as guard:\n    outcome = past_the_hook()\n" + AFTER,
        ],
        capture_output=True, text=True, cwd=ROOT, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["outcome"] == 0
    assert [fault[:2] for fault in seen["faults"]] == [["LiveCall", "socket_appeared"]]
