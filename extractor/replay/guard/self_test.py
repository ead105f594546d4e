"""The guard tries itself: each probe must be blocked, and would do no harm if it were not.

Probes reach for addresses that are reserved for documentation (RFC 5737) and a name that never resolves (RFC 2606);
programs are asked for by an empty name, and ends of the process with an argument that the real function refuses.
"""

from __future__ import annotations

import _posixsubprocess
import _thread
import os
import socket
import subprocess
from collections.abc import Callable
from typing import Final

from ..faults import ReplayFault
from .in_force import probing

_NOWHERE: Final = ("192.0.2.1", 9)


def in_full() -> tuple[str, ...]:
    """Return the names of the probes that were not blocked: connections, in a raw thread too, and all else."""
    failed = [name for name, probe in _PROBES if not _bites(probe)]
    if not _bites_in_raw_thread():
        failed.append("socket.connect in a raw thread")
    return tuple(failed)


def in_short() -> tuple[str, ...]:
    """Return the name of the connection probe if it was not blocked."""
    return () if _bites(_connect) else ("socket.connect",)


def _bites(probe: Callable[[], object]) -> bool:
    with probing():
        try:
            probe()
        except ReplayFault:
            return True
        except Exception:  # noqa: BLE001  # whatever the real function says of the probe: it was reached
            return False
    return False


def _bites_in_raw_thread() -> bool:
    outcome: list[bool] = []
    ended = _thread.allocate_lock()
    ended.acquire()

    def run() -> None:
        try:
            outcome.append(_bites(_connect))
        finally:
            ended.release()

    _thread.start_new_thread(run, ())
    ended.acquire()
    return outcome == [True]


def _connect() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        probe.connect(_NOWHERE)


def _datagram() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.sendto(b"", _NOWHERE)


def _look_up() -> None:
    socket.getaddrinfo("guard.invalid", 9)


def _program() -> None:
    subprocess.run([""], check=False)  # noqa: S607  # no program has this name


def _spawn() -> None:
    os.posix_spawn("", ["unnamed"], {})


def _fork_exec() -> None:
    start: Callable[..., object] = _posixsubprocess.fork_exec
    start()


def _exit() -> None:
    end: Callable[..., object] = os._exit
    end("")


_PROBES: Final = (
    ("socket.connect", _connect),
    ("socket.sendto", _datagram),
    ("socket.getaddrinfo", _look_up),
    ("subprocess.Popen", _program),
    ("os.posix_spawn", _spawn),
    ("fork_exec", _fork_exec),
    ("os._exit", _exit),
)
