"""One HTTP request of an agent and its answer, whatever client carried them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request that a client was about to send. ``path`` is as sent, without host and query; ``query`` without ``?``."""

    library: str
    method: str
    path: str
    query: str = ""
    body: bytes = b""

    @property
    def name(self) -> str:
        """The call as reports name it: ``POST /v1/embeddings on httpx``; a path is cut and holds no control character."""
        path = ascii(self.path)[1:-1]
        path = path if len(path) <= _SHOWN else f"{path[:_SHOWN]}…"
        return f"{self.method.upper()} {path} on {self.library}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer of a provider, always status 200. ``chunks`` are its bytes as they come: one, or one an event."""

    content_type: str
    chunks: tuple[bytes, ...]
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        """All bytes at once."""
        return b"".join(self.chunks)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The header fields."""
        return [("content-type", self.content_type), *self.headers.items()]


Serve: TypeAlias = Callable[[Call], Reply]
"""Answer a request from the recording, or raise a `ReplayFault`; never sends anything."""
