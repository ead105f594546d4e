"""Exports written by hand, independent of the reader: one set of spans in every container."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

import zstandard
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, TracesData

Node = dict[str, Any]
TRACE = "5b8efff798038103d269b633813fc60c"
OTHER = "aa11bb22cc33dd44ee55ff6600778899"
START = 1_750_000_000_000_000_000


def attribute(key: str, kind: str, value: Any) -> Node:
    return {"key": key, "value": {kind: value}}


def span(number: int, *, trace_id: str = TRACE, parent: int | None = 1, **members: Any) -> Node:
    """Return an OTLP/JSON span; number 1 is the root unless told otherwise."""
    node: Node = {
        "traceId": trace_id,
        "spanId": f"{number:016x}",
        "name": f"step {number}",
        "kind": 3,
        "startTimeUnixNano": str(START + number * 1_000_000),
        "endTimeUnixNano": str(START + number * 1_000_000 + 500_000),
        "attributes": [attribute("gen_ai.operation.name", "stringValue", "chat")],
        "status": {},
    }
    if parent is not None and number != 1:
        node["parentSpanId"] = f"{parent:016x}"
    return node | members


def request(*spans: Node) -> Node:
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": [attribute("service.name", "stringValue", "refund-agent")]},
                "scopeSpans": [{"scope": {"name": "agent.instrumentation", "version": "1.2"}, "spans": list(spans)}],
            }
        ]
    }


def rich() -> list[Node]:
    """Return requests whose spans use every kind of value, event, link and status."""
    values = [
        attribute("text", "stringValue", "Grüße, “quoted” \\ \u2028"),
        attribute("yes", "boolValue", True),
        attribute("no", "boolValue", False),
        attribute("big", "intValue", str(2**53 + 1)),
        attribute("low", "intValue", "-9223372036854775808"),
        attribute("third", "doubleValue", 0.1),
        attribute("whole", "doubleValue", 3.0),
        attribute("tiny", "doubleValue", 5e-324),
        attribute("nan", "doubleValue", "NaN"),
        attribute("inf", "doubleValue", "-Infinity"),
        attribute("raw", "bytesValue", base64.b64encode(b"\x00\xff\xfe>?").decode()),
        attribute(
            "list", "arrayValue", {"values": [{"stringValue": "a"}, {"intValue": "1"}, {"doubleValue": 1.0}, {}]}
        ),
        attribute(
            "map",
            "kvlistValue",
            {"values": [attribute("z", "intValue", "1"), attribute("a", "kvlistValue", {"values": []})]},
        ),
        {"key": "empty", "value": {}},
        attribute("twice", "stringValue", "first"),
        attribute("twice", "stringValue", "second"),
    ]
    event = {
        "name": "exception",
        "timeUnixNano": str(START + 42),
        "attributes": [attribute("exception.type", "stringValue", "ReadTimeout")],
        "droppedAttributesCount": 1,
    }
    link = {"traceId": TRACE, "spanId": f"{1:016x}", "traceState": "k=v", "attributes": values[:2]}
    first = span(1, kind=2, flags=256, traceState="vendor=x")
    second = span(
        2,
        attributes=values,
        events=[event],
        links=[link],
        status={"code": 2, "message": "timed out"},
        droppedAttributesCount=2,
        droppedEventsCount=1,
    )
    return [request(second, span(3)), request(first), request(span(4, kind=0), span(5, kind=5, status={"code": 1}))]


def lines(requests: list[Node]) -> bytes:
    return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in requests)


def pretty(requests: list[Node]) -> bytes:
    return b"".join(json.dumps(one, indent=2).encode() + b"\n" for one in requests)


def message(one: Node) -> bytes:
    """Return an OTLP/JSON request as protobuf."""
    data = TracesData()
    for batch in one["resourceSpans"]:
        out = data.resource_spans.add()
        _resource(out, batch)
        for group in batch["scopeSpans"]:
            scope = out.scope_spans.add()
            scope.scope.name, scope.scope.version = group["scope"]["name"], group["scope"]["version"]
            for node in group["spans"]:
                _proto_span(scope.spans.add(), node)
    return data.SerializeToString()


def big_endian(messages: list[bytes]) -> bytes:
    return b"".join(len(one).to_bytes(4, "big") + one for one in messages)


def delimited(messages: list[bytes]) -> bytes:
    return b"".join(_varint(len(one)) + one for one in messages)


def snake(value: Any) -> Any:
    """Return a document with snake_case members, as protobuf's own JSON writer can make it."""
    if isinstance(value, dict):
        return {re.sub(r"([A-Z])", lambda match: "_" + match[1].lower(), key): snake(one) for key, one in value.items()}
    return [snake(one) for one in value] if isinstance(value, list) else value


def base64_ids(value: Any) -> Any:
    """Return a document with ids and enums as protobuf's own JSON writer makes them."""
    if isinstance(value, list):
        return [base64_ids(one) for one in value]
    if not isinstance(value, dict):
        return value
    kinds = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"]
    out = {key: base64_ids(one) for key, one in value.items()}
    for key in ("traceId", "spanId", "parentSpanId"):
        if key in out:
            out[key] = base64.b64encode(bytes.fromhex(out[key])).decode()
    if "kind" in out:
        out["kind"] = "SPAN_KIND_" + kinds[out["kind"]]
    if isinstance(out.get("status"), dict) and "code" in out["status"]:
        out["status"]["code"] = "STATUS_CODE_" + ["UNSET", "OK", "ERROR"][out["status"]["code"]]
    return out


