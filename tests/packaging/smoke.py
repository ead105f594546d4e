"""The wheel alone in an empty virtual environment, and every command of it run from an empty folder, without a network.

``make wheel-smoke``. What it tries is what a stranger's machine has: no source tree, no tools for tests. Installing asks the
package registry for what the wheel needs, at the versions of requirements/dev.txt; after that nothing may reach a network.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_traces"
SHIPMENT = tomllib.loads((SAMPLES / "incidents.toml").read_text("utf-8"))["duplicate-shipment"]["trace_id"]
TRACE = "6d383010fe32bfe09c943d88b718f3e3"
FIXED = "1" * 32
TOLD = (
    *("--incident", "INC-2041", "--workflow-version", "refund-flow@12", "--time-zone", "America/New_York"),
    *("--failure", "After both attempts timed out, the agent said that the refund had been completed."),
    *("--prohibit", "the refund has been completed"),
    *("--evidence-needed", "A result of refund.create with status completed."),
    *("--claim", "has been completed", "--unless", "has not confirmed it yet"),
)
CHECKS = """
from extractor.checks.declaring import check

@check("assert_refund")
def refund(record, case):
    (call,) = record.tool_calls
    assert call.arguments_parsed["amount_cents"] == case.amount_cents
"""
RULE = """
[[rule]]
id = "crate"
entity = "record_id"
pattern = '(?<!\\w)CRATE-[0-9]{4}(?!\\w)'
why = "Crates are numbered."
matches = ["CRATE-1234"]
non_matches = ["CRATE-12"]
"""
CASE = "now: 2026-06-14T09:30:00+00:00\ninput: Please refund order 17.\nexpectations:\n  amount_cents: 4200\n"
STILL_RED = """
import json, os, pathlib, sys
events = json.loads(pathlib.Path(os.environ["EXTRACT_FIXTURE_CASE"], "fixture.json").read_text())["tool_events"]
sys.exit(any(event["tool"] == "refund.create" for event in events))
"""


class Smoke:
    """Runs the installed command in one folder, and remembers which commands it ran."""

    def __init__(self, python: Path, here: Path) -> None:
        self.here = here
        self.script = python.parent / "extract-fixture"
        self.ran: set[str] = set()
        # A closed port: whatever still asks for something fails, where no namespace keeps it in.
        closed = dict.fromkeys(
            ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9"
        )
        kept = {
            name: value for name, value in os.environ.items() if name in {"PATH", "LANG", "TMPDIR", "OPENBLAS_CORETYPE"}
        }
        self.environment = {
            **kept,
            **closed,
            "HOME": str(here),
            "EXTRACT_FIXTURE_KEY_FILE": str(here / "workspace.key"),
        }
        alone = ["unshare", "--net"]
        works = (
            shutil.which("unshare")
            and subprocess.run([*alone, "true"], capture_output=True, check=False).returncode == 0
        )
        self.prefix = alone if works else []
        print(f"network: {'a namespace without any' if works else 'proxies that are closed'}", flush=True)

    def help(self, *arguments: str) -> str:
        """Return the help of a command."""
        return self._run(0, *arguments, "--help")

    def __call__(self, *arguments: object, status: int = 0) -> str:
        """Run a command, and return what it printed; end with an error where its status is another."""
        words = [str(each) for each in arguments]
        self.ran.add("extract" if words[0].startswith("--trace-id") else words[0])
        return self._run(status, *words)

    def _run(self, status: int, *words: str) -> str:
        began = time.monotonic()
        command = [*self.prefix, str(self.script), *words]
        done = subprocess.run(command, cwd=self.here, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode != status:
            sys.exit(f"extract-fixture {' '.join(words)}: ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
        if "--help" not in words:
            print(f"{time.monotonic() - began:5.1f} s  extract-fixture {' '.join(words)[:100]}", flush=True)
        return done.stdout

    def case(self, store: str) -> Path:
        """Return the one case in the quarantine of a store."""
        (found,) = (self.here / store / "quarantine").glob("2*")
        return found.relative_to(self.here)


def installed(folder: Path) -> tuple[Path, Path]:
    """Build the wheel, install it alone, and return the interpreter that has it and the wheel."""
    dist, environment = folder / "dist", folder / "venv"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", dist]
    subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    (wheel,) = dist.glob("*.whl")
    python = environment / "bin" / "python"
    install(python, str(wheel), folder)
    return python, wheel


def install(python: Path, what: str, folder: Path) -> None:
    """Install something at the versions that the tests run with. A constraint knows neither hashes nor extras."""
    pins = re.findall(
        r"^([\w.-]+)(?:\[[^\]]*\])?(==[^\s;\\]+)", (ROOT / "requirements" / "dev.txt").read_text("utf-8"), re.MULTILINE
    )
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{name}{version}\n" for name, version in pins))
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    subprocess.run([*command, "-c", constraints, what], cwd=folder, check=True)


def project(here: Path) -> None:
    """Lay out what a user has: an export, an agent with its entry points, checks, a rule of their own."""
    shutil.copy(SAMPLES / "exports" / "refund-timeout.otlp.jsonl", here / "export.jsonl")
    shutil.copy(SAMPLES / "exports" / "duplicate-shipment.otlp.jsonl.gz", here / "shipment.jsonl.gz")
    fixed = (here / "export.jsonl").read_text("utf-8").replace(TRACE, FIXED)
    (here / "fixed.jsonl").write_text(fixed, "utf-8")
    shutil.copytree(SAMPLES, here / "sample_traces", ignore=shutil.ignore_patterns("exports", "__pycache__"))
    (here / "shop_checks.py").write_text(CHECKS)
    (here / "still_red.py").write_text(STILL_RED)
    (here / "extract-fixture.toml").write_text('[checks]\nmodule = "shop_checks"\n')
    (here / "ours").mkdir()
    (here / "ours" / "crate.toml").write_text(RULE)
    record = {
        "tool_calls": [{"name": "issue_refund", "arguments": {"amount_cents": 4200}, "result": {"status": "done"}}],
        "output": "Your refund is on its way.",
    }
    (here / "evals" / "good").mkdir(parents=True)
    (here / "evals" / "good" / "case.yaml").write_text(CASE)
    (here / "evals" / "good" / "record.json").write_text(json.dumps(record))
    (here / "evals" / "good" / "expect.yaml").write_text("verdict: accept\nby: assert_refund\n")
    (here / "evals" / "good" / "README.md").write_text(
        "A refund of the whole amount.\n\nNo ticket: recorded by hand.\n"
    )


def from_trace_to_case(run: Smoke) -> Path:
    """Find a trace and make a case of it; return the case."""
    run("key", "new", "--out", "workspace.key", "--quiet")
    run("key", "id")
    run("key", "check")
    run("doctor")
    assert "6 of 6 traces" in run("inspect", "export.jsonl")
    run("index", "export.jsonl")
    run("--trace-id", TRACE[:8], "export.jsonl", *TOLD)
    case = run.case("fixtures")
    assert run("validate", case).startswith("valid replay fixture")
    assert json.loads(run("validate", "--schema", "fixture"))["$id"] == "urn:extract-fixture:schema:fixture:1"
    for option in ((), ("--timing",), ("--proofs",)):
        run("show", case, *option)
    run("annotate", case, "--require", "Say that the refund is not confirmed.", "--quiet")
    (run.here / "mail.json").write_text('{"email": "oda.marlow@example.com", "crate": "CRATE-4711"}')
    redacted = run("redact", "mail.json", "--rules", "ours")
    assert "oda" not in redacted
    assert "CRATE-4711" not in redacted
    run("rules", "test", "--rules", "ours")
    run("rules", "list")
    return case


def replayed(run: Smoke, case: Path) -> None:
    """Red on the old agent, green on the new; controls, a smaller case, the next version, other tools' formats."""
    entry = "sample_traces.replaying:refund_timeout_"
    run("replay", case, "--entrypoint", f"{entry}buggy", "--version", "refund-flow@12", "--expect", "red")
    run("replay", case, "--entrypoint", f"{entry}fixed", "--version", "refund-flow@13")
    old, new = sorted((run.here / "artifacts" / "replays").glob("*.json"))
    assert "verified red-to-green" in run("compare", old, new)
    run("controls", case, "--kind", "success", "--kind", "timeout", "--result", '{"status": "completed"}', "--quiet")
    run("recapture", case, "--trace-id", FIXED, "fixed.jsonl", "--out", "later", "--quiet")
    run("export", case, "--to", "tracely", "--unapproved", "--out", "bundle.json")
    run("import", "bundle.json", "--out", "imported", "--quiet", status=0)
    run("--trace-id", TRACE, "export.jsonl", *TOLD, "--out", "small", "--quiet")
    run("minimise", run.case("small"), "--", sys.executable, "still_red.py")


