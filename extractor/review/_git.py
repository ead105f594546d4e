"""What git remembers of a store: the cases that were ever committed as approved."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ..model.layout import APPROVED, FIXTURE, case_of

_SECONDS = 60


def committed(root: Path) -> frozenset[str] | None:
    """Return the ids of all cases that stood in the store's approved folder in any commit behind the current one.

    None where there is no git, no repository, no commit or only the last ones (a shallow clone): then history cannot be asked.
    Nothing that the repository's own settings name is run.
    """
    if _asked(root, "rev-parse", "--is-shallow-repository") != b"false\n":
        return None
    # Additions alone: a case that was renamed away was once added under its name.
    listed = _asked(
        root,
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
    )
    if listed is None:
        return None
    paths = [entry.decode("utf-8", "replace").strip("\n").split("/") for entry in listed.split(b"\0")]
    return frozenset(
        case
        for path in paths
        if len(path) == 3 and path[0] == APPROVED and path[2] == FIXTURE and (case := case_of(path[1])) is not None
    )


def _asked(root: Path, *arguments: str) -> bytes | None:
    """Return what git answers; None where it cannot."""
    # Without the variables of a hook, which may name another repository or index than the store's.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", *arguments)
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
    return done.stdout if done.returncode == 0 else None
