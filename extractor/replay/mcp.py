"""Agents that call tools over MCP: their sessions are answered from a recording, and no server is started or reached."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CellType, FunctionType, ModuleType
from typing import Final, Protocol, TypeAlias

from extractor.model.json import JsonValue, compact

from .faults import LiveCall, RecordedToolError, ReplayFault
from .patching import Install, Patches, Watched

CallTool: TypeAlias = Callable[[str, Mapping[str, object]], JsonValue]
"""Return the recorded result of a call; raises `RecordedToolError`, or a `ReplayFault` where nothing answers it."""

_SESSION: Final = "mcp.client.session"
_TRANSPORTS: Final = {
    "mcp.client.stdio": ("stdio_client",),
    "mcp.client.sse": ("sse_client",),
    "mcp.client.streamable_http": ("streamable_http_client", "streamablehttp_client"),
    "mcp.client.websocket": ("websocket_client",),
}
_OPEN_SCHEMA: Final[dict[str, JsonValue]] = {"type": "object", "additionalProperties": True}
_METHOD_NOT_FOUND = -32601


class _Model(Protocol):
    def model_dump(self, *, by_alias: bool, mode: str, exclude_none: bool) -> dict[str, JsonValue]: ...


class ScriptedMcp:
    """An open interception of MCP sessions."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched

    def state(self) -> dict[str, str]:
        """Return per module of ``mcp`` ``patched``, ``absent`` (not loaded so far) or ``failed: ERROR``."""
        return self._watched.state()


@contextmanager
def scripted_mcp(
    call_tool: CallTool, tools: Sequence[str], report: Callable[[ReplayFault], None]
) -> Iterator[ScriptedMcp]:
    """Answer every MCP client session of this process while the context is open.

    ``tools`` are the names that a listing gives, each with an open schema: a case records calls, not declarations. Tool calls
    are answered by ``call_tool``: a recorded failure is a result with ``isError``, as MCP has it. The transports connect to
    nothing. Resources, prompts and the rest are reported as `LiveCall` and raised.

    A fault leaves a session's task group inside a ``BaseExceptionGroup``, as whatever is raised there does.
    """
    answer = _answering(call_tool, tuple(dict.fromkeys(tools)), report)
    installs: dict[str, Install] = {_SESSION: _sessions(answer)}
    installs |= {module: _transports(names) for module, names in _TRANSPORTS.items()}
    watched = Watched(installs)
    with watched:
        yield ScriptedMcp(watched)


_Answer: TypeAlias = Callable[[str, Mapping[str, JsonValue]], dict[str, JsonValue]]


def _answering(call_tool: CallTool, tools: tuple[str, ...], report: Callable[[ReplayFault], None]) -> _Answer:
    def answer(method: str, params: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        if method == "tools/call":
            arguments = params.get("arguments")
            return _result(call_tool, str(params.get("name")), arguments if isinstance(arguments, dict) else {})
        if method == "tools/list":
            return {"tools": [{"name": name, "inputSchema": dict(_OPEN_SCHEMA)} for name in tools]}
        if method == "initialize":
            told: dict[str, JsonValue] = {
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "replay", "version": "1"},
            }
            return {"protocolVersion": params.get("protocolVersion"), **told}
        if method == "ping":
            return {}
        fault = LiveCall(
            f"mcp:{method} is no tool call, and a recording answers tool calls alone; it was not sent",
            code="mcp_request",
            called=f"mcp:{method}",
            cure="put what the agent reads there behind a tool, or behind a function that the test replaces",
        )
        report(fault)
        raise fault

    return answer


def _result(call_tool: CallTool, tool: str, arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    try:
        value = call_tool(tool, arguments)
    except RecordedToolError as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}
    if _is_result(value) and isinstance(value, dict):
        return value
    text = value if isinstance(value, str) else compact(value)
    result: dict[str, JsonValue] = {"content": [{"type": "text", "text": text}], "isError": False}
    return {**result, "structuredContent": value} if isinstance(value, dict) else result


def _is_result(value: JsonValue) -> bool:
    """Say whether the recording holds a whole result of MCP, as some instrumentations do, and not what it carries."""
    content = value.get("content") if isinstance(value, dict) else None
    return isinstance(content, list) and all(isinstance(each, dict) and "type" in each for each in content)


def _sessions(answer: _Answer) -> Install:
    def patch(module: ModuleType, patches: Patches) -> None:
        session = module.ClientSession

        async def send_request(_self: object, request: _Model, result_type: object, *_: object, **__: object) -> object:
            # Before version 2 a request was wrapped once more.
            inner: _Model = getattr(request, "root", request)
            data = inner.model_dump(by_alias=True, mode="json", exclude_none=True)
            params = data.get("params")
            raw = answer(str(data["method"]), params if isinstance(params, dict) else {})
            validate = getattr(result_type, "validate_python", None) or getattr(result_type, "model_validate")  # noqa: B009
            return validate(raw)

        async def send_notification(_self: object, *_: object, **__: object) -> None:
            """There is nobody to notify."""

        patches.attribute(session, "send_request", send_request)
        patches.attribute(session, "send_notification", send_notification)
        if hasattr(session, "send_discover"):
            error = importlib.import_module("mcp.shared.exceptions").MCPError

            async def send_discover(_self: object, *_: object, **__: object) -> object:
                # As a server of an earlier revision answers: the client then shakes hands with `initialize`.
                raise error(_METHOD_NOT_FOUND, "Method not found")

            patches.attribute(session, "send_discover", send_discover)

    return patch


def _transports(names: tuple[str, ...]) -> Install:
    def patch(module: ModuleType, patches: Patches) -> None:
        # Version 1 hands out a third member for HTTP: what gives the id of the session.
        three = hasattr(module, "streamablehttp_client")
        for function in (found for name in names if isinstance(found := getattr(module, name, None), FunctionType)):
            # Others hold the function under names of their own (`from mcp import stdio_client`), so that it is changed
            # inside: the generator that `asynccontextmanager` keeps.
            cell = _generator(function)
            before = cell.cell_contents
            patches.later(lambda cell=cell, before=before: setattr(cell, "cell_contents", before))  # type: ignore[misc]
            cell.cell_contents = _unconnected(three=three)

    return patch


def _generator(function: FunctionType) -> CellType:
    """Return the cell that holds the generator function of a context manager; raises `LookupError` for any other."""
    for cell in function.__closure__ or ():
        inner = cell.cell_contents
        if inspect.isasyncgenfunction(inner):
            return cell
        if isinstance(inner, FunctionType):
            return _generator(inner)
    raise LookupError


def _unconnected(*, three: bool) -> Callable[..., AsyncIterator[tuple[object, ...]]]:
    """Return a transport whose streams nobody reads and nobody feeds."""

    async def transport(*_: object, **__: object) -> AsyncIterator[tuple[object, ...]]:
        # mcp itself stands on it.
        open_stream = importlib.import_module("anyio").create_memory_object_stream
        feed, read = open_stream(0)
        write, drain = open_stream(math.inf)
        async with feed, read, write, drain:
            yield (read, write, lambda: None) if three else (read, write)

    return transport
