"""Manifests as files: canonical bytes, replaced in one step, and read only when they are what the schema says."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from extractor.errors import InputUnreadable, ValidationFailed
from extractor.model.json import JsonValue, MalformedJson, parse, pretty

from ..structure import misfits
from .manifest import (
    AnsweredBy,
    Authorization,
    Boundary,
    ClockRead,
    Diverged,
    Effect,
    FaultLine,
    FirstDivergence,
    GuardState,
    Interleavings,
    Manifest,
    Missed,
    ModelUse,
    Policy,
    RunOutcome,
    UnconsumedCall,
)

__all__ = ["REQUIRED", "Partial", "manifest_bytes", "parse_manifest", "read_manifest", "write_manifest"]

REQUIRED: Final = ("boundary_passed", "case_id", "fixture_hash", "implementation_version")
"""What two results must say to be compared at all, sorted."""

MAX_BYTES: Final = 64 * 1024 * 1024
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Partial:
    """A result without which nothing can be compared: the members that are missing, sorted."""

    missing: tuple[str, ...]


def manifest_bytes(manifest: Manifest) -> bytes:
    """Return the canonical bytes: the schema's order, two spaces, UTF-8, a final newline.

    Raises `ValidationFailed` for a manifest that could not be read back.
    """
    document = manifest.members()
    problems = misfits(document, "manifest")
    if problems:
        raise ValidationFailed([f"manifest: {line}" for line in problems])
    text = pretty(document)
    try:
        parse(text)
    except MalformedJson as fault:
        raise ValidationFailed([f"manifest: outcome: {fault.code}"]) from None
    return text.encode("utf-8")


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write a manifest, replacing one that is there in a single step; its folder is made where there is none.

    A reader sees the one or the other, never half of one. Raises `ValidationFailed` before anything is written.
    """
    content = manifest_bytes(manifest)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.parent / f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp"
    with suppress(FileNotFoundError):  # left behind by a process that had our number
        beside.unlink()
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            beside.unlink()
        raise


def read_manifest(path: Path, *, name: str = "manifest") -> Manifest | Partial:
    """Return a manifest of ours, one of the minimal form, or what is missing of it.

    Raises `InputUnreadable`, which calls the file by ``name``, for bytes that are no such thing.
    """
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError):  # ValueError: a NUL in the path
        hint = "name a manifest that extract-fixture replay wrote: artifacts/replays/CASE--VERSION.json"
        raise InputUnreadable(f"{name} cannot be read", hint=hint) from None
    return parse_manifest(content, name=name)


def parse_manifest(content: bytes, *, name: str = "manifest") -> Manifest | Partial:
    """Return what the bytes of a manifest say; see `read_manifest`."""
    if len(content) > MAX_BYTES:
        raise InputUnreadable(f"{name} is too large")
    try:
        document = parse(content)
    except MalformedJson as fault:
        raise InputUnreadable(f"{name} is not JSON: {fault.code}") from None
    if not isinstance(document, dict):
        raise InputUnreadable(f"{name} must be a JSON object")
    missing = tuple(member for member in REQUIRED if member not in document)
    if missing:
        return Partial(missing=missing)
    problems = misfits(document, "manifest")
    if problems:
        raise InputUnreadable(f"{name} does not fit its schema:\n" + "\n".join(f"  {line}" for line in problems))
    if "manifest_version" in document:
        return _whole(Manifest, {**document, **_parts(document)})
    known: dict[str, object] = {member: document[member] for member in REQUIRED}
    return _whole(Manifest, {**known, "manifest_version": None, "state": "finished", "lane": None, "mode": None})


def _parts(document: dict[str, JsonValue]) -> dict[str, object]:
    return {
        "boundary": _optional(Boundary, document["boundary"]),
        "effects": {name: _made(Effect, value) for name, value in _members(document["effects"])},
        "authorization": _optional(Authorization, document["authorization"]),
        "served": _texts(document["served"]),
        "answered_by": _made(AnsweredBy, document["answered_by"]),
        "unconsumed": _each(UnconsumedCall, document["unconsumed"]),
        "missed": _each(Missed, document["missed"]),
        "diverged": _each(Diverged, document["diverged"]),
        "first_divergence": _optional(FirstDivergence, document["first_divergence"]),
        "faults": _each(FaultLine, document["faults"]),
        "guard": _optional(GuardState, document["guard"]),
        "clock_reads": _each(ClockRead, document["clock_reads"]),
        "turns": _plain(document["turns"]),
        "model": _optional(ModelUse, document["model"]),
        "runs": _runs(document["runs"]),
        "policy": _optional(Policy, document["policy"]),
        "interleavings": _optional(Interleavings, document["interleavings"]),
    }


def _whole(kind: Callable[..., _T], members: dict[str, object]) -> _T:
    """Return the value of members whose types the schema has proved."""
    return kind(**members)


def _made(kind: Callable[..., _T], value: JsonValue) -> _T:
    return _whole(kind, {name: _plain(member) for name, member in _members(value)})


def _optional(kind: Callable[..., _T], value: JsonValue) -> _T | None:
    return None if value is None else _made(kind, value)


def _each(kind: Callable[..., _T], value: JsonValue) -> tuple[_T, ...]:
    return tuple(_made(kind, item) for item in value) if isinstance(value, list) else ()


def _runs(value: JsonValue) -> tuple[RunOutcome, ...]:
    # An outcome is a payload: it stays as it is.
    return tuple(_whole(RunOutcome, dict(_members(item))) for item in value) if isinstance(value, list) else ()


def _members(value: JsonValue) -> list[tuple[str, JsonValue]]:
    return list(value.items()) if isinstance(value, dict) else []


def _plain(value: JsonValue) -> object:
    """Return a member of ours: every number is a count, and 1.0 is one too."""
    if isinstance(value, list):
        return _texts(value)
    return int(value) if isinstance(value, float) else value


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
