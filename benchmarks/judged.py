"""Cases of real conversations before an independent judge, and plain Presidio before the same one.

Takes a folder that holds corpus/ (exports and gold answers) and tools/ (the judge); prints what the judge says.
"""

from __future__ import annotations

import collections
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from extractor import pipeline, read, ruleset
from extractor.errors import ExtractFixtureError
from extractor.model.config import Override, RunConfig, Wanted
from extractor.model.json import JsonValue
from extractor.model.span import Span
from extractor.redact import WorkspaceKey
from extractor.write import store

OCCASION = pipeline.Occasion(extracted_at="2026-01-01T00:00:00Z", expires_at="2026-01-31T00:00:00Z", host="bench")
SELECTIONS = {"keep all": Override(keep=("all",)), "default": Override()}
SHOWN = (
    "traces", "gold", "leaked", "leak_pct", "relations", "relations_broken", "text_relations_broken", "words_lost",
    "kept_calls", "utility_leaves", "utility_changed_pct", "shape_broken",
)  # fmt: skip


def main(folder: Path, presidio: Callable[[str], str]) -> None:
    """Judge every export of the folder that has gold answers; ``presidio`` anonymizes one text."""
    for stem, export, gold in corpora(folder):
        traces = [row["trace_id"] for row in map(json.loads, gold.read_text("utf-8").splitlines())]
        for name, override in SELECTIONS.items():
            with tempfile.TemporaryDirectory() as scratch:
                print(f"{stem}, {name}:", *extracted(export, traces, override, Path(scratch) / "cases"))
                print(" ", said(folder, "fixture2rows.py", scratch + "/cases", str(gold), scratch + "/rows"))
                print(" ", judged(folder, gold, Path(scratch) / "rows"))
        with tempfile.TemporaryDirectory() as scratch:
            rows = Path(scratch) / "rows"
            rows.write_text("".join(plain_rows(gold, presidio)), encoding="utf-8")
            print(f"{stem}, plain Presidio:\n ", judged(folder, gold, rows))


def corpora(folder: Path) -> Iterator[tuple[str, Path, Path]]:
    """Yield the name, the export and the gold answers of every corpus of the folder."""
    for gold in sorted((folder / "corpus").glob("*.gold.jsonl")):
        stem = gold.name.removesuffix(".gold.jsonl")
        (export,) = (folder / "corpus").glob(f"{stem}.*.otlp.jsonl.zst")
        yield stem, export, gold


def extracted(export: Path, traces: list[str], override: Override, out: Path) -> Iterator[str]:
    """Write a case for each trace, from spans to proved bytes; yield how many came of it, how fast, and what is left to read."""
    out.mkdir()
    rules, key = ruleset.load(), WorkspaceKey(material=bytes(range(32)))
    reading = read.read([str(export)], Wanted(trace_ids=tuple(traces)))
    spans: dict[str, list[Span]] = collections.defaultdict(list)
    for span in reading.spans:
        spans[span.trace_id].append(span)
    results: collections.Counter[str] = collections.Counter()
    residual: list[int] = []
    start = time.process_time()
    for trace_id in traces:
        config = RunConfig(wanted=Wanted(trace_ids=(trace_id,)), override=override)
        try:
            made = pipeline.extract(replace(reading, spans=tuple(spans[trace_id])), config, rules, key, OCCASION)
        except ExtractFixtureError as error:
            results[type(error).__name__] += 1
            continue
        store(made.fixture, made.capture, out, replace=True)
        results["cases"] += 1
        residual.append(len(made.fixture.proofs.residual))
    took = time.process_time() - start
    many = sum(count > 12 for count in residual)  # what a reviewer is asked at most
    ninth = sorted(residual)[int(0.9 * (len(residual) - 1))] if residual else 0
    middle = statistics.median(residual or [0])
    yield f"{dict(results)}, {took:.1f} s; residual entries: median {middle:.0f}, 90th percentile {ninth}, above a dozen in {many}"


def plain_rows(gold: Path, presidio: Callable[[str], str]) -> Iterator[str]:
    """Yield the gold tool calls with each text leaf given to plain Presidio, one JSON row a trace."""

    def leaf(value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {key: leaf(child) for key, child in value.items()}
        if isinstance(value, list):
            return [leaf(child) for child in value]
        return presidio(value) if isinstance(value, str) else value

    for row in map(json.loads, gold.read_text("utf-8").splitlines()):
        calls = [
            {"index": number, **{name: leaf(call[name]) for name in ("arguments", "result", "error")}}
            for number, call in enumerate(row["tool_calls"])
        ]
        yield json.dumps({"trace_id": row["trace_id"], "tool_calls": calls}) + "\n"


def judged(folder: Path, gold: Path, rows: Path) -> str:
    """Return the judge's verdict in short."""
    verdict = json.loads(said(folder, "judge.py", str(gold), str(rows)))
    return ", ".join(f"{name} {verdict[name]}" for name in SHOWN if name in verdict)


def said(folder: Path, tool: str, *arguments: str) -> str:
    """Return what a tool of the folder prints."""
    command = [sys.executable, str(folder / "tools" / tool), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
