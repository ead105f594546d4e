from __future__ import annotations

import _thread
import asyncio
import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import pytest

from extractor.replay.faults import HarnessDefect, LiveCall, ReplayFault
from extractor.replay.guard import Allow, Guard, in_force, self_test

NOWHERE = ("192.0.2.1", 443)


def connect() -> None:
    with socket.socket() as held:
        held.setblocking(False)
        held.connect(NOWHERE)


def connect_ex() -> None:
    with socket.socket() as held:
        held.setblocking(False)
        held.connect_ex(NOWHERE)


def datagram() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
        held.sendto(b"", NOWHERE)


def message() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
        held.sendmsg([b""], [], 0, NOWHERE)


def listen() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))


def unix() -> None:
    with socket.socket(socket.AF_UNIX) as held:
        held.connect("/nowhere/of-hers/agent.sock")


def through_ctypes() -> None:
    ctypes.CDLL(None).connect  # noqa: B018  # looking it up is the event


def through_ctypes_handle() -> None:
    import _ctypes

    _ctypes.dlsym(ctypes.CDLL(None)._handle, "getaddrinfo")


def by_multiprocessing() -> None:
    import multiprocessing

    multiprocessing.get_context("spawn").Process(target=connect).start()


BLOCKED: list[tuple[Callable[[], object], str, str]] = [
    (connect, "connect", "socket.connect 192.0.2.1:443"),
    (connect_ex, "connect", "socket.connect 192.0.2.1:443"),
    (lambda: socket.create_connection(NOWHERE, timeout=0.01), "connect", "socket.connect 192.0.2.1:443"),
    (unix, "connect", "socket.connect unix:agent.sock"),
    (listen, "bind", "socket.bind 127.0.0.1:0"),
    (datagram, "datagram", "socket.sendto 192.0.2.1:443"),
    (message, "datagram", "socket.sendto 192.0.2.1:443"),
    (lambda: socket.getaddrinfo("pay.invalid", 443), "name_lookup", "socket.getaddrinfo pay.invalid"),
    (lambda: socket.getaddrinfo(b"ann:pw@pay.invalid", 443), "name_lookup", "socket.getaddrinfo pay.invalid"),
    (lambda: socket.gethostbyname("pay.invalid"), "name_lookup", "socket.getaddrinfo pay.invalid"),
    (lambda: socket.gethostbyname_ex("pay.invalid"), "name_lookup", "socket.getaddrinfo pay.invalid"),
    (lambda: socket.gethostbyaddr("192.0.2.1"), "name_lookup", "socket.gethostbyaddr 192.0.2.1"),
    (lambda: socket.getnameinfo(NOWHERE, 0), "name_lookup", "socket.gethostbyaddr 192.0.2.1:443"),
    (lambda: subprocess.run(["/bin/cat", "--secret"], check=False), "child_process", "subprocess.Popen cat"),
    (lambda: subprocess.run("cat secret", shell=True, check=False), "child_process", "subprocess.Popen sh"),
    (lambda: os.system("cat secret"), "child_process", "os.system"),
    (lambda: os.popen("cat secret"), "child_process", "subprocess.Popen sh"),
    (lambda: os.posix_spawn("/bin/cat", ["cat", "secret"], {}), "child_process", "subprocess.Popen cat"),
    (lambda: os.execv("/bin/cat", ["cat", "secret"]), "child_process", "os.exec cat"),
    (lambda: os.spawnv(os.P_WAIT, "/bin/cat", ["cat"]), "fork", "os.fork"),
    (os.fork, "fork", "os.fork"),
    (os.forkpty, "fork", "os.fork"),
    (by_multiprocessing, "child_process", "fork_exec " + Path(sys.executable).name),
    (through_ctypes, "foreign_function", "ctypes.dlsym connect"),
    (through_ctypes_handle, "foreign_function", "ctypes.dlsym getaddrinfo"),
    (lambda: ctypes.CDLL("libcurl-gnutls.so.4"), "foreign_function", "ctypes.dlopen libcurl-gnutls.so.4"),
    (lambda: os.kill(os.getppid(), signal.SIGCONT), "signal", "os.kill"),
    (lambda: os.killpg(os.getpgrp(), signal.SIGCONT), "signal", "os.killpg"),
]

