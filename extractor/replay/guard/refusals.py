"""What the guard says of a call that it blocks. Hosts, ports and base names: never an argument, never a payload."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..faults import HarnessDefect, LiveCall, ReplayFault
from .allow import spell

_SERVE: Final = "serve the call from the case; a stand-in on this machine is named in Allow(hosts=…)"
_IN_PROCESS: Final = "serve the call from the case, or name the program in Allow(programs=…)"
_LEAVE: Final = "let the code under test return or raise; a replay needs its process to the end"

# code: what happened, what settles it
_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "connect": ("a connection was attempted during the replay", _SERVE),
    "bind": ("a socket was to listen or to take an address during the replay", _SERVE),
    "datagram": ("a datagram was to be sent during the replay", _SERVE),
    "old_connection": ("a connection older than the replay was written to", _SERVE),
    "name_lookup": ("a host name was looked up during the replay", _SERVE),
    "child_process": ("a program was to be started during the replay", _IN_PROCESS),
    "fork": ("the process was to be forked during the replay", "use threads, or Allow(children='forked')"),
    "foreign_function": ("native code that reaches outside was asked for during the replay", _SERVE),
    "signal": ("a signal was to be sent to another process during the replay", "leave other processes alone"),
    "process_exit": ("the process of the replay was to be ended from inside", _LEAVE),
}
_ENDS_PROCESS: Final = frozenset({"process_exit"})
_SHOWN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:[]")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call is blocked: a key of the texts, and the call as people read it (``socket.connect 192.0.2.1:443``)."""

    code: str
    called: str

    def fault(self) -> ReplayFault:
        """Return the fault to report and to raise."""
        message, cure = _TEXTS[self.code]
        kind = HarnessDefect if self.code in _ENDS_PROCESS else LiveCall
        return kind(f"{message}: {self.called}", code=self.code, called=self.called, cure=cure)


def show_address(address: object) -> str:
    """Return ``host:port``, or the last name of a path; no other part of an address is told."""
    spelled = spell(address)
    if spelled is None:
        return "another address family"
    if spelled.startswith("unix:"):
        return "unix:" + _plain(Path(spelled.removeprefix("unix:")).name or "unnamed")
    return _plain(spelled)


def show_host(host: object) -> str:
    """Return a host's name without what may stand before an ``@``."""
    text = os.fsdecode(host) if isinstance(host, (str, bytes)) else "unnamed"
    return _plain(text)


def show_program(executable: object) -> str:
    """Return the base name of a program."""
    text = os.fsdecode(executable) if isinstance(executable, (str, bytes, os.PathLike)) else ""
    # A whole command line may have been given as the program; its arguments are nobody's business.
    words = text.split()
    return _plain(Path(words[0]).name) if words else "unnamed"


def _plain(text: str) -> str:
    shown = "".join(letter if letter in _SHOWN else "_" for letter in text.rpartition("@")[2][:253])
    return shown or "unnamed"
