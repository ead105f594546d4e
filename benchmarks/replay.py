"""What replaying costs: the import, and a thousand cases, each beside what nobody can do without."""

from __future__ import annotations

import hashlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from extractor.replay import Session, load_case
from extractor.replay.results.telling import finished

RUNS = 9
CASES = 1_000
CALLS = 14


def event(attempt: int) -> dict[str, object]:
    """Return a tool call with a result of about 2 kB."""
    return {
        "attempt": attempt,
        "tool": f"tool.{attempt}",
        "call_id": None,
        "logical_call": attempt,
        "try": 1,
        "arguments": {"text": "x" * 300, "number": attempt},
        "role": "evidence",
        "outcome": {"type": "result", "value": {"text": "y" * 1500}},
        "side_effect": "none",
        "timing": dict.fromkeys(
            ("budget_start_ms", "deadline_ms", "dispatch_ms", "receipt_ms", "response_ms", "end_ms")
        ),
        "after": [attempt - 1] if attempt > 1 else [],
    }


def fixture(number: int) -> bytes:
    """Return the bytes of a whole fixture of more than 30 kB."""
    document: dict[str, object] = {
        "schema_version": "1",
        "case_id": f"case-{number}",
        **dict.fromkeys(
            ("incident_id", "workflow_version", "prompt_version", "time_zone", "locale", "adapter", "model")
        ),
        "frozen_at": "2026-01-01T00:00:00Z",
        "deployment": {"service": None, "version": None, "environment": None, "flags": {}},
        **{name: [] for name in ("templates", "facts", "documents", "messages", "model_events", "alternates")},
        "input": {"messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Please."}]}]},
        "identity": {"subject": None, "tenant": None, "roles": [], "claims": {}, "resources": []},
        "conversation": ["m1"],
        "tool_events": [event(attempt) for attempt in range(1, CALLS + 1)],
        "final_output": None,
        "expected": {
            "failure_statement": {"trigger": "t", "prohibited": "p", "evidence_needed": "e"},
            "prohibited_claims": ["it is done"],
            **{name: [] for name in ("required_behaviours", "required_disclosures", "expert_review")},
            "claims": {"prohibit": ["it is done"], "unless": []},
            "effects": {},
        },
        "ordering": {"mode": "total", "reason": "r"},
        "timing": {"fidelity": "event", "reason": "r"},
        "lane": "shadow",
        "missing_evidence": [],
    }
    return json.dumps(document, indent=2).encode("utf-8")


def agent(incident: Session) -> str:
    """Make every recorded call, and claim nothing."""
    for attempt in range(1, CALLS + 1):
        incident.call_tool(f"tool.{attempt}", {"text": "x" * 300, "number": attempt})
    return "I cannot say yet."


def replayed(file: Path) -> None:
    """Load, guard, run, judge and tell one case."""
    session = Session(load_case(file), version="v1").run(agent)
    session.hold()
    if finished(session).boundary_passed is not True:
        raise AssertionError("the benchmark's own agent failed")


def hashed(file: Path) -> None:
    """Load and hash the JSON of one case, and nothing else."""
    content = file.read_bytes()
    json.loads(content)
    hashlib.sha256(content).hexdigest()


def over(files: list[Path], work: Callable[[Path], None]) -> float:
    """Return the seconds that a work takes over all files."""
    start = time.perf_counter()
    for file in files:
        work(file)
    return time.perf_counter() - start


def imported(*modules: str) -> float:
    """Return the best wall time of an import in a process of its own, in seconds."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", f"import {', '.join(modules)}"], check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the ratios."""
    bare = imported("sys")
    ours, theirs = imported("extractor.replay"), imported("json", "asyncio", "socket")
    print(
        f"import extractor.replay: {ours * 1000:.0f} ms of process, {(ours - bare) / (theirs - bare):.2f} times"
        f" import json, asyncio, socket (bare Python {bare * 1000:.0f} ms taken off both)"
    )
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number in range(CASES):
            place = Path(folder) / f"case-{number}"
            place.mkdir()
            (place / "fixture.json").write_bytes(fixture(number))
            files.append(place / "fixture.json")
        size = statistics.mean(file.stat().st_size for file in files)
        hashing, whole = over(files, hashed), over(files, replayed)
    print(
        f"{CASES:,} cases of {size / 1000:.0f} kB, guarded, run and judged: {whole:.2f} s,"
        f" {whole / hashing:.1f} times loading and hashing their JSON ({hashing:.2f} s)"
    )


if __name__ == "__main__":
    main()
