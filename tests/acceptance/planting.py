"""A small agent trace in OTLP/JSON, every place of it where a text can be planted, and every way to write one."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

Node = dict[str, Any]
TRACE = "7c3a91e05b2d4f68a1c09e8d3b7f5a24"
START = 1_780_000_000_000_000_000

EMAIL = "ottiwell.brandreth@quarry.example.net"
SECRET = "sk-" + "live-" + "9fQ2xT7bLm4Zc8VdRk3W"
ACCOUNT = "7706410293"
PERSON = "Ottiwell Brandreth"
VALUES = {"email": EMAIL, "secret": SECRET, "account": ACCOUNT, "person": PERSON}


class Planted:
    """One trace: a turn of a support agent that calls one tool. Change it through its nodes, then take `lines`."""

    def __init__(self) -> None:
        asked = [{"role": "user", "parts": [{"type": "text", "content": "Please send me the status of my parcel."}]}]
        call = {"type": "tool_call", "id": "call_1", "name": "parcel.track", "arguments": {"parcel": "P-20731"}}
        answer = {"type": "text", "content": "It is on its way."}
        self.resource: list[Node] = [string("service.name", "parcel-agent")]
        self.scope: Node = {"name": "agent.instrumentation", "version": "1.2", "attributes": []}
        self.root = node(1, "POST /chat", 0, 9, kind=2)
        self.chat = node(2, "chat large-1", 1, 2, parent=1, **model(asked, [call]))
        self.tool = node(3, "execute_tool parcel.track", 3, 5, parent=1)
        self.tool["attributes"] = [
            string("gen_ai.operation.name", "execute_tool"),
            string("gen_ai.tool.name", "parcel.track"),
            string("gen_ai.tool.call.id", "call_1"),
            string("gen_ai.tool.call.arguments", '{"parcel":"P-20731"}'),
            string("gen_ai.tool.call.result", '{"state":"in transit"}'),
        ]
        self.final = node(4, "chat large-1", 6, 8, parent=1, **model(asked, [answer]))
        self.more: list[Node] = []

    def know(self) -> None:
        """Let the customer record say who the person is, so that every planted value is a known one."""
        record = {"full_name": PERSON, "email": EMAIL, "account_number": ACCOUNT, "api_key": SECRET}
        found = node(5, "execute_tool customer.get", 2, 3, parent=1)
        found["attributes"] = [
            string("gen_ai.operation.name", "execute_tool"),
            string("gen_ai.tool.name", "customer.get"),
            string("gen_ai.tool.call.arguments", "{}"),
            string("gen_ai.tool.call.result", json.dumps(record)),
        ]
        self.more.append(found)

    def put(self, span: Node, key: str, text: str) -> None:
        """Set a string attribute of a span, in place of the one it has."""
        span["attributes"] = [one for one in span["attributes"] if one["key"] != key] + [string(key, text)]

    def lines(self) -> bytes:
        spans = [self.root, self.chat, self.tool, self.final, *self.more]
        batch = {"resource": {"attributes": self.resource}, "scopeSpans": [{"scope": self.scope, "spans": spans}]}
        return json.dumps({"resourceSpans": [batch]}).encode() + b"\n"


def node(number: int, name: str, start: int, end: int, *, parent: int | None = None, **members: Any) -> Node:
    made: Node = {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(START + start * 10**9),
        "endTimeUnixNano": str(START + end * 10**9),
        "attributes": [],
        "events": [],
        "links": [],
        "status": {},
    }
    return made | ({} if parent is None else {"parentSpanId": f"{parent:016x}"}) | members


def model(said: list[Node], answered: list[Node]) -> Node:
    return {
        "attributes": [
            string("gen_ai.operation.name", "chat"),
            string("gen_ai.request.model", "large-1"),
            string("gen_ai.input.messages", json.dumps(said)),
            string("gen_ai.output.messages", json.dumps([{"role": "assistant", "parts": answered}])),
        ]
    }


def string(key: str, text: str) -> Node:
    return {"key": key, "value": {"stringValue": text}}


def valued(key: str, kind: str, value: Any) -> Node:
    return {"key": key, "value": {kind: value}}


def _event(span: Node, name: str, *attributes: Node) -> None:
    span["events"].append({"name": name, "timeUnixNano": str(START), "attributes": list(attributes)})


def _link(span: Node, *attributes: Node, state: str = "") -> None:
    link = {"traceId": "f" * 32, "spanId": "e" * 16, "traceState": state, "attributes": list(attributes)}
    span["links"].append(link)


def _said(role: str) -> Callable[[Planted, str], None]:
    def plant(trace: Planted, text: str) -> None:
        messages = [
            {"role": role, "parts": [{"type": "text", "content": f"Well, {text}."}]},
            {"role": "user", "parts": [{"type": "text", "content": "Please go on."}]},
        ]
        for span in (trace.chat, trace.final):
            trace.put(span, "gen_ai.input.messages", json.dumps(messages))

    return plant


def _array(text: str) -> Node:
    return {
        "values": [{"stringValue": "first"}, {"stringValue": text}, {"arrayValue": {"values": [{"stringValue": text}]}}]
    }


def _on(which: str, key: str) -> Callable[[Planted, str], None]:
    return lambda trace, text: trace.put(getattr(trace, which), key, text)


def _failing(trace: Planted, *, message: str = "it failed", kind: str = "Timeout", stack: str = "") -> None:
    trace.tool["status"] = {"code": 2, "message": message}
    trace.tool["attributes"] = [one for one in trace.tool["attributes"] if not one["key"].endswith("result")]
    told = [string("exception.type", kind), string("exception.message", message)]
    _event(trace.tool, "exception", *told, *([string("exception.stacktrace", stack)] if stack else []))


def _stack(text: str) -> str:
    return f'Traceback (most recent call last):\n  File "/srv/agent.py", line 3, in call\n    pay("{text}")\nTimeout: {text}\n'


POSITIONS: dict[str, Callable[[Planted, str], object]] = {
    "attribute key": lambda t, v: t.tool["attributes"].append(string(v, "told")),
    "attribute key, dotted": lambda t, v: t.tool["attributes"].append(string(f"app.{v}.seen", "told")),
    "string": lambda t, v: t.tool["attributes"].append(string("app.note", v)),
    "bytes": lambda t, v: t.tool["attributes"].append(
        valued("app.raw", "bytesValue", base64.b64encode(v.encode()).decode())
    ),
    "array": lambda t, v: t.tool["attributes"].append(valued("app.list", "arrayValue", _array(v))),
    "map value": lambda t, v: t.tool["attributes"].append(
        valued("app.map", "kvlistValue", {"values": [string("inner", v)]})
    ),
    "map key": lambda t, v: t.tool["attributes"].append(valued("app.map", "kvlistValue", {"values": [string(v, "x")]})),
    "attribute twice": lambda t, v: t.tool["attributes"].extend([string("app.twice", v), string("app.twice", "x")]),
    "resource value": lambda t, v: t.resource.append(string("app.owner.note", v)),
    "resource key": lambda t, v: t.resource.append(string(v, "x")),
    "service name": lambda t, v: t.resource.__setitem__(0, string("service.name", v)),
    "service version": lambda t, v: t.resource.append(string("service.version", v)),
    "environment": lambda t, v: t.resource.append(string("deployment.environment.name", v)),
    "scope name": lambda t, v: t.scope.update(name=v),
    "scope version": lambda t, v: t.scope.update(version=v),
    "scope attribute value": lambda t, v: t.scope["attributes"].append(string("made.by", v)),
    "scope attribute key": lambda t, v: t.scope["attributes"].append(string(v, "x")),
    "span name": lambda t, v: t.tool.update(name=f"execute_tool {v}"),
    "root span name": lambda t, v: t.root.update(name=f"POST /customers/{v}/chat"),
    "event name": lambda t, v: _event(t.tool, f"seen {v}"),
    "event attribute value": lambda t, v: _event(t.tool, "seen", string("by", v)),
    "event attribute key": lambda t, v: _event(t.tool, "seen", string(v, "x")),
    "link attribute value": lambda t, v: _link(t.tool, string("by", v)),
    "link attribute key": lambda t, v: _link(t.tool, string(v, "x")),
    "link trace state": lambda t, v: _link(t.tool, state=f"vendor={v}"),
    "trace state": lambda t, v: t.tool.update(traceState=f"vendor={v}"),
    "status message": lambda t, v: _failing(t, message=f"refused for {v}"),
    "exception message": lambda t, v: _failing(t, message=f"no answer for {v} within 2000 ms"),
    "exception type": lambda t, v: _failing(t, kind=v),
    "stack trace": lambda t, v: _failing(t, stack=_stack(v)),
    "error type": lambda t, v: (_failing(t), t.put(t.tool, "error.type", v)),
    "tool name": _on("tool", "gen_ai.tool.name"),
    "tool name, embedded": lambda t, v: t.put(t.tool, "gen_ai.tool.name", f"lookup {v}"),
    "tool description": _on("tool", "gen_ai.tool.description"),
    "call id": _on("tool", "gen_ai.tool.call.id"),
    "argument value": lambda t, v: t.put(t.tool, "gen_ai.tool.call.arguments", json.dumps({"parcel": v})),
    "argument key": lambda t, v: t.put(t.tool, "gen_ai.tool.call.arguments", json.dumps({v: 1})),
    "arguments as text": lambda t, v: t.put(t.tool, "gen_ai.tool.call.arguments", f"track for {v}"),
    "result value": lambda t, v: t.put(t.tool, "gen_ai.tool.call.result", json.dumps({"note": [f"see {v}", None]})),
    "result key": lambda t, v: t.put(t.tool, "gen_ai.tool.call.result", json.dumps({"by": {v: {"n": 1}}})),
    "result as text": lambda t, v: t.put(t.tool, "gen_ai.tool.call.result", f"Parcel of {v} is in transit."),
    "user message": _said("user"),
    "system message": _said("system"),
    "assistant message": _said("assistant"),
    "instructions": lambda t, v: t.put(
        t.chat, "gen_ai.system_instructions", json.dumps([{"type": "text", "content": f"You serve {v} today."}])
    ),
    "answer": lambda t, v: t.put(
        t.final,
        "gen_ai.output.messages",
        json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": f"Told {v} so."}]}]),
    ),
    "model name": _on("final", "gen_ai.response.model"),
    "requested model": _on("final", "gen_ai.request.model"),
    "finish reason": lambda t, v: t.final["attributes"].append(
        valued("gen_ai.response.finish_reasons", "arrayValue", {"values": [{"stringValue": v}]})
    ),
    "user id": _on("root", "enduser.id"),
    "role": _on("root", "enduser.role"),
    "claim": _on("root", "app.claims.of"),
    "tenant": _on("root", "app.tenant"),
    "conversation": _on("root", "gen_ai.conversation.id"),
    "locale": _on("root", "app.locale"),
    "time zone": _on("root", "app.time_zone"),
    "workflow version": _on("root", "app.workflow.version"),
    "prompt version": _on("root", "app.prompt.version"),
    "policy version": _on("root", "app.policy.version"),
    "flag": lambda t, v: (t.put(t.root, "feature_flag.key", v), t.put(t.root, "feature_flag.result.variant", v)),
    "grade": lambda t, v: (t.put(t.root, "eval.label", f"wrong for {v}"), t.put(t.root, f"eval.{v}", "bad")),
    "baggage": _on("root", "baggage"),
    "address of a service": lambda t, v: t.put(
        t.root, "url.full", f"https://api.example.com/v1/{quote(v)}?q={quote(v)}"
    ),
}


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _b64url(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _jwt(text: str) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": "x", "told": text, "exp": 1_780_000_000})
    return ".".join([*(_b64url(json.dumps(part)) for part in parts), "c2lnbmF0dXJlLW9mLXRoZS10b2tlbg"])


def _twice(text: str) -> str:
    return json.dumps({"payload": json.dumps({"inner": json.dumps({"who": text})})})


def _escaped(text: str) -> str:
    return json.dumps({"who": "".join(f"\\u{ord(char):04x}" for char in text)}).replace("\\\\u", "\\u")


ENCODINGS: dict[str, Callable[[str], str]] = {
    "JSON": lambda v: json.dumps({"who": v}),
    "JSON key": lambda v: json.dumps({v: 1}),
    "JSON thrice": _twice,
    "JSON in a sentence": lambda v: "The service said " + json.dumps({"who": v}) + " and stopped.",
    "JSON with escapes": _escaped,
    "Python": lambda v: repr({"who": v, "n": None}),
    "URL path": lambda v: f"https://api.example.com/customers/{quote(v)}/orders",
    "URL query": lambda v: f"https://api.example.com/find?who={quote(v)}&page=2",
    "URL query, plus": lambda v: "https://api.example.com/find?" + urlencode({"who": v}),
    "URL userinfo": lambda v: f"postgres://{quote(v, safe='')}:pw-{quote(v, safe='')}@db.example.com:5432/shop",
    "URL fragment": lambda v: f"https://app.example.com/#/customers/{quote(v)}",
    "URL in a sentence": lambda v: f"See https://api.example.com/find?who={quote(v)}, then ask.",
    "form body": lambda v: urlencode({"page": 2, "who": v, "next": "yes"}),
    "JWT": _jwt,
    "bearer JWT": lambda v: "Authorization: Bearer " + _jwt(v),
    "base64": _b64,
    "base64url": lambda v: _b64url(f"customer {v} asked"),
    "base64 of JSON": lambda v: _b64(json.dumps({"who": v})),
    "base64 in a sentence": lambda v: f"The cursor was {_b64(json.dumps({'who': v}))} and it failed.",
    "data URI": lambda v: "data:text/plain;base64," + _b64(f"for {v}"),
    "percent": lambda v: "".join(f"%{byte:02X}" for byte in v.encode()),
    "percent, some": lambda v: quote(v, safe=""),
    "percent twice": lambda v: quote(quote(v, safe=""), safe=""),
    "HTML": lambda v: f"<td>{html.escape(v)}</td><td>x</td>",
    "HTML decimal": lambda v: "".join(f"&#{ord(char)};" for char in v),
    "HTML hexadecimal": lambda v: "<b>" + "".join(f"&#x{ord(char):x};" for char in v) + "</b>",
    "key=value": lambda v: f'level=warn who="{v}" ms=12',
    "key=value, semicolons": lambda v: f"Server=db;Who={v};Port=1",
    "headers": lambda v: f"Host: api.example.com\r\nX-Customer: {v}\r\nAccept: */*\r\n",
    "cookie": lambda v: f"Cookie: theme=dark; who={quote(v)}; n=1",
    "basic credentials": lambda v: "Authorization: Basic " + _b64(f"{v}:{v}"),
    "backslash u": lambda v: "".join(f"\\u{ord(char):04x}" for char in v),
    "backslash u, some": lambda v: v.replace(v[2], f"\\u{ord(v[2]):04x}"),
    "upper case": str.upper,
    "zero-width": "\u200b".join,
    "full width": lambda v: "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in v),
    "lines": lambda v: f"who:\r\n\t{v}\r\nend",
    "XML": lambda v: f'<customer who="{html.escape(v)}"><![CDATA[{v}]]></customer>',
    "Markdown": lambda v: f"| **{v}** | [`{v}`](mailto:{quote(v)}) |",
    "CSV": lambda v: f'id,who,n\r\n1,"{v}",2\r\n',
    "underscores": lambda v: f"cache_{v}_hit",
    "path": lambda v: f"/var/spool/{v}/in.log",
}
