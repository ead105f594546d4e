"""Our redaction beside plain Presidio, one thread each: throughput, recall, needless changes, residual entries.

``CORPUS`` names an export, or a folder that holds corpus/ (exports and gold answers) and tools/ (a judge); without it the
samples alone are measured. ``TRACES`` says how many traces of each export the throughput is measured on.
"""

from __future__ import annotations

import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import judged
from peer import Redact, cached, plain

from extractor import read, ruleset
from extractor.errors import ExtractFixtureError
from extractor.model.config import Override, RunConfig, Wanted
from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.span import tree
from extractor.redact import WorkspaceKey, redact_documents
from extractor.redact.engine import _reader
from extractor.redact.prose import is_prose

SAMPLES = Path(__file__).parent.parent / "sample_traces" / "exports"
TRACES = int(os.environ.get("TRACES", "4"))
RULES, KEY, CONFIG = ruleset.load(), WorkspaceKey(material=bytes(range(32))), RunConfig()


def main() -> None:
    """Print what was measured, source by source."""
    logging.disable(logging.CRITICAL)
    packages = ("spacy", "presidio-analyzer", "presidio-anonymizer")
    print(", ".join(f"{name} {version(name)}" for name in packages) + "; processor seconds, one thread each")
    peer = plain()
    source = Path(os.environ["CORPUS"]) if "CORPUS" in os.environ else None
    if source is None or not source.exists():
        print("CORPUS names nothing: the samples alone are measured")
        measure("samples", SAMPLES, peer)
    elif (source / "tools").is_dir():
        for name, export, _ in judged.corpora(source):
            measure(name, export, peer)
        judged.main(source, cached(peer))
    else:
        measure(source.name, source, peer)


def measure(name: str, source: Path, peer: Redact) -> None:
    """Print kilobytes a second of the peer, of the peer with a cache, and of ours, on whole traces and on distinct prose."""
    every = [trace.trace_id for trace in read.survey([str(source)]) if trace.spans > 1]
    chosen = every[:: max(1, len(every) // TRACES)][:TRACES]
    reading = read.read([str(source)], Wanted(trace_ids=tuple(chosen)))
    traces = [[tree(span) for span in reading.spans if span.trace_id == trace_id] for trace_id in chosen]
    texts = [text for trace in traces for text in texts_of(trace)]
    # Whole traces: every text value of the raw spans, one after another; ours takes each trace as one.
    print(f"{name}, whole traces ({len(chosen)} of {len(every)}, {_kilobytes(texts):,.0f} kB of text):")
    compare(texts, lambda: _ours(traces), [("uncached", peer), ("cached", cached(peer))])
    prose = sorted({text for text in texts if is_prose(text)} | {text for text in decoded(texts) if is_prose(text)})
    print(f"{name}, distinct prose alone ({len(prose)} texts, {_kilobytes(prose):,.0f} kB):")
    compare(prose, lambda: _ours([[*prose]]), [("uncached", peer)])
    with tempfile.TemporaryDirectory() as scratch:
        said = judged.extracted(source, every, Override(keep=("all",)), Path(scratch) / "cases")
        print(f"{name}, the whole line from spans to proved bytes, every trace:", *said)


def compare(texts: Sequence[str], ours: Callable[[], int], peers: Sequence[tuple[str, Redact]]) -> None:
    """Print the throughput of ours and of each peer over the same texts."""
    size = _kilobytes(texts)
    _reader.cache_clear()  # nothing is remembered of an earlier measurement
    _ours([["My name is Oda Marlow."]])  # loads the model
    start = time.process_time()
    refused = ours()
    took = time.process_time() - start
    print(f"  ours              {size / took:9,.1f} kB/s" + (f"; {refused} refused" if refused else ""))
    for name, peer in peers:
        start = time.process_time()
        for text in texts:
            peer(text)
        other = time.process_time() - start
        print(f"  peer, {name:11} {size / other:9,.1f} kB/s: ours is {other / took:.1f} times as fast")


def _ours(documents: Sequence[Sequence[JsonValue]]) -> int:
    """Redact each list of values as one trace: spans to redacted values; return how many were refused."""
    refused = 0
    for values in documents:
        try:
            redact_documents(values, RULES, CONFIG, KEY)
        except ExtractFixtureError:
            refused += 1
    return refused


def texts_of(value: JsonValue) -> Iterator[str]:
    """Yield every text leaf of a value."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
        elif isinstance(node, str) and node:
            yield node


def decoded(texts: Sequence[str]) -> Iterator[str]:
    """Yield the texts inside those that are JSON themselves: what people and models said."""
    for text in dict.fromkeys(texts):
        if text[:1] in ("{", "["):
            try:
                yield from texts_of(parse(text))
            except MalformedJson:
                continue


def _kilobytes(texts: Sequence[str]) -> float:
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1000


if __name__ == "__main__":
    main()
