"""Blocks where Python raises no audit event: set when the first guard enters, taken back when the last leaves.

A replacement that somebody has bound meanwhile (``from os import _exit``) outlives it: without guards it only passes on.
"""

from __future__ import annotations

import _posixsubprocess
import _signal  # type: ignore[import-not-found]  # no stub; signal's own functions in C
import os
import posix
import signal
import socket
import sys
from collections.abc import Callable
from typing import Final, TypeAlias

from . import judges
from .in_force import STATE, ask

Function: TypeAlias = Callable[..., object]
Replacement: TypeAlias = Callable[[Function], Function]
Patch: TypeAlias = tuple[object, str, Replacement]

_ABSENT: Final = object()


class Patches:
    """Replacements of attributes, put back by `restore` unless somebody has replaced them again."""

    __slots__ = ("_set",)

    def __init__(self) -> None:
        self._set: list[tuple[object, str, object, Function]] = []

    def apply(self, patches: tuple[Patch, ...]) -> None:
        """Replace each attribute by what its replacement makes of the one found there."""
        for owner, name, replacement in patches:
            own = vars(owner).get(name, _ABSENT)
            new = replacement(getattr(owner, name))
            setattr(owner, name, new)
            self._set.append((owner, name, own, new))

    def restore(self) -> None:
        """Put back what was found."""
        while self._set:
            owner, name, own, new = self._set.pop()
            if vars(owner).get(name) is not new:
                continue
            if own is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, own)


def blocking() -> tuple[Patch, ...]:
    """Return the blocks: ends of the process, programs of multiprocessing, sends over older connections."""
    found: list[Patch] = [
        (os, "_exit", _asked_as("os._exit")),
        (posix, "_exit", _asked_as("os._exit")),
        (os, "abort", _asked_as("os.abort")),
        (posix, "abort", _asked_as("os.abort")),
        (signal, "raise_signal", _asked(judges.signal_self)),
        (_signal, "raise_signal", _asked(judges.signal_self)),
        (_posixsubprocess, "fork_exec", _asked(judges.start_any_of)),
        (socket.socket, "send", _asked(judges.send)),
        (socket.socket, "sendall", _asked(judges.send)),
    ]
    # What is not loaded yet has no connection that is older than the guard.
    secure = getattr(sys.modules.get("ssl"), "SSLSocket", None)
    if secure is not None:
        found += [(secure, name, _asked(judges.send)) for name in ("send", "sendall", "write")]
    return tuple(found)


def _asked(judge: judges.Judge) -> Replacement:
    def replacement(original: Function) -> Function:
        def asked(*arguments: object, **named: object) -> object:
            if STATE.guards:
                ask(judge, arguments)
            return original(*arguments, **named)

        return asked

    return replacement


def _asked_as(call: str) -> Replacement:
    def replacement(original: Function) -> Function:
        def asked(*arguments: object, **named: object) -> object:
            if STATE.guards:
                ask(judges.end, (call,))
            return original(*arguments, **named)

        return asked

    return replacement
