"""What a command costs before it has work to do, beside bare Python; and which heavy packages it loads."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

RUNS = 7
HEAVY = ("jsonschema", "spacy", "presidio_analyzer", "pyarrow", "rich", "cryptography")
WHOLE: dict[str, object] = {
    **dict.fromkeys(("schema_version", "case_id", "incident_id", "workflow_version", "prompt_version"), "1"),
    "frozen_at": "2026-01-01T00:00:00Z",
    "input": {},
    "identity": {},
    "tool_events": [],
    "expected": {"prohibited_claims": ["done"]},
}
"""Whole to the structural check, so that the schema is asked too."""
COMPLETING = {
    "_EXTRACT_FIXTURE_COMPLETE": "bash_complete",
    "COMP_WORDS": "extract-fixture va",
    "COMP_CWORD": "1",
}
_LIST = "import sys; from extractor.cli.app import run; run(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"


def seconds(command: list[str], environment: Mapping[str, str] | None = None) -> float:
    """Return the median wall time of a command, in seconds."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False, env=environment)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def heavy(*arguments: str) -> list[str]:
    """Return which of the heavy packages a command loads."""
    done = subprocess.run([sys.executable, "-c", _LIST, *arguments], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    return [name for name in HEAVY if name in loaded]


def main() -> None:
    """Print one line a command."""
    bare = seconds([sys.executable, "-c", "pass"])
    print(f"{'python -c pass':32} {bare * 1000:6.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "fixture.json").write_text(json.dumps(WHOLE))
        for arguments in (
            ["--help"],
            ["--version"],
            ["extract", "--help"],
            ["doctor", "--help"],
            ["validate", folder],
            ["show", folder],
        ):
            took = seconds([sys.executable, "-m", "extractor", *arguments])
            name = " ".join(["extract-fixture", *(word if word != folder else "CASE" for word in arguments)])
            loads = ", ".join(heavy(*arguments)) or "none"
            print(f"{name:32} {took * 1000:6.0f} ms  {took / bare:4.1f} times bare Python; heavy packages: {loads}")
        took = seconds([sys.executable, "-m", "extractor"], {**os.environ, **COMPLETING})
        print(f"{'Tab after extract-fixture va':32} {took * 1000:6.0f} ms  {took / bare:4.1f} times bare Python")


if __name__ == "__main__":
    main()
