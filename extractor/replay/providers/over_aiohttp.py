"""aiohttp: a connection that has the answer already; parsing it is left to aiohttp, as it differs from version to version."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Protocol

from ..faults import HarnessDefect, ReplayFault
from ..patching import Install, Patches
from .call import Call, Reply, Serve


class _Url(Protocol):
    raw_path: str
    raw_query_string: str


class _Request(Protocol):
    method: str
    url: _Url
    body: object
    connection_key: object
    loop: asyncio.AbstractEventLoop


def install(serve: Serve, report: Callable[[ReplayFault], None]) -> Install:
    """Return what patches ``aiohttp``."""

    def patch(module: ModuleType, patches: Patches) -> None:
        connection = module.connector.Connection
        handler = importlib.import_module("aiohttp.client_proto").ResponseHandler

        async def connect(self: object, req: _Request, *_args: object, **_kwargs: object) -> object:
            call = Call(
                library="aiohttp",
                method=req.method,
                path=req.url.raw_path,
                query=req.url.raw_query_string,
                body=await _bytes(req.body),
            )
            reply = serve(call)
            try:
                protocol = handler(asyncio.get_running_loop())
                protocol.connection_made(_Nowhere())
                protocol.data_received(_raw(reply))
                return connection(self, req.connection_key, protocol, asyncio.get_running_loop())
            except Exception as error:  # noqa: BLE001  # its inside is nobody's promise: a version may break in any way
                raise _unknown(call, error, report) from None

        patches.attribute(module.BaseConnector, "connect", connect)

    return patch


def _unknown(call: Call, error: Exception, report: Callable[[ReplayFault], None]) -> HarnessDefect:
    fault = HarnessDefect(
        f"this version of aiohttp cannot be handed a recorded answer: {type(error).__name__}",
        code="not_served",
        called=call.name,
        cure="give the agent's client httpx where it has the choice, or replay it at a seam of its own (call_llm)",
    )
    report(fault)
    return fault


async def _bytes(body: object) -> bytes:
    if isinstance(body, (bytes, bytearray)):
        return bytes(body)
    held = getattr(body, "_value", None)
    if isinstance(held, (bytes, bytearray)):
        return bytes(held)
    as_bytes = getattr(body, "as_bytes", None)
    return bytes(await as_bytes()) if as_bytes is not None and body else b""


def _raw(reply: Reply) -> bytes:
    # Closed after the answer, so that it never lands among the connections that are kept for later.
    fields = [*reply.fields, ("content-length", str(len(reply.body))), ("connection", "close")]
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return f"HTTP/1.1 200 OK\r\n{head}\r\n".encode("ascii") + reply.body


class _Nowhere(asyncio.Transport):
    """A transport that takes everything and sends nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        pass

    def writelines(self, list_of_data: object) -> None:
        pass

    def is_closing(self) -> bool:
        return self._closed

    def close(self) -> None:
        self._closed = True

    def abort(self) -> None:
        self._closed = True

    def is_reading(self) -> bool:
        return True

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return 0
