"""One opening of the page: its cases, who may see them, and when it ends."""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .ports import Decide, Desk, Outcome

_TICK = 0.5  # seconds


@dataclass(slots=True, kw_only=True)
class Review:
    """The cases of one opening of the page, and who may see them: whoever posts the code, once, from this machine."""

    cases: Sequence[Path]
    desk: Desk
    decide: Decide | None = None
    idle_seconds: float = 3_600.0
    code: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    address: str = ""
    _session: str = field(default="", repr=False)
    outcomes: dict[int, Outcome] = field(default_factory=dict, repr=False)
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    _closed: threading.Event = field(default_factory=threading.Event, repr=False)
    _touched: float = field(default_factory=time.monotonic, repr=False)

    @property
    def host(self) -> str:
        """The only ``Host`` that is answered."""
        return self.address.removeprefix("http://")

    @property
    def cookie(self) -> str:
        """The session cookie's name; cookies do not know ports, so the name does."""
        return f"review_{self.host.rpartition(':')[2]}"

    def open_with(self, code: str) -> str | None:
        """Return a new session for the right code, None for another one; a code opens once."""
        with self.lock:
            if not self.code or not hmac.compare_digest(code.encode(), self.code.encode()):
                return None
            self.code, self._session = "", secrets.token_urlsafe(32)
            return self._session

    def knows(self, session: str) -> bool:
        """Say whether a cookie is this opening's session."""
        return bool(self._session) and hmac.compare_digest(session.encode(), self._session.encode())

    def touch(self) -> None:
        """Take note that somebody is there."""
        self._touched = time.monotonic()

    def close(self) -> None:
        """End the page."""
        self._closed.set()

    def wait(self) -> None:
        """Return when the page was closed, or nobody has used it for so long."""
        while not self._closed.wait(_TICK) and time.monotonic() - self._touched < self.idle_seconds:
            pass
