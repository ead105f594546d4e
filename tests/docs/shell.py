"""The console blocks of a page, run in one shell in a project of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .pages import ROOT, Command, commands

TABLE = Path(__file__).with_name("console.toml")
PRELUDE = Path(__file__).with_name("prelude.sh")
_MARK = "=-= the end of command"
_KEY = "extract-fixture-key-1:" + bytes(range(32)).hex()


@dataclass(frozen=True, kw_only=True)
class Staging:
    """What a page takes for granted, and which of its commands are not run, by their beginning, with the reason."""

    before: list[str] = field(default_factory=list)
    replace: list[dict[str, str]] = field(default_factory=list)
    varies: list[str] = field(default_factory=list)
    not_run: dict[str, str] = field(default_factory=dict)

    def reason(self, command: Command) -> str | None:
        return next((why for start, why in self.not_run.items() if command.text.startswith(start)), None)

    def spelled(self, command: Command) -> str:
        text = command.text
        for each in self.replace:
            text = re.sub(each["was"], each["is"], text)
        return text

    def fixed(self, shown: list[str]) -> list[str]:
        """The shown lines that are the same for every key, folder and time."""
        return [line for line in shown if not any(re.search(pattern, line) for pattern in self.varies)]


def staging() -> dict[str, Staging]:
    table: dict[str, Any] = tomllib.loads(TABLE.read_text("utf-8"))
    return {page: Staging(**entry) for page, entry in table.items()}


@dataclass(frozen=True, kw_only=True)
class Ran:
    """One command as it was run; ``status`` is None when the shell had ended before."""

    text: str
    status: int | None
    output: str
    missing: list[str]


def project(folder: Path) -> dict[str, str]:
    """Make an empty project with the samples, the environment as .venv, and a key; return the shell's environment."""
    (folder / "sample_traces").symlink_to(ROOT / "sample_traces")
    (folder / ".venv").symlink_to(sys.prefix)
    key = folder / "workspace.key"
    key.write_text(_KEY + "\n")
    key.chmod(0o600)
    return {
        **os.environ,
        "EXTRACT_FIXTURE_KEY_FILE": str(key),
        "HOME": str(folder / "home"),
        "NO_COLOR": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # installed or not, the plugin is the one that the command names
        "PATH": f"{folder}/.venv/bin:{os.environ['PATH']}",
    }


def run(page: Path, stage: Staging, folder: Path) -> list[Ran]:
    """Run what the page takes for granted and its commands, whatever each ends with."""
    environment = project(folder)
    played = [Command(text=text) for text in stage.before]
    played += [command for command in commands(page) if stage.reason(command) is None]
    texts = [stage.spelled(command) for command in played]
    script = "".join(f"{text}\necho '{_MARK}' $? >&2\n" for text in texts)
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1\n{PRELUDE.read_text('utf-8')}\n{script}"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    parts = re.split(rf"^{_MARK} (\d+)\n", done.stdout, flags=re.MULTILINE)
    outputs = dict(enumerate(zip(parts[1::2], parts[::2], strict=False)))
    ran = []
    for place, (command, text) in enumerate(zip(played, texts, strict=True)):
        status, output = outputs.get(place, (None, ""))
        lacks = [line for line in stage.fixed(command.shown) if not printed(line, output)]
        ran.append(Ran(text=text, status=None if status is None else int(status), output=output, missing=lacks))
    return ran


def printed(line: str, output: str) -> bool:
    """Whether a line was printed: columns are as wide as their longest name, and … stands for anything."""
    wanted = ".*".join(map(re.escape, re.sub(r"\s+", " ", line.strip()).split("…")))
    return any(re.fullmatch(wanted, re.sub(r"\s+", " ", each.strip())) for each in output.splitlines())
