from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_the_command_reference_is_what_the_commands_say():
    done = subprocess.run([sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, "run make docs"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_make_help_names_exactly_the_targets():
    # The tests may themselves run inside make, whose flags would be inherited.
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make", "help"], cwd=ROOT, env=alone, capture_output=True, text=True, check=True)
    named = [line.split()[0] for line in done.stdout.splitlines()]
    assert named == [
        "help", "setup", "demo", "test", "lint", "bench", "bench-redact", "bench-locate", "bench-bulk",
        "fuzz", "docs", "check", "samples", "lock", "clean",
    ]  # fmt: skip


def test_pins_name_no_address():
    text = (ROOT / "requirements" / "dev.txt").read_text("utf-8")
    assert "://" not in text
    assert "--hash=sha256:" in text


def console(page: Path) -> list[tuple[str, list[str]]]:
    """The commands of a page's console blocks, each with the lines that it must print."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line:
                found[-1][1].append(line)
    return found


@pytest.mark.nlp
def test_the_page_about_replay_shows_what_happens(tmp_path):
    """Every command of the page runs in one empty project, and prints the lines that stand below it."""
    (tmp_path / "sample_traces").symlink_to(ROOT / "sample_traces")
    key = tmp_path / "key"
    environment = {
        **os.environ,
        "EXTRACT_FIXTURE_KEY_FILE": str(key),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    making = ["extract-fixture", "key", "new", "--out", str(key), "--quiet"]
    subprocess.run(making, env=environment, check=True, capture_output=True)
    commands = console(ROOT / "docs" / "replay.md")
    assert len(commands) > 5
    for command, lines in commands:
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (command, done.stderr)
        # Columns are as wide as their longest name.
        printed = [" ".join(line.split()) for line in done.stdout.splitlines()]
        assert [line for line in lines if " ".join(line.split()) not in printed] == [], (command, done.stdout)