def span_objects(requests: list[Node]) -> list[Node]:
    """Return each span as an object of its own that carries its resource and scope."""
    return [
        node | {"resource": batch["resource"], "instrumentationScope": group["scope"]}
        for one in requests
        for batch in one["resourceSpans"]
        for group in batch["scopeSpans"]
        for node in group["spans"]
    ]


def every_container() -> dict[str, bytes]:
    """Return the rich spans, written in every way that must read the same."""
    requests = rich()
    whole = {"resourceSpans": [batch for one in requests for batch in one["resourceSpans"]]}
    messages = [message(one) for one in requests]
    text = lines(requests)
    return {
        "lines": text,
        "ascii lines": b"".join(json.dumps(one).encode() + b"\n" for one in requests),
        "no last newline": text.rstrip(),
        "BOM and CRLF": b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"),
        "blank lines": b"\n\n" + text.replace(b"\n", b"\n \n"),
        "one document": json.dumps(whole).encode(),
        "pretty document": json.dumps(whole, indent=4).encode(),
        "pretty, no indentation": json.dumps(whole, indent=0).encode(),
        "pretty, concatenated": pretty(requests),
        "array of requests": json.dumps(requests).encode(),
        "pretty array": json.dumps(requests, indent=1).encode(),
        "snake_case": lines(snake(requests)),
        "upper-case ids": re.sub(rb'(Id": ")([0-9a-f]+)"', lambda match: match[1] + match[2].upper() + b'"', text),
        "base64 ids": lines(base64_ids(requests)),
        "span objects": lines(span_objects(requests)),
        "snake_case span objects": lines(snake(span_objects(requests))),
        "list of spans": json.dumps(span_objects(requests)).encode(),
        "protobuf message": message(whole),
        "big-endian lengths": big_endian(messages),
        "varint lengths": delimited(messages),
        "JSON behind lengths": big_endian(text.splitlines()),
        "zstd messages behind lengths": big_endian([zstandard.compress(one) for one in messages]),
        "gzip": gzip.compress(text),
        "gzip members": b"".join(gzip.compress(one) for one in text.splitlines(keepends=True)),
        "gzip, padded": gzip.compress(text) + bytes(512),
        "zstd": zstandard.compress(text),
        "zstd frames": b"".join(zstandard.compress(one) for one in text.splitlines(keepends=True)),
        "gzip of protobuf": gzip.compress(big_endian(messages)),
        "zstd of a pretty document": zstandard.compress(json.dumps(whole, indent=4).encode()),
    }


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*out, number))


def _resource(out: ResourceSpans, batch: Node) -> None:
    for pair in batch["resource"]["attributes"]:
        _pair(out.resource.attributes.add(), pair)


def _proto_span(out: Any, node: Node) -> None:
    out.trace_id, out.span_id = bytes.fromhex(node["traceId"]), bytes.fromhex(node["spanId"])
    out.parent_span_id = bytes.fromhex(node.get("parentSpanId", ""))
    out.name, out.kind, out.flags = node["name"], node["kind"], node.get("flags", 0)
    out.trace_state = node.get("traceState", "")
    out.start_time_unix_nano, out.end_time_unix_nano = int(node["startTimeUnixNano"]), int(node["endTimeUnixNano"])
    out.status.code, out.status.message = node["status"].get("code", 0), node["status"].get("message", "")
    out.dropped_attributes_count = node.get("droppedAttributesCount", 0)
    out.dropped_events_count = node.get("droppedEventsCount", 0)
    for pair in node["attributes"]:
        _pair(out.attributes.add(), pair)
    for event in node.get("events", ()):
        added = out.events.add(name=event["name"], time_unix_nano=int(event["timeUnixNano"]))
        added.dropped_attributes_count = event["droppedAttributesCount"]
        for pair in event["attributes"]:
            _pair(added.attributes.add(), pair)
    for link in node.get("links", ()):
        added = out.links.add(trace_id=bytes.fromhex(link["traceId"]), span_id=bytes.fromhex(link["spanId"]))
        added.trace_state = link["traceState"]
        for pair in link["attributes"]:
            _pair(added.attributes.add(), pair)


def _pair(out: KeyValue, pair: Node) -> None:
    out.key = pair["key"]
    _value(out.value, pair["value"])


def _value(out: AnyValue, node: Node) -> None:
    for kind, value in node.items():
        match kind:
            case "stringValue":
                out.string_value = value
            case "boolValue":
                out.bool_value = value
            case "intValue":
                out.int_value = int(value)
            case "doubleValue":
                out.double_value = float(value)
            case "bytesValue":
                out.bytes_value = base64.b64decode(value)
            case "arrayValue":
                out.array_value.SetInParent()
                for item in value["values"]:
                    _value(out.array_value.values.add(), item)
            case "kvlistValue":
                out.kvlist_value.SetInParent()
                for item in value["values"]:
                    _pair(out.kvlist_value.values.add(), item)
