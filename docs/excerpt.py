"""Write what the commands of README's excerpt print, run on the sample incident. The tests of the pages hold it to what they print then."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "README.md"
_BEGIN, _END = "<!-- excerpt.py writes from here -->\n```console\n", "```\n<!-- to here -->"
# Pseudonyms and the case's digest come from the key: this one is for pages alone.
_KEY = "extract-fixture-key-1:" + bytes(range(32)).hex() + "\n"
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n", re.MULTILINE)


def main() -> None:
    """Write the excerpt."""
    before, begin, rest = PAGE.read_text("utf-8").partition(_BEGIN)
    block, end, after = rest.partition(_END)
    if not begin or not end:
        raise SystemExit("README.md has no place for the excerpt")
    PAGE.write_text(before + begin + "\n".join(_printed(_COMMAND.findall(block))) + end + after, encoding="utf-8")


def _printed(commands: list[str]) -> Iterator[str]:
    """Yield each command with what it prints; they follow each other in one folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sample_traces").symlink_to(ROOT / "sample_traces")
        key = folder / "workspace.key"
        key.touch(mode=0o600)
        key.write_text(_KEY, "utf-8")
        environment = {
            **os.environ,
            "EXTRACT_FIXTURE_KEY_FILE": str(key),
            "NO_COLOR": "1",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        for command in commands:
            done = subprocess.run(
                ["/bin/bash", "-c", f"exec 2>&1\n{command}"],
                cwd=folder, env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            if done.returncode != 0:
                raise SystemExit(f"a command of the excerpt ends with {done.returncode}:\n{command}\n{done.stdout}")
            yield f"$ {command}\n{done.stdout}"


if __name__ == "__main__":
    main()
