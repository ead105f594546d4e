"""Whether a call reaches outside: one function an audit event, judging its arguments alone.

A judge takes the event's arguments, what is allowed, and whether this process is a forked child of the replay's own; it
returns a `Refusal`, or None for what may go on. The events are those of Python's table of audit events.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from .allow import Allow, is_numeric
from .refusals import Refusal, show_address, show_host, show_program

Arguments: TypeAlias = tuple[object, ...]
Judge: TypeAlias = Callable[[Arguments, Allow, bool], Refusal | None]

_FUNCTIONS: Final = frozenset(
    {
        "connect",
        "connectx",
        "sendto",
        "sendmsg",
        "sendmmsg",
        "send",
        "bind",
        "accept",
        "socket",
        "getaddrinfo",
        "getnameinfo",
        "gethostbyname",
        "gethostbyname2",
        "gethostbyname_r",
        "gethostbyaddr",
        "res_query",
        "res_search",
        "res_nquery",
        "syscall",
        "io_uring_setup",
        "fork",
        "vfork",
        "forkpty",
        "clone",
        "clone3",
        "system",
        "popen",
        "execl",
        "execlp",
        "execle",
        "execv",
        "execvp",
        "execve",
        "execvpe",
        "fexecve",
        "posix_spawn",
        "posix_spawnp",
        "_exit",
        "_Exit",
        "exit",
        "quick_exit",
        "abort",
        "kill",
        "killpg",
        "dlopen",
        "dlsym",
        "WSAConnect",
        "WinExec",
        "CreateProcessA",
        "CreateProcessW",
        "ShellExecuteA",
        "ShellExecuteW",
    }
)
_LIBRARIES: Final = (
    "libcurl",
    "libpq",
    "libmysqlclient",
    "libmariadb",
    "libssh",
    "libssh2",
    "libnghttp2",
    "libzmq",
    "librdkafka",
    "libhiredis",
    "libgrpc",
    "libnng",
    "libnanomsg",
    "libmongoc",
    "libldap",
    "libodbc",
    "libtdsodbc",
    "libsybdb",
    "libfreetds",
    "libresolv",
    "libcares",
    "libsmbclient",
    "librabbitmq",
)


def connect(arguments: Arguments, allow: Allow, _child: bool) -> Refusal | None:
    """Judge ``socket.connect``: an address outside ``allow``, loopback and Unix sockets among them."""
    return _to_address("connect", "socket.connect", arguments[1], allow)


def bind(arguments: Arguments, allow: Allow, _child: bool) -> Refusal | None:
    """Judge ``socket.bind``, which lets others in."""
    return _to_address("bind", "socket.bind", arguments[1], allow)


def send_to(arguments: Arguments, allow: Allow, child: bool) -> Refusal | None:
    """Judge ``socket.sendto`` and ``socket.sendmsg``; without an address, the socket's own peer counts."""
    if arguments[1] is None:
        return send(arguments, allow, child)
    return _to_address("datagram", "socket.sendto", arguments[1], allow)


def send(arguments: Arguments, allow: Allow, _child: bool) -> Refusal | None:
    """Judge what is sent over a connection that stands: it is older than the guard, a pair of its own, or allowed."""
    connection = arguments[0]
    if not isinstance(connection, socket.SocketType):
        return None
    try:
        peer, own = connection.getpeername(), connection.getsockname()
    except OSError:
        return None  # not connected: nothing leaves
    # The two ends of a pair have no name; event loops wake themselves by one.
    if (connection.family == socket.AF_UNIX and not peer) or allow.address(peer) or allow.address(own):
        return None
    return Refusal("old_connection", f"socket.send {show_address(peer)}")


def look_up(arguments: Arguments, allow: Allow, _child: bool) -> Refusal | None:
    """Judge ``socket.getaddrinfo`` and ``socket.gethostbyname``: digits need no look-up, names must be allowed."""
    host = os.fsdecode(arguments[0]) if isinstance(arguments[0], (str, bytes)) else ""
    if not host or is_numeric(host) or allow.name(host):
        return None
    return Refusal("name_lookup", f"socket.getaddrinfo {show_host(host)}")


def look_back(arguments: Arguments, _allow: Allow, _child: bool) -> Refusal | None:
    """Judge ``socket.gethostbyaddr`` and ``socket.getnameinfo``, which ask for the name of a number."""
    asked = arguments[0]
    shown = show_host(asked) if isinstance(asked, (str, bytes)) else show_address(asked)
    return Refusal("name_lookup", f"socket.gethostbyaddr {shown}")


def start(arguments: Arguments, allow: Allow, _child: bool) -> Refusal | None:
    """Judge ``subprocess.Popen`` and ``os.posix_spawn``: a program that is not named."""
    environment = arguments[-1]
    if allow.program(arguments[0], environment):
        return None
    return Refusal("child_process", f"subprocess.Popen {show_program(arguments[0])}")


