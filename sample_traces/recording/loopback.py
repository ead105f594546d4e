"""An HTTP server and a client on a Unix socket: real requests, real time-outs, simulated time."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any, TypeAlias

import h11
import httpx
from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor

from .world import Service, World

Event: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Event]]
Send: TypeAlias = Callable[[Event], Awaitable[None]]
Application: TypeAlias = Callable[[Event, Receive, Send], Awaitable[None]]

HEADERS = ["idempotency-key", "x-request-deadline", "idempotent-replayed"]
ENVIRONMENT = {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "http",
    "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_REQUEST": ",".join(HEADERS[:2]),
    "OTEL_INSTRUMENTATION_HTTP_CAPTURE_HEADERS_CLIENT_RESPONSE": HEADERS[2],
}
"""What the HTTP client instrumentation reads from the environment, once a process."""

ONE_WAY_MS = 6.5


class Loopback:
    """A service behind a socket in a temporary folder, and the instrumented client that calls it.

    The client believes in the host of its URL; the server sees a client at a documentation address.
    """

    def __init__(self, world: World, client: Service, server: Service, application: Application) -> None:
        self._world = world
        self._folder = tempfile.TemporaryDirectory(prefix="loopback-")
        self._socket = str(Path(self._folder.name) / "socket")
        self._application = OpenTelemetryMiddleware(
            application,
            tracer_provider=world.provider(server),
            http_capture_headers_server_request=HEADERS[:2],
            http_capture_headers_server_response=HEADERS[2:],
        )
        self._server = world.finish(asyncio.start_unix_server(self._serve, self._socket))
        self._client = httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=self._socket), headers={"user-agent": client.name}
        )
        HTTPXClientInstrumentor.instrument_client(self._client, tracer_provider=world.provider(client))

    def post(self, url: str, body: object, headers: Mapping[str, str], timeout_s: float) -> httpx.Response:
        """Send a request; raises `httpx.ReadTimeout` when no answer came within ``timeout_s`` simulated seconds."""
        return self._world.finish(self._client.post(url, json=body, headers=headers, timeout=timeout_s))

    def close(self) -> None:
        """Stop client and server and remove the socket."""
        self._world.finish(self._client.aclose())
        self._server.close()
        self._folder.cleanup()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = h11.Connection(h11.SERVER)
        request = await _next(connection, reader)
        body = b""
        while isinstance(part := await _next(connection, reader), h11.Data):
            body += part.data
        if isinstance(request, h11.Request):
            await asyncio.sleep(ONE_WAY_MS / 1_000)
            await self._answer(request, body, connection, writer)
        writer.close()

    async def _answer(
        self, request: h11.Request, body: bytes, connection: h11.Connection, writer: asyncio.StreamWriter
    ) -> None:
        async def receive() -> Event:
            return {"type": "http.request", "body": body, "more_body": False}

        answer = b""

        async def send(event: Event) -> None:
            nonlocal answer
            if event["type"] == "http.response.start":
                headers = [*event["headers"], (b"connection", b"close")]
                answer += connection.send(h11.Response(status_code=event["status"], headers=headers)) or b""
                return
            answer += connection.send(h11.Data(data=event["body"])) or b""
            answer += connection.send(h11.EndOfMessage()) or b""

        await self._application(_scope(request), receive, send)
        await asyncio.sleep(ONE_WAY_MS / 1_000)
        writer.write(answer)


async def _next(connection: h11.Connection, reader: asyncio.StreamReader) -> object:
    while (event := connection.next_event()) is h11.NEED_DATA:
        connection.receive_data(await reader.read(65_536))
    return event


def _scope(request: h11.Request) -> Event:
    target, _, query = request.target.partition(b"?")
    host = dict(request.headers)[b"host"].decode("ascii")
    return {
        "type": "http",
        "http_version": "1.1",
        "scheme": "http",
        "method": request.method.decode("ascii"),
        "path": target.decode("ascii"),
        "raw_path": target,
        "query_string": query,
        "root_path": "",
        "headers": list(request.headers),
        "client": ("192.0.2.41", 48_210),
        "server": (host, 80),
    }
