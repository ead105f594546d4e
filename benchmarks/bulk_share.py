"""What an export repeats: histories within a trace, and prose across traces. Measured on the file, whoever wrote it."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from extractor.model.json import JsonValue
from extractor.redact.prose import is_prose

_SENTENCE = re.compile(r"(?<=[.!?:;])\s+|\n+")
_MOST_NESTED = 3  # JSON within JSON within JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Figures of one export. The shares are between 0 and 1.

    ``history`` is the part of all text characters that repeats a text that the same trace has already told. The other
    shares are of prose that is distinct in its trace and also stands in another trace: by texts, by characters, by single
    sentences (a text may be new though each of its sentences is not); ``distinct`` is the part of all distinct texts that
    stand in more than one trace.
    """

    bytes: int
    traces: int
    spans: int
    history: float
    texts: float
    characters: float
    sentences: float
    distinct: float
    prose: float
    """Characters of distinct prose in a trace, on average."""

    def __str__(self) -> str:
        return (
            f"{self.bytes / 2**20:,.1f} MiB, {self.traces:,} traces, {self.spans:,} spans; "
            f"{self.history:.1%} of a trace's text repeats its history; {self.prose / 1000:,.1f} kB of distinct prose a trace, "
            f"of which also in other traces: {self.texts:.2%} of the texts, {self.characters:.2%} of the characters, "
            f"{self.sentences:.2%} of the sentences by characters; {self.distinct:.2%} of all distinct texts"
        )


def measure(export: Path) -> Shares:
    """Return what an export of OTLP/JSON lines repeats; memory holds a few dozen bytes for each distinct text."""
    spans = everything = told_again = 0
    seen: dict[str, set[int]] = defaultdict(set)
    prose: dict[str, dict[int, int]] = defaultdict(dict)
    sentences: dict[str, dict[int, int]] = defaultdict(dict)
    with export.open("rb") as lines:
        for line in lines:
            for span in spans_of(json.loads(line)):
                spans += 1
                trace_id = str(span["traceId"])
                known = seen[trace_id]
                for text in _leaves(span.get("attributes"), 0):
                    everything += len(text)
                    digest = _digest(text)
                    if digest in known:
                        told_again += len(text)
                        continue
                    known.add(digest)
                    if is_prose(text):
                        prose[trace_id][digest] = len(text)
                        for sentence in filter(is_prose, _SENTENCE.split(text)):
                            sentences[trace_id][_digest(sentence)] = len(sentence)
    texts, characters, distinct = _across(prose)
    size = sum(sum(of_trace.values()) for of_trace in prose.values())
    return Shares(
        bytes=export.stat().st_size,
        traces=len(seen),
        spans=spans,
        history=told_again / max(everything, 1),
        texts=texts,
        characters=characters,
        sentences=_across(sentences)[1],
        distinct=distinct,
        prose=size / max(len(seen), 1),
    )


def spans_of(request: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """Yield the spans of one line of an OTLP/JSON export."""
    for resource in _members(request, "resourceSpans"):
        for scope in _members(resource, "scopeSpans"):
            for span in _members(scope, "spans"):
                if isinstance(span, dict):
                    yield span


def _members(value: JsonValue, name: str) -> list[JsonValue]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _leaves(value: JsonValue, nested: int) -> Iterator[str]:
    """Yield every text, of JSON within a text what it holds; names of attributes are no texts."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name != "key":
                yield from _leaves(member, nested)
    elif isinstance(value, list):
        for member in value:
            yield from _leaves(member, nested)
    elif isinstance(value, str) and value:
        inside = _parsed(value) if nested < _MOST_NESTED and value[:1] in ("{", "[") else None
        if inside is None:
            yield value
        else:
            yield from _leaves(inside, nested + 1)


def _parsed(text: str) -> JsonValue:
    try:
        inside: JsonValue = json.loads(text)
    except ValueError:
        return None
    return inside


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())


def _across(of_traces: dict[str, dict[int, int]]) -> tuple[float, float, float]:
    """Return the parts that also stand in another trace: of texts, of their characters, and of all distinct ones."""
    traces: dict[int, int] = defaultdict(int)
    for of_trace in of_traces.values():
        for digest in of_trace:
            traces[digest] += 1
    rows = [(traces[digest] > 1, size) for of_trace in of_traces.values() for digest, size in of_trace.items()]
    shared = sum(repeated for repeated, _ in rows)
    characters = sum(size for repeated, size in rows if repeated)
    return (
        shared / max(len(rows), 1),
        characters / max(sum(size for _, size in rows), 1),
        sum(number > 1 for number in traces.values()) / max(len(traces), 1),
    )
