"""Workers that do what no worker should; a pool starts them by their names."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from extractor.bulk.one import Result
from extractor.bulk.worker import Done, Ready


@dataclass(frozen=True)
class Job:
    def trace_ref(self, trace_id):
        return trace_id


@dataclass(frozen=True)
class Setup:
    place: Path
    job: Job


def odd(tasks, setup):
    """Convert nothing: die, hang or grow as the trace's id says. In a folder that says so, load slowly."""
    time.sleep(3 if (setup.place / "loads-slowly").exists() else 0)
    tasks.send(Ready())
    while True:
        try:
            task = tasks.recv()
        except EOFError:
            return
        if task is None:
            return
        if task[0].startswith("die") or (task[0].startswith("once") and not (setup.place / task[0]).exists()):
            (setup.place / task[0]).touch()
            os.kill(os.getpid(), 9)
        if task[0].startswith("hang"):
            time.sleep(600)
        running = setup.place / f"running.{task[0]}"
        running.touch()
        time.sleep(0.3 if "slow" in task[0] else 0)
        crowd = len(list(setup.place.glob("running.*")))
        running.unlink()
        peak = 2 << 30 if task[0].startswith("grow") else 1
        tasks.send(Done(Result(trace_ref=task[0], state="made", case_id=str(os.getpid()), spans=crowd), peak))
