"""Which workspace key a run uses, and when one may be made."""

from __future__ import annotations

import os
from pathlib import Path

from extractor.errors import WorkspaceKeyError
from extractor.redact.keys import WorkspaceKey, create_key, load_key

from .console import Console, interactive


def workspace_key(given: Path | None, project: Path | None, console: Console) -> WorkspaceKey:
    """Return the key of ``--key-file`` or its variable, else the project's, else, for people at a terminal, their own.

    Only such an interactive run may make one. Raises `WorkspaceKeyError` when there is none to use.
    """
    chosen = given or project
    if chosen is not None:
        return load_key(chosen)
    if console.json or not interactive():
        raise WorkspaceKeyError(
            "no workspace key: pass --key-file or set EXTRACT_FIXTURE_KEY_FILE",
            hint="make one with: extract-fixture key new --out FILE",
        )
    own = default_place()
    if own.exists():
        return load_key(own)
    key = create_key(own)
    console.note(f"made a workspace key, {key.key_id}: {own}")
    console.note("team-mates need the same file, or their cases of the same incident will differ from yours")
    return key


def default_place() -> Path:
    """Return where a person's own key stands, by the XDG base directory specification."""
    home = os.environ.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "extract-fixture" / "workspace.key"
