"""Bulk extraction of an invented export, on one worker and on several, beside plain Presidio: `make bench-bulk`.

``bulk.py [--size 60MB] [--traces N] [--sample N] [--workers 1 2] [--docs FILE]``. `--size 2GiB --traces 3000 --sample 12` is
what docs/benchmarks.md tells, and takes hours. Disk: twice the size, and the cases.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import bulk_presidio
import bulk_share
import bulk_stage
from bulk_export import MOST_REPEATED, size, write
from bulk_presidio import Beside
from bulk_run import Run, run

_BEGIN, _END = "<!-- bulk.py writes from here -->", "<!-- to here -->"
_MOST_MEMORY = 1_500_000_000
_BUSY = 0.5
_SPREAD = 0.1  # memory is flat when twice the export takes no more than this part above


def main() -> None:
    """Print every measurement as it is made, and the table at the end."""
    asked = _asked()
    with tempfile.TemporaryDirectory(dir=asked.scratch, prefix="bench-bulk-") as scratch:
        rows = list(_measured(asked, Path(scratch)))
    table = "\n".join(rows)
    print("\n" + table)
    if asked.docs is not None:
        between(asked.docs, table)


def _asked() -> argparse.Namespace:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--size", type=size, default=size("60MB"), help="least bytes of the export, as 60MB or 2GiB")
    arguments.add_argument("--traces", type=int, default=1, help="least traces")
    arguments.add_argument("--sample", type=int, default=3, help="traces that plain Presidio is given")
    arguments.add_argument("--stage", type=int, default=24, help="traces that the stage of redaction is measured on")
    arguments.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    arguments.add_argument("--seed", type=int, default=7)
    arguments.add_argument(
        "--engine", choices=("bulk", "pool"), default="bulk" if find_spec("extractor.cli.bulk") else "pool"
    )
    arguments.add_argument("--scratch", help="the folder for export and cases")
    arguments.add_argument("--docs", type=Path, help="the page whose table is written anew")
    return arguments.parse_args()


def _measured(asked: argparse.Namespace, scratch: Path) -> Iterator[str]:
    """Yield the lines of the table."""
    yield from _said(f"Measured on {machine()}.")
    if os.getloadavg()[0] > _BUSY:
        yield from _said("Other programs were at work: seconds by the clock, and what follows from them, are too many.")
    whole, half = scratch / "whole.jsonl", scratch / "half.jsonl"
    traces = {whole: write(whole, least_bytes=asked.size, least_traces=asked.traces, seed=asked.seed)}
    traces[half] = write(half, least_bytes=asked.size // 2, least_traces=asked.traces // 2, seed=asked.seed)
    shares = bulk_share.measure(whole)
    yield from _said("", f"The export: {shares}.", "")
    if max(shares.texts, shares.characters, shares.distinct) >= MOST_REPEATED:
        raise SystemExit("prose repeats too often across traces for the figures to mean anything")
    stage = _stage(whole, asked, scratch)
    beside = []
    for name, one in bulk_presidio.compared(whole, asked.sample, scratch):
        print(f"{name}: {one}", flush=True)
        beside.append((name, one))
    key = scratch / "key"
    subprocess.run(
        [sys.executable, "-P", "-m", "extractor", "key", "new", "--out", str(key)], check=True, capture_output=True
    )
    runs = []
    for number, (export, workers) in enumerate([(half, max(asked.workers)), *((whole, one) for one in asked.workers)]):
        runs.append(run(asked.engine, export, scratch / f"cases{number}", key, workers=workers, traces=traces[export]))
        print(runs[-1], flush=True)
    yield from run_rows(asked.engine, runs)
    yield ""
    yield from peer_rows(beside)
    yield ""
    yield from verdicts(runs, beside[-1][1], stage)


def _stage(export: Path, asked: argparse.Namespace, scratch: Path) -> list[tuple[int, float, float]]:
    """Return seconds and processor seconds of redaction alone by the number of workers, over the same traces."""
    chosen = scratch / "stage.jsonl"
    bulk_presidio.sample(export, asked.stage, chosen)
    measured = []
    for workers in asked.workers:
        wall, busy = bulk_stage.seconds(chosen, workers)
        measured.append((workers, wall, busy))
        print(f"redaction alone, {workers} workers: {wall:.2f} s, {busy:.2f} processor seconds", flush=True)
    return measured


def run_rows(engine: str, runs: Sequence[Run]) -> Iterator[str]:
    """Yield the table of the runs."""
    name = "`bulk`" if engine == "bulk" else "a pool of `extract`"
    yield f"| {name} | seconds | cases of traces | exit status | traces/s | MB/s | peak a worker | peak above them |"
    yield "|---|---|---|---|---|---|---|---|"
    for one in runs:
        yield (
            f"| {one.size / 2**20:,.0f} MiB, workers: {one.workers} | {one.seconds:,.0f} | {one.cases:,} of {one.traces:,} | {one.status} "
            f"| {one.a_second:.2f} | {one.megabytes_a_second:.2f} | {one.worker_peak / 1e6:,.0f} MB | {one.parent_peak / 1e6:,.0f} MB |"
        )


def peer_rows(beside: Sequence[tuple[str, Beside]]) -> Iterator[str]:
    """Yield the table of the sample, seconds of one processor a trace."""
    yield "| seconds a trace, one processor | ours, bytes to case | our redaction alone | plain Presidio | ratio | with a cache of strings | ratio |"
    yield "|---|---|---|---|---|---|---|"
    for name, one in beside:
        each = one.traces
        yield (
            f"| {name} ({each} traces, {one.size / 1e6:.1f} MB) | {one.line / each:.2f} | {one.redaction / each:.2f} | {one.uncached / each:.2f} "
            f"| {one.uncached / one.line:.1f} | {one.cached / each:.2f} | {one.cached / one.line:.1f} |"
        )


def verdicts(runs: Sequence[Run], beside: Beside, stage: Sequence[tuple[int, float, float]]) -> Iterator[str]:
    """Yield each aim with what was measured, and the word *missed* where it was."""
    half, *whole = runs
    again = next(one for one in whole if one.workers == half.workers)
    peak = max(one.worker_peak for one in runs)
    growth = again.worker_peak / half.worker_peak - 1
    yield "| | measured | aim |"
    yield "|---|---|---|"
    yield _verdict(
        "plain Presidio beside the whole line, uncached",
        f"{beside.uncached / beside.line:.1f} times",
        "20",
        beside.uncached >= 20 * beside.line,
    )
    yield _verdict(
        "plain Presidio beside the whole line, cached",
        f"{beside.cached / beside.line:.1f} times",
        "4",
        beside.cached >= 4 * beside.line,
    )
    yield _verdict("peak memory of a worker", f"{peak / 1e6:,.0f} MB", "1,500 MB", peak <= _MOST_MEMORY)
    yield _verdict("twice the export takes more memory a worker", f"{growth:+.1%}", f"{_SPREAD:.0%}", growth <= _SPREAD)
    for (few, alone, busy), (many, together, busy_together) in itertools.pairwise(stage):
        aim = 0.85 * many / few
        said = f"{alone / together:.2f} times ({busy:.1f} and {busy_together:.1f} processor seconds)"
        yield _verdict(f"redaction, {few} → {many} workers", said, f"{aim:.1f}", alone >= aim * together)
    for fewer, more in itertools.pairwise(whole):
        yield f"| the whole, {fewer.workers} → {more.workers} workers | {fewer.seconds / more.seconds:.2f} times | |"


def _verdict(what: str, measured: str, aim: str, met: bool) -> str:
    return f"| {what} | {measured if met else measured + ', *missed*'} | {aim} |"


def machine() -> str:
    """Return processor, cores, memory, Python, the packages that matter, and how busy others keep it, in one line."""
    processor = next(
        (line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), ""
    )
    memory = next(
        (int(line.split()[1]) / 2**20 for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), 0.0
    )
    packages = ", ".join(f"{name} {version(name)}" for name in ("spacy", "presidio-analyzer", "presidio-anonymizer"))
    cores = len(os.sched_getaffinity(0))
    return f"{processor or platform.machine()}, {cores} cores, {memory:.0f} GiB, {platform.system()}, Python {platform.python_version()}, {packages}; load {os.getloadavg()[0]:.1f} before"


def _lines(file: str) -> list[str]:
    path = Path(file)
    return path.read_text("utf-8").splitlines() if path.exists() else []


def between(page: Path, table: str) -> None:
    """Put the table between the marks of a page. Raises `ValueError` when the marks are absent."""
    before, begin, rest = page.read_text("utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError("the page has no place for the table")
    page.write_text(f"{before}{begin}\n\n{table}\n\n{end}{after}", encoding="utf-8")


def _said(*lines: str) -> Iterator[str]:
    for line in lines:
        print(line, flush=True)
        yield line


if __name__ == "__main__":
    main()