def checked(run: Smoke) -> None:
    """Checks held to fixtures, corrupted, and audited."""
    run("mutate", "evals/good", "--with", "wrong_argument", "--by", "assert_refund", "--out", "evals")
    run("check", "evals", "--audit", "artifacts/audit.sqlite")
    run("mutate", "--matrix", "evals")
    run("audit")


def lived(run: Smoke, case: Path) -> None:
    """From quarantine to approved, and to the end."""
    run("approve", case, "--role", "privacy", "--reviewer", "Rana Okafor")
    run("approve", case, "--role", "incident-owner", "--reviewer", "Ines Duarte", "--grade", "confirmed")
    run("validate", "--approved", "fixtures")
    run("register", "--facts")
    run("export", "--pack", "pack")
    assert (run.here / "pack" / case.name / "fixture.json").is_file()
    run("retire", case.name, "--reason", "the refund tool is gone")
    run("--trace-id", SHIPMENT, "shipment.jsonl.gz", "--out", "others", "--quiet")
    other = run.case("others")
    run("reject", other, "--role", "privacy", "--reviewer", "Jo Lind", "--reason", "covered by another case")
    run("purge", "--store", "fixtures")


def many(run: Smoke) -> None:
    """Many traces at once, and traces kept."""
    (run.here / "flagged.txt").write_text(f"{TRACE}\n{SHIPMENT}\n")
    told = run("bulk", "export.jsonl", "shipment.jsonl.gz", "--flagged", "flagged.txt", "--out", "bulk", "--json")
    assert len(list((run.here / "bulk" / "quarantine").glob("2*"))) == 2, told
    run("retain", "export.jsonl", "--errors", "--store", "retained")


