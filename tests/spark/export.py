"""An export of invented incidents in several files and containers, with faults in it; every person in it is a canary."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

START = 1_780_000_000_000_000_000
TRACES = 24
DEEP, LINKING, LINKED = 5, 7, 8
_FIRST = ["Tarqu", "Velm", "Oxil", "Jorv", "Quill", "Brann", "Fesk", "Myrt"]
_LAST = ["axmoor", "ovinth", "urdale", "esktree", "ilbeck", "orrund", "ampster", "eldwyn"]
_WORDS = ["parcel", "kettle", "blanket", "lantern", "saddle", "teapot", "mirror", "basket", "hammer", "ladder"]


@dataclass(frozen=True, slots=True)
class Incident:
    """One conversation. ``person`` and what is made of it must never be seen outside of the export."""

    number: int

    @property
    def trace_id(self) -> str:
        return hashlib.sha256(f"trace {self.number}".encode()).hexdigest()[:32]

    @property
    def person(self) -> str:
        first = _FIRST[self.number % 8] + "ia"
        return f"{first} {_FIRST[(self.number * 5 + 3) % 8]}{_LAST[self.number // 3 % 8]}"

    @property
    def mail(self) -> str:
        return f"{self.person.lower().replace(' ', '.')}{self.number}@example.com"

    @property
    def order(self) -> str:
        return f"ORD-{70_000_000 + self.number * 7919}"

    @property
    def canaries(self) -> tuple[str, ...]:
        return (self.person, self.person.split()[1], self.mail, self.order)


def incidents() -> list[Incident]:
    return [Incident(number) for number in range(TRACES)]


def write(folder: Path) -> list[str]:
    """Write the export and return its files."""
    folder.mkdir(parents=True)
    draw = random.Random(7)
    spans = [(one.number, span) for one in incidents() for span in _spans(one)]
    draw.shuffle(spans)
    # Traces of one kind in one file each; those of the first kind in two.
    lines = [json.dumps(_request([span])) for number, span in spans if number % 4 == 0]
    half = len(lines) // 2
    broken = [
        '{"resourceSpans": [{"scopeSpans"',
        "",
        '{"resourceSpans": [], "resourceSpans": []}',
        '["no object at all", 1]',
    ]
    (folder / "a-lines.jsonl").write_text("\n".join([*lines[:half], *broken, *lines[half:-4]]) + "\r\n")
    (folder / "b-rest.jsonl.gz").write_bytes(gzip.compress(("\n".join(lines[-4:])).encode(), mtime=0))
    document = _request([span for number, span in spans if number % 4 == 1])
    (folder / "c-document.json").write_text(json.dumps(document, indent=1))
    messages = [_message([span]) for number, span in spans if number % 4 == 2]
    (folder / "d-messages.binpb").write_bytes(b"".join(len(one).to_bytes(4, "big") + one for one in messages))
    rows = [_row(span) for number, span in spans if number % 4 == 3]
    pq.write_table(pa.Table.from_pylist(rows), folder / "e-table.parquet", row_group_size=16)
    return sorted(str(path) for path in folder.iterdir())


def _spans(one: Incident) -> Iterator[dict[str, object]]:
    draw = random.Random(one.number)
    amount = draw.randrange(10, 900)
    thing, other = draw.sample(_WORDS, 2)
    asked = (
        f"Hello, this is {one.person}. My order {one.order} came with a broken {thing} instead of the {other}."
        f" Please refund the {amount}.50 dollars and write to {one.mail}."
    )
    said = f"I have refunded {amount}.50 dollars for order {one.order}, {one.person.split()[0]}."
    result = {"order_id": one.order, "customer": {"name": one.person, "email": one.mail}, "total": amount + 0.5}
    history = json.dumps([{"role": "user", "parts": [{"type": "text", "content": asked}]}])
    answer = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": said}]}])
    yield _span(
        one, 1, "invoke_agent refunds", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "refunds"}
    )
    yield _span(
        one,
        2,
        "chat",
        {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4.1", "gen_ai.input.messages": history},
    )
    inner = "[" * 250 + "]" * 250 if one.number == DEEP else json.dumps(result)
    yield _span(one, 3, "execute_tool find_order", _tool("find_order", {"order_id": one.order}, inner))
    yield _span(
        one,
        4,
        "execute_tool refund_order",
        {**_tool("refund_order", {"order_id": one.order, "amount": amount + 0.5}, None), "error.type": "timeout"},
        failed=f"no answer for {one.mail} after 5000 ms",
    )
    yield _span(
        one,
        5,
        "chat",
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-4.1",
            "gen_ai.input.messages": history,
            "gen_ai.output.messages": answer,
        },
    )


def _tool(name: str, arguments: dict[str, object], result: str | None) -> dict[str, str]:
    found = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": f"call_{name}",
        "gen_ai.tool.call.arguments": json.dumps(arguments),
    }
    return found if result is None else {**found, "gen_ai.tool.call.result": result}


def _span(one: Incident, number: int, name: str, attributes: dict[str, str], *, failed: str = "") -> dict[str, object]:
    start = START + one.number * 10**12 + number * 10**9
    found: dict[str, object] = {
        "traceId": one.trace_id,
        "spanId": f"{one.number + 1:08x}{number:08x}",
        "name": name,
        "kind": 1,
        "startTimeUnixNano": str(start if number > 1 else start - 10**8),
        "endTimeUnixNano": str(start + 9 * 10**8 if number > 1 else start + 10**10),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
        "status": {"code": 2, "message": failed} if failed else {},
    }
    if number > 1:
        found["parentSpanId"] = f"{one.number + 1:08x}{1:08x}"
    if one.number == LINKING and number == 1:
        other = Incident(LINKED)
        found["links"] = [{"traceId": other.trace_id, "spanId": f"{LINKED + 1:08x}{1:08x}"}]
    return found


def _request(spans: list[dict[str, object]]) -> dict[str, object]:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "refund-agent"}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "agent"}, "spans": spans}]}]}


def _message(spans: list[dict[str, object]]) -> bytes:
    coded = [
        {
            **span,
            **{name: _base64(str(span[name])) for name in ("traceId", "spanId", "parentSpanId") if name in span},
            "links": [],
        }
        for span in spans
    ]
    return ParseDict(_request(coded), TracesData()).SerializeToString()


def _base64(digits: str) -> str:
    import base64

    return base64.b64encode(bytes.fromhex(digits)).decode()


def _row(span: dict[str, object]) -> dict[str, object]:
    attributes = {one["key"]: one["value"]["stringValue"] for one in span["attributes"]}  # type: ignore[union-attr, index, call-overload, attr-defined]
    status = span["status"]
    return {
        "trace_id": span["traceId"],
        "span_id": span["spanId"],
        "parent_span_id": span.get("parentSpanId"),
        "name": span["name"],
        "start_time_unix_nano": int(str(span["startTimeUnixNano"])),
        "end_time_unix_nano": int(str(span["endTimeUnixNano"])),
        "attributes": json.dumps(attributes),
        "links": json.dumps(span.get("links", [])),
        "status_code": "ERROR" if status else "UNSET",
        "status_message": status.get("message") if isinstance(status, dict) else None,
        "service_name": "refund-agent",
    }
