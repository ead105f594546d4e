"""Ours beside plain Presidio over the same traces, one thread each: ``bulk_presidio.py EXPORT [TRACES]``.

Plain Presidio is given every string of a trace's attributes, as a script would do it that redacts an export: once as they
come, and once with a memory of whole strings. Ours is the whole line from bytes to a proved case on disk, and the stage of
redaction alone over every span of the trace. Processor seconds, models loaded before.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import bulk_pool
from bulk_share import spans_of
from bulk_words import SERVICES
from peer import Redact, cached, plain

from extractor import read, ruleset
from extractor.model.config import RunConfig, Wanted
from extractor.model.json import JsonValue
from extractor.model.span import tree
from extractor.redact import redact_documents
from extractor.redact.engine import _reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Processor seconds for the same traces: of ours, and of plain Presidio."""

    traces: int
    size: int
    line: float
    redaction: float
    uncached: float
    cached: float

    def __str__(self) -> str:
        return (
            f"{self.traces} traces, {self.size / 1e6:.1f} MB: ours {self.line:.1f} s, its redaction {self.redaction:.1f} s; "
            f"plain Presidio {self.uncached:.1f} s = {self.uncached / self.line:.1f} times ours (redaction {self.uncached / self.redaction:.1f}), "
            f"cached {self.cached:.1f} s = {self.cached / self.line:.1f} times ours (redaction {self.cached / self.redaction:.1f})"
        )


def main() -> None:
    """Print the comparison over some traces of an export, service by service and together."""
    export, traces = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as scratch:
        for name, beside in compared(export, traces, Path(scratch)):
            print(f"{name}: {beside}", flush=True)


def compared(export: Path, traces: int, scratch: Path) -> Iterator[tuple[str, Beside]]:
    """Yield the comparison for each service that the export tells of, and for all of them as ``all``."""
    logging.disable(logging.CRITICAL)
    presidio = plain()
    memory = cached(presidio)
    chosen = scratch / "sample.jsonl"
    by_service: dict[str, list[str]] = {}
    for trace_id, service in sample(export, traces, chosen).items():
        by_service.setdefault(service, []).append(trace_id)
    totals: list[Beside] = []
    for service, ids in sorted(by_service.items()):
        own = copied(chosen, frozenset(ids), scratch / f"{service}.jsonl")
        totals.append(_beside(own, ids, presidio, memory))
        yield service, totals[-1]
    yield "all", summed(totals)


def _beside(export: Path, ids: Sequence[str], presidio: Redact, memory: Redact) -> Beside:
    texts = list(strings(export))
    _warm()
    line = _seconds(lambda: _line(export, ids))
    _warm()
    return Beside(
        traces=len(ids),
        size=export.stat().st_size,
        line=line,
        redaction=_redaction(export, ids),
        uncached=_seconds(lambda: [presidio(text) for text in texts]),
        cached=_seconds(lambda: [memory(text) for text in texts]),
    )


def summed(parts: Sequence[Beside]) -> Beside:
    """Return the comparison over all parts together."""
    return Beside(
        traces=sum(part.traces for part in parts),
        size=sum(part.size for part in parts),
        line=sum(part.line for part in parts),
        redaction=sum(part.redaction for part in parts),
        uncached=sum(part.uncached for part in parts),
        cached=sum(part.cached for part in parts),
    )


def sample(export: Path, traces: int, file: Path) -> dict[str, str]:
    """Write the spans of evenly chosen traces to a file; return service by trace id."""
    every = [
        trace.trace_id
        for trace in sorted(read.survey([str(export)]).traces, key=lambda trace: (trace.start or "", trace.trace_id))
    ]
    step = max(1, len(every) // traces)
    step -= step > 1 and step % len(SERVICES) == 0  # services take turns: else all of the sample were of one
    wanted = every[::step][:traces]
    copied(export, frozenset(wanted), file)
    services: dict[str, str] = {}
    with file.open("rb") as lines:
        for line in lines:
            for resource in json.loads(line)["resourceSpans"]:
                name = next(
                    one["value"]["stringValue"]
                    for one in resource["resource"]["attributes"]
                    if one["key"] == "service.name"
                )
                for span in spans_of({"resourceSpans": [resource]}):
                    services[str(span["traceId"])] = str(name)
    return {trace_id: services[trace_id] for trace_id in wanted}


def strings(export: Path) -> Iterator[str]:
    """Yield every string value of the attributes of an export, in the order of the file."""
    with export.open("rb") as lines:
        for line in lines:
            for span in spans_of(json.loads(line)):
                yield from _values(span.get("attributes"))


def _values(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "stringValue" and isinstance(member, str):
                yield member
            else:
                yield from _values(member)
    elif isinstance(value, list):
        for member in value:
            yield from _values(member)


def copied(export: Path, wanted: frozenset[str], file: Path) -> Path:
    """Write an export of the wanted traces alone, lines and resources as they were."""
    with export.open("rb") as lines, file.open("w", encoding="ascii") as out:
        for line in lines:
            if not any(trace_id.encode() in line for trace_id in wanted):
                continue
            request = json.loads(line)
            for resource in request["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    scope["spans"] = [span for span in scope["spans"] if span["traceId"] in wanted]
            request["resourceSpans"] = [
                resource
                for resource in request["resourceSpans"]
                if any(scope["spans"] for scope in resource["scopeSpans"])
            ]
            if request["resourceSpans"]:
                out.write(json.dumps(request, separators=(",", ":")) + "\n")
    return file


def _line(export: Path, ids: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as out:
        for trace_id in ids:
            came = bulk_pool.extract((str(export), trace_id, Path(out)))
            if came != "cases":
                print(f"a trace of the sample is refused: {came}")


def _redaction(export: Path, ids: Sequence[str]) -> float:
    """Return the seconds of redaction alone over every span, nothing selected."""
    spans = read.read([str(export)], Wanted(trace_ids=tuple(ids))).spans
    traces: list[list[JsonValue]] = [[tree(span) for span in spans if span.trace_id == trace_id] for trace_id in ids]
    rules = ruleset.load()
    return _seconds(lambda: [redact_documents(values, rules, RunConfig(), bulk_pool.KEY) for values in traces])


def _warm() -> None:
    """Forget what earlier traces taught, and load the model."""
    _reader.cache_clear()
    redact_documents(["My name is Oda Marlow."], ruleset.load(), RunConfig(), bulk_pool.KEY)


def _seconds(job: Callable[[], object]) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


if __name__ == "__main__":
    main()
