"""What commands read of sidecars: the key that a case stands under."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from extractor.errors import InputUnreadable, ProvenanceInvalid
from extractor.model.json import JsonValue, MalformedJson, parse
from extractor.model.layout import PROVENANCE

MAX_BYTES = 64 * 1024 * 1024


def sidecars_below(folder: Path) -> Iterator[Path]:
    """Yield every provenance.json below a folder, in name order, without following links. Raises `InputUnreadable`."""

    def refuse(_error: OSError) -> None:
        raise InputUnreadable("a folder of cases cannot be walked") from None

    for directory, folders, names in os.walk(folder, onerror=refuse):
        folders.sort()
        if PROVENANCE in names:
            yield Path(directory, PROVENANCE)


def key_id_of(case: Path) -> str:
    """Return the id of the key that a case, or a sidecar, stands under.

    Raises `InputUnreadable` where there is no sidecar, `ProvenanceInvalid` for one that names no key.
    """
    path = case / PROVENANCE if case.is_dir() else case
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError):
        raise InputUnreadable(f"no case here: {PROVENANCE} cannot be read") from None
    try:
        statement = parse(content) if len(content) <= MAX_BYTES else None
    except MalformedJson:
        statement = None
    found = _member(_member(_member(statement, "predicate"), "redaction"), "key_id")
    if not isinstance(found, str):
        raise ProvenanceInvalid(f"a {PROVENANCE} does not say under which key its case stands")
    return found


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, dict) else None
