from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from extractor.cli.app import run
from extractor.minimise.pieces import levels
from extractor.minimise.project import project

SAMPLES = Path(__file__).parents[2] / "sample_traces"
INCIDENTS = tomllib.loads((SAMPLES / "incidents.toml").read_text("utf-8"))

SAME_KEY = '''
"""Red while two attempts that the dependency received share an idempotency key."""
import json, os, pathlib, sys
if "ASKED" in os.environ:
    with open(os.environ["ASKED"], "a") as log:
        print("asked", file=log)
document = json.loads(pathlib.Path(os.environ["EXTRACT_FIXTURE_CASE"], "fixture.json").read_text())
keys = [each["idempotency_key"] for each in document["tool_events"] if each["timing"]["receipt_ms"] is not None]
print("the same key twice" if len(keys) != len(set(keys)) else "every key once")
sys.exit(3 if len(keys) != len(set(keys)) else 0)
'''
WRONG_POLICY = '''
"""Red while a customer is sent instructions after a policy with the summer's offset was read."""
import json, pathlib, sys
document = json.loads(pathlib.Path(sys.argv[1], "fixture.json").read_text())
events = document["tool_events"]
read = [each["attempt"] for each in events if "-05:00" in json.dumps(each["outcome"])]
sent = [each["attempt"] for each in events if each["tool"] == "recovery.send_instructions"]
asked = document["input"]["messages"]
sys.exit(1 if asked and any(one < other for one in read for other in sent) else 0)
'''


@pytest.fixture
def make(here, capsys):
    """Extract an incident into a folder and return its case."""

    def made(name: str, out: str) -> Path:
        incident = INCIDENTS[name]
        arguments = ["--trace-id", incident["trace_id"], str(SAMPLES / incident["source"]), "--out", out, "--quiet"]
        arguments += [part for claim in incident["prohibit"] for part in ("--prohibit", claim)]
        assert run(arguments) == 0
        capsys.readouterr()
        (found,) = (here / out / "quarantine").glob("2*")
        return found

    return made


def check(here, text: str) -> str:
    (here / "check.py").write_text(text)
    return str(here / "check.py")


def document(case: Path, name: str = "fixture.json") -> dict:
    return json.loads((case / name).read_bytes())


def contents(case: Path) -> dict[str, bytes]:
    return {name: (case / name).read_bytes() for name in ("fixture.json", "README.md", "provenance.json")}


@pytest.mark.parametrize(
    ("name", "text", "argument", "left"),
    [
        ("refund-timeout", SAME_KEY, (), 2),
        ("recovery-dst", WRONG_POLICY, ("{}",), 3),
    ],
)
def test_a_sample_is_reduced_to_what_the_check_needs(make, here, name, text, argument, left):
    case, again = make(name, "one"), make(name, "two")
    command = ["--", sys.executable, check(here, text), *argument]
    assert run(["minimise", str(case), "--quiet", *command]) == 0
    assert run(["validate", str(case), "--quiet"]) == 0
    pieces = {piece for level in levels(document(case)) for piece in level.order}
    assert len(pieces) == left
    # One-minimal, asked of the command itself and without its journal.
    for number, piece in enumerate(sorted(pieces)):
        smaller = here / f"smaller-{number}"
        smaller.mkdir()
        reduced = project(document(case), pieces - {piece}).document
        (smaller / "fixture.json").write_text(json.dumps(reduced))
        assert asked_alone(here, smaller, argument) == 0
    # The same from the same case elsewhere.
    assert run(["minimise", str(again), "--quiet", *command]) == 0
    assert contents(again) == contents(case)
    # And asked again of its own result, nothing changes.
    standing = contents(case)
    assert run(["minimise", str(case), "--quiet", *command]) == 0
    assert contents(case) == standing


def asked_alone(here: Path, folder: Path, argument: tuple[str, ...]) -> int:
    arguments = [str(folder) if each == "{}" else each for each in argument]
    environment = {**os.environ, "EXTRACT_FIXTURE_CASE": str(folder)}
    done = subprocess.run(
        [sys.executable, str(here / "check.py"), *arguments], env=environment, capture_output=True, check=False
    )
    return done.returncode


def test_the_summary_and_the_history_tell_counts(make, here, capsys):
    case = make("refund-timeout", "one")
    before = len((case / "fixture.json").read_bytes())
    assert run(["minimise", str(case), "--", sys.executable, check(here, SAME_KEY)]) == 0
    shown = capsys.readouterr().out
    assert "2 of 19 left" in shown
    assert f"{len((case / 'fixture.json').read_bytes())} of {before}" in shown
    assert "1-minimal for this command: taking away any single piece makes it green" in shown
    assert "the same key" not in shown
    entry = json.loads((case / "history.jsonl").read_text().splitlines()[-1])
    assert entry["event"] == "minimised"
    assert (entry["pieces_before"], entry["pieces_after"]) == (19, 2)
    assert entry["runs"] == document(case, "provenance.json")["predicate"]["minimised"]["runs"]


def test_a_second_run_asks_nothing_and_prints_the_same(make, here, capsys, monkeypatch):
    case, log = make("refund-timeout", "one"), here / "log"
    monkeypatch.setenv("ASKED", str(log))
    arguments = ["minimise", str(case), "--out", "smaller", "--json", "--", sys.executable, check(here, SAME_KEY)]
    told = []
    for _ in range(2):
        assert run(arguments) == 0
        told.append(json.loads(capsys.readouterr().out))
    asked = len(log.read_text().splitlines())
    assert [each["minimised"].pop("repeated") for each in told] == [0, asked]
    assert told[0] == told[1]
    assert told[0]["minimised"]["runs"] == asked
    assert told[0]["minimised"]["one_minimal"] is True


