"""aiohttp: a connection that has the answer already; parsing it is left to aiohttp, as it differs from version to version."""

from __future__ import annotations

import asyncio
import importlib
from types import ModuleType
from typing import Protocol

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


def install(serve: Serve) -> Install:
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
            protocol = handler(asyncio.get_running_loop())
            protocol.connection_made(_Nowhere())
            protocol.data_received(_raw(reply))
            return connection(self, req.connection_key, protocol, asyncio.get_running_loop())

        patches.attribute(module.BaseConnector, "connect", connect)

    return patch


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
