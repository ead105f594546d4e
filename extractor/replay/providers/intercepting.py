"""The context in which model calls are answered from a recording, and no other request leaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Final

from ..exchange import AnswerModel
from ..faults import HarnessDefect, ReplayFault
from ..patching import Install, Patches, Watched
from . import over_http_client, over_httpx, over_urllib3
from .answering import serving
from .call import Serve

NOT_INTERCEPTED: Final = (
    "clients over a transport of their own (httpx.MockTransport, ASGI, WSGI, a subclass with its own handle_request)",
    "WebSockets (OpenAI Realtime and Responses over a socket, Gemini Live)",
    "gRPC (google-cloud-aiplatform, google-cloud-generativelanguage)",
    "HTTP clients with C code of their own (pycurl, curl_cffi, niquests), and raw sockets",
    "child processes",
    "a client whose module stands under another name (pip's vendored copies)",
)
"""What reaches the network by another way; the guard of a session blocks it there, and no recording answers it."""

_lock = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Interception:
    """What is intercepted: per library ``patched``, ``absent`` or ``failed: ERROR``, and what is not at all."""

    libraries: Mapping[str, str]
    not_intercepted: tuple[str, ...] = NOT_INTERCEPTED


class Intercepted:
    """An open interception."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched

    def state(self) -> Interception:
        """Return what is intercepted at this moment; a library imported later is patched when it is imported."""
        return Interception(libraries=self._watched.state())


@contextmanager
def intercept(answer: AnswerModel, report: Callable[[ReplayFault], None], *, instant: int = 0) -> Iterator[Intercepted]:
    """Answer the model calls of this process from ``answer`` while the context is open, whatever the thread.

    Requests are recognised by path and body (OpenAI chat completions and responses, Anthropic messages, Google
    generateContent), whatever their host, and answered in the provider's own format, streamed where asked. Any other
    request is given to ``report`` as a `LiveCall` and raised, and never sent. ``instant`` is the time that answers bear, in
    seconds since the epoch. One interception may be open in a process: a second raises `HarnessDefect`.
    """
    if not _lock.acquire(blocking=False):
        fault = HarnessDefect(
            "another replay of this process is open, and the two would answer each other's calls",
            code="two_sessions",
            cure="run replays one after the other, or in processes of their own",
        )
        report(fault)
        raise fault
    try:
        serve = serving(answer, report, instant=instant)
        watched = Watched(
            {
                "httpx": over_httpx.install("httpx", serve),
                "httpx2": over_httpx.install("httpx2", serve),
                "requests": over_urllib3.install_requests(serve),
                "urllib3": over_urllib3.install_urllib3(serve),
                "aiohttp": _aiohttp(serve, report),
                "http.client": over_http_client.install(report),
            }
        )
        with watched:
            yield Intercepted(watched)
    finally:
        _lock.release()


def _aiohttp(serve: Serve, report: Callable[[ReplayFault], None]) -> Install:
    def patch(module: ModuleType, patches: Patches) -> None:
        # It needs asyncio, which is loaded wherever aiohttp is, and else takes half the time of this import.
        from .over_aiohttp import install

        install(serve, report)(module, patches)

    return patch