def test_another_folder_leaves_the_case_alone(make, here):
    case = make("refund-timeout", "one")
    standing = contents(case)
    history = (case / "history.jsonl").read_bytes()
    command = ["--", sys.executable, check(here, SAME_KEY)]
    assert run(["minimise", str(case), "--out", "smaller", "--quiet", *command]) == 0
    assert contents(case) == standing
    assert (case / "history.jsonl").read_bytes() == history
    assert len(document(here / "smaller" / "quarantine" / case.name)["tool_events"]) == 2
    assert run(["validate", "smaller", "--quiet"]) == 0


def test_the_journal_stands_beside_the_case_where_git_ignores_it(make, here):
    case = make("refund-timeout", "one")
    assert run(["minimise", str(case), "--quiet", "--", sys.executable, check(here, SAME_KEY)]) == 0
    assert (case.parent / f".minimise-{case.name}.jsonl").exists()
    assert run(["validate", str(case.parent), "--quiet"]) == 0
    assert run(["minimise", str(case), "--journal", "j.jsonl", "--quiet", "--", sys.executable, "check.py"]) == 0
    assert Path("j.jsonl").exists()


def test_a_text_keeps_the_search_from_slipping_to_another_failure(make, here):
    case = make("refund-timeout", "one")
    crashing = SAME_KEY.replace("sys.exit(3", "sys.exit(1").replace("else 0)", "else 1 if not keys else 0)")
    command = ["--", sys.executable, check(here, crashing)]
    assert run(["minimise", str(case), "--out", "slipped", "--quiet", *command]) == 0
    assert document(here / "slipped" / "quarantine" / case.name)["tool_events"] == []
    assert run(["minimise", str(case), "--match", "the same key", "--quiet", *command]) == 0
    assert len(document(case)["tool_events"]) == 2


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("raise SystemExit(0)", (), "green"),
        ("import time; raise SystemExit(time.monotonic_ns() % 251 + 1)", (), "flaky"),
        ("import time; time.sleep(60)", ("--timeout", "1"), "within"),
        ("print('Zebra Street 5'); raise SystemExit(1)", ("--match", "Lion Street"), "--match"),
        ("raise SystemExit(1)", ("--match", ""), "--match"),
        ("raise SystemExit(1)", ("--timeout", "0"), "--timeout"),
    ],
)
def test_what_no_search_can_start_from_is_a_usage_error(make, here, capsys, text, more, said):
    case = make("refund-timeout", "one")
    standing = contents(case)
    assert run(["minimise", str(case), *more, "--", sys.executable, check(here, text)]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "Street" not in told
    assert contents(case) == standing


def test_a_command_is_needed(make, capsys):
    assert run(["minimise", str(make("refund-timeout", "one"))]) == 2
    assert "COMMAND" in capsys.readouterr().err


def test_only_a_quarantined_case_under_its_own_key_is_minimised(make, here, tmp_path, capsys):
    case = make("refund-timeout", "one")
    other = tmp_path / "other.key"
    other.write_text("extract-fixture-key-1:" + bytes(range(1, 33)).hex() + "\n")
    other.chmod(0o600)
    command = ["--", sys.executable, check(here, SAME_KEY)]
    assert run(["minimise", str(case), "--key-file", str(other), *command]) == 2
    approved = case.parent.parent / "approved" / case.name
    approved.parent.mkdir()
    case.rename(approved)
    assert run(["minimise", str(approved), *command]) == 2
    assert "quarantine" in capsys.readouterr().err


def test_a_minimised_case_can_still_be_annotated(make, here):
    case = make("refund-timeout", "one")
    assert run(["minimise", str(case), "--quiet", "--", sys.executable, check(here, SAME_KEY)]) == 0
    assert run(["annotate", str(case), "--failure", "Two attempts timed out.", "--quiet"]) == 0
    assert run(["validate", str(case), "--quiet"]) == 0
    assert "Minimised" in (case / "README.md").read_text()
    assert document(case, "provenance.json")["predicate"]["minimised"]["pieces_after"] == 2


def test_after_a_kill_only_what_was_not_answered_is_asked(make, here, monkeypatch):
    case, log = make("refund-timeout", "one"), here / "log"
    monkeypatch.setenv("ASKED", str(log))
    slow = SAME_KEY.replace("document = ", "import time; time.sleep(0.2)\ndocument = ")
    arguments = ["minimise", str(case), "--quiet", "--", sys.executable, check(here, slow)]
    program = "import sys; from extractor.cli.app import run; sys.exit(run(sys.argv[1:]))"
    environment = {**os.environ, "PYTHONPATH": str(SAMPLES.parent)}
    process = subprocess.Popen([sys.executable, "-c", program, *arguments], env=environment)
    journal = case.parent / f".minimise-{case.name}.jsonl"
    for _ in range(600):
        if journal.exists() and journal.read_bytes().count(b"\n") >= 5:
            break
        time.sleep(0.1)
    process.kill()
    process.wait()
    answered = len(journal.read_text().splitlines())
    log.unlink()
    assert run(arguments) == 0
    runs = document(case, "provenance.json")["predicate"]["minimised"]["runs"]
    # The command that was under way may still have written its line.
    assert len(log.read_text().splitlines()) in (runs - answered, runs - answered + 1)
    assert 5 <= answered < runs
    assert len(document(case)["tool_events"]) == 2
