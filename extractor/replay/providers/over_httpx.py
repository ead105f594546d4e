"""httpx and httpx2: the transports below every client, made before the session or in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import ModuleType
from typing import Protocol

from ..patching import Install, Patches
from .call import Call, Reply, Serve


class _Url(Protocol):
    raw_path: bytes


class _Request(Protocol):
    method: str
    url: _Url

    def read(self) -> bytes: ...

    async def aread(self) -> bytes: ...


def install(library: str, serve: Serve) -> Install:
    """Return what patches the transports of ``httpx`` or ``httpx2``."""

    def patch(module: ModuleType, patches: Patches) -> None:
        response = module.Response

        def handle_request(_self: object, request: _Request) -> object:
            reply = serve(_call(library, request, request.read()))
            # A stream, as from a connection: clients may read it raw or not at all.
            return response(200, headers=reply.fields, content=iter(reply.chunks))

        async def handle_async_request(_self: object, request: _Request) -> object:
            reply = serve(_call(library, request, await request.aread()))
            return response(200, headers=reply.fields, content=_chunks(reply))

        patches.attribute(module.HTTPTransport, "handle_request", handle_request)
        patches.attribute(module.AsyncHTTPTransport, "handle_async_request", handle_async_request)

    return patch


def _call(library: str, request: _Request, body: bytes) -> Call:
    path, _, query = request.url.raw_path.decode("ascii").partition("?")
    return Call(library=library, method=request.method, path=path, query=query, body=body)


async def _chunks(reply: Reply) -> AsyncIterator[bytes]:
    for chunk in reply.chunks:
        yield chunk
