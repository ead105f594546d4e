"""Runs that end anywhere: by a kill at a random moment, and at every single call that changes the disk."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from extractor import ruleset
from extractor.errors import InputUnreadable, UsageError
from extractor.review import decide, enrol, purge, register, retire, state, validate_approved
from extractor.review._envelope import opened
from extractor.write import shelves

APPROVED, RETIRED, REJECTED, PURGED = (f"2026-03-02-refund-create-no-error-0000000{number}" for number in range(4))
CASES = (APPROVED, RETIRED, REJECTED, PURGED)
ENDS = {APPROVED: "approved", RETIRED: "retired", REJECTED: "rejected", PURGED: "purged"}
NOW = datetime(2026, 3, 4, 10, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=60)
PLACES = ("quarantine", "approved", "rejected", "retired")
BOUND = ("fixture.json", "README.md", "provenance.json", "expect.yaml")
KILLS = int(os.environ.get("KILLS", "40"))

# The children only touch files and end: that another thread of the runner held a lock does not matter.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


@pytest.fixture
def store(make, root, monkeypatch) -> Path:
    """A store with one case for each way out of quarantine; a copy of it is what each child works on."""
    rules = ruleset.load()  # once: otherwise most kills would hit the reading of rules
    monkeypatch.setattr(ruleset, "load", lambda _overlays: rules)
    for case_id in CASES:
        case = make(case_id)
        enrol(root, case_id, now=NOW)
        if case_id != PURGED:
            capture = json.loads((case / "capture.json").read_text()) | {"expires_at": "2030-01-01T00:00:00Z"}
            (case / "capture.json").write_text(json.dumps(capture))
    return Path(root)


def work(root: Path) -> None:
    """Do all of it; what is done already is passed over, so that another run finishes."""
    steps: list[Callable[[], object]] = []
    for case_id in (APPROVED, RETIRED):
        for role, reviewer in (("privacy", "Rana Okafor"), ("incident-owner", "Ines Duarte")):
            steps.append(lambda c=case_id, r=role, n=reviewer: approve(root, c, r, n))  # type: ignore[misc]
    steps.append(lambda: retire(root / "approved" / RETIRED, reason="covered", successor=APPROVED, now=NOW))
    steps.append(lambda: reject(root))
    steps.append(lambda: purge(root, now=LATER))
    for step in steps:
        try:
            step()
        except (UsageError, InputUnreadable):
            continue  # the case has gone on, or the step was made


def approve(root: Path, case_id: str, role: str, reviewer: str) -> None:
    case = root / "quarantine" / case_id
    decide(case, role=role, reviewer=reviewer, decision="approved", now=NOW)


def reject(root: Path) -> None:
    case = root / "quarantine" / REJECTED
    decide(case, role="qa", reviewer="Jo Lind", decision="rejected", reason="seen before", now=NOW)


def whole(root: Path, originals: Path) -> None:
    """Each case stands in one place, with all that it had, and the register says the same."""
    found = register(root, now=NOW)
    assert found.problems == ()
    states = {row.case_id: row.state for row in found.rows}
    assert len(found.rows) == len(states) == len(CASES)
    for case_id in CASES:
        places = [place for place in PLACES if (root / place / case_id).exists()]
        if not places:
            assert (case_id, states[case_id]) == (PURGED, "purged")
            continue
        assert len(places) == 1, (case_id, places)
        (place,) = places
        folder = root / place / case_id
        assert states[case_id] == {"quarantine": "in_review", "retired": "superseded"}.get(place, place)
        for name in BOUND:
            assert (folder / name).read_bytes() == (originals / "quarantine" / case_id / name).read_bytes()
        strange = {p.name for p in folder.iterdir()} - {*BOUND, "history.jsonl", "capture.json", "approvals"}
        assert not strange
        for line in (folder / "history.jsonl").read_text().splitlines():
            json.loads(line)
        for statement in (folder / "approvals").glob("*"):
            opened(statement.read_bytes())
        capture = (originals / "quarantine" / case_id / "capture.json").read_bytes()
        kept = [p for p in (folder / "capture.json", root / "restricted" / case_id / "capture.json") if p.exists()]
        assert kept
        assert all(path.read_bytes() == capture for path in kept)
        if place == "approved":
            assert state(folder, now=NOW).sound


def finished(root: Path, originals: Path) -> None:
    """One more run, and everything is as if none had been cut short."""
    work(root)
    with shelves(root):
        pass
    whole(root, originals)
    found = register(root, now=NOW)
    assert {row.case_id: "retired" if row.state == "superseded" else row.state for row in found.rows} == ENDS
    assert not [row for row in found.rows if "unfinished" in row.labels]
    assert [case.faults for case in validate_approved(root, now=NOW)] == [()]
    left = [p.name for place in (*PLACES, "restricted") for p in (root / place).iterdir()]
    assert not [name for name in left if name.startswith((".part-", ".gone-", ".new-"))]
    assert not list(root.glob("approved/*/capture.json"))


def in_child(job: Callable[[], object]) -> int:
    child = os.fork()
    if child == 0:
        try:
            job()
        finally:
            os._exit(0)
    return child


def test_a_kill_at_any_moment_leaves_every_case_wholly_in_one_state(store, tmp_path):
    work(shutil.copytree(store, tmp_path / "warm"))  # schemas and rules are loaded once, before the children are made
    began = time.monotonic()
    os.waitpid(in_child(lambda: work(shutil.copytree(store, tmp_path / "timed"))), 0)
    length = time.monotonic() - began
    finished(tmp_path / "timed", store)
    moments, killed = random.Random(7), 0
    for number in range(KILLS):
        root = tmp_path / f"kill-{number}"
        shutil.copytree(store, root)
        child = in_child(lambda: work(root))  # noqa: B023
        time.sleep(moments.uniform(0, length))
        os.kill(child, signal.SIGKILL)
        killed += os.WIFSIGNALED(os.waitpid(child, 0)[1])
        whole(root, store)
        finished(root, store)
        shutil.rmtree(root)
    assert killed


def test_a_crash_at_any_call_that_changes_the_disk_leaves_every_case_wholly_in_one_state(store, tmp_path, monkeypatch):
    """As above, for the moments that a clock would hit too seldom: each is tried once."""
    names = ("mkdir", "rename", "unlink", "rmdir", "pwrite", "fsync")
    stride = 1 if "KILLS" in os.environ else 7
    work(shutil.copytree(store, tmp_path / "warm"))
    step, crashed = 0, True
    while crashed:
        root = tmp_path / f"crash-{step}"
        shutil.copytree(store, root)

        def job() -> None:
            left = step  # noqa: B023

            def counting(real: Callable[..., Any]) -> Callable[..., Any]:
                def call(*args: Any, **named: Any) -> Any:
                    nonlocal left
                    if left == 0:
                        os._exit(17)
                    left -= 1
                    return real(*args, **named)

                return call

            for name in names:
                monkeypatch.setattr(os, name, counting(getattr(os, name)))
            work(root)  # noqa: B023

        crashed = os.waitstatus_to_exitcode(os.waitpid(in_child(job), 0)[1]) == 17
        whole(root, store)
        finished(root, store)
        shutil.rmtree(root)
        step += stride
    assert step > 60