ENDS = [
    (lambda: os._exit(3), "os._exit"),
    (lambda: sys.modules["posix"]._exit(3), "os._exit"),
    (os.abort, "os.abort"),
    (lambda: os.kill(os.getpid(), signal.SIGKILL), "os.kill"),
    (lambda: os.kill(os.getpid(), signal.SIGTERM), "os.kill"),
    (lambda: signal.raise_signal(signal.SIGTERM), "signal.raise_signal"),
    (lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM), "signal.raise_signal"),
]


@pytest.mark.parametrize(("act", "code", "called"), BLOCKED, ids=[f"{code} {call}" for _, code, call in BLOCKED])
def test_what_reaches_outside_is_reported_and_raised(act, code, called):
    faults: list[ReplayFault] = []
    with Guard(faults.append) as guard, pytest.raises(LiveCall) as raised:
        act()
    assert raised.value is faults[0]
    assert [(fault.code, fault.called) for fault in faults] == [(code, called)]
    assert guard.state().blocked == (called,)
    assert raised.value.cure


@pytest.mark.parametrize(("act", "called"), ENDS, ids=[f"{number} {call}" for number, (_, call) in enumerate(ENDS)])
def test_what_would_end_the_process_is_a_defect_of_the_harness(act, called):
    faults: list[ReplayFault] = []
    with Guard(faults.append), pytest.raises(HarnessDefect):
        act()
    assert [(fault.code, fault.called) for fault in faults] == [("process_exit", called)]


def test_no_argument_of_a_program_and_no_folder_is_told():
    faults: list[ReplayFault] = []
    for act, _, _ in BLOCKED:
        with Guard(faults.append), pytest.raises(LiveCall):
            act()
    told = "".join(f"{fault}{fault.called}" for fault in faults)
    assert not [word for word in ("secret", "/bin", "of-hers", "ann", "pw@") if word in told]


def test_a_signal_with_a_handler_of_its_own_ends_nothing():
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
    try:
        with Guard(pytest.fail):
            os.kill(os.getpid(), signal.SIGUSR1)
            os.kill(os.getppid(), 0)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [signal.SIGUSR1]


# Swallowing: the block is raised into code that hides it; the report has been made.


def swallowed_by_except() -> None:
    try:
        connect()
    except BaseException:  # noqa: BLE001
        return


def swallowed_by_finally() -> str:
    try:
        connect()
    finally:
        return "all is well"  # noqa: B012


def swallowed_by_gather() -> None:
    async def call() -> None:
        connect()

    async def agent() -> list[object]:
        return await asyncio.gather(call(), call(), return_exceptions=True)

    asyncio.run(agent())


def swallowed_by_raw_thread() -> None:
    ended = threading.Event()

    def run() -> None:
        try:
            swallowed_by_except()
        finally:
            ended.set()

    _thread.start_new_thread(run, ())
    ended.wait()


def swallowed_by_thread() -> None:
    thread = threading.Thread(target=swallowed_by_except)
    thread.start()
    thread.join()


def swallowed_by_pool() -> None:
    with ThreadPoolExecutor(2) as pool:
        pool.submit(connect).exception()


def swallowed_by_executor() -> None:
    async def agent() -> None:
        await asyncio.to_thread(swallowed_by_except)

    asyncio.run(agent())


def swallowed_by_destructor() -> None:
    class Careless:
        def __del__(self) -> None:
            swallowed_by_except()

    Careless()


@pytest.mark.parametrize(
    "act",
    [
        swallowed_by_except,
        swallowed_by_finally,
        swallowed_by_gather,
        swallowed_by_raw_thread,
        swallowed_by_thread,
        swallowed_by_pool,
        swallowed_by_executor,
        swallowed_by_destructor,
    ],
)
def test_what_is_swallowed_was_reported_before(act):
    faults: list[ReplayFault] = []
    with Guard(faults.append):
        act()
    assert {(fault.label, fault.code) for fault in faults} == {("live_call", "connect")}


def test_event_loops_pools_pairs_and_threads_run_undisturbed():
    async def agent() -> int:
        left, right = socket.socketpair()
        with left, right:
            left.sendall(b"ab")
            first = await asyncio.to_thread(right.recv, 2)
        server_less = await asyncio.gather(asyncio.sleep(0, "c"), asyncio.to_thread(str, 4))
        return len(first) + len(server_less)

    with Guard(pytest.fail) as guard:
        assert asyncio.run(agent()) == 4
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(str, range(20))) == [str(number) for number in range(20)]
        assert socket.getaddrinfo("192.0.2.1", 443)[0][4] == NOWHERE
    assert guard.state().blocked == ()


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            pass

    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.daemon_threads = True
    thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    served.shutdown()
    served.server_close()
    thread.join()


