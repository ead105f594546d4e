"""The whole line with every way to a network closed: the first mailbox and the loading of the model included."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from .samples import INCIDENTS, ROOT, extracted, options_of

# urllib3, which comes with Presidio, asks at import whether a socket can be bound to ::1; nothing is sent by that.
CLOSED = """
import socket, sys

def refuse(*_args, **_named):
    sys.stderr.write("THE NETWORK WAS ASKED FOR\\n")
    raise OSError("closed")

class Closed(socket.socket):
    connect = connect_ex = sendto = sendmsg = listen = accept = refuse

    def bind(self, address):
        return super().bind(address) if address[:2] == ("::1", 0) else refuse()

for name in ("create_connection", "create_server", "getaddrinfo", "gethostbyname", "gethostbyname_ex", "getnameinfo"):
    setattr(socket, name, refuse)
socket.socket = Closed
socket.SOCKET_IS_CLOSED = True
"""


@pytest.fixture
def closed(monkeypatch) -> None:
    def refuse(*_args, **_named):
        raise AssertionError("the network was asked for")

    class Closed(socket.socket):
        __init__ = refuse

    for name in ("create_connection", "getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        monkeypatch.setattr(socket, name, refuse)
    monkeypatch.setattr(socket, "socket", Closed)


def test_the_fence_holds(closed):
    with pytest.raises(AssertionError):
        socket.create_connection(("192.0.2.1", 9))
    with pytest.raises(AssertionError):
        socket.socket()


def test_extraction_in_this_process(closed, name, files):
    assert dict(extracted(name).fixture.files) == files


@pytest.fixture
def alone(tmp_path, key_file):
    """Run a command in a new process whose sockets are closed before anything of ours is imported."""
    fence = tmp_path / "fence"
    fence.mkdir()
    (fence / "sitecustomize.py").write_text(CLOSED)
    path = os.pathsep.join([str(fence), str(ROOT)])

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PYTHONPATH": path,
            "HOME": str(tmp_path),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }
        return subprocess.run(
            [sys.executable, *command], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return run


def test_the_fence_holds_in_a_new_process(alone):
    assert alone("-c", "import socket; assert socket.SOCKET_IS_CLOSED").returncode == 0
    tried = alone("-c", "import urllib.request; urllib.request.urlopen('http://192.0.2.1/')")
    assert tried.returncode == 1
    assert "THE NETWORK WAS ASKED FOR" in tried.stderr


def test_a_new_process_with_an_empty_home_needs_no_network(alone, key_file, tmp_path):
    """Model, suffix lists, host name: nothing is fetched, and nothing is waiting in a cache of this machine."""
    common = ["--key-file", str(key_file), "--out", str(tmp_path / "out")]
    for name in INCIDENTS:
        done = alone("-m", "extractor", *options_of(name), *common)
        assert (done.returncode, done.stderr) == (0, "")
    case = next((tmp_path / "out" / "quarantine").glob("2*"))
    (tmp_path / "note.txt").write_text(
        "Ask Wendell Abara, wendell.abara@some.example.co.uk, or http://example.co.uk/a?b=c."
    )
    for command in (["validate", str(case)], ["show", str(case)], ["redact", "--key-file", str(key_file), "note.txt"]):
        done = alone("-m", "extractor", *command)
        assert (done.returncode, done.stderr) == (0, "")
