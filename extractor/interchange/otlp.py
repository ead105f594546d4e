"""A case as a trace for a viewer: OTLP/JSON spans of the OpenTelemetry GenAI conventions, under ids of the case's id."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final

from ..errors import InputUnreadable
from ..model.json import JsonValue, compact, pretty
from ._document import Members, Source, answer, by_id, in_order, items, members, numbers, template, text, texts, written
from ._exported import Exported
from ._losses import losses

_LOST: Final = (
    "partial_order", "role", "retries", "receipts", "adapter", "resources", "templates", "facts", "documents", "alternates",
    "checks", "disclosures", "statements", "missing_evidence",
)  # fmt: skip
_MS = 1_000_000  # nanoseconds
_LEAST = 1_000  # nanoseconds between two starts, so that the order is read again
_SCOPE = "extract-fixture"
_OURS = "extract_fixture."
_USAGE: Final = {
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cache_read_tokens": "gen_ai.usage.cache_read.input_tokens",
    "cache_write_tokens": "gen_ai.usage.cache_creation.input_tokens",
    "reasoning_tokens": "gen_ai.usage.reasoning.output_tokens",
}
_SPAN_KINDS: Final = {"internal": 1, "client": 3}


def otlp(source: Source) -> Exported:
    """Return the case as one ExportTraceServiceRequest.

    Times are those of the case counted from `frozen_at` backwards, so that the last call ends there; a call without times
    stands behind those that had ended before it. Raises `InputUnreadable` for a case without an instant.
    """
    acts = _times(source)
    start, end = min(act[0] for act in acts.values()), max(act[1] for act in acts.values())
    root = _span(source, "run", "invoke_agent", (start - _LEAST, end), _of_the_run(source), parent=None)
    spans: list[JsonValue] = [root]
    for kind, index in in_order(source):
        place, times = f"{kind}[{index}]", acts[kind, index]
        if kind == "tools":
            spans.append(_tool(source, source.tools[index], place, times))
        else:
            spans.append(_turn(source, source.models[index], place, times))
    request: JsonValue = {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(_of_the_service(source))},
                "scopeSpans": [{"scope": {"name": _SCOPE}, "spans": spans}],
            }
        ]
    }
    return Exported(text=pretty(request), losses=losses(source, _LOST))


def _times(source: Source) -> Mapping[tuple[str, int], tuple[int, int]]:
    """Return start and end of each act in nanoseconds from the epoch; starts ascend in the order of the acts."""
    offsets = [offset for event in source.tools for offset in _offsets(event)]
    base = _instant(source.document.get("frozen_at")) - max(offsets, default=0)
    ends: dict[int, int] = {}
    found: dict[tuple[str, int], tuple[int, int]] = {}
    last = base - _LEAST
    order = in_order(source)
    for kind, index in order:
        event = source.tools[index] if kind == "tools" else source.models[index]
        ready = max((ends[attempt] for attempt in numbers(event.get("after")) if attempt in ends), default=base)
        begun, ended = _told(event, base) if kind == "tools" else (None, None)
        start = max(ready if begun is None else begun, last + _LEAST)
        found[kind, index] = (start, max(start, ended or start))
        last = start
        if kind == "tools":
            ends[index + 1] = found[kind, index][1]
    # A turn lasts until what it asked for begins.
    for (kind, index), following in pairwise(order):
        if kind == "llm":
            start = found[kind, index][0]
            found[kind, index] = (start, max(start, found[following][0] - _LEAST))
    return found or {("run", 0): (base, base)}


def _told(event: Members, base: int) -> tuple[int | None, int | None]:
    timing = members(event.get("timing"))
    begun, ended = (_ns(timing.get(name)) for name in ("dispatch_ms", "end_ms"))
    ended = _ns(timing.get("response_ms")) if ended is None else ended
    return (None if begun is None else base + begun), (None if ended is None else base + ended)


def _offsets(event: Members) -> Iterator[int]:
    timing = members(event.get("timing"))
    for name in ("dispatch_ms", "response_ms", "end_ms"):
        if (offset := _ns(timing.get(name))) is not None:
            yield offset


def _ns(value: JsonValue) -> int | None:
    return round(value * _MS) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _instant(value: JsonValue) -> int:
    try:
        moment = datetime.fromisoformat(text(value))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InputUnreadable("frozen_at is no instant with an offset")
    passed = moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (passed.days * 86_400 + passed.seconds) * 10**9 + passed.microseconds * 1_000


def _of_the_service(source: Source) -> dict[str, JsonValue]:
    deployment = members(source.document.get("deployment"))
    return {
        "service.name": deployment.get("service"),
        "service.version": deployment.get("version"),
        "deployment.environment.name": deployment.get("environment"),
        _OURS + "standing": source.standing,
    }


def _of_the_run(source: Source) -> dict[str, JsonValue]:
    document, who = source.document, members(source.document.get("identity"))
    flags = members(members(document.get("deployment")).get("flags"))
    return {
        "gen_ai.operation.name": "invoke_agent",
        "enduser.id": who.get("subject"),
        "app.tenant": who.get("tenant"),
        "enduser.roles": who.get("roles") or None,
        **{f"app.claims.{name}": value for name, value in members(who.get("claims")).items()},
        **{f"app.flag.{name}": value for name, value in flags.items()},
        "app.time_zone": document.get("time_zone"),
        "app.locale": document.get("locale"),
        "app.workflow.version": document.get("workflow_version"),
        "app.prompt.version": document.get("prompt_version"),
        _OURS + "case_id": source.case_id,
        _OURS + "fixture_hash": source.fixture_hash,
        _OURS + "frozen_at": document.get("frozen_at"),
    }


def _tool(source: Source, event: Members, place: str, times: tuple[int, int]) -> JsonValue:
    outcome, arguments = members(event.get("outcome")), event.get("arguments")
    failed = outcome.get("type") == "error"
    attributes: dict[str, JsonValue] = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": event.get("tool"),
        "gen_ai.tool.call.id": event.get("call_id"),
        "gen_ai.tool.call.arguments": None if arguments is None else written({"value": arguments}),
        "gen_ai.tool.call.result": None if failed else written(outcome),
        "error.type": outcome.get("error_type") if failed else None,
        **{_OURS + name: event.get(name) for name in ("attempt", "try", "role", "side_effect")},
        _OURS + "ended_by": outcome.get("ended_by"),
    }
    error = text(outcome.get("error")) or text(outcome.get("error_type")) if failed else None
    return _span(source, place, f"execute_tool {text(event.get('tool'))}", times, attributes, error=error)


def _turn(source: Source, turn: Members, place: str, times: tuple[int, int]) -> JsonValue:
    model = members(source.document.get("model"))
    own = model if model.get("name") == turn.get("model") else {}
    usage = members(turn.get("usage"))
    attributes: dict[str, JsonValue] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": own.get("provider"),
        "gen_ai.request.model": turn.get("model"),
        **{f"gen_ai.request.{name}": value for name, value in members(own.get("parameters")).items()},
        "gen_ai.input.messages": compact(_messages(source, turn.get("input"))),
        "gen_ai.output.messages": compact(_messages(source, turn.get("output"))),
        **{key: usage.get(name) for name, key in _USAGE.items()},
    }
    return _span(source, place, f"chat {text(turn.get('model'))}".strip(), times, attributes, kind="client")


def _messages(source: Source, ids: JsonValue) -> list[JsonValue]:
    known = by_id(source)
    return [
        {
            "role": message.get("role"),
            **({"name": message["name"]} if "name" in message else {}),
            "parts": [_part(source, part) for part in items(message.get("parts"))],
        }
        for name in texts(ids)
        if (message := known.get(name)) is not None
    ]


def _part(source: Source, part: Members) -> JsonValue:
    match part.get("type"):
        case "text" | "reasoning" as kind:
            return {"type": kind, "content": part.get("text")}
        case "tool_call":
            called = part.get("value_text", part.get("value"))
            return {"type": "tool_call", "id": part.get("call_id"), "name": part.get("tool"), "arguments": called}
        case "tool_result":
            return {"type": "tool_call_response", "id": part.get("call_id"), "response": answer(source, part)}
    named = template(source, part)
    return part.get("value") if named is None else {"type": "text", "content": named}


def _span(
    source: Source,
    place: str,
    name: str,
    times: tuple[int, int],
    attributes: Mapping[str, JsonValue],
    *,
    kind: str = "internal",
    error: str | None = None,
    parent: str | None = "run",
) -> JsonValue:
    return {
        "traceId": _id(source, "trace", 32),
        "spanId": _id(source, place, 16),
        **({} if parent is None else {"parentSpanId": _id(source, parent, 16)}),
        "name": name,
        "kind": _SPAN_KINDS[kind],
        "startTimeUnixNano": str(times[0]),
        "endTimeUnixNano": str(times[1]),
        "attributes": _attributes(attributes),
        "status": {} if error is None else {"code": 2, "message": error},
    }


def _id(source: Source, place: str, digits: int) -> str:
    return hashlib.sha256(f"{source.case_id}/{place}".encode()).hexdigest()[:digits]


def _attributes(values: Mapping[str, JsonValue]) -> list[JsonValue]:
    return [{"key": key, "value": _any(value)} for key, value in values.items() if value is not None]


def _any(value: JsonValue) -> JsonValue:
    """Return a value as OTLP's AnyValue; an integer beyond 64 bits is a text there."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)} if -(2**63) <= value < 2**63 else {"stringValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case list():
            return {"arrayValue": {"values": [_any(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": _attributes(value)}}
    return {}
