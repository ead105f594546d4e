"""Selection on generated traces: how its time grows with the spans, and how it stands beside reading the same trace.

Three shapes: *deep* (each agent calls the next), *wide* (one root above all), *noisy* (long histories sent again and again,
polling, retries, transport). Ten thousand spans each, and half as many: near-linear is a ratio near two.
"""

from __future__ import annotations

import gc
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from extractor import read, ruleset
from extractor.model.config import RunConfig, Wanted
from extractor.model.trace import Trace
from extractor.normalise import normalise
from extractor.select import select

SIZES = (5_000, 10_000)
RUNS = 3
TRACE_ID = "5e1ec7ed5e1ec7ed5e1ec7ed5e1ec7ed"
START_NS = 1_760_000_000_000_000_000
RULES = ruleset.load()

Member = dict[str, object]


def main() -> None:
    """Print seconds of reading, normalising and selecting for each shape and size, and the ratios."""
    print("shape, spans: read + normalise, select (seconds of one core, median of three); select beside parse; kept")
    for shape, build in (("deep", deep), ("wide", wide), ("noisy", noisy)):
        took: list[float] = []
        for size in SIZES:
            parsed, selected, kept = measured(build(size))
            took.append(selected)
            ratio = selected / parsed
            print(f"  {shape:6} {size:6,}: {parsed:6.2f} {selected:6.2f}  {ratio:5.2f} times parsing; {kept} kept")
        print(f"  {shape:6} twice the spans took {took[1] / took[0]:.2f} times as long")


def measured(spans: Sequence[Member]) -> tuple[float, float, int]:
    """Return the seconds to read and normalise, those to select, and how many spans were kept."""
    with tempfile.TemporaryDirectory() as scratch:
        export = Path(scratch) / "export.jsonl"
        with export.open("w", encoding="utf-8") as file:
            for first in range(0, len(spans), 512):
                scope: Member = {"scope": {"name": "bench"}, "spans": spans[first : first + 512]}
                file.write(json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": [scope]}]}) + "\n")
        trace = parsed(export)
        parsing = median(lambda: parsed(export))
    selection = select(trace, RULES, RunConfig())
    gc.collect()
    gc.freeze()  # else the collector walks the whole trace again and again, and selection is charged for it
    return parsing, median(lambda: select(trace, RULES, RunConfig())), len(selection.kept)


def parsed(export: Path) -> Trace:
    """Return the trace of an export."""
    return normalise(read.read([str(export)], Wanted(trace_ids=(TRACE_ID,))), RULES)


def median(job: Callable[[], object]) -> float:
    """Return the median of the processor seconds that a few runs take."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        job()
        times.append(time.process_time() - start)
    return statistics.median(times)


def deep(size: int) -> list[Member]:
    """Return a chain: every agent asks a model, calls a tool, and hands over to an agent below it."""
    made = _Spans(size)
    above = None
    while made.room(5):
        above = made.span("invoke_agent desk", above, {"gen_ai.operation.name": "invoke_agent"})
        made.exchange(above, [_said("user", "Please go on with the order.")])
    made.answer(above, [])
    return made.spans


def wide(size: int) -> list[Member]:
    """Return one root with everything directly below it."""
    made = _Spans(size)
    root = made.span("invoke_agent desk", None, {"gen_ai.operation.name": "invoke_agent"})
    while made.room(5):
        made.exchange(root, [_said("user", "Please go on with the order.")])
    made.answer(root, [])
    return made.spans


def noisy(size: int) -> list[Member]:
    """Return a conversation whose turns carry its last forty messages, among polls and updates of one resource."""
    made = _Spans(size)
    root = made.span("invoke_agent desk", None, {"gen_ai.operation.name": "invoke_agent"})
    history: list[object] = [_said("user", "Please look after my orders.")]
    while made.room(9):
        history = [*history, *made.exchange(root, history[-40:])]
        made.tool(root, "get_status", {}, {"state": "pending"})
        made.tool(root, "update_order", {"order_id": "ORD-77410", "note": "seen"}, {"state": "ok"})
        for _ in range(2):
            made.span("GET", root, {"http.request.method": "GET", "url.full": "https://api.example.com/health"}, kind=3)
        if made.random.random() < 0.2:
            history = [*history, made.answer(root, history[-40:]), _said("user", "And the next one, please.")]
    made.answer(root, history[-40:])
    return made.spans


class _Spans:
    """Spans in the making; values are drawn from a seeded generator."""

    def __init__(self, size: int) -> None:
        self.spans: list[Member] = []
        self.random = random.Random(size)
        self._size = size
        self._orders: list[str] = ["ORD-10001"]

    def room(self, count: int) -> bool:
        """Return whether so many spans still fit, and one for the answer."""
        return len(self.spans) + count < self._size

    def span(self, name: str, parent: str | None, attributes: Mapping[str, object], *, kind: int = 1) -> str:
        """Append a span and return its id."""
        number = len(self.spans) + 1
        span: Member = {
            "traceId": TRACE_ID,
            "spanId": f"{number:016x}",
            "name": name,
            "kind": kind,
            "startTimeUnixNano": str(START_NS + number * 1_000_000),
            "endTimeUnixNano": str(START_NS + (number + 1) * 1_000_000),
            "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
        }
        if parent is not None:
            span["parentSpanId"] = parent
        self.spans.append(span)
        return f"{number:016x}"

    def exchange(self, parent: str, history: Sequence[object]) -> list[object]:
        """Append a turn that asks for a call, the call, and its transport; return the messages they add."""
        order = self.random.choice(self._orders[-20:])
        found = f"ORD-{self.random.randrange(10_000, 99_999)}"
        self._orders.append(found)
        call_id = f"call_{len(self.spans)}"
        request = {"type": "tool_call", "id": call_id, "name": "get_order", "arguments": {"order_id": order}}
        result = {"order_id": order, "next": found, "total": self.random.randrange(1_000, 90_000) / 100}
        asked: Member = {"role": "assistant", "parts": [request]}
        self.model(parent, history, asked)
        tool = self.tool(parent, "get_order", {"order_id": order}, result, call_id)
        self.span("GET", tool, {"http.request.method": "GET", "url.full": "https://api.example.com/orders"}, kind=3)
        answer = {"type": "tool_call_response", "id": call_id, "response": result}
        return [asked, {"role": "tool", "parts": [answer]}]

    def model(self, parent: str | None, history: Sequence[object], output: object) -> str:
        """Append a model turn."""
        return self.span(
            "chat gpt-test",
            parent,
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": "gpt-test",
                "gen_ai.input.messages": json.dumps(list(history)),
                "gen_ai.output.messages": json.dumps([output]),
            },
            kind=3,
        )

    def tool(self, parent: str, name: str, arguments: object, result: object, call_id: str | None = None) -> str:
        """Append a tool call."""
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.arguments": json.dumps(arguments),
            "gen_ai.tool.call.result": json.dumps(result),
        }
        if call_id is not None:
            attributes["gen_ai.tool.call.id"] = call_id
        return self.span(f"execute_tool {name}", parent, attributes)

    def answer(self, parent: str | None, history: Sequence[object]) -> object:
        """Append a turn that answers about the order found last; return its message."""
        message = _said("assistant", f"Order {self._orders[-1]} has been found; it will arrive within thirty days.")
        self.model(parent, history, message)
        return message


def _said(role: str, text: str) -> Member:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


if __name__ == "__main__":
    main()
