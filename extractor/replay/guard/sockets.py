"""Sockets that are open: what appears between two looks came past every hook of Python (Linux alone)."""

from __future__ import annotations

import os
import socket
import stat
from typing import Final

from .allow import Allow
from .refusals import show_address

_DESCRIPTORS: Final = "/proc/self/fd"


def open_sockets() -> frozenset[int] | None:
    """Return the inode numbers of all sockets of this process, None where the system does not list them."""
    found = _listed()
    return None if found is None else frozenset(found)


def appeared(before: frozenset[int], allow: Allow) -> list[str]:
    """Return the peers, as people read them, of sockets that are not in ``before`` and that ``allow`` does not name.

    Sockets that reach nobody, unnamed pairs, and connections that a server of this process accepted are passed over.
    """
    listed = _listed()
    if listed is None or not listed.keys() - before:
        return []
    ports = {_port(descriptor) for inode, descriptor in listed.items() if inode in before}
    found = []
    for inode in sorted(listed.keys() - before):
        reached = _reached(listed[inode], allow, ports)
        if reached is not None:
            found.append(reached)
    return found


def _listed() -> dict[int, int] | None:
    try:
        names = os.listdir(_DESCRIPTORS)  # noqa: PTH208  # each session looks twice; a Path apiece would cost more
    except OSError:
        return None
    found = {}
    for name in names:
        try:
            status = os.fstat(int(name))
        except OSError:
            continue  # closed meanwhile; the listing's own descriptor among them
        if stat.S_ISSOCK(status.st_mode):
            found[status.st_ino] = int(name)
    return found


def _port(descriptor: int) -> int | None:
    """Return the port that an older socket listens at, None for any other."""
    with _opened(descriptor) as held:
        try:
            if held.family in {socket.AF_INET, socket.AF_INET6} and _listens(held):
                return int(held.getsockname()[1])
        except OSError:
            return None
    return None


def _reached(descriptor: int, allow: Allow, ports: set[int | None]) -> str | None:
    try:
        held = _opened(descriptor)
    except OSError:
        return None
    with held:
        if held.family not in {socket.AF_INET, socket.AF_INET6, socket.AF_UNIX}:
            return None
        try:
            own = held.getsockname()
            peer = held.getpeername()
        except OSError:
            # Without a peer it reaches nobody, unless it waits for others.
            return f"socket listening at {show_address(own)}" if _listens(held) and not allow.address(own) else None
        if allow.address(peer) or allow.address(own):
            return None
        if held.family == socket.AF_UNIX:
            return f"socket {show_address(peer)}" if peer else None
        return None if own[1] in ports else f"socket {show_address(peer)}"


def _opened(descriptor: int) -> socket.socket:
    return socket.socket(fileno=os.dup(descriptor))


def _listens(held: socket.socket) -> bool:
    return bool(held.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
