from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_command_reference_is_what_the_commands_say():
    done = subprocess.run([sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, "run make docs"


def test_make_help_names_exactly_the_targets():
    # The tests may themselves run inside make, whose flags would be inherited.
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", "help"], cwd=ROOT, env=alone, capture_output=True, text=True, check=True)
    named = [line.split()[0] for line in done.stdout.splitlines()]
    assert named == [
        "help", "setup", "demo", "test", "wheel-smoke", "lowest", "lint", "bench", "bench-redact", "bench-locate", "bench-bulk",
        "fuzz", "docs", "check", "samples", "lock", "clean",
    ]  # fmt: skip


def test_pins_name_no_address():
    text = (ROOT / "requirements" / "dev.txt").read_text("utf-8")
    assert "://" not in text
    assert "--hash=sha256:" in text
