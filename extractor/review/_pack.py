"""What continuous integration needs of approved cases, and nothing by which one could find the incident again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from ..errors import UsageError
from ..model.json import JsonValue, pretty
from ..model.layout import CONTROLS, EXPECT, FIXTURE, README
from ._approved import require_approved, validate_approved
from ._folder import sha256

PACK = "pack.json"
_TAKEN = (FIXTURE, EXPECT, README)


def pack(root: Path, out: Path, *, now: datetime | None = None) -> int:
    """Write every approved case of a store to a new folder, and return how many there are.

    A pack holds fixture.json, expect.yaml, README.md and controls of each case, byte for byte, and a list of their digests:
    no capture, no sidecar with its references to traces, no history, no names of people. Appears whole or not at all.
    Raises `ProvenanceInvalid` when any approved case is not what people approved, `UsageError` for a folder that exists.
    """
    cases = validate_approved(root, now=now)
    require_approved(cases)
    if os.path.lexists(out):
        raise UsageError("the folder of --pack exists already; a pack is made anew")
    fresh = out.with_name(f".new-{out.name}")
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        entries: list[JsonValue] = [_written(case.state.path, fresh) for case in cases if case.state]
        (fresh / PACK).write_bytes(pretty({"pack_version": "1", "cases": entries}).encode("utf-8"))
        fresh.rename(out)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        raise UsageError(f"the pack cannot be written ({error.strerror or 'input or output failed'})") from None
    return len(entries)


def _written(case: Path, pack_folder: Path) -> JsonValue:
    digests: dict[str, JsonValue] = {}
    for name, content in _contents(case):
        target = pack_folder / case.name / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        digests[name] = sha256(content)
    return {"case_id": case.name, "files": digests}


def _contents(case: Path) -> Iterator[tuple[str, bytes]]:
    for name in _TAKEN:
        if (case / name).is_file() and not (case / name).is_symlink():
            yield name, (case / name).read_bytes()
    controls = case / CONTROLS
    if controls.is_dir() and not controls.is_symlink():
        for control in sorted(entry for entry in controls.iterdir() if entry.is_dir() and not entry.is_symlink()):
            for name, content in _contents(control):
                yield f"{CONTROLS}/{control.name}/{name}", content
