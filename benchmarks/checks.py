"""What checks cost: a ready check, a matrix of 40 checks over 300 runs, and a thousand fixtures loaded and judged."""

from __future__ import annotations

import hashlib
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from extractor.checks import ready
from extractor.checks.case import CheckCase
from extractor.checks.declaring import Check
from extractor.checks.matrix import matrix
from extractor.checks.mutations import MUTATIONS
from extractor.checks.passing import load_run
from extractor.checks.ready import Ready
from extractor.checks.record import RunRecord
from extractor.checks.running import run_all_checks
from extractor.model.json import JsonValue, pretty

CHECKS = 40
RECORDS = 300
FIXTURES = 1_000
CALLS = 14
REPEATS = 300


def fixture(number: int) -> dict[str, JsonValue]:
    """Return a fixture of more than 30 kB: fourteen calls, of which the last refunds."""
    events: list[JsonValue] = [
        {
            "attempt": attempt,
            "tool": "issue_refund" if attempt == CALLS else f"lookup_{attempt}",
            "call_id": None,
            "arguments": {"order_id": f"ord-{number}", "amount_cents": 4200 + number, "note": "x" * 300},
            "idempotency_key": f"key-{number}-{attempt}",
            "outcome": {"type": "result", "value": {"status": "done", "text": "y" * 1_700}},
            "side_effect": "accepted" if attempt == CALLS else "none",
        }
        for attempt in range(1, CALLS + 1)
    ]
    return {
        "schema_version": "1",
        "case_id": f"case-{number}",
        "frozen_at": "2026-01-01T00:00:00Z",
        "documents": [{"id": "policy-3", "text": "z" * 2_000}],
        "input": {"messages": [{"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Please."}]}]},
        "conversation": ["m1"],
        "tool_events": events,
        "model_events": [{"model": "model-a", "usage": {"input_tokens": 900, "output_tokens": 80}}],
        "final_output": {"message": "Your refund is issued.", "amount_cents": 4200 + number},
        "expected": {"boundary": {"check": "refund", "params": {"order_id": f"ord-{number}"}}},
    }


def eight() -> tuple[Ready, ...]:
    """Return one ready check of each class."""
    return (
        ready.parses(),
        ready.shaped(message=str, amount_cents=int),
        ready.requires("message", "amount_cents"),
        ready.forbids("no risk at all", "as an ai"),
        ready.calls_exactly(1, "issue_refund"),
        ready.arguments_equal("issue_refund", order_id=ready.of_case("order_id")),
        ready.max_tokens(2_000),
        ready.max_length(4_000),
    )


def suite() -> tuple[Check, ...]:
    """Return forty checks: the eight, under five names each."""
    ones = eight()
    return tuple(
        Check(id=f"{one.id}-{turn}", body=one, module=__name__, line=0)
        for turn in range(CHECKS // len(ones))
        for one in ones
    )


def microseconds(one: Ready) -> float:
    """Return the median time of one check over one run, in microseconds."""
    made = fixture(1)
    record, case = RunRecord.of(made), CheckCase.of(made)
    checks = [Check(id=one.id, body=one, module=__name__, line=0)]
    times = []
    for _ in range(REPEATS):
        outcome = run_all_checks(record, case, checks).outcomes[0]
        if outcome.verdict != "accepted":
            raise AssertionError("the benchmark's own run must pass")
        times.append(outcome.seconds)
    return statistics.median(times) * 1_000_000


def judged(folder: Path, checks: tuple[Check, ...]) -> None:
    """Load one fixture and run every check over it."""
    run = load_run(folder)
    if not run_all_checks(run.record, run.case, checks).passed:
        raise AssertionError("the benchmark's own run must pass")


def hashed(folder: Path) -> None:
    """Load and hash the JSON of one fixture, and nothing else."""
    content = (folder / "fixture.json").read_bytes()
    json.loads(content)
    hashlib.sha256(content).hexdigest()


def over(folders: list[Path], work: Callable[[Path], None]) -> float:
    """Return the seconds that a work takes over all folders."""
    start = time.perf_counter()
    for folder in folders:
        work(folder)
    return time.perf_counter() - start


def main() -> None:
    """Print the figures."""
    for one in eight():
        print(f"{one.kind}: {microseconds(one):.0f} µs  ({one.id.partition(':')[0]})")
    checks = suite()
    runs = [(RunRecord.of(made), CheckCase.of(made)) for made in map(fixture, range(RECORDS))]
    start = time.perf_counter()
    made = matrix(runs, checks)
    took = time.perf_counter() - start
    judgements = sum(
        cell.rejected + cell.accepted + cell.broke + cell.not_applicable
        for line in made.lines
        for cell in line.cells.values()
    )
    if made.toothless:
        raise AssertionError("every ready check rejects a mutation")
    print(
        f"{len(checks)} checks × {RECORDS} records × {len(MUTATIONS)} mutations: {took:.1f} s,"
        f" {sum(made.variants.values()):,} corrupted runs, {judgements:,} judgements of {took / judgements * 1e6:.1f} µs"
    )
    with tempfile.TemporaryDirectory() as base:
        folders = []
        for number in range(FIXTURES):
            folder = Path(base) / f"case-{number}"
            folder.mkdir()
            (folder / "fixture.json").write_text(pretty(fixture(number)), "utf-8")
            (folder / "expect.yaml").write_text("verdict: accept\nby: refund\n", "utf-8")
            folders.append(folder)
        size = statistics.mean((folder / "fixture.json").stat().st_size for folder in folders)
        hashing, whole = over(folders, hashed), over(folders, lambda folder: judged(folder, checks))
    print(
        f"{FIXTURES:,} fixtures of {size / 1000:.0f} kB, {len(checks)} checks each: {whole:.2f} s,"
        f" {whole / hashing:.1f} times loading and hashing their JSON ({hashing:.2f} s)"
    )


if __name__ == "__main__":
    main()
