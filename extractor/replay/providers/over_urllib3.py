"""requests, and urllib3 below it and below others (botocore)."""

from __future__ import annotations

import importlib
import io
from types import ModuleType
from typing import Protocol
from urllib.parse import urlsplit

from ..patching import Install, Patches
from .call import Call, Reply, Serve


class _Prepared(Protocol):
    method: str | None
    url: str | None
    body: object


class _Adapter(Protocol):
    def build_response(self, req: _Prepared, resp: object) -> object: ...


def install_requests(serve: Serve) -> Install:
    """Return what patches ``requests``."""

    def patch(module: ModuleType, patches: Patches) -> None:
        # requests cannot be loaded without it.
        urllib3 = importlib.import_module("urllib3")

        def send(self: _Adapter, request: _Prepared, *_args: object, **_kwargs: object) -> object:
            call = _call("requests", request.method or "GET", request.url or "", request.body)
            # Left encoded and unread: requests decodes and reads as its caller asks.
            return self.build_response(request, _response(urllib3, serve(call), preload_content=False))

        patches.attribute(module.adapters.HTTPAdapter, "send", send)

    return patch


def install_urllib3(serve: Serve) -> Install:
    """Return what patches ``urllib3``."""

    def patch(module: ModuleType, patches: Patches) -> None:
        def urlopen(
            _self: object,
            method: str,
            url: str,
            body: object = None,
            *_args: object,
            preload_content: bool = True,
            **_kwargs: object,
        ) -> object:
            return _response(module, serve(_call("urllib3", method, url, body)), preload_content=preload_content)

        patches.attribute(module.HTTPConnectionPool, "urlopen", urlopen)

    return patch


def _call(library: str, method: str, url: str, body: object) -> Call:
    parts = urlsplit(url)
    return Call(library=library, method=method, path=parts.path, query=parts.query, body=_bytes(body))


def _bytes(body: object) -> bytes:
    """Return a body that is at hand; one that must first be read (a file, a generator) belongs to no model call."""
    if isinstance(body, str):
        return body.encode()
    return bytes(body) if isinstance(body, (bytes, bytearray)) else b""


def _response(urllib3: ModuleType, reply: Reply, *, preload_content: bool) -> object:
    return urllib3.HTTPResponse(
        body=io.BytesIO(reply.body),
        headers=dict(reply.fields),
        status=200,
        reason="OK",
        preload_content=preload_content,
    )
