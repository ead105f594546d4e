"""Each judge by itself: Python traces nothing inside an audit hook or a profile function."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from extractor.replay.faults import CallMismatch, LiveCall, ReplayFault
from extractor.replay.guard import Allow, Guard, judges
from extractor.replay.guard.children import Channel, ChildRead
from extractor.replay.guard.clock_watch import profile
from extractor.replay.guard.judges import JUDGES

NOWHERE = ("192.0.2.1", 443)
NONE = Allow()
SOME = Allow(hosts=("192.0.2.1:443", "[2001:db8::1]:443", "pay.invalid:443"), programs=("/bin/cat",), children="forked")

ROWS = [
    ("socket.connect", (None, NOWHERE), "connect", None),
    ("socket.connect", (None, ("2001:db8::1", 443, 0, 0)), "connect", None),
    ("socket.connect", (None, ("192.0.2.1", 80)), "connect", "connect"),
    ("socket.bind", (None, NOWHERE), "bind", None),
    ("socket.sendto", (None, NOWHERE), "datagram", None),
    ("socket.sendmsg", (None, NOWHERE), "datagram", None),
    ("socket.sendmsg", (None, None), None, None),
    ("socket.getaddrinfo", ("pay.invalid", 443, 0, 0, 0), "name_lookup", None),
    ("socket.getaddrinfo", (b"PAY.invalid", "https", 0, 0, 0), "name_lookup", None),
    ("socket.getaddrinfo", ("other.invalid", 443, 0, 0, 0), "name_lookup", "name_lookup"),
    ("socket.getaddrinfo", (None, 443, 0, 0, 0), None, None),
    ("socket.getaddrinfo", ("::1", 443, 0, 0, 0), None, None),
    ("socket.getaddrinfo", ("fe80::1%lo", 443, 0, 0, 0), None, None),
    ("socket.gethostbyname", ("192.0.2.9",), None, None),
    ("socket.gethostbyaddr", ("192.0.2.1",), "name_lookup", "name_lookup"),
    ("socket.getnameinfo", (NOWHERE,), "name_lookup", "name_lookup"),
    ("subprocess.Popen", ("/bin/cat", ["cat"], None, None), "child_process", None),
    ("subprocess.Popen", (b"/bin/cat", ["cat"], None, None), "child_process", None),
    ("subprocess.Popen", ("cat", ["cat"], None, {"PATH": "/bin"}), "child_process", None),
    ("subprocess.Popen", ("cat", ["cat"], None, {b"PATH": b"/nowhere"}), "child_process", "child_process"),
    ("subprocess.Popen", ("./cat", ["cat"], None, None), "child_process", "child_process"),
    ("subprocess.Popen", (7, ["cat"], None, None), "child_process", "child_process"),
    ("os.posix_spawn", ("/bin/cat", ["cat"], {}), "child_process", None),
    ("os.exec", ("/bin/cat", ["cat"], None), "child_process", "child_process"),
    ("os.system", ("cat",), "child_process", "child_process"),
    ("os.fork", (), "fork", None),
    ("os.forkpty", (), "fork", None),
    ("os.kill", (os.getpid(), 0), None, None),
    ("os.kill", (os.getpid(), signal.SIGKILL), "process_exit", "process_exit"),
    ("os.kill", (os.getpid(), "9"), None, None),
    ("os.kill", (os.getpid(), 4000), None, None),
    ("os.kill", (os.getppid(), signal.SIGTERM), "signal", "signal"),
    ("os.kill", (0, signal.SIGTERM), "signal", "signal"),
    ("os.kill", (-1, signal.SIGTERM), "signal", "signal"),
    ("os.killpg", (1, 0), None, None),
    ("os.killpg", (1, signal.SIGTERM), "signal", "signal"),
    ("signal.pthread_kill", (1, signal.SIGTERM), "process_exit", "process_exit"),
    ("signal.pthread_kill", (1, signal.SIGINT), None, None),
    ("ctypes.dlopen", (None,), None, None),
    ("ctypes.dlopen", ("libc.so.6",), None, None),
    ("ctypes.dlopen", ("/usr/lib/libpq.so.5",), "foreign_function", "foreign_function"),
    ("ctypes.dlsym", (None, "getpid"), None, None),
    ("ctypes.dlsym", (None, b"connect"), "foreign_function", "foreign_function"),
    ("ctypes.dlsym", (None, 3), None, None),
    ("ctypes.dlsym/handle", (3, "syscall"), "foreign_function", "foreign_function"),
]


@pytest.mark.parametrize(("event", "arguments", "without", "with_some"), ROWS)
def test_a_call_is_judged_by_its_arguments_and_what_is_allowed(event, arguments, without, with_some):
    for allow, code in ((NONE, without), (SOME, with_some)):
        refusal = JUDGES[event](arguments, allow, False)
        assert (refusal and refusal.code) == code


def test_a_forked_child_may_end_and_become_a_program_that_is_named():
    assert judges.end(("os._exit",), NONE, True) is None
    assert judges.kill((os.getpid(), signal.SIGKILL), NONE, True) is None
    assert judges.replace(("/bin/cat", ["cat"], None), SOME, True) is None
    assert judges.replace(("/bin/ls", ["ls"], None), SOME, True) is not None


def test_of_the_paths_that_are_tried_in_turn_the_first_that_exists_counts():
    for candidates, code in (
        ((b"/nowhere/cat", b"/bin/cat"), None),
        ((b"/bin/sh", b"/bin/cat"), "child_process"),
        ((b"/nowhere/cat",), "child_process"),
        ((), "child_process"),
        (None, "child_process"),
    ):
        refusal = judges.start_any_of(([], candidates), SOME, False)
        assert (refusal and refusal.code) == code
    assert judges.start_any_of((), NONE, False) is not None


def test_only_one_s_own_children_may_be_sent_signals():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert judges.kill((child.pid, signal.SIGTERM), NONE, False) is None
    finally:
        child.communicate()
    assert judges.kill((child.pid, signal.SIGTERM), NONE, False) is not None


def test_what_stands_is_judged_by_its_ends():
    left, right = socket.socketpair()
    unconnected = socket.socket()
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    caller = socket.create_connection(("127.0.0.1", port))
    answerer, _ = listener.accept()
    here = Allow(hosts=(f"127.0.0.1:{port}",))
    with left, right, unconnected, listener, caller, answerer:
        for harmless in (left, right, unconnected, "no socket"):
            assert judges.send((harmless,), NONE, False) is None
        for end in (caller, answerer):
            assert judges.send((end,), here, False) is None
            refusal = judges.send_to((end, None), NONE, False)
            assert refusal is not None
            assert refusal.code == "old_connection"


@pytest.mark.parametrize(
    "address", ["/run/of-hers/x.sock", b"/run/of-hers/x.sock", "\0abstract", (1, 2), 5, ("a\x1b[2Jb", 1), ("x:p@h", 2)]
)
def test_an_address_is_shown_plainly(address):
    refusal = judges.connect((None, address), NONE, False)
    assert refusal is not None
    shown = refusal.fault().called
    assert shown is not None
    assert shown.isprintable()
    assert not [part for part in ("of-hers", "\x1b", "x:p") if part in shown]


def test_faults_cross_a_pipe_whole_and_short():
    channel = Channel()
    told: list[ReplayFault | ChildRead] = [
        LiveCall("a call", code="connect", called="socket.connect 192.0.2.1:443", cure="serve it"),
        CallMismatch("another call", code="arguments", nearest="tool_events[2]", path="arguments.amount"),
        ChildRead("wall", "time.time", "agent:3"),
    ]
    for one in told:
        channel.send(one)
    channel.send(LiveCall("\N{GRINNING FACE}" * 5000, code="connect"))
    received = channel.drain()
    assert [vars(one) if isinstance(one, ReplayFault) else one for one in received[:3]] == [
        vars(one) if isinstance(one, ReplayFault) else one for one in told
    ]
    assert [type(one) for one in received] == [LiveCall, CallMismatch, ChildRead, LiveCall]
    channel.send(told[0])
    left, outlived = channel.close()
    assert (len(left), outlived) == (1, False)
    channel.send(told[0])


def test_the_watch_looks_at_the_frame_that_calls():
    frame = sys._getframe()
    faults: list[ReplayFault] = []
    with Guard(faults.append) as guard:
        profile(frame, "c_call", time.time)
        profile(frame, "c_call", time.monotonic)
        profile(frame, "c_call", os.urandom)
        profile(frame, "c_call", len)
        profile(frame, "return", None)
    profile(frame, "c_call", time.time)
    assert [fault.code for fault in faults] == ["real_clock"]
    assert [(read.call, read.count) for read in guard.state().clock_reads] == [("time.time", 1), ("time.monotonic", 1)]
    assert [read.call for read in guard.state().random_reads] == ["os.urandom"]
