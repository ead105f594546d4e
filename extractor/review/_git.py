"""What git remembers of a store: the cases that were ever committed as approved."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ..model.layout import APPROVED, FIXTURE, case_of

_SECONDS = 60


def committed(root: Path) -> frozenset[str] | None:
    """Return the ids of all cases that stood in the store's approved folder in any commit behind the current one.

    None where there is no git, no repository or no commit: then history cannot be asked. Nothing of the repository's own
    settings is run.
    """
    # Additions alone: a case that was renamed away was once added under its name.
    command = [
        *("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"),
        *(
            "log",
            "--format=",
            "--name-only",
            "--diff-filter=A",
            "--no-renames",
            "-m",
            "-z",
            "--relative",
            "--",
            APPROVED,
        ),
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env=environment,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    paths = [entry.decode("utf-8", "replace").strip("\n").split("/") for entry in done.stdout.split(b"\0")]
    return frozenset(
        case
        for path in paths
        if len(path) == 3 and path[0] == APPROVED and path[2] == FIXTURE and (case := case_of(path[1])) is not None
    )
