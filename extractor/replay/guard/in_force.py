"""The guards that are on in this process, and how a call is put before them.

Guards nest and may be on in several threads; they judge the whole process, since a thread does not say whose it is. A
call goes on when all of them let it; those that refuse are all told.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from ..faults import ReplayFault
from .allow import Allow
from .judges import JUDGES, Arguments, Judge


class InForce(Protocol):
    """A guard that is on. ``owner`` is the process that entered it; its forked children hold a copy."""

    @property
    def allow(self) -> Allow:
        """What it lets through."""

    @property
    def owner(self) -> int:
        """The id of the process that entered it."""

    def record(self, fault: ReplayFault) -> None:
        """Keep a fault, before it is raised."""

    def clock_read(self, call: str, place: str, *, real: bool) -> None:
        """Count a reading of the clock at ``module:line``; ``real`` when it tells the time of day or waits."""

    def random_read(self, call: str, place: str) -> None:
        """Count a draw from an unseeded source at ``module:line``."""


class _State:
    __slots__ = ("guards", "hooked", "lock")

    def __init__(self) -> None:
        self.guards: tuple[InForce, ...] = ()
        self.hooked = False
        self.lock = threading.RLock()


STATE: Final = _State()


class _Thread(threading.local):
    passing = False  # the guard itself looks something up
    probing = False  # the guard tries itself: a block is the proof, and no fault


_THREAD: Final = _Thread()


def put_on(guard: InForce) -> bool:
    """Add a guard; return whether it is the only one. The audit hook stays for good and rests without guards."""
    with STATE.lock:
        if not STATE.hooked:
            sys.addaudithook(_audit)
            os.register_at_fork(after_in_child=_after_fork)
            STATE.hooked = True
        STATE.guards = (*STATE.guards, guard)
        return len(STATE.guards) == 1


def take_off(guard: InForce) -> bool:
    """Remove a guard; return whether it was the last one."""
    with STATE.lock:
        STATE.guards = tuple(other for other in STATE.guards if other is not guard)
        return not STATE.guards


def ask(judge: Judge, arguments: Arguments) -> None:
    """Put a call before every guard.

    Raises the `ReplayFault` of the first that refuses, once all that refuse have recorded it.
    """
    if _THREAD.passing:
        return
    refusing = []
    _THREAD.passing = True
    try:
        for guard in STATE.guards:
            refusal = judge(arguments, guard.allow, guard.owner != os.getpid())
            if refusal is not None:
                refusing.append((guard, refusal))
    finally:
        _THREAD.passing = False
    if not refusing:
        return
    fault = refusing[0][1].fault()
    if not _THREAD.probing:
        for guard, _ in refusing:
            guard.record(fault)
    raise fault


@contextmanager
def probing() -> Iterator[None]:
    """Block without recording, in this thread, while the guard proves itself."""
    _THREAD.probing = True
    try:
        yield
    finally:
        _THREAD.probing = False


def _audit(event: str, arguments: Arguments) -> None:
    if STATE.guards:
        judge = JUDGES.get(event)
        if judge is not None:
            try:
                ask(judge, arguments)
            except ReplayFault:
                # The library's own clean-up expects an OSError; unclosed, the socket would warn in somebody else's test.
                if event == "socket.connect" and isinstance(arguments[0], socket.SocketType):
                    arguments[0].close()
                raise


def _after_fork() -> None:
    # Another thread may have held it at the fork, and that thread is not here.
    STATE.lock = threading.RLock()