def start_any_of(arguments: Arguments, allow: Allow, _child: bool) -> Refusal | None:
    """Judge ``_posixsubprocess.fork_exec``: of the programs that it would try in turn, the first that exists."""
    candidates = arguments[1] if len(arguments) > 1 and isinstance(arguments[1], (list, tuple)) else ()
    found = next((path for path in candidates if isinstance(path, bytes) and Path(os.fsdecode(path)).exists()), b"")
    if allow.program(found):
        return None
    return Refusal("child_process", f"fork_exec {show_program(found)}")


def replace(arguments: Arguments, allow: Allow, child: bool) -> Refusal | None:
    """Judge ``os.exec``: a forked child may become a program that is named, the replay's own process none."""
    if child and allow.program(arguments[0], arguments[2]):
        return None
    return Refusal("child_process", f"os.exec {show_program(arguments[0])}")


def shell(_arguments: Arguments, _allow: Allow, _child: bool) -> Refusal | None:
    """Judge ``os.system`` and its kin: a shell can start anything, so it has no exception."""
    return Refusal("child_process", "os.system")


def fork(_arguments: Arguments, allow: Allow, _child: bool) -> Refusal | None:
    """Judge ``os.fork`` and ``os.forkpty``."""
    return None if allow.children == "forked" else Refusal("fork", "os.fork")


def kill(arguments: Arguments, _allow: Allow, child: bool) -> Refusal | None:
    """Judge ``os.kill``: what would end this process, and signals to processes that are not its children."""
    process, number = arguments[0], arguments[1]
    if not isinstance(process, int) or number == 0:
        return None
    if process == os.getpid():
        return end(("os.kill",), _allow, child) if _is_deadly(number) else None
    return None if process > 0 and _is_child(process) else Refusal("signal", "os.kill")


def kill_group(arguments: Arguments, _allow: Allow, _child: bool) -> Refusal | None:
    """Judge ``os.killpg``: a group holds others than this process."""
    return None if arguments[1] == 0 else Refusal("signal", "os.killpg")


def signal_self(arguments: Arguments, allow: Allow, child: bool) -> Refusal | None:
    """Judge ``signal.raise_signal`` and ``signal.pthread_kill``, which take the number last."""
    return end(("signal.raise_signal",), allow, child) if _is_deadly(arguments[-1]) else None


def end(arguments: Arguments, _allow: Allow, child: bool) -> Refusal | None:
    """Judge ``os._exit`` and ``os.abort``, named by the first argument: only a forked child ends that way."""
    return None if child else Refusal("process_exit", str(arguments[0]))


def library(arguments: Arguments, _allow: Allow, _child: bool) -> Refusal | None:
    """Judge ``ctypes.dlopen``: a library made for talking to others."""
    name = show_program(arguments[0]) if arguments[0] else ""
    stem = name.partition(".")[0].partition("-")[0]
    return Refusal("foreign_function", f"ctypes.dlopen {name}") if stem in _LIBRARIES else None


def foreign(arguments: Arguments, _allow: Allow, _child: bool) -> Refusal | None:
    """Judge ``ctypes.dlsym``: a function that reaches outside or ends the process."""
    name = os.fsdecode(arguments[1]) if isinstance(arguments[1], (str, bytes)) else ""
    return Refusal("foreign_function", f"ctypes.dlsym {name}") if name in _FUNCTIONS else None


def _to_address(code: str, call: str, address: object, allow: Allow) -> Refusal | None:
    return None if allow.address(address) else Refusal(code, f"{call} {show_address(address)}")


def _is_deadly(number: object) -> bool:
    if not isinstance(number, int) or number == 0:
        return False
    if number in {signal.SIGKILL, signal.SIGSTOP}:
        return True
    try:
        return signal.getsignal(number) is signal.SIG_DFL
    except ValueError:
        return False


def _is_child(process: int) -> bool:
    try:
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except OSError:
        return False
    return True


JUDGES: Final[Mapping[str, Judge]] = {
    "socket.connect": connect,
    "socket.bind": bind,
    "socket.sendto": send_to,
    "socket.sendmsg": send_to,
    "socket.getaddrinfo": look_up,
    "socket.gethostbyname": look_up,
    "socket.gethostbyaddr": look_back,
    "socket.getnameinfo": look_back,
    "subprocess.Popen": start,
    "os.posix_spawn": start,
    "os.exec": replace,
    "os.system": shell,
    "os.startfile": shell,
    "os.spawn": shell,
    "os.fork": fork,
    "os.forkpty": fork,
    "os.kill": kill,
    "os.killpg": kill_group,
    "signal.pthread_kill": signal_self,
    "ctypes.dlopen": library,
    "ctypes.dlsym": foreign,
    "ctypes.dlsym/handle": foreign,
}
"""The judge of each audit event; what stands here is blocked in every thread, whoever calls."""
