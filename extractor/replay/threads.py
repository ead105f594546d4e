"""Which threads a run has started and not ended: behind the end of a session nothing would hold them back."""

from __future__ import annotations

import sys
import threading
import time
from types import FrameType
from typing import Final

from .guard.clock_watch import beginning

_GRACE_S: Final = 0.25  # a thread that has done its work still needs a moment to end
_STEP_S: Final = 0.005
# A worker of these that waits for work calls nobody until somebody gives it some.
_WAITING: Final = {("concurrent.futures.thread", "_worker"), ("anyio._backends._asyncio", "run")}

_STARTERS: Final = frozenset({"threading", beginning.__module__})


class Threads:
    """The threads of this process at one moment, raw ones among them."""

    __slots__ = ("_before",)

    def __init__(self) -> None:
        self._before = frozenset(sys._current_frames())  # noqa: SLF001  # the only list that holds raw threads

    def outliving(self) -> tuple[str, ...]:
        """Return the place (``module.function``) of each younger thread that goes on, sorted; waits a moment for those that end.

        Workers of a pool that wait for work are passed over. A thread that got the number of one that was there is not seen.
        """
        until = time.monotonic() + _GRACE_S
        while ((found := self._running()) or beginning()) and time.monotonic() < until:
            time.sleep(_STEP_S)
        return tuple(sorted(found))

    def _running(self) -> list[str]:
        here = threading.get_ident()
        return [
            _place(frame)
            for ident, frame in sys._current_frames().items()  # noqa: SLF001  # as above
            if ident not in self._before and ident != here and not _waits(frame)
        ]


def _waits(frame: FrameType) -> bool:
    """Say whether a pool's own code stands where a thread stands, above the queue that it waits for."""
    at: FrameType | None = frame
    while at is not None and at.f_globals.get("__name__") in ("queue", "threading"):
        at = at.f_back
    if at is None or (at.f_globals.get("__name__"), at.f_code.co_name) not in _WAITING:
        return False
    # Work that was given to it and that it has not begun: still in the queue, or just taken out of it.
    queue = at.f_locals.get("work_queue") or getattr(at.f_locals.get("self"), "queue", None)
    return at.f_locals.get("work_item") is None and not getattr(queue, "qsize", int)()


def _place(frame: FrameType) -> str:
    """Return where a thread began, as far as it is code of somebody: not the thread's own beginning."""
    chain = [frame]
    while chain[-1].f_back is not None:
        chain.append(chain[-1].f_back)
    began = next((at for at in reversed(chain) if at.f_globals.get("__name__") not in _STARTERS), chain[-1])
    return f"{began.f_globals.get('__name__', 'unknown')}.{began.f_code.co_name}"
