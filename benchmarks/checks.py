"""What checks cost: a ready check, a matrix of 40 checks over 300 runs, and a thousand fixtures loaded and judged."""

from __future__ import annotations

import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from extractor.checks import ready
from extractor.checks.case import CheckCase
from extractor.checks.declaring import Check
from extractor.checks.matrix import matrix
from extractor.checks.mutations import MUTATIONS
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
        "expected": {
            "boundary": {"check": "refund", "params": {"order_id": f"ord-{number}", "amount_cents": 4200 + number}}
        },
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


def hashed(folder: Path) -> None:
    """Load and hash the JSON of one fixture, and nothing else."""
    content = (folder / "fixture.json").read_bytes()
    json.loads(content)
    hashlib.sha256(content).hexdigest()


CHECKING = """\
from extractor.checks import check
from extractor.checks.ready import arguments_equal, of_case

from {benchmark} import suite

def declared(one):
    @check(one.id)
    def judge(record, case):
        return one.body(record, case)
    return judge

for number, one in enumerate(suite()[1:]):
    globals()[f"check_{{number}}"] = declared(one)
refund = arguments_equal("issue_refund", amount_cents=of_case("amount_cents"), named="refund")
"""


def write_project(base: Path) -> float:
    """Write a project of forty checks and a thousand fixtures in pairs; return the mean size of a fixture in bytes."""
    (base / "pyproject.toml").write_text('[tool.extract-fixture.checks]\nmodule = "bench_checks"\n', "utf-8")
    (base / "bench_checks.py").write_text(CHECKING.format(benchmark=Path(__file__).stem), "utf-8")
    sizes = []
    for number in range(FIXTURES):
        folder = base / "fixtures" / f"case-{number // 2}-{('reject', 'accept')[number % 2]}"
        folder.mkdir(parents=True)
        made = fixture(number // 2)
        verdict = "verdict: accept\nby: refund\n"
        if number % 2 == 0:
            made["tool_events"][-1]["arguments"]["amount_cents"] //= 100  # type: ignore[index, call-overload, operator]
            verdict = "verdict: reject\nby: refund\nreason: amount_cents\n"
        sizes.append((folder / "fixture.json").write_text(pretty(made), "utf-8"))
        (folder / "expect.yaml").write_text(verdict, "utf-8")
    names = [f"lookup_{attempt}" for attempt in range(1, CALLS)] + ["issue_refund"]
    members = {
        name: {"type": kind} for name, kind in (("order_id", "string"), ("amount_cents", "integer"), ("note", "string"))
    }
    tools = [{"name": name, "inputSchema": {"type": "object", "properties": members}} for name in names]
    (base / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    return statistics.mean(sizes)


def command(base: Path, *arguments: str) -> float:
    """Return the seconds that the command takes, its own start included."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "extractor", *arguments],
        cwd=base,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - start


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
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        size = write_project(base)
        hashing = over(sorted((base / "fixtures").iterdir()), hashed)
        print(
            f"{FIXTURES:,} fixtures of {size / 1000:.0f} kB in pairs, {len(checks)} checks, the command with its start:"
        )
        for told, arguments in (
            ("check", ("check", "fixtures")),
            ("check --audit", ("check", "fixtures", "--audit", "audit.sqlite")),
            ("check --tools", ("check", "fixtures", "--tools", "tools.json")),
            ("audit", ("audit", "audit.sqlite")),
        ):
            took = command(base, *arguments)
            print(
                f"  {told}: {took:.2f} s, {took / hashing:.0f} times loading and hashing their JSON ({hashing:.2f} s)"
            )


if __name__ == "__main__":
    main()
