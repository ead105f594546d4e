"""A worker that dies, hangs or grows costs its own trace at most."""

from __future__ import annotations

import importlib
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from extractor.bulk import pool
from extractor.bulk.pool import Pool

WORKERS = Path(__file__).with_name("workers.py")


@pytest.fixture
def make(tmp_path, monkeypatch):
    # Another process finds by its name what stands on the path.
    shutil.copy(WORKERS, tmp_path / "odd_workers.py")
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("odd_workers", None)
    workers = importlib.import_module("odd_workers")
    monkeypatch.setattr(pool, "work", workers.odd)
    setup = workers.Setup(tmp_path, workers.Job())
    return lambda size=2, timeout=60.0: Pool(setup=setup, size=size, timeout=timeout)


def of(names, made):
    found = {task[0]: result for task, result in made.results((name, "file 1 record 1", 7) for name in names)}
    assert sorted(found) == sorted(names), "each comes once"
    return found


def test_all_are_done_by_no_more_workers_than_there_may_be(make):
    found = of([f"t{number}" for number in range(20)], make())
    assert {each.state for each in found.values()} == {"made"}
    assert len({each.case_id for each in found.values()}) <= 2


def test_a_death_is_tried_once_more_and_then_told(make):
    found = of(["t1", "die1", "t2", "once1", "t3"], make())
    assert {name: each.state for name, each in found.items()} == {
        "t1": "made", "die1": "dead", "t2": "made", "once1": "made", "t3": "made",
    }  # fmt: skip
    assert (found["die1"].stage, found["die1"].code, found["die1"].place) == (
        "worker",
        "worker_died",
        "file 1 record 1",
    )


def test_what_a_worker_died_of_is_tried_again_with_no_other_beside_it(make):
    """Where memory ran out, whoever asked last is not whoever took it."""
    found = of(["slow1", "once2slow", "slow3", "slow4", "slow5", "slow6"], make(size=3))
    assert {each.state for each in found.values()} == {"made"}
    assert found["once2slow"].spans == 1


def test_a_trace_that_takes_too_long_is_told(make):
    found = of(["hang1", "t1", "t2"], make(timeout=8.0))
    assert found["hang1"].code == "timed_out"
    assert found["t1"].state == found["t2"].state == "made"


def test_the_time_of_a_trace_is_not_that_of_loading_the_model(make, tmp_path):
    (tmp_path / "loads-slowly").touch()
    found = of(["t1", "hang1", "t2"], make(size=1, timeout=1.0))
    assert {name: each.code for name, each in found.items()} == {"t1": None, "hang1": "timed_out", "t2": None}


def test_a_trace_may_be_given_all_the_time_there_is(make):
    assert of(["t1"], make(timeout=999_999_999 * 86_400.0))["t1"].state == "made"


def test_a_worker_that_has_grown_is_replaced(make):
    made = make(size=1)
    found = of(["t1", "grow1", "t2"], made)
    assert found["t1"].case_id == found["grow1"].case_id != found["t2"].case_id
    assert made.peak == 2 << 30


def test_no_task_for_now_is_not_the_end(make):
    made = make(size=2)
    held = iter([("t1", "p", 1), None, ("t2", "p", 1), None, ("t3", "p", 1)])
    assert sorted(task[0] for task, _ in made.results(held)) == ["t1", "t2", "t3"]
    assert not made._hands


HANGS = """
import time
from multiprocessing import Pipe
from types import SimpleNamespace
from extractor.bulk import worker

class Hangs:
    def __init__(self, setup):
        pass

    def load(self):
        pass

    def convert(self, task):
        time.sleep(60)

worker.Worker, worker._GRACE = Hangs, 0.1
ours, theirs = Pipe()
ours.send(("a" * 32, "file 1 record 1", 7))
worker.work(theirs, SimpleNamespace(timeout=0.1))
"""


def test_a_worker_ends_by_itself_where_nobody_is_left_to_end_it():
    assert subprocess.run([sys.executable, "-c", HANGS], check=False, timeout=50).returncode == -signal.SIGALRM
