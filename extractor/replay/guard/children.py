"""How a forked child's faults reach the session: a line of JSON each, through a pipe that the fork inherits.

A line is shorter than PIPE_BUF, so that children never write into each other's lines (pipe(7)); programs that are
executed do not inherit the pipe.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ..faults import (
    AdapterFailed,
    CallMismatch,
    HarnessDefect,
    LiveCall,
    NotExpressible,
    NothingRecorded,
    ReplayFault,
)

_KINDS: Final[Mapping[str, type[ReplayFault]]] = {
    kind.label: kind for kind in (LiveCall, NothingRecorded, CallMismatch, HarnessDefect, AdapterFailed, NotExpressible)
}
_LONGEST: Final = 300  # letters a member; six members, six bytes for an escaped letter at worst, stay below PIPE_BUF
_PIPE_BUF: Final = 4096


@dataclass(frozen=True, slots=True)
class ChildRead:
    """A reading of the clock (``wall``, ``steady``) or a draw (``draw``) in a child, at ``module:line``."""

    kind: Literal["wall", "steady", "draw"]
    call: str
    place: str


Told: TypeAlias = ReplayFault | ChildRead


class Channel:
    """The pipe of one session; the parent drains it, forked children send."""

    __slots__ = ("_read", "_rest", "_write")

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        self._rest = b""

    def send(self, told: Told) -> None:
        """Tell the parent; what finds a full pipe, or no parent, is lost: the call was blocked all the same."""
        line = json.dumps(_members(told)).encode("ascii") + b"\n"
        try:
            os.write(self._write, line if len(line) <= _PIPE_BUF else _shortened(told))
        except OSError:
            return

    def drain(self) -> list[Told]:
        """Return what children have told since the last time."""
        received, _ = self._receive()
        return received

    def close(self) -> tuple[list[Told], bool]:
        """Return what is left, and whether a child still holds the other end: it outlives the session."""
        os.close(self._write)
        received, ended = self._receive()
        os.close(self._read)
        self._read = self._write = -1  # the numbers will soon be somebody else's
        return received, not ended

    def _receive(self) -> tuple[list[Told], bool]:
        ended = False
        pieces = [self._rest]
        while True:
            try:
                piece = os.read(self._read, 1 << 16)
            except BlockingIOError:
                break
            if not piece:
                ended = True
                break
            pieces.append(piece)
        *lines, self._rest = b"".join(pieces).split(b"\n")
        return [told for told in map(_told, lines) if told is not None], ended


def _members(told: Told) -> Mapping[str, str | None]:
    if isinstance(told, ChildRead):
        return {"kind": told.kind, "call": told.call[:_LONGEST], "place": told.place[:_LONGEST]}
    texts = {
        "message": told.message,
        "code": told.code,
        "called": told.called,
        "nearest": told.nearest,
        "path": told.path,
        "cure": told.cure,
    }
    return {"kind": told.label, **{name: text and text[:_LONGEST] for name, text in texts.items()}}


def _shortened(told: Told) -> bytes:
    if isinstance(told, ChildRead):
        return b""
    bare = {"kind": told.label, "message": f"a fault in a forked child: {told.code[:80]}", "code": told.code[:80]}
    return json.dumps(bare).encode("ascii") + b"\n"


def _told(line: bytes) -> Told | None:
    try:
        members = json.loads(line)
    except ValueError:
        return None
    kind = members.pop("kind")
    if kind in _KINDS:
        return _KINDS[kind](members.pop("message"), **members)
    return ChildRead(kind, members["call"], members["place"])