def get(server: ThreadingHTTPServer) -> bytes:
    with urlopen(f"http://127.0.0.1:{server.server_port}/", timeout=10) as answer:
        return answer.read()


def test_loopback_is_blocked_inside_and_live_before_and_after(server):
    faults: list[ReplayFault] = []
    assert get(server) == b"ok"
    with Guard(faults.append), pytest.raises(LiveCall):
        get(server)
    assert get(server) == b"ok"
    assert subprocess.run([sys.executable, "-c", "import os; os._exit(7)"], check=False).returncode == 7
    assert [fault.called for fault in faults] == [f"socket.connect 127.0.0.1:{server.server_port}"]


def test_a_host_that_is_named_is_reached_by_its_number_or_its_name(server):
    port = server.server_port
    with Guard(pytest.fail, allow=Allow(hosts=(f"127.0.0.1:{port}",))) as guard:
        assert get(server) == b"ok"
    assert f"127.0.0.1:{port}: allowed" in guard.state().not_covered
    by_name = Allow(hosts=(f"localhost:{port}", f"127.0.0.1:{port + 1}"))
    with Guard(pytest.fail, allow=by_name), urlopen(f"http://localhost:{port}/", timeout=10) as answer:
        assert answer.read() == b"ok"
    faults: list[ReplayFault] = []
    with Guard(faults.append, allow=Allow(hosts=(f"127.0.0.1:{port + 1}",))), pytest.raises(LiveCall):
        get(server)
    assert [fault.code for fault in faults] == ["connect"]


def test_a_connection_that_is_older_than_the_session_sends_nothing(server):
    faults: list[ReplayFault] = []
    with socket.create_connection(("127.0.0.1", server.server_port)) as old:
        with Guard(faults.append):
            for send in (old.send, old.sendall, lambda content: old.sendmsg([content])):
                with pytest.raises(LiveCall):
                    send(b"GET / HTTP/1.1\r\n\r\n")
        old.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert old.recv(12) == b"HTTP/1.1 200"
    assert {(fault.code, fault.called) for fault in faults} == {
        ("old_connection", f"socket.send 127.0.0.1:{server.server_port}")
    }


def test_a_socket_that_came_past_the_hook_is_found_at_the_end(server, monkeypatch):
    faults: list[ReplayFault] = []
    past = socket.socket()
    past.close()
    with Guard(faults.append) as guard:
        # Stands for native code: the call is made where the guard does not look.
        monkeypatch.setattr(in_force._THREAD, "passing", True)
        past = socket.create_connection(("127.0.0.1", server.server_port))
        monkeypatch.setattr(in_force._THREAD, "passing", False)
        left, right = socket.socketpair()
        unused = socket.socket()
    for held in (past, left, right, unused):
        held.close()
    if sys.platform == "linux":
        called = f"socket 127.0.0.1:{server.server_port}"
        assert [(fault.label, fault.code, fault.called) for fault in faults] == [
            ("live_call", "socket_appeared", called)
        ]
        assert guard.state().blocked == (called,)


def test_a_program_that_is_named_runs_and_its_shell_does_not():
    python = sys.executable
    faults: list[ReplayFault] = []
    with Guard(faults.append, allow=Allow(programs=(python,))):
        assert subprocess.run([python, "-c", ""], check=False).returncode == 0
        assert faults == []
        with pytest.raises(LiveCall):
            subprocess.run(f"{python} -c ''", shell=True, check=False)
    assert [fault.called for fault in faults] == ["subprocess.Popen sh"]


def test_a_bare_name_is_the_program_that_the_path_finds(tmp_path):
    named, other = tmp_path / "named", tmp_path / "other"
    for folder in (named, other):
        folder.mkdir()
        (folder / "git").write_text("#!/bin/sh\nexit 5\n")
        (folder / "git").chmod(0o755)
    allow = Allow(programs=(str(named / "git"),))
    faults: list[ReplayFault] = []
    with Guard(faults.append, allow=allow):
        assert subprocess.run(["git"], env={"PATH": str(named)}, check=False).returncode == 5
        with pytest.raises(LiveCall):
            subprocess.run(["git"], env={"PATH": str(other)}, check=False)
    assert [fault.called for fault in faults] == ["subprocess.Popen git"]


