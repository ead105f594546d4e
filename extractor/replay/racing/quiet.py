"""Whether a thread can go on by itself: what its stack says, and, where the stack does not say, that it stays where it is.

A wait in the standard library is read off its frame: a condition whose waiter is still locked, a join of a thread that still
lives, a pool thread with an empty queue, an event loop in ``select`` with nothing ready. A raw lock, a sleep or a long call of
C looks the same from outside, so such a thread counts as held once it has stood at one instruction for `SETTLE_S`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from threading import Thread
from time import monotonic
from types import FrameType
from typing import Final

SETTLE_S: Final = 0.02
_LOOKS: Final = 6


class State(IntEnum):
    """How still a thread is. ``HELD`` may end by itself (a time-out, a sleep, input); ``FOREVER`` needs another thread."""

    MOVING = 0
    HELD = 1
    FOREVER = 2


@dataclass(slots=True)
class Watch:
    """Looks at threads again and again; one watch for one run."""

    gone: Callable[[Thread], bool]
    """Whether a thread has ended as far as the agent is concerned; who joins it is about to move."""
    _seen: dict[int, tuple[tuple[int, int], float, int]] = field(default_factory=dict)

    def state(self, thread: Thread, frames: dict[int, FrameType]) -> State:
        """Return how still a thread is now; ``frames`` are those of `sys._current_frames`."""
        frame = frames.get(thread.ident or 0)
        if frame is None:
            return State.MOVING
        known = self._known(frame)
        return known if known is not None else self._standing(thread.ident or 0, frame)

    def _known(self, frame: FrameType) -> State | None:
        name, file = frame.f_code.co_name, Path(frame.f_code.co_filename)
        if name == "wait" and file.name == "threading.py" and "waiter" in frame.f_locals:
            return _waiting(frame.f_locals["waiter"].locked(), frame.f_locals.get("timeout"))
        if file.name == "threading.py" and name in ("_wait_for_tstate_lock", "join"):
            joined = frame.f_locals.get("self")
            alive = isinstance(joined, Thread) and joined.is_alive() and not self.gone(joined)
            return _waiting(alive, _timeout(frame))
        if name == "_worker" and file.parts[-3:] == ("concurrent", "futures", "thread.py"):
            return _waiting(frame.f_locals["work_queue"].empty(), None)
        if file.name == "selectors.py" and name == "select":
            return _loop(frame)
        return None

    def _standing(self, ident: int, frame: FrameType) -> State:
        place, now = (id(frame), frame.f_lasti), monotonic()
        before, since, looks = self._seen.get(ident, (None, now, 0))
        if before != place:
            self._seen[ident] = (place, now, 1)
            return State.MOVING
        self._seen[ident] = (place, since, looks + 1)
        return State.HELD if now - since >= SETTLE_S and looks >= _LOOKS else State.MOVING


def frames() -> dict[int, FrameType]:
    """Return where every thread of the process stands."""
    return sys._current_frames()  # noqa: SLF001  # documented, for debugging tools, which this is in part


def _waiting(still: bool, timeout: object) -> State:
    if not still:
        return State.MOVING
    return State.FOREVER if timeout is None else State.HELD


def _timeout(frame: FrameType) -> object:
    if frame.f_code.co_name == "join":
        return frame.f_locals.get("timeout")
    return None if frame.f_locals.get("timeout", -1) in (-1, None) else frame.f_locals["timeout"]


def _loop(frame: FrameType) -> State | None:
    above = frame.f_back
    loop = above.f_locals.get("self") if above is not None and above.f_code.co_name == "_run_once" else None
    ready = getattr(loop, "_ready", None)
    if ready is None:
        return None
    if ready:
        return State.MOVING
    selector = getattr(loop, "_selector", None)
    inputs = len(selector.get_map()) if selector is not None else 0
    # One input is the loop's own bell; timers and further inputs may wake it.
    return State.HELD if getattr(loop, "_scheduled", None) or inputs > 1 else State.FOREVER