def main() -> None:
    """Try everything, and say how long it took."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="wheel-smoke-") as name:
        folder = Path(name)
        python, wheel = installed(folder)
        print(f"{time.monotonic() - began:5.1f} s  the wheel is built and installed alone", flush=True)
        here = folder / "here"
        here.mkdir()
        run = Smoke(python, here)
        where = [
            python,
            "-c",
            "import extractor; from extractor.cli.app import COMMANDS; print(extractor.__file__, *COMMANDS)",
        ]
        file, *commands = subprocess.run(where, cwd=here, capture_output=True, text=True, check=True).stdout.split()
        assert Path(file).is_relative_to(folder), "another extractor than the wheel's was imported"
        for command in commands:
            for group in ("", *re.findall(r"^  ([a-z]+)  ", run.help(command).partition("Commands:")[2], re.MULTILINE)):
                run.help(command, *([group] if group else []))
        project(here)
        case = from_trace_to_case(run)
        replayed(run, case)
        checked(run)
        many(run)
        install(python, f"{wheel}[review]", folder)
        run("review", case, "--packet", "packet")
        assert (here / "packet.html").stat().st_size > 0
        lived(run, case)
        missing = set(commands) - run.ran
        assert not missing, f"never run: {sorted(missing)}"
        print(f"{len(commands)} commands passed in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
