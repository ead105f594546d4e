"""One run of a command over an export: how long, how many cases, and the most memory of any of its workers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_EVERY = 0.2  # seconds between two looks at the processes
_JUDGED = (0, 1, 5)  # done, or done with traces that failed
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What was measured. Memory is resident, its high-water mark in bytes: of the worst worker, and of the command itself."""

    size: int
    workers: int
    seconds: float
    traces: int
    cases: int
    status: int
    worker_peak: int
    parent_peak: int

    @property
    def a_second(self) -> float:
        """Cases a second."""
        return self.cases / self.seconds

    @property
    def megabytes_a_second(self) -> float:
        """Megabytes of the export a second."""
        return self.size / 1e6 / self.seconds

    def __str__(self) -> str:
        return (
            f"{self.size / 2**20:,.0f} MiB, {self.workers} workers: {self.seconds:,.1f} s, {self.cases:,} cases of {self.traces:,} traces, "
            f"{self.a_second:.2f} traces/s, {self.megabytes_a_second:.2f} MB/s, peak {self.worker_peak / 2**20:,.0f} MiB a worker, "
            f"{self.parent_peak / 2**20:,.0f} MiB above them, exit status {self.status}"
        )


def run(engine: str, export: Path, out: Path, key: Path, *, workers: int, traces: int) -> Run:
    """Run an engine, ``bulk`` or ``pool``, over an export of so many traces into a new folder. Raises `RuntimeError` when it breaks off."""
    command = [*_command(engine), str(export), "--out", str(out), "--key-file", str(key), "--workers", str(workers)]
    # The command under measurement chooses its threads by itself.
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    peaks: dict[int, int] = {}
    told = out.with_suffix(".log")
    start = time.perf_counter()
    with told.open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        while process.poll() is None:
            for pid in (process.pid, *below(process.pid)):
                peaks[pid] = max(peaks.get(pid, 0), high_water(pid))
            time.sleep(_EVERY)
    seconds = time.perf_counter() - start
    cases = sum(1 for _ in out.rglob("fixture.json"))
    # A program that ends with a traceback has status 1 too.
    if process.returncode not in _JUDGED or not cases or b"Traceback" in told.read_bytes():
        raise RuntimeError(
            f"{engine} broke off with {process.returncode}: {told.read_text('utf-8', 'replace')[-2000:]}"
        )
    return Run(
        size=export.stat().st_size,
        workers=workers,
        seconds=seconds,
        traces=traces,
        cases=cases,
        status=process.returncode,
        worker_peak=max((peak for pid, peak in peaks.items() if pid != process.pid), default=0),
        parent_peak=peaks.get(process.pid, 0),
    )


def _command(engine: str) -> Sequence[str]:
    if engine == "bulk":
        return [sys.executable, "-P", "-m", "extractor", "bulk", "--all", "--quiet"]
    return [sys.executable, str(Path(__file__).with_name("bulk_pool.py"))]


def below(pid: int) -> Iterator[int]:
    """Yield every process that a process started, and those that they did."""
    parents = _parents()
    families = {pid}
    while more := {child for child, parent in parents.items() if parent in families} - families:
        families |= more
        yield from more


def _parents() -> Mapping[int, int]:
    parents = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            try:
                # The name of the program may hold spaces and brackets; the parent is the second word after it.
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    return parents


def high_water(pid: int) -> int:
    """Return the most bytes of memory that a process has held so far, 0 for one that has ended."""
    try:
        lines = (_PROC / str(pid) / "status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)
