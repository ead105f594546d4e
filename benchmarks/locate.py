"""One trace in a large export: finding and parsing it, beside ripgrep and DuckDB in the same run.

``LOCATE_BYTES`` says how large the export is (default 1 GiB), ``DUCKDB`` which Python has that package. What is not
installed is said to be absent.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SIZE = int(os.environ.get("LOCATE_BYTES", str(1 << 30)))
RUNS = 5
COMMAND = Path(sys.executable).with_name("extract-fixture")
WORDS = "refund order parcel policy customer delivered timeout broken reply amount currency status label depot number please agent lookup tool answer".split()  # noqa: SIM905
_MEASURED = """
import json, resource, sys, time
from extractor.model.config import Wanted
from extractor.read import read
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
spans = len(read([sys.argv[1]], Wanted(trace_ids=(sys.argv[2],))).spans)
seconds = time.perf_counter() - start
print(json.dumps([seconds, spans, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024]))
"""
_DUCKDB = """
import duckdb, sys, time
duckdb.sql("set threads = 2; set enable_progress_bar = false")
start = time.perf_counter()
duckdb.sql(
    "select count(*) from read_json(?, format='newline_delimited', columns={'resourceSpans': 'JSON'}, maximum_object_size=268435456) "
    "where json_extract_string(resourceSpans, '$[0].scopeSpans[0].spans[0].traceId') = ?", params=sys.argv[1:3]
).fetchall()
print(time.perf_counter() - start)
"""


def main() -> None:
    """Print seconds and ratios."""
    with tempfile.TemporaryDirectory() as scratch:
        plain = Path(scratch) / "export.jsonl"
        trace_id = generate(plain)
        size = plain.stat().st_size
        print(f"{size / 2**20:,.0f} MiB of OTLP/JSON lines, warm; medians of {RUNS} runs, seconds")
        compare("plain", plain, trace_id, f"rg -c -F {trace_id} {plain}", need="rg")
        duckdb(plain, trace_id)
        key = str(Path(scratch) / "key")
        subprocess.run([COMMAND, "key", "new", "--out", key], check=True, capture_output=True)
        command("whole command: --help", ["--help"])
        found = [
            "--trace-id",
            trace_id,
            str(plain),
            "--key-file",
            key,
            "--replace",
            "--quiet",
            "--out",
            str(Path(scratch) / "out"),
        ]
        command("whole command: extraction", found)
        packed = plain.with_suffix(".jsonl.zst")
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-q", str(plain), "-o", str(packed)], check=True)
            compare("zstd", packed, trace_id, f"zstd -dc {packed} | rg -c -F {trace_id}", need="rg")
        else:
            print("  zstd is absent")
        start = time.perf_counter()
        subprocess.run([COMMAND, "index", "--quiet", str(plain)], check=True)
        print(f"  making the index              {time.perf_counter() - start:8.2f}")
        seconds, spans, memory = ours(plain, trace_id)
        print(f"  with the index                {seconds:8.3f}  ({spans} spans, {memory:.0f} MB above the start)")


def compare(name: str, file: Path, trace_id: str, peer: str, *, need: str) -> None:
    """Print our time beside a shell command's."""
    file.read_bytes()
    seconds, spans, memory = ours(file, trace_id)
    print(f"  {name}, ours                   {seconds:8.3f}  ({spans} spans, {memory:.0f} MB above the start)")
    if shutil.which(need) is None:
        print(f"  {name}, peer: {need} is absent")
        return
    other = median(lambda: subprocess.run(peer, shell=True, check=True, capture_output=True))  # our own words
    print(f"  {name}, {need:22} {other:8.3f}  ours takes {seconds / other:.2f} times as long")


def ours(file: Path, trace_id: str) -> tuple[float, int, float]:
    """Return median seconds, spans, and the most megabytes above the start, each run in a process of its own."""
    told = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", _MEASURED, str(file), trace_id], check=True, capture_output=True, text=True
            ).stdout
        )
        for _ in range(RUNS)
    ]
    return statistics.median(one[0] for one in told), told[0][1], max(one[2] for one in told)


def duckdb(file: Path, trace_id: str) -> None:
    """Print DuckDB's time for a filter on the first span's trace id, its start-up left out."""
    python = os.environ.get("DUCKDB", sys.executable)
    done = subprocess.run([python, "-c", _DUCKDB, str(file), trace_id], check=False, capture_output=True, text=True)
    if done.returncode:
        print("  duckdb is absent (DUCKDB names a Python that has it)")
        return
    other = float(done.stdout)
    seconds, _, _ = ours(file, trace_id)
    print(f"  plain, duckdb                 {other:8.3f}  {other / seconds:.1f} times as long as ours")


def command(name: str, arguments: list[str]) -> None:
    """Print the wall time of the whole command."""
    seconds = median(lambda: subprocess.run([COMMAND, *arguments], check=False, capture_output=True))
    print(f"  {name:30}{seconds:8.3f}")


def median(run: Callable[[], object]) -> float:
    """Return the median wall time of a few runs."""
    return statistics.median(timed(run))


def timed(run: Callable[[], object]) -> Iterator[float]:
    """Yield the wall time of each run."""
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        yield time.perf_counter() - start


def generate(file: Path) -> str:
    """Write requests of invented spans, some with prompts of 50 kB, and return a trace id from near the end."""
    draw = random.Random(7)  # the same export every time
    trace_id = ""
    with file.open("w", encoding="ascii") as out:
        number = 0
        while out.tell() < SIZE:
            trace_id = f"{draw.getrandbits(128):032x}"
            spans = [span(draw, trace_id, number, index) for index in range(draw.randint(5, 20))]
            scope = {"scope": {"name": "bench"}, "spans": spans}
            resource = {"attributes": [text("service.name", "refund-agent")]}
            out.write(json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}) + "\n")
            number += 1
    return trace_id


def span(draw: random.Random, trace_id: str, number: int, index: int) -> dict[str, object]:
    """Return one invented span."""
    length = 6_000 if draw.random() < 0.03 else draw.randint(20, 120)
    said = json.dumps(
        [{"role": "user", "parts": [{"type": "text", "content": " ".join(draw.choices(WORDS, k=length))}]}]
    )
    start = 1_750_000_000_000_000_000 + number * 10**6 + index
    return {
        "traceId": trace_id,
        "spanId": f"{draw.getrandbits(64):016x}",
        "name": "chat",
        "kind": 3,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 500),
        "attributes": [text("gen_ai.operation.name", "chat"), text("gen_ai.input.messages", said)],
        "status": {},
    }


def text(key: str, value: str) -> dict[str, object]:
    """Return a text attribute."""
    return {"key": key, "value": {"stringValue": value}}


if __name__ == "__main__":
    main()