def test_guards_nest_and_each_that_refuses_is_told(server):
    outer: list[ReplayFault] = []
    inner: list[ReplayFault] = []
    here = Allow(hosts=(f"127.0.0.1:{server.server_port}",))
    with Guard(outer.append):
        with Guard(inner.append, allow=here), pytest.raises(LiveCall):
            get(server)
        assert (len(outer), len(inner)) == (1, 0)
        with pytest.raises(LiveCall):
            connect()
    assert (len(outer), len(inner)) == (2, 0)
    with Guard(outer.append, allow=here):
        with Guard(inner.append), pytest.raises(LiveCall):
            get(server)
        assert get(server) == b"ok"
    assert (len(outer), len(inner)) == (2, 1)


def test_guards_in_several_threads_leave_in_any_order():
    faults: list[ReplayFault] = []
    both, first_left = threading.Barrier(2), threading.Event()

    def first() -> None:
        with Guard(faults.append):
            both.wait()
        first_left.set()

    def second() -> None:
        with Guard(faults.append):
            both.wait()
            first_left.wait()
            swallowed_by_except()

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(first), pool.submit(second)]:
            done.result()
    assert [fault.code for fault in faults] == ["connect"]
    assert "send" not in vars(socket.socket)


def test_everything_is_as_it_was_after_many_sessions():
    before = (os._exit, os.abort, signal.raise_signal, _thread.start_new_thread, time.sleep)
    profile, in_threads = sys.getprofile(), threading.getprofile()
    for _ in range(50):
        with Guard(pytest.fail), Guard(pytest.fail):
            assert os._exit is not before[0]
    assert (os._exit, os.abort, signal.raise_signal, _thread.start_new_thread, time.sleep) == before
    assert (sys.getprofile(), threading.getprofile()) == (profile, in_threads)
    assert {"send", "sendall"}.isdisjoint(vars(socket.socket))


def test_a_guard_is_left_when_the_agent_raises_and_may_be_entered_again():
    guard = Guard(pytest.fail)
    with pytest.raises(KeyError), guard:
        raise KeyError
    assert not guard.state().on
    with guard:
        assert guard.state().on
        with pytest.raises(RuntimeError):
            guard.__enter__()
    assert not in_force.STATE.guards


def test_the_state_says_that_it_bites_and_what_it_does_not_cover(monkeypatch):
    monkeypatch.setitem(sys.modules, "grpc._cython.cygrpc", sys)
    with Guard(pytest.fail) as guard:
        state = guard.state()
    assert (state.on, state.self_test, state.failed_probes, state.blocked) == (True, True, (), ())
    assert state.covers
    assert "grpc._cython.cygrpc: native code, loaded" in state.not_covered
    assert Guard(pytest.fail).state().self_test is None


@pytest.mark.parametrize("event", ["socket.connect", "socket.sendto", "socket.getaddrinfo", "subprocess.Popen"])
def test_a_guard_that_does_not_bite_lets_no_session_begin(monkeypatch, event):
    monkeypatch.setattr(self_test, "_NOWHERE", ("127.0.0.1", 9))
    monkeypatch.setattr("extractor.replay.guard.guarding._tried_in_full", None)
    judges = {name: judge for name, judge in in_force.JUDGES.items() if name != event}
    monkeypatch.setattr(in_force, "JUDGES", judges)
    faults: list[ReplayFault] = []
    guard = Guard(faults.append)
    with pytest.raises(HarnessDefect), guard:
        pytest.fail("the session began")
    assert [fault.code for fault in faults] == ["guard_does_not_bite"]
    assert event in guard.state().failed_probes
    assert guard.state().self_test is False
    assert not guard.state().on
    assert not in_force.STATE.guards
    assert "send" not in vars(socket.socket)


def test_an_end_that_is_not_blocked_is_found_without_ending():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("extractor.replay.guard.guarding._tried_in_full", None)
        patched.setattr("extractor.replay.guard.guarding.blocking", tuple)
        faults: list[ReplayFault] = []
        guard = Guard(faults.append)
        with pytest.raises(HarnessDefect):
            guard.__enter__()
    assert guard.state().failed_probes == ("fork_exec", "os._exit")


def test_the_short_self_test_finds_it_too(monkeypatch):
    with Guard(pytest.fail):
        pass
    monkeypatch.setattr(self_test, "_NOWHERE", ("127.0.0.1", 9))
    monkeypatch.setattr(in_force, "JUDGES", {})
    with pytest.raises(HarnessDefect, match="does not bite"), Guard(lambda _: None):
        pytest.fail("the session began")
